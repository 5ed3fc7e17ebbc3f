// SPDX-License-Identifier: Apache-2.0
// Host time of 1 GiB from HBM to SBUF through a whole chip of models: 16 DMA engines of a core,
// network, HBM with refresh. A round is 64 MiB: fewer of them for a profile.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <stdexcept>
#include <vector>

#include "sw/base/user_error.h"
#include "sw/config/load_chip_config.h"
#include "sw/spec/descriptor_pack.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"
#include "systemc/chip/chip.h"
#include "systemc/chip/simulation.h"
#include "systemc/trace/sim_time.h"
#include "tb/bench/bench_support.h"
#include "tb/common/tlm_access.h"

namespace {

using namespace tern;

constexpr unsigned kEngines = TERN_CORE_DMA_COUNT;
constexpr std::uint32_t kPairBytes = 65536;
constexpr std::uint32_t kRoundBytes = 1u << 26;
constexpr unsigned kRounds = (1u << 30) / kRoundBytes;
constexpr std::uint32_t kRoundPairs = kRoundBytes / kPairBytes / kEngines;  // of an engine
constexpr unsigned kSlots = 2048;                                           // of a ring
static_assert(kRounds * kRoundPairs < kSlots);

struct Bench {
  explicit Bench(unsigned rounds)
      : pairs(rounds * kRoundPairs),
        config(load_chip_config("trn3", {}).chip),
        chip("chip", config, ChipOptions(), &trace),
        host("host") {
    host.socket.bind(chip.host);
    chip.irq.bind(irq);
  }

  // Packets of one pair on ring 0 of every engine, from data written before.
  void set_up() {
    const std::vector<std::uint8_t> block(kPairBytes, 0x5a);
    for (unsigned e = 0; e < kEngines; ++e) {
      const std::uint64_t tx = (8ull << 30) + (std::uint64_t{e} << 20), rx = tx + (1u << 19);
      DescriptorFields fields;
      fields.first = fields.last = true;
      fields.length = kPairBytes;
      std::vector<std::uint8_t> source(kSlots * TERN_DESCRIPTOR_BYTES), target = source;
      for (unsigned i = 0; i < kSlots; ++i) {
        fields.ring_id = 1;
        fields.address = std::uint64_t{e} << 26 | (i % pairs) * kPairBytes;
        if (i < pairs) host.load(fields.address, block);
        pack_descriptor(&source[i * TERN_DESCRIPTOR_BYTES], fields);
        fields.address = TERN_CORE_BASE + (e * 8 + i % 8) * TERN_CORE_SBUF_STRIDE;
        pack_descriptor(&target[i * TERN_DESCRIPTOR_BYTES], fields);
      }
      host.load(tx, source);
      host.load(rx, target);
      const std::uint64_t at = TERN_CORE_BASE + TERN_CORE_DMA_BASE + e * TERN_CORE_DMA_STRIDE;
      poke(at + TERN_REG_DMA_RING_TX_BASE, tx);
      poke(at + TERN_REG_DMA_RING_RX_BASE, rx);
      poke(at + TERN_REG_DMA_RING_SIZE, std::uint32_t{kSlots});
    }
  }
  template <typename Value>
  void poke(std::uint64_t address, Value value) {
    if (host.poke(address, value) != tlm::TLM_OK_RESPONSE) {
      throw std::runtime_error("a register takes no write");
    }
  }
  void move() {
    for (unsigned e = 0; e < kEngines; ++e) chip.core(0).dma(e).doorbell(0, pairs);
    for (bool rest = false; !rest;) {
      sc_core::wait(1, sc_core::SC_US);
      rest = true;
      for (unsigned e = 0; e < kEngines; ++e) rest = rest && chip.core(0).dma(e).at_rest();
    }
  }
  std::uint64_t moved() {
    std::uint64_t bytes = 0;
    for (unsigned e = 0; e < kEngines; ++e) bytes += chip.core(0).dma(e).counters().bytes;
    return bytes;
  }

  const unsigned pairs;  // of an engine
  Simulation simulation;
  ChipConfig config;
  trace::Bus trace;
  Chip chip;
  tb::TlmAccess host;
  sc_core::sc_signal<bool> irq{"irq"};
};

int measure(const bench::Options& options) {
  const unsigned rounds = std::min(options.rounds, kRounds);
  if (rounds != kRounds && !options.json.empty()) {
    throw UserError("--json: the figure is that of 1 GiB, 16 rounds");
  }
  const std::uint64_t bytes = std::uint64_t{rounds} * kRoundBytes;
  Bench bench(rounds);
  double wall = 0, processor = 0, simulated = 0;
  bench.simulation.run([&] {
    bench.set_up();
    const std::uint64_t begin_fs = now_fs();
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t begin_clock = std::clock();
    bench.move();
    processor = static_cast<double>(std::clock() - begin_clock) / CLOCKS_PER_SEC;
    wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    simulated = static_cast<double>(now_fs() - begin_fs) * 1e-15;
  });
  if (bench.moved() != bytes) throw std::runtime_error("not all bytes have moved");
  std::printf("%u MiB from HBM to SBUF: %.2f s (%.2f s of the processor) for %.3f us, %.1f GB/s\n",
              static_cast<unsigned>(bytes >> 20), wall, processor, simulated * 1e6,
              static_cast<double>(bytes) * 1e-9 / simulated);
  bench::write_figures(options.json, {{"dma_model_gib_seconds", wall}});
  return 0;
}

}  // namespace

int sc_main(int argc, char** argv) {
  return tern::bench::run_bench(argc, argv, "bench_dma_chip", kRounds, measure);
}
