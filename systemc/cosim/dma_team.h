// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sw/base/thread_team.h"
#include "systemc/cosim/dma_rtl.h"

namespace tern::dma {

// The Verilated DMA engines of a chip: the first one that is advanced to a cycle takes along all
// that have something to do up to it, on the threads of a team. What the others say is kept until
// they are advanced themselves, so that all is said in the same order on any number of threads.
//
// Why this is allowed: all count the cycles of one clock, and inputs are for a cycle that has not
// begun.
class DmaTeam : public std::enable_shared_from_this<DmaTeam> {
 public:
  explicit DmaTeam(std::shared_ptr<base::ThreadTeam> threads) : threads_(std::move(threads)) {}

  // An engine of the team, which it keeps alive and leaves when destroyed; *rtl: what is behind.
  std::unique_ptr<Unit> make(const UnitConfig& config, Environment& environment,
                             const WaveOptions& wave, const DmaRtl** rtl);

 private:
  class Member;
  void advance(Member* one, std::uint64_t cycle);

  std::shared_ptr<base::ThreadTeam> threads_;
  std::vector<Member*> members_;
  std::vector<Member*> moving_;  // of the running advance()
};

}  // namespace tern::dma
