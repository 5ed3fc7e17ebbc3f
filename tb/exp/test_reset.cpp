// SPDX-License-Identifier: Apache-2.0
// Reset in the middle of a stream: the pipeline is empty at once and works as a fresh one.
#include <VExpUnit.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "sw/spec/generated/formats.h"
#include "systemc/cosim/rtl_block.h"
#include "tb/common/bench_wave.h"
#include "tb/common/seed.h"

namespace {

using Unit = tern::cosim::RtlBlock<VExpUnit>;

void pulse_reset(VExpUnit& unit) {
  unit.clk_i = 0;
  unit.eval();
  unit.rst_ni = 0;
  unit.eval();
  // Asynchronous: no clock edge since.
  CHECK(unit.valid_o == 0);
  unit.rst_ni = 1;
  unit.eval();
}

// A group of one summed element per partition; the first one loads the sums.
void offer(VExpUnit& unit, std::uint64_t seed, bool first) {
  std::mt19937_64 random(seed);
  unit.clk_i = 0;
  unit.valid_i = 1;
  unit.first_i = unit.load_i = first;
  unit.last_i = random() % 2;
  unit.sum_i = 1;
  unit.count_i = 1 + random() % 4;
  unit.src_i = unit.dst_i = TERN_DTYPE_FP32;
  const auto fill = [&](auto& row) {
    for (std::size_t i = 0; i < sizeof(row) / 4; ++i) row[i] = 0x3f000000 | (random() & 0x80ffffff);
  };
  fill(unit.data_i);
  fill(unit.m_i);
  fill(unit.acc_i);
  unit.eval();
}

}  // namespace

TEST_CASE("exp reset: in any cycle of a stream it leaves nothing in flight") {
  Unit used(tern::tb::bench_wave(), "exp_unit");
  Unit fresh({}, "exp_unit");
  for (Unit* unit : {&used, &fresh}) {
    unit->model.ready_i = 1;
    pulse_reset(unit->model);
  }
  for (unsigned groups = 1; groups <= 12; ++groups) {
    CAPTURE(groups);
    for (unsigned i = 0; i < groups; ++i) {
      offer(used.model, tern::tb::test_seed() + i, i == 0);
      // A load that is in flight holds back another one: a reset must end that, too.
      CHECK(used.model.ready_o == 1);
      used.clock.edge();
    }
    pulse_reset(used.model);
    pulse_reset(fresh.model);
    for (unsigned i = 0; i < 20; ++i) {
      CAPTURE(i);
      for (Unit* unit : {&used, &fresh}) {
        offer(unit->model, tern::tb::test_seed() + 100 * groups + i, i == 0);
        if (i >= 10) unit->model.valid_i = 0;
        unit->model.eval();
      }
      CHECK(used.model.ready_o == 1);
      CHECK(used.model.valid_o == (i >= 8 && i < 18));
      CHECK(fresh.model.valid_o == used.model.valid_o);
      if (used.model.valid_o != 0) {
        CHECK(used.model.last_o == fresh.model.last_o);
        CHECK(std::memcmp(used.model.data_o.data(), fresh.model.data_o.data(),
                          sizeof(used.model.data_o)) == 0);
        CHECK(std::memcmp(used.model.acc_o.data(), fresh.model.acc_o.data(),
                          sizeof(used.model.acc_o)) == 0);
      }
      used.clock.edge();
      fresh.clock.edge();
    }
  }
}
