// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sw/kernels/catalogue/case_errors.h"
#include "tb/runtime/platform.h"

namespace tern::tb {

struct CaseResult {
  std::vector<kernels::OutputError> errors;  // by output
  std::vector<std::vector<std::uint8_t>> outputs;
  double microseconds = 0;  // simulated, on the core
};

// In a host thread: a kernel's case on core 0. Output buffers hold 0xA5 before.
CaseResult run_case(Platform& platform, const kernels::KernelCase& kernel);

// A kernel of the catalogue with these parameters; every output must be within its tolerance, and
// the time at least that of every line of the cost model. Returns the result.
using ParameterList = std::vector<std::pair<std::string, std::string>>;
CaseResult check_kernel(Platform& platform, const std::string& kernel,
                        const ParameterList& parameters, std::uint64_t seed = 0);

}  // namespace tern::tb
