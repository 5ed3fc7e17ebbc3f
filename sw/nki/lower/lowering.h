// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>

#include "sw/kernels/builder/kernel_builder.h"
#include "sw/nki/trace/kernel.h"

namespace tern::nki {

// Instructions of a kernel whose tensors have addresses, written with the kernel builder: hazards,
// waits, descriptors and encodings are the builder's.
class Lowering {
 public:
  // `other`: of a launch on two cores, the other core's, with addresses; else null.
  explicit Lowering(const Kernel& kernel, const Kernel* other = nullptr);

  // NkiErrors with the place of the instruction, for what the builder refuses, too.
  Executable run();

 private:
  using Lower = void (Lowering::*)(const Instruction& instruction);
  static Lower function_for(const Instruction& instruction);

  SourceLine line_of(const Site* site);
  void add_tensor(const Storage& storage);
  const kernels::Tensor* tensor_of(const View& view) const;
  kernels::DmaView dma_side(const View& view) const;
  // A number, or the column in its place.
  static kernels::ScalarOperand scalar(const Instruction& instruction, const char* role,
                                       double value);
  static std::optional<kernels::Reduce> reduction(const Instruction& instruction);
  Engine engine(const Instruction& instruction) const { return *instruction.options.engine; }

  // What the instruction waits for because the author wants it, and who waits for it.
  void put_in_order(const Instruction& instruction);
  // lower_collective.cpp: ranks.
  void collective(const Instruction& instruction);
  kernels::DmaView linear(const View& view, const char* role) const;
  // lower_exchange.cpp: two cores.
  void join_programs();
  void sendrecv(const Instruction& instruction);
  void core_barrier(const Instruction& instruction);
  // lower_control.cpp: registers and loops.
  void find_queues();
  static unsigned queue_of(const Instruction& instruction);
  std::optional<kernels::DynamicOffset> offset(const View& view) const;
  // The operands that the queue's registers move, with these computed.
  Instruction with_registers(const Instruction& instruction);
  void register_move(const Instruction& instruction);
  void register_load(const Instruction& instruction);
  void register_store(const Instruction& instruction);
  void loop_begin(const Instruction& instruction);
  void loop_end(const Instruction& instruction);
  // lower_dma.cpp
  void copy_in_loop(const View& dst, const View& src, const Instruction& instruction);
  void dma_copy(const Instruction& instruction);
  void gather(const Instruction& instruction, const char* source, bool accumulate);
  void dma_compute(const Instruction& instruction);
  void copy_at(const Instruction& instruction);
  void dma_transpose(const Instruction& instruction);
  bool store_by_rows(const View& dst, const View& src, const kernels::DmaOptions& with);
  // lower_element.cpp
  void tensor_copy(const Instruction& instruction);
  void memset(const Instruction& instruction);
  void tensor_tensor(const Instruction& instruction);
  void tensor_scalar(const Instruction& instruction);
  void activation(const Instruction& instruction);
  void reciprocal(const Instruction& instruction);
  void tensor_reduce(const Instruction& instruction);
  // lower_select.cpp: two operators and more, selections, scans.
  void tensor_copy_predicated(const Instruction& instruction);
  void scalar_tensor_tensor(const Instruction& instruction);
  void tensor_tensor_scan(const Instruction& instruction);
  void tensor_scalar_cumulative(const Instruction& instruction);
  void exponential(const Instruction& instruction);
  void activate2(const Instruction& instruction);
  void select_reduce(const Instruction& instruction);
  void range_select(const Instruction& instruction);
  // lower_special.cpp: statistics, searches, random numbers.
  void bn_stats(const Instruction& instruction);
  void bn_aggr(const Instruction& instruction);
  void max8(const Instruction& instruction);
  void nc_find_index8(const Instruction& instruction);
  void nc_match_replace8(const Instruction& instruction);
  void nc_stream_shuffle(const Instruction& instruction);
  void dropout(const Instruction& instruction);
  void rng(const Instruction& instruction);
  void rand2(const Instruction& instruction);
  void set_rng_seed(const Instruction& instruction);
  void rand_set_state(const Instruction& instruction);
  void rand_get_state(const Instruction& instruction);
  // lower_gpsimd.cpp
  void iota(const Instruction& instruction);
  void affine_select(const Instruction& instruction);
  void nc_n_gather(const Instruction& instruction);
  void local_gather(const Instruction& instruction);
  void nonzero_with_count(const Instruction& instruction);
  void sequence_bounds(const Instruction& instruction);
  void topk(const Instruction& instruction);
  void tensor_partition_reduce(const Instruction& instruction);
  // lower_tensor.cpp
  void nc_matmul(const Instruction& instruction);
  void nc_transpose(const Instruction& instruction);
  void quantize_mx(const Instruction& instruction);
  void nc_matmul_mx(const Instruction& instruction);

  const Kernel& kernel_;
  const Kernel* other_;
  struct Pipe {
    unsigned number = 0;
    std::vector<const Instruction*> there;  // what the other program sends and receives
    std::size_t next = 0;
  };
  std::map<std::int64_t, Pipe> pipes_;
  unsigned collectives_ = 0;  // so far, with scratch
  kernels::KernelBuilder builder_;
  std::set<std::string> files_;  // that programs name as lines of the kernel
  std::map<std::uint32_t, std::vector<kernels::Event>> done_;  // calls that others wait for
  std::vector<unsigned> queues_;  // that use a register of the kernel, by its number
  SourceLine where_;              // of the instruction in work
  std::map<std::uint32_t, kernels::Tensor> tensors_;  // by storage
};

}  // namespace tern::nki
