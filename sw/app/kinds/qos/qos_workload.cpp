// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/qos/qos_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sw/spec/generated/address_map.h"

namespace tern::app {
namespace {

constexpr unsigned kElementBytes = 2;

template <typename T>
void check_once(const std::vector<T>& items, const config::YamlValue& last) {
  if (std::count(items.begin(), items.end(), items.back()) > 1) last.fail("each one once");
}

}  // namespace

std::uint32_t QosWorkload::piece_bytes(unsigned batch, unsigned cores) const {
  return batch * (hidden / cores) * kElementBytes / TERN_CORE_SBUF_COUNT;
}

const char* qos_class_name(unsigned traffic_class) {
  static constexpr const char* kNames[] = {"exchange", "prefetch", "host"};
  return kNames[traffic_class];
}

QosWorkload load_qos(const config::YamlMap& top, std::uint64_t /*seed*/) {
  QosWorkload w;
  const auto number = [&](const char* key, unsigned* value, unsigned least, unsigned most) {
    if (auto v = top.find(key)) *value = static_cast<unsigned>(v->as_integer(least, most));
  };
  number("hidden", &w.hidden, 1024, 65536);
  if (w.hidden % 1024 != 0) top.get("hidden").fail("a multiple of 1024");
  number("weights_kib", &w.weights_kib, 64, 8192);
  if (w.weights_kib % 64 != 0) top.get("weights_kib").fail("a multiple of 64");
  number("layers", &w.layers, 8, 1024);
  number("host_kib", &w.host_kib, 0, 1024);
  if (auto v = top.find("compute_ns_per_token")) w.compute_ns_per_token = v->as_number(0, 1e5);
  for (const auto& item : top.get("batches").as_list()) {
    w.batches.push_back(static_cast<unsigned>(item.as_integer(1, 4096)));
    check_once(w.batches, item);
  }
  if (w.batches.empty()) top.get("batches").fail("at least one batch");
  w.policies = {"off", "strict", "weighted"};
  if (auto v = top.find("policies")) {
    w.policies.clear();
    for (const auto& item : v->as_list()) {
      w.policies.push_back(item.as_choice({"off", "strict", "weighted"}));
      check_once(w.policies, item);
    }
    if (w.policies.empty()) v->fail("at least one policy");
  }
  if (auto v = top.find("shares")) {
    const config::YamlMap map = v->as_map();
    for (unsigned c = 0; c < QosWorkload::kClasses; ++c)
      w.shares[c] = map.get(qos_class_name(c)).as_number(0, 1);
    if (std::accumulate(w.shares.begin(), w.shares.end(), 0.0) > 1 + 1e-9)
      v->fail("shares with a sum of at most 1");
  }
  return w;
}

std::string QosWorkload::describe() const {
  return fmt::format("{} layers of {} KiB of weights per core, activations of {} x 2 bytes", layers,
                     weights_kib, hidden);
}

}  // namespace tern::app
