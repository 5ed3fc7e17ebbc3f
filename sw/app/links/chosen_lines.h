// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sw/app/host/link_choice.h"
#include "sw/app/report/report.h"
#include "sw/system/fabric.h"
#include "systemc/fabric/packet/packet_network.h"
#include "systemc/link/line/flit_line.h"

namespace tern::app {

class FlitTrace;

// The chosen links of a system, flit by flit in both directions.
class ChosenLines {
 public:
  // Throws UserError: no such link, too many, nothing that the RTL can be.
  ChosenLines(LinkChoice choice, const system::Fabric& fabric, std::uint64_t seed);
  ~ChosenLines();
  ChosenLines(const ChosenLines&) = delete;
  ChosenLines& operator=(const ChosenLines&) = delete;

  bool any() const { return !channels_.empty(); }
  // Before the first transfer. Throws UserError: the level has no such links.
  void attach(fabric::Transport* transport);
  // At the end: what is under way arrives, files are complete. Throws RunError: RTL and model
  // differ.
  void finish();
  // After finish(); nothing without chosen links.
  void report(Report* report) const;

 private:
  std::unique_ptr<link::FlitLine> make_line(std::uint32_t channel);
  std::unique_ptr<flit::DataLink> make_end(const std::string& name) const;
  std::string name_of(std::uint32_t channel, const char* between) const;

  const LinkChoice choice_;
  const system::Fabric& fabric_;
  const std::uint64_t seed_;
  std::vector<std::uint32_t> channels_;
  fabric::packet::PacketNetwork* network_ = nullptr;
  std::unique_ptr<FlitTrace> trace_;
  struct Result {
    std::size_t ports = 0;
    link::PortCounts counts;
  };
  std::vector<Result> results_;  // by channels_, at the end
};

}  // namespace tern::app
