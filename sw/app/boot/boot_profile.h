// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sw/app/boot/boot_command.h"
#include "sw/base/atomic_file.h"
#include "systemc/mgmt/profile/profiler.h"

namespace tern::app {

// The file of an argument of --symbols.
std::string symbols_path(const std::string& text);

// --trace, --profile and --symbols of `tern boot`.
class BootProfile {
 public:
  // Reads the symbols: of ELF images, and of --symbols. Throws UserError.
  BootProfile(const BootOptions& options, const mgmt::BoardImages& images);

  // Opens the files and looks at the board from now on; the board must outlive it.
  void attach(mgmt::Board& board);
  // Writes what has been seen, after the run.
  void finish();
  bool active() const { return !options_.trace.empty() || !options_.profile.empty(); }
  std::uint64_t traced() const { return trace_ ? trace_->lines() : 0; }

 private:
  const BootOptions options_;
  mgmt::Symbols symbols_;
  std::optional<base::AtomicFile> trace_file_, profile_file_;
  std::optional<mgmt::InstructionTrace> trace_;
  std::optional<mgmt::Profiler> profiler_;
  std::string title_;
};

}  // namespace tern::app
