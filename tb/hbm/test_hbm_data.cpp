// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>
#include <set>

#include "systemc/hbm/secded.h"
#include "tb/common/seed.h"
#include "tb/hbm/drive.h"

using namespace tern;
using hbm::Codeword;
using hbm::Config;
using hbm::EccResult;
using hbm::Request;
using hbm::Stack;

namespace {

Codeword random_word(std::mt19937_64& random) {
  Codeword word;
  for (auto& part : word.data) part = random();
  word.check = hbm::secded_check_bits(word.data);
  return word;
}

}  // namespace

TEST_CASE("SECDED: every single flip is corrected, every pair detected") {
  std::mt19937_64 random(tb::test_seed());
  for (unsigned round = 0; round < 4; ++round) {
    const Codeword good = random_word(random);
    Codeword word = good;
    CHECK(hbm::secded_decode(&word) == EccResult::kClean);
    unsigned wrong = 0;
    for (unsigned a = 0; a < Codeword::kBits; ++a) {
      word = good;
      word.flip(a);
      const Codeword one = word;
      wrong += hbm::secded_decode(&word) != EccResult::kCorrected || word != good;
      for (unsigned b = a + 1; b < Codeword::kBits; ++b) {
        Codeword two = one;
        two.flip(b);
        const Codeword stored = two;
        wrong += hbm::secded_decode(&two) != EccResult::kUncorrectable || two != stored;
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE(
    "SECDED: the check bits are the columns' sum, with columns of odd weight, all different") {
  // From the definition: the check bits of a single data bit are its column.
  std::set<unsigned> columns;
  for (unsigned bit = 0; bit < Codeword::kDataBits; ++bit) {
    Codeword word;
    word.flip(bit);
    const unsigned column = hbm::secded_check_bits(word.data);
    CHECK(__builtin_popcount(column) % 2 == 1);
    CHECK(__builtin_popcount(column) >= 3);
    columns.insert(column);
  }
  CHECK(columns.size() == Codeword::kDataBits);
  std::mt19937_64 random(tb::test_seed());
  for (unsigned round = 0; round < 200; ++round) {
    Codeword a = random_word(random), b = random_word(random), sum;
    for (unsigned i = 0; i < 4; ++i) sum.data[i] = a.data[i] ^ b.data[i];
    CHECK(hbm::secded_check_bits(sum.data) == (a.check ^ b.check));
  }
}

TEST_CASE("injected flips: corrected, reported, overwritten") {
  Config config;
  config.stack_bytes = 1 << 20;
  Stack stack(config);
  std::vector<std::uint8_t> data(128), back(128);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(3 * i + 1);
  stack.write_now(256, data.data(), data.size());
  std::vector<hbm::Completion> done;
  std::uint64_t now = 0;
  const auto run = [&](bool write, std::uint64_t offset, std::uint32_t bytes,
                       std::uint8_t* bytes_at, WriteOp op = WriteOp::kStore) {
    Request request;
    request.write = write;
    request.offset = offset;
    request.bytes = bytes;
    request.data = bytes_at;
    request.op = op;
    REQUIRE(stack.check(request) == MemoryFault::kNone);
    stack.submit(now, request);
    hbm::Completion result{};
    while (!stack.idle()) {
      now = stack.next_event_fs();
      stack.advance(now, [&](const hbm::Completion& c) { result = c; });
    }
    return result;
  };
  stack.flip_bit(300, 5);
  CHECK(run(false, 256, 128, back.data()).fault == MemoryFault::kNone);
  CHECK(back == data);
  CHECK(stack.memory().counters().corrected_reads == 1);
  // A second flip in the same burst.
  stack.flip_bit(301, 0);
  const auto read = run(false, 256, 128, back.data());
  CHECK(read.fault == MemoryFault::kUncorrectableEcc);
  CHECK(read.fault_offset == 288);
  CHECK(run(false, 256, 32, back.data()).fault == MemoryFault::kNone);
  // A part of the burst, or a sum, cannot be written: nothing changes.
  const auto part = run(true, 290, 4, data.data());
  CHECK(part.fault == MemoryFault::kUncorrectableEcc);
  CHECK(part.fault_offset == 288);
  CHECK(run(true, 256, 128, data.data(), WriteOp::kAddFp32).fault ==
        MemoryFault::kUncorrectableEcc);
  // The whole burst can.
  CHECK(run(true, 288, 32, data.data() + 32).fault == MemoryFault::kNone);
  CHECK(run(false, 256, 128, back.data()).fault == MemoryFault::kNone);
  CHECK(back == data);
  // A flip in check bits; a part written over a corrected burst keeps the rest.
  stack.memory().flip(320, 260);
  const std::uint8_t nine = 9;
  CHECK(run(true, 325, 1, const_cast<std::uint8_t*>(&nine)).fault == MemoryFault::kNone);
  data[325 - 256] = 9;
  CHECK(run(false, 256, 128, back.data()).fault == MemoryFault::kNone);
  CHECK(back == data);
  CHECK(stack.memory().counters().scrubbed == 1);
  CHECK_THROWS(stack.flip_bit(1 << 20, 0));
}

TEST_CASE("a stuck data line: every burst that differs is corrected, two are too many") {
  hbm::EccMemory memory(1 << 12);
  std::mt19937_64 random(tb::test_seed());
  std::vector<std::uint8_t> data(32 * 40), back(data.size());
  for (auto& byte : data) byte = static_cast<std::uint8_t>(random());
  memory.write(64, data.data(), data.size(), WriteOp::kStore);
  std::uint64_t different = 0;
  for (std::size_t burst = 0; burst < data.size(); burst += 32)
    different += (data[burst + 12] >> 3 & 1) == 0 ? 1 : 0;
  REQUIRE(different > 0);
  memory.stick(12 * 8 + 3, true);
  std::vector<std::uint64_t> found;
  memory.observe([&](std::uint64_t offset, bool corrected) {
    CHECK(corrected);
    found.push_back(offset);
  });
  CHECK_FALSE(memory.read(64, back.data(), back.size()));
  CHECK(back == data);
  CHECK(memory.counters().corrected_reads == different);
  CHECK(found.size() == different);
  // Parts of bursts, memory that was never written, a write that agrees with the line.
  CHECK_FALSE(memory.read(70, back.data(), 45));
  CHECK(std::equal(back.begin(), back.begin() + 45, data.begin() + 6));
  found.clear();
  CHECK_FALSE(memory.read(3200, back.data(), 64));
  CHECK(found == std::vector<std::uint64_t>{3200, 3232});
  const std::vector<std::uint8_t> ones(32, 0xFF);
  memory.write(64, ones.data(), ones.size(), WriteOp::kStore);
  found.clear();
  CHECK_FALSE(memory.read(64, back.data(), 32));
  CHECK(found.empty());
  // A second line, stuck at 0.
  memory.observe({});
  memory.stick(200, false);
  const std::vector<std::uint8_t> zeros(32, 0);
  memory.write(96, zeros.data(), zeros.size(), WriteOp::kStore);
  CHECK_FALSE(memory.read(96, back.data(), 32));  // line 200 agrees
  std::vector<std::uint8_t> both = zeros;
  both[200 / 8] = 1;
  memory.write(128, both.data(), both.size(), WriteOp::kStore);
  CHECK(memory.read(128, back.data(), 32) == 128);
  CHECK_THROWS(memory.stick(256, true));
}

TEST_CASE("the scrubber mends single flips under traffic and costs its bandwidth") {
  Config config;
  config.stack_bytes = 1 << 20;
  config.scrub_gb_per_s = 40;
  Stack stack(config);
  std::mt19937_64 random(tb::test_seed());
  std::vector<std::uint8_t> image(config.stack_bytes);
  for (auto& byte : image) byte = static_cast<std::uint8_t>(random());
  stack.write_now(0, image.data(), image.size());
  for (std::uint64_t burst = 0; burst < 1000; ++burst)
    stack.memory().flip(burst * 1024 + burst % 32 * 32, random() % Codeword::kBits);
  // Three times the scrubber's round.
  const std::uint64_t round_fs = static_cast<std::uint64_t>(config.stack_bytes / 40.0 * 1e6);
  std::vector<std::uint8_t> back(64);
  std::uint64_t now = 0, id = 0, wrong = 0, at = 0;
  while (now < 3 * round_fs) {
    Request request;
    request.id = id++;
    request.offset = at = random() % (config.stack_bytes / 64) * 64;
    request.bytes = 64;
    request.data = back.data();
    stack.submit(now, request);
    now += 200'000'000;
    while (!stack.idle()) {
      stack.advance(now, [&](const hbm::Completion& c) { wrong += c.fault != MemoryFault::kNone; });
      if (!stack.idle()) now = stack.next_event_fs();
    }
    wrong += std::memcmp(back.data(), image.data() + at, 64) != 0;
  }
  CHECK(wrong == 0);
  CHECK(stack.memory().counters().scrubbed == 1000);
  CHECK(stack.memory().counters().uncorrectable == 0);
  CHECK(stack.scrub_pieces() == Approx(3 * 1024).epsilon(0.02));
  // Under full load the scrubber's pieces take their share of the bus.
  const auto busy = [](double scrub) {
    Config c;
    c.stack_bytes = 1 << 24;
    c.scrub_gb_per_s = scrub;
    Stack s(c);
    const std::vector<std::uint8_t> zeros(c.stack_bytes);
    s.write_now(0, zeros.data(), zeros.size());
    const auto result = tb::drive(s, 65536, [](std::uint64_t i) {
      Request request;
      request.offset = i * 1024 % (1 << 24);
      request.bytes = 1024;
      return request;
    });
    const double scrubbed =
        static_cast<double>(s.scrub_pieces()) * 1024e6 / static_cast<double>(result.end_fs);
    return std::pair(result.gb_per_s(), scrubbed);
  };
  const auto [alone, nothing] = busy(0);
  const auto [traffic, scrubbed] = busy(50);
  CHECK(nothing == 0);
  CHECK(scrubbed == Approx(50).epsilon(0.1));
  CHECK(traffic + scrubbed == Approx(alone).epsilon(0.02));
}

TEST_CASE("random faults come at their rate, the same for a seed") {
  const auto run = [](std::uint64_t seed) {
    Config config;
    config.stack_bytes = 1 << 20;
    config.faults_per_s = 1e6;
    config.fault_seed = seed;
    Stack stack(config);
    const std::vector<std::uint8_t> ones(config.stack_bytes, 1);
    stack.write_now(0, ones.data(), ones.size());
    std::uint64_t faults = 0;
    for (unsigned i = 0; i < 1000; ++i) {
      Request request;
      request.offset = i * 1024;
      request.bytes = 1024;
      stack.submit(i * 1'000'000'000ull, request);
      stack.advance(i * 1'000'000'000ull,
                    [&](const hbm::Completion& c) { faults += c.fault != MemoryFault::kNone; });
    }
    return stack.memory().counters().injected_flips;
  };
  CHECK(static_cast<double>(run(1)) == Approx(1000).margin(150));
  CHECK(run(1) == run(1));
  CHECK(run(1) != run(2));
}

TEST_CASE("accesses to the same bytes take effect in order, whatever the scheduler does") {
  const std::uint64_t seed = tb::test_seed();
  for (unsigned round = 0; round < 4; ++round) {
    std::mt19937_64 random(seed * 4 + round);
    Config config;
    config.stack_bytes = 1 << 20;
    config.age_cap_ns = round * 500;
    config.scrub_gb_per_s = round % 2 * 10;
    Stack stack(config);
    // Few bytes, so that almost everything overlaps. FP32 sums of small whole numbers are exact.
    std::vector<float> memory(2048);
    const std::uint64_t bytes = memory.size() * 4;
    std::vector<std::vector<std::uint8_t>> buffers(6000), expected(6000);
    tb::drive(stack, buffers.size(), [&](std::uint64_t i) {
      Request request;
      const unsigned words = 1 + random() % (random() % 4 ? 16 : 500);
      const unsigned first = random() % (memory.size() - words);
      const unsigned kind = random() % 4;
      request.offset = first * 4;
      request.bytes = words * 4;
      request.write = kind >= 2;
      request.traffic_class = random() % 4;
      if (kind == 3) request.op = WriteOp::kAddFp32;
      buffers[i].resize(request.bytes);
      if (request.write) {
        for (unsigned w = 0; w < words; ++w) {
          const auto value = static_cast<float>(random() % 16);
          std::memcpy(&buffers[i][w * 4], &value, 4);
          memory[first + w] = kind == 3 ? memory[first + w] + value : value;
        }
        expected[i] = buffers[i];
      } else {
        expected[i].resize(request.bytes);
        std::memcpy(expected[i].data(), &memory[first], request.bytes);
      }
      request.data = buffers[i].data();
      return request;
    });
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < buffers.size(); ++i) wrong += buffers[i] != expected[i];
    CHECK(wrong == 0);
    std::vector<float> last(memory.size());
    // Stores may still be in the queues: a read waits for them.
    tb::drive(
        stack, 1,
        [&](std::uint64_t) {
          Request request;
          request.bytes = static_cast<std::uint32_t>(bytes);
          request.data = reinterpret_cast<std::uint8_t*>(last.data());
          return request;
        },
        1'000'000'000'000'000);
    CHECK(last == memory);
  }
}

TEST_CASE("requests that no stack takes are refused with their reason") {
  Config config;
  config.stack_bytes = 1 << 20;
  const Stack stack(config);
  const auto check = [&](std::uint64_t offset, std::uint32_t bytes, bool write, WriteOp op,
                         unsigned traffic_class) {
    Request request;
    request.offset = offset;
    request.bytes = bytes;
    request.write = write;
    request.op = op;
    request.traffic_class = traffic_class;
    return stack.check(request);
  };
  CHECK(check(0, 65536, false, WriteOp::kStore, 3) == MemoryFault::kNone);
  CHECK(check(0, 65537, false, WriteOp::kStore, 3) == MemoryFault::kAccess);
  CHECK(check(0, 0, false, WriteOp::kStore, 3) == MemoryFault::kAccess);
  CHECK(check(0, 64, false, WriteOp::kStore, 4) == MemoryFault::kAccess);
  CHECK(check((1 << 20) - 63, 64, false, WriteOp::kStore, 0) == MemoryFault::kAddress);
  CHECK(check(~0ull - 10, 64, false, WriteOp::kStore, 0) == MemoryFault::kAddress);
  CHECK(check(2, 64, true, WriteOp::kAddFp32, 0) == MemoryFault::kAccess);
  CHECK(check(4, 62, true, WriteOp::kAddFp32, 0) == MemoryFault::kAccess);
  CHECK(check(2, 62, true, WriteOp::kAddBf16, 0) == MemoryFault::kNone);
  CHECK(check(1, 62, true, WriteOp::kAddBf16, 0) == MemoryFault::kAccess);
  CHECK(check(1, 61, true, WriteOp::kAddFp8, 0) == MemoryFault::kNone);
}

TEST_CASE("settings that do not fit together are named") {
  const auto bad = [](auto change) {
    Config config;
    change(config);
    try {
      hbm::check(config);
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  CHECK(bad([](Config& c) { c.channels = 3; }).find("power of two") != std::string::npos);
  CHECK(bad([](Config& c) { c.pin_gbps = 0; }).find("pin_gbps") != std::string::npos);
  CHECK(bad([](Config& c) { c.write_low = 60; }).find("write_low") != std::string::npos);
  CHECK(bad([](Config& c) { c.write_low = 40; }).find("5/8") != std::string::npos);
  CHECK(bad([](Config& c) { c.write_idle_ns = -1; }).find("write_idle_ns") != std::string::npos);
  CHECK(bad([](Config& c) { c.timing.t_rc = 1; }).find("t_rc") != std::string::npos);
  CHECK(bad([](Config& c) { c.timing.t_rfc_ab = 5000; }).find("t_refi") != std::string::npos);
  CHECK(bad([](Config& c) { c.timing.ccd_l_clocks = 9; }).find("ccd_l_clocks") !=
        std::string::npos);
  CHECK(bad([](Config&) {}) == "no error");
}
