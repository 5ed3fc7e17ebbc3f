// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "systemc/dma/model/unit.h"

namespace tern::dma {

// The model of rtl/dma: equal to it in every request, byte, stop and completion, cycle by cycle.
// Event driven: its cost follows pieces, not cycles. See README.md. `environment` is called from
// advance() only, and must not call back.
std::unique_ptr<Unit> make_unit_model(const UnitConfig& config, Environment& environment);

}  // namespace tern::dma
