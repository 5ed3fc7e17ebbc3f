// SPDX-License-Identifier: Apache-2.0
// Copies through the data path of the DMA engine: the contents of memory afterwards.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "sw/base/crc32c.h"
#include "sw/spec/generated/isa.h"
#include "systemc/dma/model/operation.h"
#include "tb/common/check_mismatch.h"
#include "tb/common/seed.h"
#include "tb/dma/back/packets.h"

using namespace tern;  // NOLINT: a test uses the names of what it tests
using namespace tern::tb;

namespace {

constexpr std::size_t kSources = 1 << 20;  // sources below, destinations above
constexpr std::size_t kMemory = 2 * kSources;

Bytes gather(const Bytes& memory, const std::vector<Buffer>& buffers) {
  Bytes bytes;
  for (const auto& buffer : buffers) {
    for (std::uint64_t run : runs_of(buffer)) {
      bytes.insert(bytes.end(), memory.begin() + static_cast<std::ptrdiff_t>(run),
                   memory.begin() + static_cast<std::ptrdiff_t>(run + buffer.length));
    }
  }
  return bytes;
}

void scatter(Bytes& memory, const std::vector<Buffer>& buffers, const Bytes& bytes) {
  auto from = bytes.begin();
  for (const auto& buffer : buffers) {
    for (std::uint64_t run : runs_of(buffer)) {
      std::copy(from, from + buffer.length, memory.begin() + static_cast<std::ptrdiff_t>(run));
      from += buffer.length;
    }
  }
  REQUIRE(from == bytes.end());
}

// Random pieces of memory for destinations, without overlap.
class Places {
 public:
  explicit Places(std::mt19937_64& random) : random_(random) {}
  std::uint64_t take(std::uint64_t bytes) {
    at_ += random_() % 200;
    const std::uint64_t place = at_;
    at_ += bytes;
    REQUIRE(at_ <= kMemory);
    return place;
  }

 private:
  std::mt19937_64& random_;
  std::uint64_t at_ = kSources;
};

// A pattern of `count` runs of `length` bytes that do not overlap.
Buffer scattered(std::mt19937_64& random, Places& places, unsigned length, unsigned count) {
  Buffer buffer{0, length, {}, {}};
  std::uint64_t extent = length;
  while (count > 1) {
    unsigned factor = 2;
    while (count % factor != 0) ++factor;
    if (buffer.counts.size() == 3) factor = count;
    const std::uint64_t stride = extent + random() % 100;
    buffer.counts.push_back(factor);
    buffer.strides.push_back(static_cast<std::int64_t>(stride));
    extent = stride * (factor - 1) + extent;
    count /= factor;
  }
  buffer.address = places.take(extent);
  if (!buffer.counts.empty() && random() % 2 == 0) {  // the last dimension backwards
    const std::int64_t stride = buffer.strides.back();
    buffer.address += static_cast<std::uint64_t>(stride) * (buffer.counts.back() - 1);
    buffer.strides.back() = -stride;
  }
  return buffer;
}

struct Copy {
  Packet packet;
  std::vector<Buffer> sources, destinations;
};

Copy random_copy(std::mt19937_64& random, Places& places) {
  static const unsigned lengths[] = {1,   3,   4,   16,   63,   64,   65,
                                     100, 128, 511, 1000, 1024, 1500, 3000};
  Copy copy;
  const unsigned pairs = 1 + random() % 3;
  for (unsigned p = 0; p < pairs; ++p) {
    // The same bytes on both sides, cut differently.
    const unsigned length = lengths[random() % 14];
    const unsigned count = length < 500 ? 1 + random() % 24 : 1 + random() % 3;
    Buffer rx = scattered(random, places, length, count);
    Buffer tx{random() % (kSources / 2), length, rx.counts, {}};
    for (std::size_t d = 0; d < tx.counts.size(); ++d) {
      tx.strides.push_back(static_cast<std::int64_t>(random() % 4000));
    }
    if (random() % 4 == 0) tx = Buffer{tx.address, length * count, {}, {}};
    append_pair(copy.packet, tx, rx, 0, 0, p == 0 && random() % 8 == 0);
    copy.sources.push_back(tx);
    copy.destinations.push_back(rx);
  }
  copy.packet.ring = random() % 16;
  copy.packet.traffic_class = random() % 4;
  return copy;
}

void check_copies(BackDriver& driver, const std::vector<Copy>& copies) {
  Bytes expected = driver.memory();
  std::vector<Packet> packets;
  for (const auto& copy : copies) {
    scatter(expected, copy.destinations, gather(driver.memory(), copy.sources));
    packets.push_back(copy.packet);
  }
  driver.run(packets);
  CHECK_NO_MISMATCH(driver.differences(expected));
  CHECK(driver.stops().empty());
}

}  // namespace

