// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tb/tensor/top/bench/cycle_table.h"

namespace tern::tb {

TEST_CASE("full: cycles of every instruction: model and RTL") {
  compare_cycles("full");
}

}  // namespace tern::tb
