// SPDX-License-Identifier: Apache-2.0
// The Verilated adders behind the interface of a memory's, beside their model.
#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "sw/base/user_error.h"
#include "systemc/cosim/near_memory_lockstep.h"
#include "systemc/cosim/near_memory_rtl.h"
#include "tb/common/seed.h"

using namespace tern;  // NOLINT: a test uses the names of what it tests

namespace {

// The model, wrong in the last bit of one byte.
class Wrong : public NearMemory {
 public:
  void add(WriteOp op, std::uint8_t* memory, const std::uint8_t* data, std::size_t bytes) override {
    model_->add(op, memory, data, bytes);
    memory[8] ^= 1;
  }

 private:
  std::unique_ptr<NearMemory> model_ = make_near_memory_model();
};

}  // namespace

TEST_CASE("near-memory adders: writes of any length, RTL and model in lockstep") {
  std::mt19937_64 random(tb::test_seed());
  auto rtl = std::make_unique<NearMemoryRtl>();
  const NearMemoryRtl& unit = *rtl;
  NearMemoryLockstep lockstep(make_near_memory_model(), std::move(rtl));
  std::uint64_t beats = 0;
  for (int round = 0; round < 400; ++round) {
    constexpr WriteOp kOps[] = {WriteOp::kAddFp32, WriteOp::kAddBf16, WriteOp::kAddFp8};
    const WriteOp op = kOps[random() % 3];
    const std::size_t bytes = word_bytes(op) * (1 + random() % 80);
    std::vector<std::uint8_t> memory(bytes + 1), data(bytes);
    for (auto& byte : memory) byte = static_cast<std::uint8_t>(random());
    for (auto& byte : data) byte = static_cast<std::uint8_t>(random());
    const std::uint8_t behind = memory.back();
    lockstep.add(op, memory.data(), data.data(), bytes);
    CHECK(memory.back() == behind);
    beats += (bytes + 63) / 64;
  }
  CHECK(unit.beats() == beats);
}

TEST_CASE("near-memory adders: a difference names word, operands and both results") {
  NearMemoryLockstep lockstep(make_near_memory_model(), std::make_unique<Wrong>());
  std::vector<std::uint8_t> memory(16, 0), data(16, 0);
  CHECK_THROWS_WITH(lockstep.add(WriteOp::kAddFp32, memory.data(), data.data(), 16),
                    "near-memory lockstep: word 2 of a write: 0x00000000 + 0x00000000 is "
                    "0x00000000 in the model, 0x00000001 in the RTL");
}
