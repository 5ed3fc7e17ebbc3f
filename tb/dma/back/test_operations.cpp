// SPDX-License-Identifier: Apache-2.0
// Operations, transposes, near-memory writes, immediates and errors in the data path.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "sw/spec/generated/isa.h"
#include "systemc/dma/model/operation.h"
#include "tb/common/check_mismatch.h"
#include "tb/common/seed.h"
#include "tb/dma/back/packets.h"

using namespace tern;  // NOLINT: a test uses the names of what it tests
using namespace tern::tb;

namespace {

constexpr std::size_t kMemory = 1 << 20;

// Bits of FP32 and 16-bit elements: mostly near each other, some of any kind. A third are two
// neighbours, which an order must tell apart.
std::uint32_t element(std::mt19937_64& random) {
  const auto any = static_cast<std::uint32_t>(random());
  if (random() % 3 == 0) return (any & 0x80000000) | 0x3F000000 | (any % 2);
  return random() % 6 == 0 ? any : (any & 0x807FFFFF) | 0x3F000000;
}

void fill(Bytes& memory, std::uint64_t address, std::size_t words, std::mt19937_64& random) {
  for (std::size_t i = 0; i < words; ++i) {
    const std::uint32_t word = element(random);
    std::memcpy(memory.data() + address + 4 * i, &word, 4);
  }
}

BackDriver::Settings random_settings(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  BackDriver::Settings settings;
  settings.seed = seed;
  settings.descriptor_cycles = random() % 8;
  settings.pace = random() % 2 == 0 ? random() % 1024 : 0;
  settings.read_latency = random() % 60;
  settings.write_latency = random() % 60;
  settings.spread = random() % 100;
  return settings;
}

struct Operation {
  Packet packet;
  std::vector<std::uint64_t> sources;
  std::vector<std::uint32_t> scales;
  std::uint64_t destination;
  unsigned elements;
};

Operation random_operation(std::mt19937_64& random, unsigned op, std::uint64_t destination) {
  static const unsigned counts[] = {1, 5, 16, 17, 31, 32, 33, 255, 256, 257, 700, 1030};
  Operation operation;
  operation.packet.op = op;
  operation.packet.src_dtype = random() % 3;
  operation.packet.dst_dtype = random() % 3;
  operation.packet.ring = random() % 16;
  operation.elements = counts[random() % 12];
  operation.destination = destination;
  const unsigned sources = op == TERN_DMA_OP_CAST ? 1 : random() % 4 == 0 ? 16 : 1 + random() % 4;
  const unsigned src_bytes = operation.elements * dma::dtype_bytes(operation.packet.src_dtype);
  const unsigned dst_bytes = operation.elements * dma::dtype_bytes(operation.packet.dst_dtype);
  for (unsigned s = 0; s < sources; ++s) {
    operation.sources.push_back(random() % 8000 * 64);
    operation.scales.push_back(op == TERN_DMA_OP_FMA ? element(random) : 0);
    append_pair(operation.packet, {operation.sources[s], src_bytes},
                {s == 0 ? destination : 0, dst_bytes}, 0, operation.scales[s]);
  }
  return operation;
}

// What the operation writes. Its sources are below every destination.
void compute(const Operation& operation, const Bytes& memory, Bytes& expected) {
  std::vector<const std::uint8_t*> sources;
  for (auto source : operation.sources) sources.push_back(memory.data() + source);
  dma::compute(operation.packet.op, operation.packet.src_dtype, operation.packet.dst_dtype,
               sources.data(), operation.scales.data(), static_cast<unsigned>(sources.size()),
               operation.elements, expected.data() + operation.destination);
}

}  // namespace

TEST_CASE("DMA data path: operations on 1 to 16 sources in all formats, over blocks and windows") {
  for (std::uint64_t run = 0; run < 6; ++run) {
    const std::uint64_t seed = test_seed() * 1000 + run;
    std::mt19937_64 random(seed);
    BackDriver driver(random_settings(seed), kMemory);
    fill(driver.memory(), 0, kMemory / 4, random);
    std::vector<Packet> packets;
    Bytes expected = driver.memory();
    std::uint64_t destination = kMemory / 2 + 64 * (random() % 16);
    for (int i = 0; i < 60; ++i) {
      const Operation operation = random_operation(
          random, TERN_DMA_OP_CAST + static_cast<unsigned>(random() % 5), destination);
      compute(operation, driver.memory(), expected);
      packets.push_back(operation.packet);
      destination += 4160 + 64 * (random() % 4);
    }
    CAPTURE(seed);
    driver.run(packets);
    CHECK_NO_MISMATCH(driver.differences(expected));
  }
}

