// SPDX-License-Identifier: Apache-2.0
#include "sw/system/link_config.h"

#include <fmt/format.h>

#include <vector>

#include "sw/spec/generated/link.h"
#include "sw/system/read_keys.h"

namespace tern::system {

namespace {

using config::YamlMap;
using config::YamlValue;

const std::vector<std::string>& protocol_names() {
  static const std::vector<std::string> kNames = {"pcie4", "pcie5", "pcie6", "pcie7", "ualink"};
  return kNames;
}

void read_medium(const YamlMap& map, const char* key, MediumConfig* medium) {
  const auto v = map.find(key);
  if (!v) return;
  const YamlMap keys = v->as_map();
  // At most 200 m; two retimers are the most that PCIe allows, a cable may have its own.
  read_number(keys, "propagation_ns", 0, 1000, &medium->propagation_ns);
  read_whole(keys, "retimers", 0, 4, &medium->retimers);
}

}  // namespace

const char* medium_name(Medium medium) {
  static constexpr const char* kNames[] = {"PCB", "backplane", "AEC", "network"};
  return kNames[static_cast<unsigned>(medium)];
}

const char* protocol_name(Protocol protocol) {
  return protocol_names()[static_cast<unsigned>(protocol)].c_str();
}

unsigned flit_bytes(Protocol protocol) {
  constexpr unsigned kPcie =
      4 * TERN_LINK_TLP_DWORDS + TERN_LINK_DLP_BYTES + TERN_LINK_CRC_BYTES + TERN_LINK_FEC_BYTES;
  if (protocol == Protocol::kUalink) return 640;
  return protocol == Protocol::kPcie6 || protocol == Protocol::kPcie7 ? kPcie : 0;
}

LinkConfig default_link(Protocol protocol) {
  LinkConfig c;
  c.protocol = protocol;
  const bool flits = flit_bytes(protocol) > 0;
  c.media = {{{2, 0}, {5, 1}, {10, 2}}};
  c.controller_ns = 25;
  c.retimer_ns = flits ? 12 : 10;
  c.fec_ns = flits ? 2 : 0;
  c.switch_ns = 115;
  c.forward_ns = 20;
  c.header_bytes = 16;
  c.max_payload = 256;
  c.train_bytes = 4096;
  c.bit_error_rate = flits ? 1e-6 : 1e-12;
  c.retrain_ns = 10'000;
  c.train_ns = 100'000'000;
  c.selective_nak = flits && protocol != Protocol::kUalink;
  switch (protocol) {
    case Protocol::kPcie4:
      c.buffer_bytes_per_lane = 1024;
      c.replay_timer_ns = 12000;
      c.switch_ns = 105;
      break;
    case Protocol::kPcie5:
      c.buffer_bytes_per_lane = 2048;
      c.replay_timer_ns = 6000;
      break;
    case Protocol::kPcie6:
      c.buffer_bytes_per_lane = 4096;
      c.replay_timer_ns = 3000;
      break;
    case Protocol::kPcie7:
      c.buffer_bytes_per_lane = 8192;
      c.replay_timer_ns = 1500;
      break;
    case Protocol::kUalink:
      c.buffer_bytes_per_lane = 16384;
      c.replay_timer_ns = 3000;
      c.switch_ns = 150;
      break;
  }
  return c;
}

Protocol protocol_of_rate(double lane_gb_per_s) {
  if (lane_gb_per_s >= 25) return Protocol::kUalink;
  if (lane_gb_per_s >= 16) return Protocol::kPcie7;
  if (lane_gb_per_s >= 8) return Protocol::kPcie6;
  return lane_gb_per_s >= 4 ? Protocol::kPcie5 : Protocol::kPcie4;
}

LinkConfig read_link(const std::optional<YamlValue>& value, double lane_gb_per_s,
                     const LinkConfig& base) {
  LinkConfig c = base.source.empty() ? default_link(protocol_of_rate(lane_gb_per_s)) : base;
  if (!value) return c;
  const YamlMap map = value->as_map();
  if (const auto v = map.find("protocol"))
    c = default_link(static_cast<Protocol>(v->as_index(protocol_names())));
  c.source = fmt::format("{}: key '{}'", value->source(), value->key());
  read_medium(map, "pcb", &c.media[0]);
  read_medium(map, "backplane", &c.media[1]);
  read_medium(map, "aec", &c.media[2]);
  read_number(map, "controller_ns", 1, 10000, &c.controller_ns);
  read_number(map, "retimer_ns", 0, 1000, &c.retimer_ns);
  read_number(map, "fec_ns", 0, 1000, &c.fec_ns);
  read_number(map, "switch_ns", 1, 10000, &c.switch_ns);
  read_number(map, "forward_ns", 0, 10000, &c.forward_ns);
  read_whole(map, "header_bytes", 4, 64, &c.header_bytes);
  read_whole(map, "max_payload", 64, 4096, &c.max_payload);
  read_whole(map, "train_bytes", 64, 65536, &c.train_bytes);
  read_whole(map, "buffer_bytes_per_lane", 64, 1 << 20, &c.buffer_bytes_per_lane);
  read_number(map, "bit_error_rate", 0, 1e-3, &c.bit_error_rate);
  if (const auto v = map.find("selective_nak")) {
    c.selective_nak = v->as_bool();
    if (c.selective_nak && (flit_bytes(c.protocol) == 0 || c.protocol == Protocol::kUalink))
      v->fail("false: only PCIe 6.0 and later have it");
  }
  read_number(map, "replay_timer_ns", 1, 1e9, &c.replay_timer_ns);
  read_number(map, "retrain_ns", 0, 1e9, &c.retrain_ns);
  read_number(map, "train_ns", 0, 1e10, &c.train_ns);
  if (const auto v = map.find("train_bytes"); v && c.train_bytes % c.max_payload != 0)
    v->fail(fmt::format("a multiple of max_payload, {}", c.max_payload));
  if (c.train_bytes % c.max_payload != 0)
    map.get("max_payload").fail(fmt::format("a divisor of train_bytes, {}", c.train_bytes));
  return c;
}

}  // namespace tern::system
