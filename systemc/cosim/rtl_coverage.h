// SPDX-License-Identifier: Apache-2.0
#pragma once

class VerilatedContext;

namespace tern::cosim {

// In a coverage build (scripts/coverage): writes the RTL coverage points that `context` has counted
// into a separate file in the folder $TERN_RTL_COVERAGE_DIR. Otherwise does nothing.
void write_rtl_coverage(VerilatedContext* context);

}  // namespace tern::cosim
