// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sw/nki/passes/passes.h"

namespace tern::nki {

// Single keys of the chip that differ from its preset.
using Settings = std::vector<std::pair<std::string, std::string>>;

// A kernel ready to run: its program as a file, and what the caller binds.
struct Compiled {
  struct Tensor {
    std::string name;
    Role role = Role::kInput;
    std::string dtype;
    std::vector<std::int64_t> shape;
  };
  std::string chip;  // preset or file
  Settings settings;
  std::string program;
  std::vector<Tensor> tensors;            // in HBM, without scratch
  std::vector<std::size_t> instructions;  // per queue, without waits and ends
  // Pairs of the rings, and what they take in the program.
  std::size_t descriptors = 0, descriptor_bytes = 0;
  Kernel::Spilled spilled;  // of all programs
  struct Place {
    std::string function;
    Site site;
  };
  std::multimap<std::string, Place> places;  // of instructions, by "FILE:LINE"
};

// All passes, then the builder. The programs of a launch, each for a core. `preset`: the chip's,
// for the process that simulates.
Compiled compile(const std::vector<Kernel*>& programs, const std::string& preset,
                 const CompileOptions& options);

}  // namespace tern::nki
