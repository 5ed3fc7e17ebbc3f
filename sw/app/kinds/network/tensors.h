// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/app/host/job.h"
#include "sw/numerics/dtype.h"

namespace tern::app {

// Values as the bytes of a tensor.
std::vector<std::uint8_t> bytes_of(const std::vector<float>& values, numerics::DType dtype);

// Room for an output of FP32 words.
Job::Tensor output(const char* name, std::size_t words);

void append_bits(const std::vector<float>& values, std::vector<std::uint32_t>* bits);

}  // namespace tern::app
