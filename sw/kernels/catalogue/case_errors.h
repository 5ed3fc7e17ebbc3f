// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sw/kernels/catalogue/kernel.h"

namespace tern::kernels {

// A kernel's output against its FP64 reference.
struct OutputError {
  std::string name;
  double largest = 0;    // |difference| / max(1, |expected|); infinite where one is NaN
  double rms = 0;        // of the differences, relative to the rms of the expected values
  double tolerance = 0;  // for the largest
  std::string place;     // of the largest
  bool within() const { return largest <= tolerance; }
};

std::size_t output_bytes(const CaseOutput& output);
// "out[3, 7]"
std::string element_place(const CaseOutput& output, std::size_t element);
OutputError error_of(const CaseOutput& output, const std::uint8_t* bytes);

}  // namespace tern::kernels