TEST_CASE("DMA data path: one byte to 64 KiB at every byte offset") {
  for (unsigned length : {1U, 7U, 64U, 65U, 200U}) {
    BackDriver driver({}, kMemory);
    std::mt19937_64 random(length);
    Places places(random);
    std::vector<Copy> copies;
    for (unsigned offset = 0; offset < 64; ++offset) {
      Copy copy;
      const Buffer tx{4096 * offset + offset, length};
      const Buffer rx{places.take(length), length};
      append_pair(copy.packet, tx, rx);
      copy.sources = {tx};
      copy.destinations = {rx};
      copies.push_back(copy);
    }
    check_copies(driver, copies);
  }
  BackDriver driver({}, kMemory);
  Copy copy;
  copy.sources = {Buffer{12345, 65536}};
  copy.destinations = {Buffer{kSources + 777, 65536}};
  append_pair(copy.packet, copy.sources[0], copy.destinations[0]);
  check_copies(driver, {copy});
}

TEST_CASE("DMA data path: random lists, patterns of up to four dimensions, random answers") {
  for (std::uint64_t run = 0; run < 12; ++run) {
    BackDriver::Settings settings;
    settings.seed = test_seed() * 1000 + run;
    std::mt19937_64 random(settings.seed);
    settings.descriptor_cycles = random() % 8;
    settings.pace = random() % 3 == 0 ? random() % 1024 : 0;
    settings.read_latency = random() % 100;
    settings.write_latency = random() % 100;
    settings.spread = random() % 2 == 0 ? random() % 200 : 0;
    BackDriver driver(settings, kMemory);
    Places places(random);
    std::vector<Copy> copies;
    for (int i = 0; i < 60; ++i) copies.push_back(random_copy(random, places));
    CAPTURE(settings.seed);
    check_copies(driver, copies);
  }
}

TEST_CASE("DMA data path: CRC-32C of copies in pieces of any size") {
  BackDriver::Settings settings;
  settings.seed = test_seed();
  settings.spread = 30;
  BackDriver driver(settings, kMemory);
  std::mt19937_64 random(settings.seed);
  Places places(random);
  std::vector<Copy> copies;
  std::vector<std::uint32_t> sums;
  for (int i = 0; i < 60; ++i) {
    Copy copy = random_copy(random, places);
    if (i == 0) {  // 123456789
      copy = Copy{};
      copy.sources = {Buffer{5, 9}};
      copy.destinations = {Buffer{places.take(9), 9}};
      for (unsigned digit = 0; digit < 9; ++digit) {
        driver.memory()[5 + digit] = static_cast<std::uint8_t>('1' + digit);
      }
      append_pair(copy.packet, copy.sources[0], copy.destinations[0]);
    }
    copy.packet.crc = i % 3 == 0 ? 1 : 2;
    copy.packet.ring = i % 16;
    copies.push_back(copy);
  }
  for (auto& copy : copies) {
    const Bytes bytes = gather(driver.memory(), copy.sources);
    sums.push_back(base::crc32c(0, bytes.data(), bytes.size()));
    copy.packet.crc_expected = sums.back();
  }
  CHECK(sums[0] == 0xE3069283);
  copies[4].packet.crc_expected ^= 0x100;
  check_copies(driver, copies);
  REQUIRE(driver.crcs().size() == copies.size());
  MismatchLog log;
  for (unsigned i = 0; i < copies.size(); ++i) {
    const BackDriver::Crc& crc = driver.crcs()[i];
    const auto at = [&](const char* port) {
      return Where{"port " + std::string(port) + ", packet " + std::to_string(i),
                   driver.where(copies[i].destinations[0].address).input, crc.cycle};
    };
    log.compare(i, crc.packet, 8, [&] { return at("crc_entry_o"); });
    log.compare(sums[i], crc.value, 32, [&] { return at("crc_value_o"); });
    log.compare(i == 4, crc.wrong, 1, [&] { return at("crc_wrong_o"); });
    CHECK(crc.cycle < driver.completed()[i]);
  }
  CHECK_NO_MISMATCH(log);
}

// Not a test: tb/common/check_failing_text.sh runs it.
TEST_CASE("a mismatch on purpose: DMA data path", "[.]") {
  BackDriver driver({}, kMemory);
  Packet packet;
  append_pair(packet, {0, 256}, {kSources, 256});
  Bytes expected = driver.memory();
  std::copy_n(expected.begin(), 256, expected.begin() + static_cast<std::ptrdiff_t>(kSources));
  driver.run({packet});
  expected[kSources + 70] ^= 0x40;
  CHECK_NO_MISMATCH(driver.differences(expected));
}
