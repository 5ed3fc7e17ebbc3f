// SPDX-License-Identifier: Apache-2.0
// A failure for tb/common/check_failing_text.sh: no list has it.
#include <catch2/catch.hpp>

#include "tb/tensor/psum/psum_bench.h"

using namespace tern::tb;

TEST_CASE("a mismatch on purpose: psum", "[.]") {
  PsumBench bench;
  bench.reference().word(5, 9, 3) ^= 0x100;
  bench.read(5, 9);
}
