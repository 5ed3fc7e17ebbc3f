// SPDX-License-Identifier: Apache-2.0
#include "systemc/noc/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sw/base/user_error.h"
#include "sw/spec/generated/address_map.h"
#include "systemc/trace/sim_time.h"

namespace tern::noc {

namespace {
// Chip registers have no stride: they own the addresses up to this size.
constexpr std::uint64_t kRegistersBytes = 0x2000;

bool has_port(const Unit& unit) {
  return unit.kind == Unit::Kind::kHbm || unit.kind == Unit::Kind::kCore ||
         unit.kind == Unit::Kind::kHost || unit.kind == Unit::Kind::kLinks;
}
}  // namespace

// Collects the steps of a route; every step but the first is a hop after the one before.
class Topology::Route {
 public:
  Route(std::uint64_t first_latency_fs, std::uint64_t hop_fs)
      : first_(first_latency_fs), pending_(first_latency_fs), hop_(hop_fs) {}
  void add(unsigned resource, std::uint64_t extra_fs = 0) {
    path_.steps[path_.count++] = {resource, pending_};
    pending_ = hop_ + extra_fs;
  }
  // The hop between a unit and its port is charged at one of the two ends.
  Path finish(bool has_port) {
    path_.last_latency_fs = has_port ? pending_ - first_ : pending_;
    return path_;
  }

