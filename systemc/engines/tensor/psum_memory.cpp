// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/tensor/psum_memory.h"

#include <cstring>
#include <stdexcept>

#include "sw/numerics/bf16.h"
#include "sw/numerics/float_bits.h"
#include "sw/numerics/stochastic.h"

namespace tern {

namespace {

// Rows of one power-of-two pitch would all use the same cache sets: keep a line between them.
constexpr std::size_t kPadding = 16;

}  // namespace

PsumMemory::PsumMemory(const TensorShape& shape)
    : width_(std::size_t{shape.psum_banks} * shape.bank_columns),
      pitch_(width_ + kPadding),
      words_(shape.cols * pitch_),
      generators_(shape.cols) {
  std::uint32_t index = 0;
  for (numerics::Xorwow& generator : generators_) {
    for (std::uint32_t& word : generator.words) word = numerics::random_state_word(0, ++index);
  }
}

void PsumMemory::store(std::size_t partition, std::size_t element, const float* y,
                       std::size_t count, const PsumRule& rule) {
  if (!rule.half) {
    float* target = words(partition, element);
    for (std::size_t i = 0; i < count; ++i) {
      target[i] = numerics::canonical(rule.accumulate ? target[i] + y[i] : y[i]);
    }
    return;
  }
  auto* target = reinterpret_cast<unsigned char*>(words(partition, 0)) + 2 * element;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t old;
    std::memcpy(&old, target + 2 * i, sizeof old);
    const float sum = rule.accumulate ? numerics::bf16_to_float(old) + y[i] : y[i];
    const std::uint16_t rounded =
        rule.stochastic ? numerics::bf16_stochastically(sum, generators_[partition].draw())
                        : numerics::bf16_from_float(sum);
    std::memcpy(target + 2 * i, &rounded, sizeof rounded);
  }
}

std::uint32_t PsumMemory::bits(std::size_t partition, std::size_t element, bool half) const {
  std::uint32_t word;
  std::memcpy(&word, words_.data() + partition * pitch_ + (half ? element / 2 : element),
              sizeof word);
  return half ? (word >> (16 * (element % 2))) & 0xFFFF : word;
}

void PsumMemory::set_bits(std::size_t partition, std::size_t element, bool half,
                          std::uint32_t bits) {
  float* word = words(partition, half ? element / 2 : element);
  if (half) {
    const unsigned shift = 16 * (element % 2);
    bits = (this->bits(partition, element / 2, false) & ~(0xFFFFu << shift)) | bits << shift;
  }
  std::memcpy(word, &bits, sizeof bits);
}

void PsumMemory::transfer(const PsumTransfer& transfer) {
  const std::size_t first = transfer.column, end = first + transfer.columns;
  const bool state = first >= width_;
  if (std::size_t{transfer.partition} + transfer.partitions > generators_.size() ||
      end > (state ? width_ + numerics::Xorwow::kWords : width_)) {
    throw std::logic_error("PSUM transfer outside PSUM");
  }
  for (std::size_t p = 0; p < transfer.partitions; ++p) {
    const std::size_t partition = transfer.partition + p;
    void* inside = state
                       ? static_cast<void*>(generators_[partition].words.data() + (first - width_))
                       : words(partition, first);
    float* outside = transfer.data + p * transfer.stride;
    const std::size_t bytes = transfer.columns * sizeof(float);
    std::memcpy(transfer.write ? inside : outside, transfer.write ? outside : inside, bytes);
  }
}

void PsumMemory::archive_state(base::StateArchive& archive) {
  archive.constant(width_);
  archive.constant(generators_.size());
  for (std::size_t partition = 0; partition < generators_.size(); ++partition) {
    archive.memory(reinterpret_cast<std::uint8_t*>(words(partition, 0)), width_ * sizeof(float));
    archive.each(generators_[partition].words);
  }
}

}  // namespace tern
