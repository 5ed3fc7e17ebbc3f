// SPDX-License-Identifier: Apache-2.0
// The formulas of rtl/dma/README.md as numbers computed by hand: a memory that answers 20 cycles
// after a request, rings released in cycle `bell`.
#include <catch2/catch.hpp>

#include "systemc/dma/model/unit_model.h"
#include "tb/dma/model/unit_bench.h"

using tern::dma::Port;
using tern::tb::UnitBench;

namespace {

constexpr std::uint64_t kFrom = 0x10000, kTo = 0x900000;

UnitBench::Make model(unsigned descriptor_cycles = 0, unsigned pace = 0) {
  tern::dma::UnitConfig config;
  config.descriptor_cycles = descriptor_cycles;
  config.pace = pace;
  return [config](tern::dma::Environment& s) { return tern::dma::make_unit_model(config, s); };
}

std::vector<tern::tb::SeenRequest> of(const UnitBench& bench, Port port) {
  std::vector<tern::tb::SeenRequest> result;
  for (const auto& r : bench.requests) {
    if (r.port == port) result.push_back(r);
  }
  return result;
}

}  // namespace

TEST_CASE("Timing of one 64-byte copy from doorbell to head", "[dma]") {
  UnitBench bench(model());
  bench.set_up(2, 64, 1);
  bench.memory.write(kFrom, "tern", 4);
  bench.put_copy(2, kFrom, kTo, 64);
  bench.run_to(99);
  bench.release(2, 1);  // at the port in cycle 100
  bench.run();
  REQUIRE(bench.requests.size() == 4);
  // Decision and TX in 101, RX in 102; complete in 122, checked in 123, dispatched in 124, set-up
  // in 125.
  const auto fetch = of(bench, Port::kDescriptors);
  CHECK(fetch[0].cycle == 101);
  CHECK(fetch[0].address == UnitBench::base(2, true));
  CHECK(fetch[0].bytes == 16);
  CHECK(fetch[0].tag == 4);
  CHECK(fetch[0].traffic_class == 1);
  CHECK(fetch[1].cycle == 102);
  CHECK(fetch[1].address == UnitBench::base(2, false));
  CHECK(fetch[1].tag == 5);
  const auto reads = of(bench, Port::kRead);
  REQUIRE(reads.size() == 1);
  CHECK(reads[0].cycle == 126);
  CHECK(reads[0].tag == 0);
  // Arrives in 146, moves in 147, four stages.
  const auto writes = of(bench, Port::kWrite);
  REQUIRE(writes.size() == 1);
  CHECK(writes[0].cycle == 151);
  CHECK(writes[0].address == kTo);
  REQUIRE(bench.done.size() == 1);
  CHECK(bench.done[0].begin == 124);
  CHECK(bench.done[0].cycle == 172);  // answered in 171
  CHECK(bench.done[0].bytes == 64);
  CHECK(bench.ring_register(2, TERN_REG_DMA_RING_HEAD) == 1);
  CHECK(bench.memory.get(kTo, 4) == std::vector<std::uint8_t>{'t', 'e', 'r', 'n'});
  CHECK(bench.unit->at_rest());
}

TEST_CASE("Timing of the head: visible two cycles after the answer", "[dma]") {
  UnitBench bench(model());
  bench.set_up(0, 64);
  bench.put_copy(0, kFrom, kTo, 64);
  bench.run_to(99);
  bench.release(0, 1);
  bench.run_to(171);
  CHECK(bench.ring_register(0, TERN_REG_DMA_RING_HEAD) == 0);  // in 172
  CHECK(bench.ring_register(0, TERN_REG_DMA_RING_STATUS) == 1);
  bench.run_to(172);
  CHECK(bench.ring_register(0, TERN_REG_DMA_RING_HEAD) == 1);  // in 173
  CHECK(bench.ring_register(0, TERN_REG_DMA_RING_STATUS) == 0);
}

