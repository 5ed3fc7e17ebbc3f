// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/runtime/executable.h"

namespace tern::app {

// A workload prepared for a chip: its programs and the bytes of its tensors.
struct Job {
  struct Tensor {
    std::string name;
    std::vector<std::uint8_t> bytes;  // to copy in; outputs: buffer for the result
    bool output = false;
    bool scratch = false;  // between programs: neither copied in nor out
  };
  std::vector<Executable> programs;  // run in this order
  std::vector<Tensor> tensors;
};

}  // namespace tern::app
