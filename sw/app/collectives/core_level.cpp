// SPDX-License-Identifier: Apache-2.0
#include "sw/app/collectives/core_level.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <sstream>

#include "sw/app/host/interrupt.h"
#include "sw/app/report/text.h"
#include "sw/base/child_process.h"
#include "sw/base/user_error.h"
#include "sw/config/load_chip_config.h"
#include "sw/kernels/builder/cores/collective_plan.h"
#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/builder/memory/limits.h"
#include "sw/numerics/fp8.h"
#include "sw/platform/chips/chip_system.h"
#include "sw/runtime/runtime.h"
#include "systemc/chip/simulation.h"
#include "systemc/fabric/levels/levels.h"
#include "systemc/trace/sim_time.h"

namespace tern::app {

namespace {

using collectives::Bytes;
using collectives::Operation;
using collectives::Schedule;
using numerics::DType;

// A buffer as a tile: [partitions, columns].
struct Shape {
  unsigned partitions = 1;
  std::uint32_t columns = 1;
};

// All partitions, if there is an element of each chunk for them.
Shape shape_of(const Schedule& schedule, std::uint64_t elements, std::uint32_t step) {
  const auto columns = [&](unsigned partitions) {
    const std::uint64_t whole = std::uint64_t{schedule.chunks} * step;
    const std::uint64_t each = (elements + partitions - 1) / partitions;
    return std::max<std::uint64_t>((each + whole - 1) / whole, 1) * whole;
  };
  unsigned partitions = kernels::kPartitions;
  while (partitions > 1 && partitions * columns(partitions) >= 2 * elements) partitions /= 2;
  const std::uint64_t all = columns(partitions);
  if (all > UINT32_MAX) throw UserError("more elements than a partition of SBUF holds");
  return {partitions, static_cast<std::uint32_t>(all)};
}

// Chunks are columns of the tile, and follow each other for the host.
Bytes by_chunks(const Bytes& tile, const Shape& shape, unsigned element_bytes, unsigned chunks,
                unsigned first, unsigned count) {
  const std::size_t row = std::size_t{shape.columns} * element_bytes, width = row / chunks;
  Bytes bytes;
  for (unsigned c = first; c < first + count; ++c) {
    for (unsigned p = 0; p < shape.partitions; ++p) {
      const auto begin = tile.begin() + static_cast<std::ptrdiff_t>(p * row + c * width);
      bytes.insert(bytes.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
    }
  }
  return bytes;
}

// Throws UserError: more than the memory or the flags suffice for.
Shape tile_of(const Schedule& schedule, std::uint64_t bytes, unsigned element_bytes,
              const ChipConfig& config) {
  const std::uint32_t step =
      schedule.adds() && !config.dma.near_memory_add ? TERN_DMA_BEAT_BYTES / element_bytes : 1;
  const Shape shape = shape_of(schedule, std::max<std::uint64_t>(bytes / element_bytes, 1), step);
  // Besides the buffers, scratch of as many chunks.
  const std::uint64_t buffers = schedule.problem.in_place() ? 1 : 2;
  const std::uint64_t row = std::uint64_t{shape.columns} * element_bytes;
  if (row * buffers + row / schedule.chunks * schedule.scratch > config.core.sbuf_partition_bytes)
    throw UserError(fmt::format("with scratch more than {} partitions of SBUF hold, {} bytes each",
                                shape.partitions, grouped(config.core.sbuf_partition_bytes)));
  kernels::CollectiveFlags flags;
  std::vector<unsigned> all(schedule.problem.ranks);
  std::iota(all.begin(), all.end(), 0U);
  if (flags.reserve(kernels::flows_of(schedule), {all}, 0) > kernels::kMostFlags)
    throw UserError(fmt::format("more than the {} flags of a program", kernels::kMostFlags));
  return shape;
}

class Chips {
 public:
  Chips(const system::Fabric& fabric, const CoreLevel::Options& options, const ChipConfig& config)
      : options_(options),
        config_(config),
        system_(fabric, options.chips, config, fabric::make_transport("packet", fabric)) {
    for (unsigned n = 0; n < system_.chips(); ++n)
      runtimes_.push_back(std::make_unique<runtime::Runtime>(system_.chip(n).host()));
    for (unsigned rank = 0; rank < ranks(); ++rank)
      windows_.push_back(system_.window(chip_of(rank), core_of(rank)));
  }

  CoreLevel::Result measure(const Schedule& schedule, const Shape& tile,
                            const std::function<void(double)>& progress) {
    std::vector<Bytes> operands;
    std::mt19937_64 random(options_.seed);
    for (unsigned rank = 0; rank < ranks(); ++rank) operands.push_back(values(tile, &random));
    CoreLevel::Result result;
    Simulation::Options how;
    how.stop = catch_interrupts();
    simulation_.run(
        [&] {
          // Both find the memory as a program without it has left it.
          run(schedule, tile, operands, false, nullptr);
          const std::uint64_t without = run(schedule, tile, operands, false, nullptr);
          progress(1.0 / 3);
          std::vector<Bytes> got;
          const std::uint64_t with = run(schedule, tile, operands, true, &got);
          result.equal = equal(schedule, tile, operands, got);
          result.fs = with - std::min(with, without);
        },
        how);
    return result;
  }

 private:
  unsigned element_bytes() const { return collectives::bytes_of(options_.element); }
  unsigned ranks() const { return system_.chips() * options_.cores; }
  unsigned chip_of(unsigned rank) const { return rank / options_.cores; }
  unsigned core_of(unsigned rank) const { return rank % options_.cores; }
  DType dtype() const {
    switch (options_.element) {
      case collectives::Element::kFp32:
        return DType::kFp32;
      case collectives::Element::kBf16:
        return DType::kBf16;
      case collectives::Element::kFp8:
        break;
    }
    return DType::kE4m3Fn;
  }

  // Numbers with a fraction, from -1 to 1.
  Bytes values(const Shape& tile, std::mt19937_64* random) const {
    Bytes bytes(std::size_t{tile.partitions} * tile.columns * element_bytes());
    for (std::size_t at = 0; at < bytes.size(); at += element_bytes()) {
      const float value = static_cast<float>(static_cast<std::int32_t>((*random)())) * 0x1p-31f;
      if (element_bytes() == 1) {
        bytes[at] = numerics::e4m3fn_from_float(value, numerics::Overflow::kSaturate);
        continue;
      }
      std::uint8_t word[sizeof value];
      std::memcpy(word, &value, sizeof value);
      // Of BF16 the upper half.
      std::memcpy(&bytes[at], word + sizeof value - element_bytes(), element_bytes());
    }
    return bytes;
  }

  Executable program(const Schedule& schedule, const Shape& tile, unsigned rank,
                     bool collective) const {
    kernels::KernelBuilder kb("cc", config_);
    kb.join_parts(rank, ranks());
    const auto load = kb.input("x", dtype(), {tile.partitions, tile.columns});
    const auto store = kb.output("y", dtype(), {tile.partitions, tile.columns});
    const kernels::Tile in = kb.sbuf_tile("x", tile.partitions, tile.columns, dtype());
    kb.dma_load(in, load.view(0, tile.partitions, 0, tile.columns));
    kernels::Tile out = in;
    kernels::CollectiveOperands operands;
    if (schedule.problem.in_place()) {
      operands.data = in;
    } else {
      out = kb.sbuf_tile("y", tile.partitions, tile.columns, dtype());
      kb.already_written(out);  // nobody sends to some ranks of a permutation
      operands.input = in;
      operands.output = out;
    }
    if (collective) kb.collective(schedule, operands, {options_.priority, {}});
    kb.dma_store(store.view(0, tile.partitions, 0, tile.columns), out);
    return kb.finish();
  }

  // From the start of the first rank, which lets all others begin, to the last one's end.
  std::uint64_t run(const Schedule& schedule, const Shape& tile, const std::vector<Bytes>& operands,
                    bool collective, std::vector<Bytes>* results) {
    struct Part {
      runtime::Buffer x, y;
      std::unique_ptr<runtime::Program> program;
    };
    std::vector<Part> parts(ranks());
    for (unsigned rank = 0; rank < ranks(); ++rank) {
      Part& part = parts[rank];
      runtime::Runtime& runtime = *runtimes_[chip_of(rank)];
      const Bytes& bytes = operands[rank];
      part.x = runtime.allocate("x", bytes.size(), core_of(rank));
      part.y = runtime.allocate("y", bytes.size(), core_of(rank));
      runtime.copy_to_device(part.x, bytes.data(), bytes.size());
      part.program = std::make_unique<runtime::Program>(
          runtime.load(program(schedule, tile, rank, collective), {{"x", &part.x}, {"y", &part.y}},
                       core_of(rank), windows_));
    }
    wait_for_refresh();
    for (unsigned rank = ranks(); rank-- > 0;)
      runtimes_[chip_of(rank)]->execute(*parts[rank].program);
    std::uint64_t start = 0, end = 0;
    for (unsigned rank = 0; rank < ranks(); ++rank) {
      const runtime::RunResult done = runtimes_[chip_of(rank)]->wait(*parts[rank].program);
      if (rank == 0) start = to_fs(done.start);
    }
    // The host sees the interrupts of several cores one after the other.
    for (unsigned rank = 0; rank < ranks(); ++rank)
      end = std::max(
          end,
          system_.chip(chip_of(rank)).chip().core(core_of(rank)).program_times().last_end_fs());
    for (unsigned rank = 0; results != nullptr && rank < ranks(); ++rank) {
      results->emplace_back(operands[rank].size());
      runtimes_[chip_of(rank)]->copy_from_device(parts[rank].y, results->back().data(),
                                                 results->back().size());
    }
    return end - start;
  }

  // All programs begin at the same phase of the refresh of HBM.
  void wait_for_refresh() const {
    const std::uint64_t interval = ns_to_fs(config_.hbm.timing.t_refi);
    sc_core::wait(from_fs(interval - now_fs() % interval));
  }

  bool equal(const Schedule& schedule, const Shape& tile, const std::vector<Bytes>& operands,
             const std::vector<Bytes>& got) const {
    std::vector<Bytes> chunks;
    chunks.reserve(operands.size());
    for (const Bytes& operand : operands)
      chunks.push_back(
          by_chunks(operand, tile, element_bytes(), schedule.chunks, 0, schedule.chunks));
    const std::vector<Bytes> want = collectives::evaluate(schedule, options_.element, chunks);
    const bool part = schedule.problem.operation == Operation::kReduceScatter;
    for (unsigned rank = 0; rank < ranks(); ++rank) {
      const unsigned count = part ? schedule.chunks / ranks()
                             : schedule.problem.operation == Operation::kAllToAllV
                                 ? schedule.problem.got(rank)
                                 : schedule.chunks;
      // Of a permutation nothing comes to some.
      if (!want[rank].empty() && by_chunks(got[rank], tile, element_bytes(), schedule.chunks,
                                           part ? rank * count : 0, count) != want[rank])
        return false;
    }
    return true;
  }

  const CoreLevel::Options& options_;
  const ChipConfig& config_;
  Simulation simulation_;
  ChipSystem system_;
  std::vector<std::unique_ptr<runtime::Runtime>> runtimes_;  // of chips
  std::vector<std::uint64_t> windows_;                       // of ranks
};

}  // namespace

CoreLevel::CoreLevel(const system::Fabric& fabric, const Options& options)
    : fabric_(fabric), options_(options), config_(load_chip_config(fabric.config().chip).chip) {}

std::uint64_t CoreLevel::size_of(const Schedule& schedule, std::uint64_t bytes) const {
  const unsigned element_bytes = collectives::bytes_of(options_.element);
  const Shape shape = tile_of(schedule, bytes, element_bytes, config_);
  return std::uint64_t{shape.partitions} * shape.columns * element_bytes;
}

CoreLevel::Result CoreLevel::measure(const Schedule& schedule, std::uint64_t bytes,
                                     const std::function<void(double)>& progress) const {
  const Shape tile = tile_of(schedule, bytes, collectives::bytes_of(options_.element), config_);
  const std::string told = base::run_in_copy(
      [&](const base::Progress& share) {
        Chips chips(fabric_, options_, config_);
        const Result result = chips.measure(schedule, tile, share);
        return fmt::format("{} {}", result.fs, result.equal ? 1 : 0);
      },
      progress, catch_interrupts());
  Result result;
  std::istringstream(told) >> result.fs >> result.equal;
  return result;
}

}  // namespace tern::app
