// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "systemc/cosim/tensor_rtl.h"

namespace tern::bench {

// MX products of 512 x 128 with 512 moving columns back to back on the Verilated engine, each with
// new weights that load in the background.
class RtlMxStream {
 public:
  explicit RtlMxStream(TensorType type);

  double macs() const;       // of one round
  std::uint64_t round();     // runs it; its cycles
  std::size_t mismatches();  // words of PSUM that differ from the fast model's

 private:
  std::vector<std::uint8_t> sbuf_;
  std::vector<TensorCommand> commands_;
  std::unique_ptr<TensorRtl> engine_;
};

}  // namespace tern::bench
