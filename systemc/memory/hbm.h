// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <systemc>
#include <vector>

#include "systemc/config/chip_config.h"
#include "systemc/memory/sparse_memory.h"

namespace tern {

// The HBM stacks of a chip behind one socket; addresses are those of the `hbm` regions of the
// address map. Formula and limits: README.md.
class Hbm : public sc_core::sc_module {
 public:
  struct StackCounters {
    std::uint64_t reads = 0, writes = 0;
    std::uint64_t read_bytes = 0, write_bytes = 0;
    std::uint64_t busy_fs = 0;
  };

  tlm_utils::simple_target_socket<Hbm> socket;

  Hbm(sc_core::sc_module_name name, const HbmConfig& config);

  unsigned stacks() const { return static_cast<unsigned>(stacks_.size()); }
  const StackCounters& counters(unsigned stack) const { return stacks_.at(stack).counters; }
  double stack_gb_per_s() const { return stack_gb_per_s_; }
  std::uint64_t allocated_bytes() const;

 private:
  struct Stack {
    explicit Stack(std::uint64_t bytes) : memory(bytes) {}
    SparseMemory memory;
    std::uint64_t free_at_fs = 0;  // when the data bus has done everything accepted so far
    StackCounters counters;
  };

  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& transaction);
  // The stack that holds the whole access, or null.
  Stack* find(std::uint64_t address, std::uint64_t bytes);

  double stack_gb_per_s_;
  std::uint64_t latency_fs_;
  std::vector<Stack> stacks_;
};

}  // namespace tern