TEST_CASE("DMA data path: transposes of 2- and 4-byte elements, rows in two pieces too") {
  for (std::uint64_t run = 0; run < 6; ++run) {
    const std::uint64_t seed = test_seed() * 1000 + run;
    std::mt19937_64 random(seed);
    BackDriver driver(random_settings(seed), kMemory);
    std::vector<Packet> packets;
    Bytes expected = driver.memory();
    std::uint64_t destination = kMemory / 2;
    for (int i = 0; i < 12; ++i) {
      const unsigned dtype = random() % 3;
      const unsigned size = dma::dtype_bytes(dtype);
      const unsigned rows = 64 / size;
      const unsigned blocks[2] = {1 + static_cast<unsigned>(random() % 3),
                                  1 + static_cast<unsigned>(random() % 2)};
      const auto step = static_cast<std::int64_t>(64 * (1 + random() % 20));
      Buffer tx{64 * (random() % 256), 64, {rows}, {step}};
      const auto stride = static_cast<std::int64_t>(64 + 4 * (random() % 30));
      Buffer rx{destination + 4 * (random() % 16), 64, {rows}, {stride}};
      for (unsigned b : blocks) {
        tx.counts.push_back(b);
        tx.strides.push_back(64 * static_cast<std::int64_t>(random() % 100));
      }
      rx.counts.push_back(blocks[0] * blocks[1]);
      rx.strides.push_back(stride * rows);
      destination += static_cast<std::uint64_t>(stride) * rows * rx.counts[1] + 64;
      REQUIRE(destination < kMemory);
      Packet packet;
      packet.op = TERN_DMA_OP_TRANSPOSE;
      packet.src_dtype = packet.dst_dtype = dtype;
      append_pair(packet, tx, rx);
      packets.push_back(packet);
      const auto from = runs_of(tx), to = runs_of(rx);
      for (std::size_t r = 0; r < to.size(); ++r) {
        for (unsigned c = 0; c < rows; ++c) {
          const std::size_t block = r / rows * rows;
          std::memcpy(expected.data() + to[r] + c * size,
                      driver.memory().data() + from[block + c] + (r - block) * size, size);
        }
      }
      if (i % 3 == 0) {  // something else between
        Packet copy;
        append_pair(copy, {128, 300}, {destination, 300});
        std::copy_n(driver.memory().begin() + 128, 300,
                    expected.begin() + static_cast<std::ptrdiff_t>(destination));
        destination += 300;
        packets.push_back(copy);
      }
    }
    CAPTURE(seed);
    driver.run(packets);
    CHECK_NO_MISMATCH(driver.differences(expected));
  }
}

TEST_CASE("DMA data path: write operations reach the memory with their request") {
  BackDriver driver({}, kMemory);
  std::vector<Packet> packets;
  for (unsigned i = 0; i < 64; ++i) {
    for (unsigned side = 0; side < 2; ++side) {
      const float value = static_cast<float>(i + side * 100);
      std::memcpy(driver.memory().data() + side * 4096 + 4 * i, &value, 4);
    }
    std::uint32_t bits;
    const float small = static_cast<float>(i % 8);
    std::memcpy(&bits, &small, 4);
    for (unsigned side = 0; side < 2; ++side) {
      const auto half = static_cast<std::uint16_t>(bits >> 16);
      std::memcpy(driver.memory().data() + 8192 + side * 4096 + 2 * i, &half, 2);
    }
  }
  Packet add;
  append_pair(add, {0, 256}, {4096, 256}, TERN_DMA_WRITE_OP_ADD_FP32);
  append_pair(add, {8192, 128}, {12288, 128}, TERN_DMA_WRITE_OP_ADD_BF16);
  add.traffic_class = 2;
  driver.run({add});
  Bytes expected = driver.memory();
  for (unsigned i = 0; i < 64; ++i) {
    const float sum = static_cast<float>(2 * i + 100);
    std::memcpy(expected.data() + 4096 + 4 * i, &sum, 4);
    const float small = static_cast<float>(2 * (i % 8));
    std::memcpy(expected.data() + 12288 + 2 * i, reinterpret_cast<const std::uint8_t*>(&small) + 2,
                2);
  }
  CHECK_NO_MISMATCH(driver.differences(expected));
  for (const auto& write : driver.writes()) CHECK(write.traffic_class == 2);
}

