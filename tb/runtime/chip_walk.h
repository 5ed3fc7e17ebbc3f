// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "sw/platform/hosted_chip.h"
#include "sw/runtime/runtime.h"
#include "systemc/trace/trace.h"

namespace tern::tb {

// All events of a chip from a moment on, states included, as lines of text.
class EventLog : public trace::Sink {
 public:
  // What was there is forgotten.
  void begin(std::uint64_t from_fs);
  void stop() { begin(~std::uint64_t{0}); }
  const std::vector<std::string>& lines() const { return lines_; }

  void track(trace::TrackId id, const std::string& process, const std::string& thread) override;
  void span(const trace::Span& span) override;
  void counter(trace::TrackId track, std::string_view name, std::uint64_t time_fs,
               double value) override;
  bool wants_states() const override { return true; }
  void state(trace::TrackId track, std::string_view name, std::uint64_t time_fs,
             std::uint64_t value) override;
  void state(trace::TrackId track, std::string_view name, std::uint64_t time_fs,
             std::string_view value) override;

 private:
  void add(trace::TrackId track, std::uint64_t time_fs, std::string text);

  std::uint64_t from_fs_ = ~std::uint64_t{0};
  std::vector<std::string> tracks_, lines_;
};

// A chip that does random things, the same for the same numbers; in a host thread.
class ChipWalk {
 public:
  explicit ChipWalk(HostedChip& chip);

  // Kernels of the catalogue on random cores, one after the other.
  void run_kernels(std::mt19937_64& random, unsigned count);
  // Registers of all kinds, wrong bits in memory, random states, notifications.
  void stir(std::mt19937_64& random);
  // Of everything that programs have written so far.
  std::uint32_t results() const { return results_; }
  // Every register that can be read, and the counters.
  std::string registers();

 private:
  void run_kernel(std::mt19937_64& random);

  HostedChip& chip_;
  std::unique_ptr<runtime::Runtime> runtime_;
  std::vector<runtime::Buffer> kept_;
  std::uint32_t results_ = 0;
};

// A chip of three cores and two stacks, smaller than a real one.
ChipConfig walked_chip();

}  // namespace tern::tb