TEST_CASE("Timing of a run of pieces and of the overhead per buffer", "[dma]") {
  UnitBench bench(model(5));
  bench.set_up(0, 64);
  // 4096 bytes at an offset of 64 in the window: pieces of 960, 1024, 1024, 1024, 64 bytes.
  bench.put_copy(0, kFrom + 64, kTo + 64, 4096);
  bench.run_to(99);
  bench.release(0, 1);
  bench.run();
  const auto reads = of(bench, Port::kRead);
  REQUIRE(reads.size() == 5);
  for (unsigned i = 0; i < 5; ++i) CHECK(reads[i].cycle == 126 + i);
  CHECK(reads[0].bytes == 960);
  CHECK(reads[4].bytes == 64);
  // The first answer begins in 146: 15 + 16 + 16 + 16 + 1 beats back to back end in 160, 176, 192,
  // 208, 209. A piece enters a cycle later and leaves as fast as the next one comes.
  const auto writes = of(bench, Port::kWrite);
  REQUIRE(writes.size() == 5);
  // First beat 161 (its 5 cycles of overhead passed while it waited), last 175, + 4.
  CHECK(writes[0].cycle == 179);
  CHECK(writes[1].cycle == 196);  // complete in 176: 177 .. 192
  CHECK(writes[2].cycle == 212);  // 193 .. 208
  CHECK(writes[3].cycle == 228);  // 209 .. 224
  CHECK(writes[4].cycle == 229);
}

TEST_CASE("Timing of many small buffers: a pause of the data path for each", "[dma]") {
  UnitBench bench(model(5));
  bench.set_up(0, 64);
  for (unsigned i = 0; i < 4; ++i) {
    bench.put(0, UnitBench::copy_pair(kFrom + 128 * i, 128, kTo + 4096 * i, 128, i == 0, i == 3));
  }
  bench.run_to(99);
  bench.release(0, 4);
  bench.run();
  // 64 bytes of descriptors: one beat. Checked in 123 .. 126, dispatched in 127, set-up 128, then a
  // piece every second cycle.
  const auto reads = of(bench, Port::kRead);
  REQUIRE(reads.size() == 4);
  for (unsigned i = 0; i < 4; ++i) CHECK(reads[i].cycle == 129 + 2 * i);
  // Answers end in 150, 152, ...; the first enters in 151, 152; then 5 cycles of pause each.
  const auto writes = of(bench, Port::kWrite);
  REQUIRE(writes.size() == 4);
  for (unsigned i = 0; i < 4; ++i) CHECK(writes[i].cycle == 156 + 7 * i);
}

TEST_CASE("Timing of a scatter: a new target buffer pauses inside a source piece", "[dma]") {
  UnitBench bench(model(5));
  bench.set_up(0, 64);
  bench.put(0, UnitBench::copy_pair(kFrom, 256, kTo, 64, true, false));
  bench.put(0, UnitBench::copy_pair(kFrom + 256, 64, kTo + 4096, 256, false, true));
  bench.run_to(99);
  bench.release(0, 2);
  bench.run();
  // Checked in 123, 124; dispatched in 125; pieces in 127 (256 bytes) and 129 (64): complete in 150
  // and 151. Segments: 64 bytes in 151; a new target: 192 bytes in 157 .. 159; a new source: 165.
  const auto writes = of(bench, Port::kWrite);
  REQUIRE(writes.size() == 2);
  CHECK(writes[0].cycle == 155);
  CHECK(writes[1].cycle == 169);
}

TEST_CASE("Timing of the pace: pauses accumulate over beats", "[dma]") {
  UnitBench bench(model(0, 256));  // one pause after every fourth beat
  bench.set_up(0, 64);
  bench.put_copy(0, kFrom, kTo, 3072);
  bench.run_to(99);
  bench.release(0, 1);
  bench.run();
  // Pieces complete in 161, 177, 193. First beats: 162; 16 beats and 3 pauses inside: last 180, one
  // pause after it: 182, last 200; 202, last 220.
  const auto writes = of(bench, Port::kWrite);
  REQUIRE(writes.size() == 3);
  CHECK(writes[0].cycle == 184);
  CHECK(writes[1].cycle == 204);
  CHECK(writes[2].cycle == 224);
}

TEST_CASE("Timing of segments: source and target cut at different positions", "[dma]") {
  UnitBench bench(model());
  bench.set_up(0, 64);
  bench.put_copy(0, kFrom, kTo + 1, 1024);
  bench.run_to(99);
  bench.release(0, 1);
  bench.run();
  // One source piece, complete in 161; target pieces of 1023 and 1 bytes: 16 beats and 1.
  const auto writes = of(bench, Port::kWrite);
  REQUIRE(writes.size() == 2);
  CHECK(writes[0].bytes == 1023);
  CHECK(writes[0].cycle == 181);
  CHECK(writes[1].cycle == 182);
}

