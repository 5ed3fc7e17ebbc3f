// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "systemc/dma/model/unit.h"

namespace tern {

// Two engines side by side, the model and the RTL, behind one interface. One memory serves both.
// Every request with its bytes, every stop, completion and register read must be the same in the
// same cycle. The first difference throws RunError with the engine, the cycle and both values. What
// goes out is the first one's.
std::unique_ptr<dma::Unit> make_dma_lockstep(const std::string& name, const dma::UnitConfig& config,
                                             dma::Environment& environment,
                                             const dma::UnitFactory& first,
                                             const dma::UnitFactory& second);

}  // namespace tern
