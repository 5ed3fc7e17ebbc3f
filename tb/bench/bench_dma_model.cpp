// SPDX-License-Identifier: Apache-2.0
// Host time of the model of a DMA engine for 1 GiB, at its ports: a memory that answers after 200
// cycles.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

#include "systemc/dma/model/unit_model.h"
#include "tb/bench/bench_support.h"

namespace {

using namespace tern::dma;

// Bytes of descriptors, and of the data: one block that represents all addresses.
class Memory : public Environment {
 public:
  void request(const Request& request) override {
    auto& queue = queues_[static_cast<unsigned>(request.port)];
    queue.push_back({request.cycle + 200, request.tag, request.bytes,
                     request.port == Port::kDescriptors ? &descriptors[request.address] : block_});
    if (request.port == Port::kWrite) std::memcpy(block_, request.data, request.bytes);
  }
  void ring_stopped(std::uint64_t, unsigned, unsigned fault, std::uint32_t,
                    std::uint64_t) override {
    throw std::runtime_error("the ring stopped, fault " + std::to_string(fault));
  }
  void packet_done(std::uint64_t, std::uint64_t, unsigned, std::uint32_t bytes, unsigned) override {
    moved += bytes;
  }
  std::uint64_t next() const {
    std::uint64_t next = UINT64_MAX;
    for (const auto& queue : queues_) {
      if (!queue.empty()) next = std::min(next, queue.front().cycle);
    }
    return next;
  }
  void answer(Unit& unit, std::uint64_t cycle) {
    for (unsigned p = 0; p < 3; ++p) {
      while (!queues_[p].empty() && queues_[p].front().cycle <= cycle) {
        const Coming& coming = queues_[p].front();
        const std::uint64_t beats = p == 2 ? 1 : (coming.bytes + kBeatBytes - 1) / kBeatBytes;
        free_[p] = std::max(free_[p], cycle) + beats;
        unit.answer(free_[p] - 1, static_cast<Port>(p), coming.tag, Answer::kGood, coming.data);
        queues_[p].pop_front();
      }
    }
  }
  std::vector<std::uint8_t> descriptors = std::vector<std::uint8_t>(1 << 20);
  std::uint64_t moved = 0;

 private:
  struct Coming {
    std::uint64_t cycle;
    unsigned tag;
    std::uint32_t bytes;
    const std::uint8_t* data;
  };
  std::deque<Coming> queues_[3];
  std::uint64_t free_[3] = {0, 0, 0};
  std::uint8_t block_[kBurstBytes] = {};
};

double seconds_for_a_gibibyte() {
  constexpr std::uint32_t kPairs = 16384, kRxBase = 512 * 1024;
  Memory memory;
  const auto unit = make_unit_model({}, memory);
  for (std::uint32_t i = 0; i < kPairs; ++i) {
    const std::uint32_t control = 1u << 24 | 3u << 26;  // 64 KiB, first and last
    std::memcpy(&memory.descriptors[i * 16], &control, 4);
    std::memcpy(&memory.descriptors[kRxBase + i * 16], &control, 4);
  }
  const auto begin = std::chrono::steady_clock::now();
  unit->write_register(1, TERN_REG_DMA_RING_RX_BASE, kRxBase);
  unit->write_register(2, TERN_REG_DMA_RING_SIZE, 32768 - 16);
  unit->write_register(3, TERN_REG_DMA_RING_TAIL, kPairs);
  while (true) {
    const std::uint64_t cycle = std::min(unit->next_cycle(), memory.next());
    if (cycle == UINT64_MAX) break;
    memory.answer(*unit, cycle);
    unit->advance(cycle);
  }
  if (memory.moved != std::uint64_t{1} << 30) throw std::runtime_error("not all bytes have moved");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
  return tern::bench::run_bench(
      argc, argv, "bench_dma_model", 5, [](const tern::bench::Options& options) {
        std::vector<double> rounds;
        for (unsigned round = 0; round < options.rounds; ++round) {
          rounds.push_back(seconds_for_a_gibibyte());
        }
        const double seconds = tern::bench::median(rounds);
        std::printf("1 GiB in pairs of 64 KiB: %.3f s, %.1f M pieces/s\n", seconds,
                    2.097152 / seconds);
        tern::bench::write_figures(options.json, {{"dma_unit_gib_seconds", seconds}});
        return 0;
      });
}
