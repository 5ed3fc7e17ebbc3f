// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/config/chip_config.h"
#include "systemc/noc/message.h"
#include "systemc/noc/network.h"

namespace tern::noc {

// The unit that answers an access.
struct Unit {
  enum class Kind : std::uint8_t { kNone, kHbm, kCore, kChipRegisters, kHost, kLinks };
  Kind kind = Kind::kNone;
  unsigned index = 0;  // stack or core
  // The address that the unit receives; HBM, host, links: the address itself.
  std::uint64_t offset = 0;
};

// Where an initiator is: inside of a die, behind the host port, behind the links to other chips.
enum class Entrance : std::uint8_t { kInside, kHost, kLinks };
inline constexpr unsigned kEntrances = 3;

// What a chip consists of, as the network sees it.
struct Shape {
  unsigned cores = 1;
  unsigned stacks = 1;
  double stack_gb_per_s = 0;  // per direction: the pins
  double links_gb_per_s = 0;  // of all links to other chips, per direction; 0: there are none
};

// Where units are, which resources a route between two of them uses, and its latencies. Formulas:
// README.md.
class Topology {
 public:
  // Adds the resources to the network.
  Topology(const NocConfig& config, const Shape& shape, Network& network);

  unsigned dies() const { return dies_; }
  unsigned die_of_core(unsigned core) const { return core * dies_ / shape_.cores; }
  unsigned die_of_stack(unsigned stack) const { return stack * dies_ / shape_.stacks; }
  unsigned die_of(const Unit& unit) const;

  // Of an access inside one unit (any piece inside a kilobyte is).
  Unit decode(std::uint64_t address) const;

  // The routes of an access from an initiator on `die`: a request or acknowledgement without data,
  // data to the unit, data from it. A `resident` unit answers in the instant in which the request
  // arrives, so that the port can be entered in it.
  const Path& message(unsigned die, Entrance entrance, const Unit& unit) const {
    return routes(die, entrance, unit).message;
  }
  const Path& data_to(unsigned die, Entrance entrance, const Unit& unit) const {
    return routes(die, entrance, unit).data_to;
  }
  const Path& data_from(unsigned die, Entrance entrance, const Unit& unit, bool resident) const {
    const Routes& all = routes(die, entrance, unit);
    return resident ? all.data_from_resident : all.data_from;
  }

  unsigned core_port(unsigned core) const { return core; }
  unsigned stack_read_port(unsigned stack) const { return shape_.cores + 2 * stack; }
  unsigned stack_write_port(unsigned stack) const { return shape_.cores + 2 * stack + 1; }
  unsigned host_in() const { return shape_.cores + 2 * shape_.stacks; }
  unsigned host_out() const { return host_in() + 1; }
  // From die to the other one.
  unsigned die_link(unsigned from) const { return host_in() + 2 + from; }
  // With links to other chips only.
  unsigned links_in() const { return host_in() + 2 + (dies_ > 1 ? dies_ : 0); }
  unsigned links_out() const { return links_in() + 1; }

 private:
  class Route;
  struct Routes {
    Path message, data_to, data_from, data_from_resident;
  };

  const Routes& routes(unsigned die, Entrance entrance, const Unit& unit) const {
    const unsigned place = die * kEntrances + static_cast<unsigned>(entrance);
    return routes_[place * units_.size() + number(unit)];
  }
  // The unit's index in units_.
  unsigned number(const Unit& unit) const {
    switch (unit.kind) {
      case Unit::Kind::kHbm:
        return 2 + unit.index;
      case Unit::Kind::kCore:
        return 2 + shape_.stacks + unit.index;
      case Unit::Kind::kHost:
        return 2 + shape_.stacks + shape_.cores;
      case Unit::Kind::kLinks:
        return 3 + shape_.stacks + shape_.cores;
      default:
        return unit.kind == Unit::Kind::kNone ? 0 : 1;
    }
  }
  Path make_message(unsigned die, Entrance entrance, const Unit& unit) const;
  Path make_data_to(unsigned die, Entrance entrance, const Unit& unit) const;
  Path make_data_from(unsigned die, Entrance entrance, const Unit& unit, bool resident) const;

  const Shape shape_;
  const unsigned dies_;
  const std::uint64_t hop_fs_, die_link_fs_;
  std::vector<Unit> units_;     // nothing, chip registers, stacks, cores, host, links
  std::vector<Routes> routes_;  // by die, entrance, unit
};

// The shaper's settings for a resource that takes a flit per cycle.
qos::Settings flit_settings(const QosConfig& config);

}  // namespace tern::noc
