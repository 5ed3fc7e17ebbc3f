// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/kernels/builder/views.h"
#include "sw/spec/generated/isa.h"

namespace tern::kernels {

// The access pattern of a view, as instructions carry it.
inline tern_ap_t pattern(const TileView& view) {
  tern_ap_t ap{};
  ap.addr = (view.space == Space::kPsum ? std::uint32_t{1} << 31 : 0) |
            (std::uint32_t{view.partition} << 24) | view.byte;
  ap.num0 = static_cast<std::uint16_t>(view.num0);
  ap.step0 = static_cast<std::int16_t>(view.step0);
  ap.num1 = static_cast<std::uint16_t>(view.num1);
  ap.step1 = static_cast<std::int16_t>(view.step1);
  return ap;
}

inline std::uint8_t code(DType dtype) {
  return static_cast<std::uint8_t>(dtype);
}

}  // namespace tern::kernels
