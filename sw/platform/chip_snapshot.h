// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "sw/base/atomic_file.h"
#include "sw/platform/hosted_chip.h"

namespace tern {

// What a snapshot file is about, besides the chip: its owner says what it restores.
struct SnapshotOwner {
  std::string kind;   // as "train": others are refused
  std::string state;  // its own; at most kMostState bytes

  static constexpr std::size_t kMostKind = 256, kMostState = std::size_t{1} << 30;
};

// Saves a chip, in an SC_THREAD: settles it, which takes simulated time, then writes the file,
// which takes none, and commits it. RunError if something is in flight: the message names it.
void save_chip(HostedChip& chip, const SnapshotOwner& owner, base::AtomicFile& file);

// A snapshot file that fits a chip: of this version, this kind and a chip with the same settings,
// and with its checksum. Throws UserError "FILE: ...".
class ChipSnapshot {
 public:
  ChipSnapshot(const std::string& path, const std::string& kind, const ChipConfig& config);

  const std::string& owner_state() const { return owner_.state; }
  std::uint64_t time_fs() const { return time_fs_; }

  // Replaces the state of a chip at rest (settled) by the saved one, in an SC_THREAD: returns at
  // the simulated time at which it was saved. What it has done before in this simulation is
  // forgotten. RunError if something is in flight. UserError if that time is over, or for damage;
  // then the chip is not to be used any more.
  void restore(HostedChip& chip) const;

 private:
  template <typename Visit>
  void read(Visit visit) const;

  const std::string path_;
  SnapshotOwner owner_;
  std::string settings_;
  std::uint64_t time_fs_ = 0;
};

}  // namespace tern
