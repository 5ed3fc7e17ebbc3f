// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/running_together.h"

#include <cstdint>
#include <systemc>

#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"

namespace tern::runtime {

namespace {

constexpr double kLook_ns = 50;
constexpr unsigned kStuckLooks = 1000;

}  // namespace

std::size_t run_to_the_end(const std::vector<RunningProgram>& programs) {
  for (unsigned stuck = 0; stuck < kStuckLooks; ++stuck) {
    bool runs = false;
    for (std::size_t i = 0; i < programs.size(); ++i) {
      std::uint32_t status = 0;
      programs[i].host->peek32(TERN_CORE_BASE + programs[i].program->core() * TERN_CORE_STRIDE +
                                   TERN_CORE_REGS_BASE + TERN_REG_CORE_CORE_STATUS,
                               &status);
      if ((status & TERN_REG_CORE_CORE_STATUS_ERROR_MASK) != 0) return i;
      if ((status & TERN_REG_CORE_CORE_STATUS_RUNNING_MASK) == 0) continue;
      runs = true;
      if ((status & TERN_REG_CORE_CORE_STATUS_STALLED_MASK) == 0) stuck = 0;
    }
    if (!runs) return 0;
    sc_core::wait(sc_core::sc_time(kLook_ns, sc_core::SC_NS));
  }
  return 0;
}

RunResult run_together(const std::vector<RunningProgram>& ranks) {
  for (auto rank = ranks.rbegin(); rank != ranks.rend(); ++rank)
    rank->runtime->execute(*rank->program);
  // The interrupt line is shared, and wait() looks at it rarely: when did the last one end?
  const bool several = ranks.size() > 1;
  if (several) {
    const std::size_t failed = run_to_the_end(ranks);
    if (failed != 0) ranks[failed].runtime->wait(*ranks[failed].program);  // throws
  }
  const sc_core::sc_time end = sc_core::sc_time_stamp();
  RunResult first;
  for (const RunningProgram& rank : ranks) {
    const RunResult result = rank.runtime->wait(*rank.program);
    if (&rank == &ranks.front()) first = result;
  }
  if (several) first.end = end;
  return first;
}

}  // namespace tern::runtime
