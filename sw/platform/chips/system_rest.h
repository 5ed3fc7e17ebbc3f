// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/platform/chips/chip_system.h"
#include "sw/runtime/runtime.h"

namespace tern {

// Whether anything can still happen in a system whose programs wait for each other: the end of a
// wait that no chip can see alone.
class SystemRest {
 public:
  explicit SystemRest(ChipSystem& chips) : chips_(chips) {}

  // A host program, while it exists. What it does between waits may start something.
  class Host {
   public:
    explicit Host(SystemRest& rest) : rest_(rest) { ++rest_.hosts_; }
    ~Host() { --rest_.hosts_; }
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

   private:
    SystemRest& rest_;
  };

  // In a host program: Runtime::wait() for the program on the n-th chip. DeadlockError as soon as
  // nothing can happen any more on any chip; it names what all programs wait for.
  runtime::RunResult wait(unsigned n, runtime::Runtime& runtime, runtime::Program& program,
                          double limit_seconds = runtime::Runtime::kDefaultLimit);

  // All hosts of this process wait for programs, which wait for what does not come from here.
  bool here() const { return waits_.size() == hosts_ && chips_.at_rest(); }
  // Of the other processes, and of what is under way between chips.
  void set_elsewhere(bool rests) { elsewhere_ = rests; }

 private:
  struct Wait {
    unsigned chip;
    runtime::Runtime* runtime;
    const runtime::Program* program;
  };
  std::string text() const;

  ChipSystem& chips_;
  std::size_t hosts_ = 0;
  bool elsewhere_ = true;
  std::vector<Wait> waits_;
};

}  // namespace tern
