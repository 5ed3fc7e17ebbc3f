// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "systemc/trace/trace.h"

namespace tern::app {

// Busy time of engines by the origin of their instructions.
struct ProfileLine {
  std::string source;  // "sw/kernels/mlp.cpp:42: nc_matmul"
  std::string part;    // KernelBuilder::part(); empty: none
  std::string engine;
  std::uint64_t instructions = 0;
  double busy_us = 0;
};

// A part of a program: its share of every engine's time, and the time from its first to its last
// instruction. Parts may overlap.
struct ProfilePart {
  std::string name;
  double begin_us = 0, end_us = 0;  // since the first instruction of the program
  std::uint64_t instructions = 0;
  std::map<std::string, double> busy_us;  // by engine

  double us() const { return end_us - begin_us; }
  std::string busiest() const;  // engine; "-" when none works
};

// Listens to one core and adds up spans of its engines by the origin of their instructions.
class ProfileLog : public trace::Sink {
 public:
  explicit ProfileLog(std::string process) : process_(std::move(process)) {}

  void track(trace::TrackId id, const std::string& process, const std::string& thread) override;
  void span(const trace::Span& span) override;
  void counter(trace::TrackId, std::string_view, std::uint64_t, double) override {}
  void stop() { stopped_ = true; }  // later spans do not count

  // The largest first.
  std::vector<ProfileLine> lines() const;
  // In the order in which they begin; empty when the program names none.
  std::vector<ProfilePart> parts() const;

 private:
  struct Sum {
    std::uint64_t instructions = 0, busy_fs = 0;
    std::uint64_t begin_fs = UINT64_MAX, end_fs = 0;
  };
  std::string process_;
  bool stopped_ = false;
  std::vector<std::string> engines_;  // by track; empty: no engine
  std::map<std::string, std::map<std::string, Sum, std::less<>>> sums_;  // by engine and origin
};

}  // namespace tern::app
