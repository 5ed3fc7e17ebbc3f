// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "systemc/engines/mx/mx_unit.h"

namespace tern {

// Runs every request on two MX units, the reference first, and stops with a RunError at the first
// element, scale or cycle count that differs. Results are those of the second one.
class MxLockstep : public MxUnit {
 public:
  MxLockstep(std::unique_ptr<MxUnit> reference, std::unique_ptr<MxUnit> device);
  std::uint64_t quantize(const MxQuantizeRequest& request) override;
  std::uint64_t dequantize(const MxDequantizeRequest& request) override;

 private:
  std::unique_ptr<MxUnit> reference_, device_;
  std::vector<std::uint32_t> words_;  // of the reference
  std::vector<std::uint8_t> scales_;
  std::uint64_t requests_ = 0;
};

}  // namespace tern