TEST_CASE("Timing of an immediate: it waits for the writes before it", "[dma]") {
  UnitBench bench(model(5));
  bench.set_up(0, 64);
  bench.put_copy(0, kFrom, kTo, 64);
  bench.put_immediate(0, kTo + 0x1000, 1);
  bench.run_to(99);
  bench.release(0, 2);
  bench.run();
  // As above for the copy: one cycle later for its dispatch? No: ready in 124 already. Read in 126,
  // moved in 147, written in 151, answered in 171. The immediate: dispatched in 127, moved in 153,
  // on the port in 172.
  const auto writes = of(bench, Port::kWrite);
  REQUIRE(writes.size() == 2);
  CHECK(writes[0].cycle == 151);
  CHECK(writes[1].cycle == 172);
  CHECK(writes[1].bytes == 4);
  CHECK(bench.memory.get(kTo + 0x1000, 4) == std::vector<std::uint8_t>{1, 0, 0, 0});
  REQUIRE(bench.done.size() == 2);
  CHECK(bench.done[1].begin == 127);
  CHECK(bench.done[1].cycle == 193);
}

TEST_CASE("Timing of an immediate on an idle engine", "[dma]") {
  UnitBench bench(model(5));
  bench.set_up(0, 64);
  bench.put_immediate(0, kTo, 7);
  bench.run_to(99);
  bench.release(0, 1);
  bench.run();
  // Dispatched in 124, target piece in 126, enters in 127, on the port in 131.
  REQUIRE(bench.requests.size() == 3);
  CHECK(of(bench, Port::kWrite)[0].cycle == 131);
}

TEST_CASE("Timing of a barrier: its first set-up is that of the oldest packet", "[dma]") {
  UnitBench bench(model());
  bench.set_up(0, 64);
  bench.put_copy(0, kFrom, kTo, 64);
  auto pair = UnitBench::copy_pair(kFrom, 64, kTo + 64, 64, true, true);
  pair.tx[0] |= UnitBench::kDmb;
  bench.put(0, pair);
  bench.run_to(99);
  bench.release(0, 2);
  bench.run();
  // The copy completes in 172; its entry is gone in 173: set-up; read in 174.
  const auto reads = of(bench, Port::kRead);
  REQUIRE(reads.size() == 2);
  CHECK(reads[1].cycle == 174);
}

TEST_CASE("Timing of an operation: a pass per source and block", "[dma]") {
  UnitBench bench(model(5));
  bench.set_up(0, 64);
  constexpr std::uint32_t kElements = 300;  // a block of 256 and one of 44
  for (unsigned s = 0; s < 2; ++s) {
    auto pair = UnitBench::copy_pair(kFrom + 0x1000 * s, kElements * 4, s == 0 ? kTo : 0,
                                     s == 0 ? kElements * 2 : 0, s == 0, s == 1);
    if (s == 0) pair.rx[1] = TERN_DMA_OP_ADD | TERN_DMA_DTYPE_BF16 << 8;
    bench.put(0, pair);
    std::vector<float> data(kElements);
    for (unsigned i = 0; i < kElements; ++i) data[i] = s == 0 ? i : 1000.0f;
    bench.memory.write(kFrom + 0x1000 * s, data.data(), data.size() * 4);
  }
  bench.run_to(99);
  bench.release(0, 2);
  bench.run();
  // Checked in 123, 124; dispatched in 125; pieces: 127 and 129 (1024 bytes), 131 and 133 (176).
  const auto reads = of(bench, Port::kRead);
  REQUIRE(reads.size() == 4);
  for (unsigned i = 0; i < 4; ++i) CHECK(reads[i].cycle == 127 + 2 * i);
  // Complete in 162, 178, 181, 184. Passes of 16 beats: 163 .. 178; 5 cycles; 184 .. 199; then 3
  // beats each: 205 .. 207, 213 .. 215.
  const auto writes = of(bench, Port::kWrite);
  REQUIRE(writes.size() == 2);
  CHECK(writes[0].bytes == 512);
  CHECK(writes[0].cycle == 203);
  CHECK(writes[1].bytes == 88);
  CHECK(writes[1].cycle == 219);
  // 3 + 1000 in BF16: 1003 has 10 bits: rounded to even, 1004.
  CHECK(bench.memory.get(kTo + 6, 2) == std::vector<std::uint8_t>{0x7b, 0x44});
}

