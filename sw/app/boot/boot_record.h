// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/app/report/report.h"
#include "sw/platform/managed/own_firmware.h"

namespace tern::app {

// What a boot has been.
struct BootRecord {
  struct Moment {
    std::uint64_t time_fs = 0, instructions = 0;  // of all harts
  };

  std::string firmware, kernel;  // names of files
  std::string board;             // "mgmt: 1 hart rv64imafdc at 1 GHz, 256 MiB"
  std::string ended;             // "power off, pass"
  bool good = false;
  std::uint64_t restored = 0;  // instructions that a snapshot had
  std::string saved;           // name of a snapshot's file; empty: none was written
  std::string traced;          // name of a file of instructions; empty: none was written
  std::uint64_t traced_lines = 0;
  std::string profiled;  // name of a flame graph's file, likewise
  std::string until;     // as given
  std::optional<Moment> found;
  Moment end;
  std::vector<BootPhase> phases;            // as the firmware reported them
  std::vector<std::uint64_t> instructions;  // of each hart
  unsigned resets = 0;
  std::uint64_t characters = 0;  // of the serial line, from the board
  std::size_t lines_left = 0;    // not typed
  double host_seconds = 0;
};

Report report_of(const BootRecord& record);

}  // namespace tern::app
