// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sw/base/source_line.h"
#include "sw/config/chip_config.h"
#include "sw/kernels/builder/dma/dma_rings.h"
#include "sw/kernels/builder/loops/loop_fold.h"
#include "sw/kernels/builder/memory/hazards.h"
#include "sw/kernels/builder/memory/use_check.h"
#include "sw/kernels/builder/memory/views.h"
#include "sw/kernels/builder/program/waits.h"
#include "sw/kernels/builder/tile_pool.h"
#include "sw/runtime/executable.h"
#include "sw/runtime/range_allocator.h"

namespace tern::kernels {

// The program in the making: tensors and tiles, instructions with the waits that their data need.
class BuilderCore {
 public:
  BuilderCore(std::string name, const ChipConfig& chip);

  // Instructions from here on belong to this part of the program ("layer 2"): messages name it, and
  // reports show its time. A loop belongs to one part.
  void part(const std::string& name) { part_ = name; }

  // Errors, unless switched off: reading a tile or a scratch tensor that nothing has written,
  // adding to sums in PSUM that nothing has begun, an output that nothing stores.
  void check_use(bool on) { checks_use_ = on; }
  // An earlier program, the host or another core has written it.
  void already_written(const TileView& view);
  void already_written(const Tensor& scratch);

  // HBM
  Tensor input(const std::string& name, DType dtype, std::vector<std::uint64_t> shape,
               SourceLine where = SourceLine::here());
  Tensor weight(const std::string& name, DType dtype, std::vector<std::uint64_t> shape,
                SourceLine where = SourceLine::here());
  Tensor output(const std::string& name, DType dtype, std::vector<std::uint64_t> shape,
                SourceLine where = SourceLine::here());
  Tensor scratch(const std::string& name, DType dtype, std::vector<std::uint64_t> shape,
                 SourceLine where = SourceLine::here());

  // On-chip memory. A tile takes its bytes on all 128 partitions; a PSUM tile takes whole banks of
  // 512 FP32 or 1024 BF16.
  Tile sbuf_tile(const std::string& name, unsigned partitions, std::uint32_t free, DType dtype,
                 SourceLine where = SourceLine::here());
  Tile psum_tile(const std::string& name, unsigned partitions, std::uint32_t free,
                 DType dtype = DType::kFp32, SourceLine where = SourceLine::here());
  // The four results of quad mode, each in its quarter of PSUM: the first is the
  // destination of the product.
  std::array<Tile, 4> psum_quad_tile(const std::string& name, unsigned partitions,
                                     std::uint32_t free, DType dtype = DType::kFp32,
                                     SourceLine where = SourceLine::here());
  void release(const Tile& tile, SourceLine where = SourceLine::here());
  TilePool sbuf_pool(const std::string& name, unsigned buffers, std::uint32_t bytes_per_partition,
                     SourceLine where = SourceLine::here());
  TilePool psum_pool(const std::string& name, unsigned banks,
                     SourceLine where = SourceLine::here());
  std::uint64_t sbuf_free_bytes() const { return sbuf_.free_bytes(); }
  std::uint64_t sbuf_largest_free() const { return sbuf_.largest_free(); }  // in one piece

  // Until the next call: instructions and transfers wait for `after`, besides what their operands
  // need; `done`, if not null, gets when each of them is complete.
  void order(std::vector<Event> after, std::vector<Event>* done);

  // The last writers of the parts of a tile, for messages: "vector queue, instruction 17, from
  // my_kernel.cpp:20: tensor_scalar", or a transfer. Oldest first; not for parts written in loops.
  struct Writer {
    Box box;  // bytes of a partition by partitions
    std::string instruction;
  };
  std::vector<Writer> writers(const TileView& view) const;

  // Semaphores: 0 starts the other queues together, then one of progress per queue, then the DMA
  // transfers', those outside loops and those in loops.
  static constexpr unsigned kStartSemaphore = 0;
  static constexpr unsigned progress_semaphore(unsigned queue) { return 1 + queue; }
  static constexpr unsigned kFirstDmaSemaphore = DmaRings::kFirstSemaphore;
  static constexpr unsigned kSemaphoresPerRing = DmaRings::kSemaphores;
  static constexpr unsigned kLoadRing = DmaRings::kLoad, kStoreRing = DmaRings::kStore;
  static constexpr unsigned kLoopSemaphores = 64;  // in each direction
  static constexpr unsigned loop_semaphore(unsigned direction, unsigned slot) {
    return kFirstDmaSemaphore + 2 * kSemaphoresPerRing + direction * kLoopSemaphores + slot;
  }
  // How often the queues have gone on with a repetition: the last one of loops.
  static constexpr unsigned kRepeatSemaphore = kFirstDmaSemaphore + 2 * kSemaphoresPerRing + 127;
  static_assert(DmaRings::kFirstFurtherSemaphore ==
                kFirstDmaSemaphore + 2 * kSemaphoresPerRing + 2 * kLoopSemaphores);

 protected:
  Tensor add_tensor(TensorInfo::Kind kind, const std::string& name, DType dtype,
                    std::vector<std::uint64_t> shape, SourceLine where);
  Tile added(Tile tile);
  // Appends an instruction that waits for what its accesses need and counts on its queue's progress
  // semaphore.
  void emit(unsigned queue, tern_instruction_t instruction, const char* name,
            const std::vector<HazardMap::Access>& accesses, SourceLine where,
            const tern_instr_extend_t* extension = nullptr);
  // Checks what an instruction reads, and notes what it writes.
  void use(const std::vector<HazardMap::Access>& accesses, const char* name, SourceLine where);
  static void count_progress(unsigned queue, tern_instruction_t* instruction);
  void append(unsigned queue, const tern_instruction_t& instruction, const char* name,
              SourceLine where);
  void append_with_waits(unsigned queue, tern_instruction_t instruction, const char* name,
                         const std::vector<Event>& waits, SourceLine where,
                         const tern_instr_extend_t* extension = nullptr);
  // Every queue knows that everything before is complete.
  std::vector<Event> all_so_far() const;
  void meet(const char* name, SourceLine where);
  // An instruction or a transfer is complete at this event: the last of its steps here.
  void note_done(Event done);

  std::string name_, part_;
  ChipConfig chip_;
  Executable program_;
  RangeAllocator sbuf_, psum_, hbm_;
  HazardMap hazards_;
  std::shared_ptr<UseCheck> use_ = std::make_shared<UseCheck>();  // pools tell it of their tiles
  bool checks_use_ = true;
  WaitPlanner waits_;
  std::vector<Event> after_;            // of order()
  std::vector<Event>* done_ = nullptr;  // of order()
  std::vector<Event> handed_out_;       // by it
  // Events that the planner keeps, before those that nothing can wait for are forgotten.
  static constexpr std::size_t kForgetAfter = 4096;
  std::size_t forget_at_ = kForgetAfter;
  std::array<std::uint32_t, TERN_QUEUE_COUNT> progress_{};
  DmaRings rings_;
  std::vector<Event> flags_;         // raised by other cores, with values; in place of loops'
  std::optional<Event> start_flag_;  // core 0 has begun
  // A repetition that is open: its branches to the end, and where the counts began.
  struct Repeat {
    std::array<std::size_t, TERN_QUEUE_COUNT> branch{};
    std::array<std::uint32_t, TERN_QUEUE_COUNT> progress{};
    DmaRings rings;
    SourceLine where;
  };
  std::vector<Repeat> repeats_;         // the innermost last
  bool repeated_ = false;               // there has been one
  LoopIteration* iteration_ = nullptr;  // the body of a loop is being recorded here
};

}  // namespace tern::kernels
