// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/near_memory_lockstep.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "sw/base/text.h"
#include "sw/base/user_error.h"

namespace tern {

namespace {

std::uint32_t word_at(const std::uint8_t* bytes, unsigned size) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes, size);
  return word;
}

}  // namespace

NearMemoryLockstep::NearMemoryLockstep(std::unique_ptr<NearMemory> reference,
                                       std::unique_ptr<NearMemory> device)
    : reference_(std::move(reference)), device_(std::move(device)) {}

void NearMemoryLockstep::add(WriteOp op, std::uint8_t* memory, const std::uint8_t* data,
                             std::size_t bytes) {
  before_.assign(memory, memory + bytes);
  expected_ = before_;
  reference_->add(op, expected_.data(), data, bytes);
  device_->add(op, memory, data, bytes);
  const unsigned size = word_bytes(op);
  for (std::size_t at = 0; at < bytes; at += size) {
    if (std::memcmp(&expected_[at], memory + at, size) == 0) continue;
    const auto hex = [&](const std::uint8_t* word) {
      return base::hex_bits(word_at(word, size), 2 * size);
    };
    throw RunError(fmt::format(
        "near-memory lockstep: word {} of a write: {} + {} is {} in the model, {} in the RTL",
        at / size, hex(&before_[at]), hex(data + at), hex(&expected_[at]), hex(memory + at)));
  }
}

}  // namespace tern