TEST_CASE("DMA data path: an immediate is written after every write before it") {
  for (std::uint64_t run = 0; run < 4; ++run) {
    const std::uint64_t seed = test_seed() * 1000 + run;
    std::mt19937_64 random(seed);
    BackDriver::Settings settings = random_settings(seed);
    settings.write_latency += 100;
    BackDriver driver(settings, kMemory);
    std::vector<Packet> packets;
    for (unsigned i = 0; i < 300; ++i) {
      Packet packet;
      if (random() % 3 != 0) {
        packet.op = TERN_DMA_OP_IMMEDIATE;
        append_pair(packet, {0xABC0000 + i, 4}, {0x80000 + 1024 * i, 4});
      } else {
        const auto length = static_cast<unsigned>(1 + random() % 700);
        append_pair(packet, {i, length}, {0x80000 + 1024 * i, length});
      }
      packets.push_back(packet);
    }
    driver.run(packets);
    for (const auto& write : driver.writes()) {
      const std::uint64_t packet = (write.address - 0x80000) / 1024;
      if (packets[packet].op != TERN_DMA_OP_IMMEDIATE) continue;
      std::uint32_t value;
      std::memcpy(&value, driver.memory().data() + write.address, 4);
      CHECK(value == 0xABC0000 + packet);
      for (const auto& other : driver.writes()) {
        const std::uint64_t earlier = (other.address - 0x80000) / 1024;
        if (earlier >= packet) continue;
        if (packets[earlier].op == TERN_DMA_OP_IMMEDIATE) {
          CHECK(other.cycle < write.cycle);
        } else {
          CHECK(other.answered < write.cycle);
        }
      }
    }
  }
}

TEST_CASE("DMA data path: a bad read stops its ring, what follows of it is not written") {
  for (unsigned error : {1U, 2U}) {
    BackDriver driver({}, kMemory);
    Packet good, bad, after;
    append_pair(good, {0, 4096}, {0x80000, 4096});
    append_pair(bad, {0x10000, 2048}, {0x90000, 2048});
    append_pair(bad, {0x20000, 2048}, {0x91000, 2048});
    append_pair(bad, {0x30000, 2048}, {0x92000, 2048});
    append_pair(after, {0x1000, 512}, {0xA0000, 512});
    bad.ring = 3;
    after.ring = 3;
    driver.fail(0x20500, 4, error);
    Bytes expected = driver.memory();
    std::copy_n(expected.begin(), 4096, expected.begin() + 0x80000);
    std::copy_n(expected.begin() + 0x10000, 2048, expected.begin() + 0x90000);
    std::copy_n(expected.begin() + 0x20000, 1024, expected.begin() + 0x91000);
    Packet last = good;
    last.pairs.clear();
    append_pair(last, {0, 64}, {0xB0000, 64});
    std::copy_n(expected.begin(), 64, expected.begin() + 0xB0000);
    driver.run({good, bad, after, last});
    CHECK_NO_MISMATCH(driver.differences(expected));
    REQUIRE(driver.stops().size() == 1);
    const auto& stop = driver.stops()[0];
    CHECK(stop.packet == 1);
    CHECK(stop.pair == 1);
    CHECK(stop.address == 0x20400);
    CHECK(!stop.of_write);
    CHECK(stop.fault == (error == 1 ? TERN_DMA_FAULT_READ : TERN_DMA_FAULT_ECC));
  }
}

TEST_CASE("DMA data path: a bad write stops its ring") {
  BackDriver driver({}, kMemory);
  Packet bad, other;
  append_pair(bad, {0, 100}, {0x90000, 100});
  append_pair(bad, {0, 2048}, {0x91000, 2048});
  append_pair(other, {64, 100}, {0xA0000, 100});
  bad.ring = 9;
  driver.fail(0x91400, 4, 1);
  driver.run({bad, other});
  REQUIRE(driver.stops().size() == 1);
  const auto& stop = driver.stops()[0];
  CHECK(stop.packet == 0);
  CHECK(stop.pair == 1);
  CHECK(stop.address == 0x91400);
  CHECK(stop.fault == TERN_DMA_FAULT_WRITE);
  CHECK(stop.of_write);
  Bytes expected = driver.memory();
  std::copy_n(expected.begin() + 64, 100, expected.begin() + 0xA0000);
  CHECK_NO_MISMATCH(driver.differences(expected));
}

