// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "systemc/engines/tensor/tensor_datapath.h"

namespace tern {

// The bytes of an operand with a pattern, a row of columns at a time.
class PatternReader {
 public:
  // Elements of `size` bytes with the command's pattern, from `address` on.
  PatternReader(const SbufView& sbuf, const TensorCommand& command, unsigned size,
                std::int64_t address);

  // Columns [column, column + width) of a partition, in sequence; `buffer` holds
  // width * size bytes for those that are not contiguous in memory.
  const std::uint8_t* read(unsigned partition, std::size_t column, std::size_t width,
                           std::uint8_t* buffer) const {
    const std::uint8_t* source = sbuf_.partition(partition) + address_;
    if (contiguous_) return source + size_ * column;
    gather(source, column, width, buffer);
    return buffer;
  }

  // Rows are in different pages, so the host's own prefetcher does not predict the next columns:
  // prefetch them.
  void prefetch(unsigned partition, std::size_t column, std::size_t width) const {
    if (!contiguous_ || column >= columns_) return;
    const std::uint8_t* source = sbuf_.partition(partition) + address_ + size_ * column;
    __builtin_prefetch(source);
    const std::size_t misplaced = reinterpret_cast<std::uintptr_t>(source) % 64;
    if (misplaced + size_ * width > 64) __builtin_prefetch(source + size_ * width - 1);
  }

 private:
  void gather(const std::uint8_t* source, std::size_t column, std::size_t width,
              std::uint8_t* buffer) const;

  SbufView sbuf_;
  std::int64_t address_;
  std::size_t size_, columns_, num0_;
  std::int64_t step0_, step1_;
  bool contiguous_;
};

// Elements of array A as the FP32 numbers that it multiplies, exact; FP32 operands give one half of
// their significand. Needs the default floating-point modes.
struct OperandWidener {
  void (*row)(const std::uint8_t* source, std::size_t count, float* target);
  // Columns [column, column + width) of `rows` partitions from `partition` on, all planes of one
  // before the next: a row of the panel each, zeros after `width`.
  void (*panel)(const std::vector<PatternReader>& planes, unsigned partition, unsigned rows,
                std::size_t column, std::size_t width, float* panel);
};
constexpr std::size_t kPanelColumns = 32;
OperandWidener operand_widener(const TensorCommand& command);

}  // namespace tern
