// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "systemc/link/flit/link_model.h"
#include "systemc/link/line/line_port.h"
#include "systemc/link/link_timing.h"

namespace tern::link {

// One direction of a link, flit by flit: trains of packets go through the data-link layer of both
// ends, model or RTL. Times are in femtoseconds. README.md.
class FlitLine {
 public:
  static constexpr unsigned kPortLanes = 16;  // a wider link is several ports side by side

  struct Options {
    std::string name;  // "A to B", for messages
    LinkConfig config;
    unsigned lanes = 8;
    double lane_gb_per_s = 8;
    Medium medium = Medium::kPcb;
    bool from_chip = true, to_chip = true;
    std::uint64_t seed = 0;  // of bit errors
  };
  // An end that runs beside the model: "port0.sender", "port0.receiver".
  using MakeEnd = std::function<std::unique_ptr<flit::DataLink>(const std::string& place)>;
  // time: when the flit begins to leave its end. port: its number.
  using Observer = std::function<void(std::uint64_t time, unsigned port, const FlitSeen& flit)>;

  // Throws UserError: the link has no flits of PCIe 6.0, or packets of another shape than the RTL.
  explicit FlitLine(Options options, MakeEnd make_end = {}, Observer observer = {});
  ~FlitLine();
  FlitLine(const FlitLine&) = delete;
  FlitLine& operator=(const FlitLine&) = delete;

  struct Carried {
    std::uint64_t free = 0;     // the next train may begin
    std::uint64_t arrived = 0;  // its last packet has left the receiver
  };
  // Trains begin in order. Throws RunError: the ends do not deliver what the model delivers, in the
  // same cycle; the link is beyond what replays can mend.
  Carried carry(std::uint64_t start, std::uint32_t payload, unsigned traffic_class);
  // What is under way arrives; with other ends, all of it is compared. Throws RunError likewise.
  void finish();

  // From the next train on; what is under way arrives as before. lanes: those in use.
  void change(unsigned lanes, double bit_error_rate);

  PortCounts counts() const;  // of all ports
  std::size_t ports() const { return ports_.size(); }
  const std::string& name() const { return options_.name; }

 private:
  struct Model {
    explicit Model(const LinePort::Options& o) : port(o) {}
    // Nothing is under way, nothing is kept for repetition: it may stand still.
    bool quiet() const { return port.settled() && sender.idle(); }

    LinePort port;
    flit::LinkModel sender, receiver;
  };
  struct Device {
    LinePort port;
    std::unique_ptr<flit::DataLink> sender, receiver;
  };
  struct Port {
    explicit Port(const LinePort::Options& o) : model(o) {}

    Model model;
    std::unique_ptr<Device> device;
    std::uint64_t cycle_fs = 0;
    std::int64_t skipped = 0;  // cycles that it stood still, less those before time 0
    double booked = 0;         // when its queue will be empty, about
  };

  void add_ports();
  double cycle_of(unsigned lanes) const;  // in nanoseconds
  unsigned wire_cycles(const LinkTiming& timing, unsigned lanes) const;
  void set_rate(Port* port, unsigned lanes) const;
  unsigned training_cycles(unsigned lanes) const;
  void set_clock(std::size_t port, unsigned wire, unsigned training);
  void step(std::size_t port);
  void run_until(std::size_t port, std::int64_t cycle);
  void check(const Port& port) const;
  std::int64_t now(const Port& port) const {
    return static_cast<std::int64_t>(port.model.port.at()) + port.skipped;
  }
  static std::uint64_t time_of(const Port& port, std::uint64_t cycle) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(cycle) + port.skipped) *
           port.cycle_fs;
  }
  static unsigned lanes_of_port(unsigned lanes, std::size_t port);

  Options options_;
  MakeEnd make_end_;
  Observer observer_;
  std::vector<std::unique_ptr<Port>> ports_;
  bool started_ = false;  // credits are exchanged
  std::uint64_t trains_ = 0;
  std::uint64_t free_ = 0, arrived_ = 0;  // of the last train
};

}  // namespace tern::link
