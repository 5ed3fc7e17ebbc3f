// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sw/kernels/builder/builder_registers.h"
#include "sw/kernels/builder/dma/dma_lists.h"
#include "sw/kernels/builder/dma/dma_plan.h"
#include "sw/kernels/builder/dma/dma_view.h"
#include "sw/kernels/builder/program/operations.h"

namespace tern::kernels {

// Transfers between HBM and SBUF, and within them.
class TransferCalls : public RegisterCalls {
 public:
  using RegisterCalls::RegisterCalls;

  // DMA: tile <- tensor, tensor <- tile. With descriptors by the chip on the Sync and the Scalar
  // queue, by the host on the Sync and the GpSimd queue.
  void dma_load(const TileView& tile, const TensorView& tensor,
                SourceLine where = SourceLine::here());
  void dma_store(const TensorView& tensor, const TileView& tile,
                 SourceLine where = SourceLine::here());
  void dma_load(const TileView& tile, const TensorView& tensor, const DmaOptions& options,
                SourceLine where = SourceLine::here());
  void dma_store(const TensorView& tensor, const TileView& tile, const DmaOptions& options,
                 SourceLine where = SourceLine::here());

  // More transfers, between any parts of HBM and SBUF (kernel_builder_transfer.cpp). Views
  // of the same number of elements in the same order; patterns of one side divide those of the
  // other. With descriptors by the host, transfers into SBUF are triggered on the Sync queue,
  // others on the GpSimd queue. Not in loops.
  //
  // dst = src, elements of one format. A generator can make at most three dimensions around a
  // contiguous run.
  void dma_copy(const DmaView& dst, const DmaView& src, const DmaOptions& options = {},
                SourceLine where = SourceLine::here());
  // dst = src at addresses that the program computes, by a generator: a side with an offset moves
  // by its word, read when the transfer starts. Views span, for hazards, wherever it may move to.
  // Nothing checks that it stays there.
  void dma_copy_at(const DmaView& dst, const std::optional<DynamicOffset>& dst_offset,
                   const DmaView& src, const std::optional<DynamicOffset>& src_offset,
                   SourceLine where = SourceLine::here());
  // dst [C, R] = src [R, C]^T bit for bit, elements of 4 bytes (R, C multiples of 16) or of 2 bytes
  // (32), which generators can make, too. Rows of src begin at multiples of 64 bytes.
  void dma_transpose(const DmaView& dst, const DmaView& src, const DmaOptions& options = {},
                     SourceLine where = SourceLine::here());
  // dst = dst + src near the memory: fp32, bf16 or e4m3fn.
  void dma_accumulate(const DmaView& dst, const DmaView& src, const DmaOptions& options = {},
                      SourceLine where = SourceLine::here());
  // dst = src converted; op over up to 16 sources of one format (add, min, max); sum of scale *
  // source. fp32, bf16, fp16, computed in FP32 in the order of the sources. Rows are contiguous and
  // begin at multiples of 64 bytes. `accumulate`: added to dst near the memory.
  void dma_cast(const DmaView& dst, const DmaView& src, const DmaOptions& options = {},
                SourceLine where = SourceLine::here());
  void dma_compute(const DmaView& dst, Alu op, const std::vector<DmaView>& sources,
                   bool accumulate = false, const DmaOptions& options = {},
                   SourceLine where = SourceLine::here());
  void dma_scale_and_add(const DmaView& dst, const std::vector<DmaView>& sources,
                         const std::vector<float>& scales, bool accumulate = false,
                         const DmaOptions& options = {}, SourceLine where = SourceLine::here());
  // Whether a generator makes the descriptors of a copy.
  static bool generator_takes(const DmaView& dst, const DmaView& src);

  // GpSimd makes the descriptors (kernel_builder_indirect.cpp): partition p of the tile and row
  // indices[p] of the table, a uint32 or int32 column [P, 1]. The first use takes 16 KiB at the end
  // of every SBUF partition. An index beyond the table is an error, or its row is skipped. Scatter
  // with `accumulate` adds near the memory (fp32, bf16, e4m3fn), also for rows that are named
  // twice.
  void dma_gather(const TileView& tile, const TensorView& table, const TileView& indices,
                  const IndirectOptions& options = {}, SourceLine where = SourceLine::here());
  void dma_scatter(const TensorView& table, const TileView& tile, const TileView& indices,
                   const IndirectOptions& options = {}, SourceLine where = SourceLine::here());

 protected:
  void transfer(const TileView& tile, const TensorView& tensor, DmaDirection direction,
                const DmaOptions& options, SourceLine where);
  // A transfer on a ring: its semaphore, what it waits for, when it is complete.
  struct Started {
    unsigned ring = 0, queue = 0, semaphore = 0;
    std::vector<Event> waits;
    Event done;
  };
  // The fields of a dma_copy with their addresses; none if the host makes the descriptors.
  struct Generated {
    DmaRings::Kind kind = DmaRings::Kind::kSync;
    tern_instr_dma_copy_t fields{};
    DmaAddress destination, source;
  };
  std::optional<Generated> generated(const DmaView& dst, const DmaView& src,
                                     const DmaOptions& options, const std::string& what,
                                     SourceLine where) const;
  void record_transfer(const TileView& tile, const TensorView& tensor, DmaDirection direction,
                       const std::optional<Generated>& generated,
                       std::vector<HazardMap::Access> accesses, SourceLine where);
  Started begin_transfer(DmaRings::Kind kind, unsigned priority, const char* name,
                         const std::vector<HazardMap::Access>& accesses, SourceLine where);
  void end_transfer(const Started& started, const std::vector<HazardMap::Access>& accesses);
  void trigger(const Started& started, std::array<std::size_t, Executable::kEngines> left,
               const char* name, SourceLine where);
  std::array<std::size_t, Executable::kEngines> append_pairs(unsigned ring,
                                                             const EngineDescriptors& pairs,
                                                             const std::string& what,
                                                             SourceLine where);
  using MakePlan = std::function<EngineDescriptors(unsigned semaphore)>;
  void host_transfer(const DmaView& dst, const std::vector<DmaView>& sources, bool reads_dst,
                     const DmaOptions& options, const char* name, SourceLine where,
                     const MakePlan& plan);
  void generated_transfer(const Generated& generated, unsigned priority,
                          const std::vector<HazardMap::Access>& accesses, const char* name,
                          SourceLine where, const tern_instr_extend_t* extension = nullptr,
                          std::vector<tern_instruction_t> skips = {});
  void append_skipped(const Started& started, const char* name, SourceLine where);
  void compute(const DmaView& dst, const std::vector<DmaView>& sources, DmaOperation operation,
               bool accumulate, const DmaOptions& options, const char* name, SourceLine where);
  void indirect(const TileView& tile, const TensorView& table, const TileView& indices,
                const IndirectOptions& options, bool scatter, SourceLine where);
  void check_side(const DmaView& view, bool write, const char* role, const char* name,
                  SourceLine where) const;
  void add_access(const DmaView& view, bool write, std::vector<HazardMap::Access>* accesses) const;
  void check_write_op(const DmaView& dst, const char* name, SourceLine where) const;
  void reserve_generated_ring(unsigned ring, const char* name, SourceLine where);
  // Appends the descriptors of a transfer; returns how many there are on each engine.
  std::array<std::size_t, Executable::kEngines> append_descriptors(const TileView& tile,
                                                                   const TensorView& tensor,
                                                                   DmaDirection direction,
                                                                   unsigned semaphore,
                                                                   SourceLine where);
  void announce_transfer(unsigned ring, unsigned queue, Event done);
};

}  // namespace tern::kernels