TEST_CASE("Timing of a transpose: blocks and one more, a row per cycle", "[dma]") {
  UnitBench bench(model(5));
  bench.set_up(0, 64);
  // Two blocks of 16 rows of 16 words: 32 rows of 64 bytes to 16 rows of 128.
  UnitBench::Words pair = UnitBench::copy_pair(kFrom, 64, kTo, 64, true, false);
  pair.rx[1] = TERN_DMA_OP_TRANSPOSE | 1u << 16;
  bench.put(0, pair);
  UnitBench::Words slot;
  slot.tx[0] = slot.rx[0] = UnitBench::kLast;
  slot.tx[1] = slot.rx[1] = 16 | 2u << 16;
  slot.tx[2] = 64;
  slot.tx[3] = 1024;
  slot.rx[2] = 128;
  slot.rx[3] = 64;
  bench.put(0, slot);
  std::vector<std::uint32_t> data(512);
  for (unsigned i = 0; i < 512; ++i) data[i] = i;
  bench.memory.write(kFrom, data.data(), 2048);
  bench.run_to(99);
  bench.release(0, 2);
  bench.run();
  const auto reads = of(bench, Port::kRead);
  REQUIRE(reads.size() == 32);
  for (unsigned i = 0; i < 32; ++i) CHECK(reads[i].cycle == 127 + i);
  // The first row arrives in 147 and enters in 148; target rows from 164.
  const auto writes = of(bench, Port::kWrite);
  REQUIRE(writes.size() == 32);
  for (unsigned i = 0; i < 32; ++i) CHECK(writes[i].cycle == 168 + i);
  std::uint32_t value = 0;
  bench.memory.read(kTo + 128 * 5 + 4 * 3, &value, 4);
  CHECK(value == 3 * 16 + 5);
  bench.memory.read(kTo + 128 * 5 + 64 + 4 * 3, &value, 4);
  CHECK(value == 256 + 3 * 16 + 5);
}

TEST_CASE("Timing of fetches: at most 64 pairs, never across 1 KiB, cut at the end", "[dma]") {
  UnitBench bench(model());
  bench.set_up(0, 96);
  for (unsigned i = 0; i < 96; ++i) bench.put_copy(0, kFrom, kTo, 64);
  bench.run_to(999);
  bench.release(0, 96);
  bench.run();
  const auto fetch = of(bench, Port::kDescriptors);
  REQUIRE(fetch.size() == 4);
  CHECK(fetch[0].cycle == 1001);
  CHECK(fetch[0].bytes == 1024);
  CHECK(fetch[1].cycle == 1002);
  // Both answers are there in 1021 + 15 and 1037 + 15; room for 32 more is there all the time.
  CHECK(fetch[2].cycle == 1053);
  CHECK(fetch[2].bytes == 512);
  CHECK(bench.done.size() == 96);
}

TEST_CASE("Timing of the read buffer: 512 lines bound the data in flight", "[dma]") {
  UnitBench bench(model());
  bench.latency = [](const tern::dma::Request&) { return std::uint64_t{1000}; };
  bench.set_up(0, 64);
  bench.put_copy(0, kFrom, kTo, 65536);
  bench.run_to(99);
  bench.release(0, 1);
  bench.run();
  const auto reads = of(bench, Port::kRead);
  REQUIRE(reads.size() == 64);
  // Dispatched in 101 + 1001 + 2; 32 pieces fill the buffer.
  const std::uint64_t first = 1106;
  CHECK(reads[0].cycle == first);
  CHECK(reads[31].cycle == first + 31);
  // The first piece is complete 1015 cycles after its request, moves in 16; its lines are free.
  CHECK(reads[32].cycle == first + 1015 + 1 + 15 + 1);
  CHECK(reads[33].cycle == reads[32].cycle + 16);
}