TEST_CASE("DMA data path: a killed ring finishes without writing") {
  BackDriver driver({}, kMemory);
  std::vector<Packet> packets;
  for (unsigned i = 0; i < 40; ++i) {
    Packet packet;
    packet.ring = i % 2;
    append_pair(packet, {64 * i, 1024}, {0x80000 + 1024 * i, 1024});
    packets.push_back(packet);
  }
  driver.kill(1, 0);
  driver.run(packets);
  CHECK(driver.writes().size() == 20);
  CHECK(driver.completed().size() == 40);
}

TEST_CASE("DMA data path: rings killed at any moment write whole pieces or nothing") {
  for (std::uint64_t run = 0; run < 12; ++run) {
    const std::uint64_t seed = test_seed() * 1000 + run;
    std::mt19937_64 random(seed);
    BackDriver driver(random_settings(seed), kMemory);
    std::vector<Packet> packets;
    Bytes expected = driver.memory();
    for (unsigned i = 0; i < 200; ++i) {
      Packet packet;
      packet.ring = random() % 4;
      const std::uint64_t to = 0x80000 + 2560 * i;
      const std::uint64_t from = random() % 0x70000;
      const auto length = static_cast<unsigned>(1 + random() % 2500);
      append_pair(packet, {from, length}, {to, length});
      std::copy_n(driver.memory().begin() + static_cast<std::ptrdiff_t>(from), length,
                  expected.begin() + static_cast<std::ptrdiff_t>(to));
      packets.push_back(packet);
    }
    const Bytes before = driver.memory();
    driver.kill(1, random() % 4000);
    driver.kill(2, random() % 4000);
    driver.run(packets);
    CHECK(driver.completed().size() == packets.size());
    // What a write of a killed ring did not reach is as before.
    Bytes reached = before;
    for (const auto& write : driver.writes()) {
      std::copy_n(expected.begin() + static_cast<std::ptrdiff_t>(write.address), write.bytes,
                  reached.begin() + static_cast<std::ptrdiff_t>(write.address));
    }
    CAPTURE(seed);
    CHECK_NO_MISMATCH(driver.differences(reached));
    for (unsigned i = 0; i < packets.size(); ++i) {
      if (packets[i].ring == 1 || packets[i].ring == 2) continue;
      const std::uint64_t at = 0x80000 + 2560 * i;
      CHECK_NO_MISMATCH(driver.differences(expected, at, at + 2560));
    }
  }
}

TEST_CASE("DMA data path: a reset in any cycle leaves it as new") {
  std::mt19937_64 random(test_seed() + 50);
  BackDriver driver(random_settings(test_seed() + 50), kMemory);
  fill(driver.memory(), 0, kMemory / 4, random);
  const auto program = [&random](unsigned operations) {
    std::vector<Operation> all;
    for (unsigned i = 0; i < operations; ++i) {
      const auto op = TERN_DMA_OP_CAST + static_cast<unsigned>(random() % 5);
      all.push_back(random_operation(random, op, kMemory / 2 + 0x2000 * i));
    }
    return all;
  };
  const auto packets_of = [](const std::vector<Operation>& operations) {
    std::vector<Packet> packets;
    for (const Operation& operation : operations) packets.push_back(operation.packet);
    return packets;
  };
  for (unsigned life = 0; life < 60; ++life) {
    driver.cut(packets_of(program(12)), random() % 500);
    if (life % 3 != 0) continue;
    const auto whole = program(6);
    Bytes expected = driver.memory();
    for (const Operation& operation : whole) compute(operation, driver.memory(), expected);
    driver.run(packets_of(whole));
    CHECK_NO_MISMATCH(driver.differences(expected));
  }
}

TEST_CASE("DMA data path: an answer to no write is noticed and changes nothing") {
  BackDriver driver({}, kMemory);
  Packet packet;
  append_pair(packet, {5, 5000}, {0x80000, 5000});
  Bytes expected = driver.memory();
  std::copy_n(expected.begin() + 5, 5000, expected.begin() + 0x80000);
  driver.answer_nothing(40, 60);
  driver.run({packet});
  CHECK(driver.unknown_answers() == std::vector<std::uint64_t>{40});
  CHECK_NO_MISMATCH(driver.differences(expected));
}
