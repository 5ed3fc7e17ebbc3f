// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systemc/wave/state_log.h"

namespace tern::wave {

// The recording of a Verilated block, in one file or several in the order of time. Its signals are
// those below the top module of the file's hierarchy ("rtl.tensor_top").
struct RtlPart {
  std::string scope;  // in the chip: "core0.tensor"
  std::vector<std::string> files;
};

// Writes one FST with all signals of the parts and of the log, from `from_ps` on: what they were
// before is their value then. RunError if a part cannot be read. False if the file, read again, is
// not whole: the FST library reports no failed writes.
bool write_fst(const std::string& file, const std::vector<RtlPart>& parts, const StateLog& log,
               std::uint64_t from_ps);

// First and last time of a file; false if it cannot be read.
bool fst_range(const std::string& file, std::uint64_t* begin_ps, std::uint64_t* end_ps);

}  // namespace tern::wave
