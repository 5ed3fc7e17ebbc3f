// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/runtime/executable.h"
#include "systemc/app/workload.h"
#include "systemc/config/chip_config.h"

namespace tern::app {

// A workload made ready for a chip: its programs and the bytes of its tensors.
struct Job {
  struct Tensor {
    std::string name;
    std::vector<std::uint8_t> bytes;  // to copy in; outputs: room for the result
    bool output = false;
    bool scratch = false;  // between programs: neither copied in nor out
  };
  std::vector<Executable> programs;  // one after the other
  std::vector<Tensor> tensors;
};

Job make_job(const Workload& workload, const ChipConfig& chip);

// What the contract says the outputs are, as FP32 bits in the order of the job's outputs. Computed
// on the host by sw/reference.
std::vector<std::uint32_t> reference_result(const Workload& workload);

// Where a word of the result belongs, for messages: "probabilities[3, 7]".
std::string result_place(const Workload& workload, std::size_t word);

}  // namespace tern::app
