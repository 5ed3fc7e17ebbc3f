// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sw/runtime/executable.h"

namespace tern::runtime {

// A compiled program as a file: what the C runtime loads (docs/reference/program-file.md).
struct ProgramFile {
  static constexpr std::uint32_t kVersion = 4;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 30;
  static constexpr unsigned kMostParts = 128;
  static constexpr std::size_t kMostPairs = std::size_t{1} << 25;  // of descriptors, in a part

  std::string chip;               // the preset it was built for, for messages
  std::vector<Executable> parts;  // for the cores of a logical core, in order; they share tensors
  bool ranks = false;             // the parts are ranks, with tensors of their own
};

// Throws UserError for a program that no file can hold.
std::string save_program(const ProgramFile& program);
// The same, without a copy: the program is empty afterwards.
std::string save_program(ProgramFile&& program);
// Of a file that somebody sent: nothing in it is trusted. Throws UserError "not a program file",
// "of version N", "truncated", "damaged: WHERE". A program that is read can be loaded; what its
// instructions do is the chip's to refuse.
ProgramFile load_program(std::string_view bytes);

}  // namespace tern::runtime
