// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "sw/spec/generated/isa.h"

namespace tern {

// What became of an instruction that works beside its engine.
struct ServiceOutcome {
  unsigned error = TERN_ERROR_NONE;
  std::uint32_t detail = 0;
  // How long it occupies its engine, from now; none: the engine's least interval, from its start.
  std::optional<std::uint64_t> cycles = {};
};

}  // namespace tern
