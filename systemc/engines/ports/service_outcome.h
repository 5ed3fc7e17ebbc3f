// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "sw/spec/generated/isa.h"

namespace tern {

// The result of an instruction that works in parallel to its engine.
struct ServiceOutcome {
  unsigned error = TERN_ERROR_NONE;
  std::uint32_t detail = 0;
  // How long it occupies its engine, from now; none: the engine's minimum interval, from its start.
  std::optional<std::uint64_t> cycles = {};
};

}  // namespace tern
