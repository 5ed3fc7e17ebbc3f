// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <unordered_map>
#include <vector>

#include "sw/runtime/executable.h"

namespace tern::tb {

// Runs a program in some order that semaphores and queues allow, with hashes for data. Every value
// is a hash of the instruction that wrote it, by its number in the work of its queue, and of all it
// read. So a loop gives the same as its unrolled iterations. Programs without races give the same
// memory in every order.
//
// The freedom of the order: queues and DMA engines advance at random speeds. An instruction is
// issued, later reads, later writes and counts its semaphore. Reads of a queue happen in its order,
// writes too, but an instruction may read before the one ahead of it has written. PSUM accumulation
// happens at the write. Each engine of a ring is in order, engines run ahead of each other.
class Interleaver {
 public:
  Interleaver(const Executable& program, std::uint64_t seed);
  // False if it stopped early: nothing could continue.
  bool run();
  // The tensors at the end: (tensor, offset / 2) -> hash, of everything that was written.
  const std::unordered_map<std::uint64_t, std::uint64_t>& tensors() const { return hbm_; }
  unsigned semaphore(unsigned index) const { return semaphores_[index]; }

 private:
  using Cells = std::vector<std::uint64_t>;
  // An instruction with its extension (zero if there is none), registers added.
  struct Whole {
    tern_instruction_t instruction;
    tern_instr_extend_t extension;
  };
  struct Flight {
    Whole whole;
    std::size_t number;  // of the work of its queue
    bool read = false;
    std::uint64_t value = 0;
  };
  struct Loop {
    std::size_t begin, end;
    std::uint32_t left;
    unsigned counter;
    std::int32_t step;
  };
  struct Queue {
    std::size_t pc = 0, work = 0;
    bool halted = false;
    std::vector<Flight> flight;
    std::array<std::uint32_t, 64> registers{};
    std::vector<Loop> loops;
  };
  // Part of a transfer whose descriptors a generator made, or the end of one on an engine.
  struct Move {
    DmaAddress destination, source;
    std::uint32_t bytes = 0;  // 0: adds one to the semaphore
    unsigned semaphore = 0;
  };
  struct Actor {
    unsigned kind;  // 0 issue, 1 read, 2 write, 3 DMA, 4 DMA with generated descriptors
    unsigned queue = 0, ring = 0, engine = 0;
    double weight = 1;
  };

  bool step(const Actor& actor);
  bool issue(unsigned queue);
  bool read(unsigned queue);
  bool write(unsigned queue);
  bool dma(unsigned ring, unsigned engine);
  bool generated_dma(unsigned ring, unsigned engine);
  void generate(unsigned queue, std::size_t pc);
  void move(const DmaAddress& to, const DmaAddress& from, std::uint32_t bytes);
  bool may_start(const tern_header_t& header) const;
  void update(const tern_header_t& header);
  static void add_cells(const tern_ap_t& ap, unsigned partitions, unsigned size, Cells* cells,
                        const tern_outer_t& outer = {});
  static void add_column(std::uint32_t address, unsigned partitions, Cells* cells);
  template <typename Fields>
  static void add_operand(const Fields& in, unsigned planes, unsigned scale_columns, Cells* cells);
  static Cells read_cells(const Whole& whole);
  static Cells write_cells(const Whole& whole);
  Whole whole(unsigned queue) const;
  bool control(Queue& queue, const tern_instruction_t& instruction);
  static void next(Queue& queue);
  std::uint64_t chip_value(std::uint64_t cell) const;

  const Executable& program_;
  std::mt19937_64 random_;
  std::array<Queue, TERN_QUEUE_COUNT> queues_;
  std::array<std::uint32_t, 256> semaphores_{};
  std::unordered_map<std::uint64_t, std::uint64_t> chip_, hbm_;
  std::array<std::array<std::size_t, 16>, 16> tail_{}, head_{};
  std::map<unsigned, std::array<std::deque<Move>, 16>> generated_;  // by ring
  std::array<std::uint64_t, 2> stationary_{};                       // of each array
  std::array<std::uint64_t, TERN_QUEUE_COUNT> accumulators_{}, generators_{};
  std::vector<Actor> actors_;
};

}  // namespace tern::tb