 private:
  Path path_;
  const std::uint64_t first_;
  std::uint64_t pending_;
  const std::uint64_t hop_;
};

Topology::Topology(const NocConfig& config, const Shape& shape, Network& network)
    : shape_(shape),
      dies_(config.dies),
      hop_fs_(ns_to_fs(config.hop_ns)),
      die_link_fs_(ns_to_fs(config.die_link_ns)) {
  if (dies_ < 1 || dies_ > 2) {
    throw UserError(fmt::format("noc.dies: expected 1 or 2, got {}", dies_));
  }
  if (hop_fs_ == 0) throw UserError("noc.hop_ns: expected more than 0");
  network.set_lookahead(hop_fs_);
  const qos::Settings qos = flit_settings(config.qos);
  for (unsigned n = 0; n < shape.cores; ++n) {
    network.add_resource(fmt::format("core{}", n), config.core_port_gb_per_s, qos);
  }
  for (unsigned n = 0; n < shape.stacks; ++n) {
    network.add_resource(fmt::format("hbm{} read", n), shape.stack_gb_per_s, qos);
    network.add_resource(fmt::format("hbm{} write", n), shape.stack_gb_per_s, qos);
  }
  network.add_resource("host to chip", config.host_port_gb_per_s, qos);
  network.add_resource("chip to host", config.host_port_gb_per_s, qos);
  for (unsigned from = 0; dies_ > 1 && from < dies_; ++from) {
    network.add_resource(fmt::format("die{} to die{}", from, 1 - from), config.die_link_gb_per_s,
                         qos);
  }
  if (shape.links_gb_per_s > 0) {
    network.add_resource("links to chip", shape.links_gb_per_s, qos);
    network.add_resource("chip to links", shape.links_gb_per_s, qos);
  }
  units_.push_back({});
  units_.push_back({Unit::Kind::kChipRegisters, 0, 0});
  for (unsigned n = 0; n < shape.stacks; ++n) units_.push_back({Unit::Kind::kHbm, n, 0});
  for (unsigned n = 0; n < shape.cores; ++n) units_.push_back({Unit::Kind::kCore, n, 0});
  units_.push_back({Unit::Kind::kHost, 0, 0});
  units_.push_back({Unit::Kind::kLinks, 0, 0});
  for (unsigned die = 0; die < dies_; ++die) {
    for (const Entrance entrance : {Entrance::kInside, Entrance::kHost, Entrance::kLinks}) {
      for (const Unit& unit : units_) {
        routes_.push_back({make_message(die, entrance, unit), make_data_to(die, entrance, unit),
                           make_data_from(die, entrance, unit, false),
                           make_data_from(die, entrance, unit, true)});
      }
    }
  }
}

unsigned Topology::die_of(const Unit& unit) const {
  switch (unit.kind) {
    case Unit::Kind::kHbm:
      return die_of_stack(unit.index);
    case Unit::Kind::kCore:
      return die_of_core(unit.index);
    default:
      return 0;
  }
}

Unit Topology::decode(std::uint64_t address) const {
  if (address >> TERN_ADDR_CHIP_LSB != 0)
    return shape_.links_gb_per_s > 0 ? Unit{Unit::Kind::kLinks, 0, address} : Unit{};
  if (address < TERN_HBM_STRIDE * shape_.stacks) {
    return {Unit::Kind::kHbm, static_cast<unsigned>(address / TERN_HBM_STRIDE), address};
  }
  if (address >= TERN_CHIP_REGS_BASE) {
    const std::uint64_t offset = address - TERN_CHIP_REGS_BASE;
    if (offset < kRegistersBytes) return {Unit::Kind::kChipRegisters, 0, offset};
  } else if (address >= TERN_CORE_BASE) {
    const std::uint64_t core = (address - TERN_CORE_BASE) / TERN_CORE_STRIDE;
    if (core < shape_.cores) {
      return {Unit::Kind::kCore, static_cast<unsigned>(core),
              (address - TERN_CORE_BASE) % TERN_CORE_STRIDE};
    }
  } else if (address >= TERN_HOST_BASE && address - TERN_HOST_BASE < TERN_HOST_STRIDE) {
    return {Unit::Kind::kHost, 0, address};
  }
  return {};
}

Path Topology::make_message(unsigned die, Entrance entrance, const Unit& unit) const {
  Path path;
  const bool outside = entrance != Entrance::kInside;
  const bool far = unit.kind != Unit::Kind::kNone && die_of(unit) != die;
  path.last_latency_fs = hop_fs_ + (far ? hop_fs_ + die_link_fs_ : 0) + (outside ? hop_fs_ : 0);
  return path;
}

Path Topology::make_data_to(unsigned die, Entrance entrance, const Unit& unit) const {
  const bool outside = entrance != Entrance::kInside;
  if (unit.kind == Unit::Kind::kNone || (!has_port(unit) && !outside && die_of(unit) == die)) {
    return make_message(die, entrance, unit);
  }
  Route route(hop_fs_, hop_fs_);
  if (outside) route.add(entrance == Entrance::kHost ? host_in() : links_in());
  if (die_of(unit) != die) route.add(die_link(die), die_link_fs_);
  if (unit.kind == Unit::Kind::kHbm) route.add(stack_write_port(unit.index));
  if (unit.kind == Unit::Kind::kCore) route.add(core_port(unit.index));
  if (unit.kind == Unit::Kind::kHost) route.add(host_out());
  if (unit.kind == Unit::Kind::kLinks) route.add(links_out());
  return route.finish(has_port(unit));
}

Path Topology::make_data_from(unsigned die, Entrance entrance, const Unit& unit,
                              bool resident) const {
  const bool outside = entrance != Entrance::kInside;
  if (unit.kind == Unit::Kind::kNone || (!has_port(unit) && !outside && die_of(unit) == die)) {
    return make_message(die, entrance, unit);
  }
  Route route(resident && has_port(unit) ? 0 : hop_fs_, hop_fs_);
  if (unit.kind == Unit::Kind::kHbm) route.add(stack_read_port(unit.index));
  if (unit.kind == Unit::Kind::kCore) route.add(core_port(unit.index));
  if (unit.kind == Unit::Kind::kHost) route.add(host_in());
  if (unit.kind == Unit::Kind::kLinks) route.add(links_in());
  if (die_of(unit) != die) route.add(die_link(1 - die), die_link_fs_);
  if (outside) route.add(entrance == Entrance::kHost ? host_out() : links_out());
  return route.finish(has_port(unit));
}

qos::Settings flit_settings(const QosConfig& config) {
  qos::Settings settings;
  settings.policy = config.policy;
  for (unsigned c = 0; c < qos::kClasses; ++c) {
    settings.rate_256[c] =
        static_cast<std::uint32_t>(std::lround(config.shares[c] * kFlitBytes * 256));
    settings.depth[c] = config.bucket_bytes;
  }
  return settings;
}

}  // namespace tern::noc
