// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <vector>

#include "systemc/memory/sparse_memory.h"
#include "tb/common/seed.h"

using tern::SparseMemory;

TEST_CASE("sparse memory reads zero where nothing was written, and costs what was") {
  SparseMemory memory(144ull << 30);
  std::vector<std::uint8_t> data(100, 0xff);
  memory.read((144ull << 30) - 100, data.data(), 100);
  CHECK(data == std::vector<std::uint8_t>(100, 0));
  CHECK(memory.allocated_bytes() == 0);
  const std::uint8_t byte = 1;
  memory.write(100ull << 30, &byte, 1);
  CHECK(memory.allocated_bytes() == SparseMemory::kPageBytes);
  CHECK(memory.contains((144ull << 30) - 1, 1));
  CHECK_FALSE(memory.contains((144ull << 30) - 1, 2));
  CHECK_FALSE(memory.contains(~0ull, 2));
  CHECK_THROWS(memory.write(144ull << 30, &byte, 1));
}

TEST_CASE("sparse memory against a map of bytes") {
  std::mt19937_64 random(tern::tb::test_seed());
  const std::uint64_t size = 4 * SparseMemory::kPageBytes;
  SparseMemory memory(size);
  std::map<std::uint64_t, std::uint8_t> reference;
  for (unsigned round = 0; round < 400; ++round) {
    const std::size_t bytes = 1 + random() % 3000;
    // Half of the accesses straddle a page.
    const std::uint64_t page = (1 + random() % 3) * SparseMemory::kPageBytes;
    const std::uint64_t address = round % 2 ? page - random() % bytes : random() % (size - bytes);
    std::vector<std::uint8_t> data(bytes);
    if (random() % 2) {
      for (auto& value : data) value = static_cast<std::uint8_t>(random());
      memory.write(address, data.data(), bytes);
      for (std::size_t i = 0; i < bytes; ++i) reference[address + i] = data[i];
    } else {
      memory.read(address, data.data(), bytes);
      bool equal = true;
      for (std::size_t i = 0; i < bytes; ++i) {
        const auto found = reference.find(address + i);
        equal = equal && data[i] == (found == reference.end() ? 0 : found->second);
      }
      REQUIRE(equal);
    }
  }
}
