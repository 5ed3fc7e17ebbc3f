// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sw/numerics/dtype.h"
#include "sw/spec/access_pattern.h"
#include "sw/spec/generated/address_map.h"
#include "systemc/engines/ports/sbuf_access.h"
#include "systemc/engines/tensor/psum_port.h"
#include "systemc/engines/vector/special/random_states.h"

namespace tern {

// The memories that an engine reaches.
struct EngineMemory {
  SbufAccess sbuf;
  PsumPort* psum = nullptr;  // none: GpSimd
};

// An operand that an instruction reads, partition by partition. open() fetches what is in PSUM and
// may wait for it; nothing else takes simulated time.
class OperandReader {
 public:
  void open(const EngineMemory& memory, const AccessPattern& pattern, numerics::DType type,
            unsigned partitions);

  const AccessPattern& pattern() const { return pattern_; }
  numerics::DType type() const { return type_; }
  std::size_t count() const { return count_; }  // elements per partition
  std::size_t size() const { return size_; }    // bytes of an element

  // Of the partition `lane` after the pattern's first: the elements widened to FP32, or their bits,
  // packed. Valid until the next call.
  const float* row(unsigned lane);
  const std::uint8_t* raw(unsigned lane);

 private:
  const std::uint8_t* first(unsigned lane) const;

  SbufAccess sbuf_;
  AccessPattern pattern_;
  numerics::DType type_ = numerics::DType::kFp32;
  std::size_t size_ = 4, count_ = 0;
  bool contiguous_ = false;
  std::vector<float> psum_;  // the words of the bounding rectangle, row by row
  std::size_t pitch_ = 0;    // of psum_
  std::size_t offset_ = 0;   // bytes from the first word of a row to the pattern's first element
  std::vector<float> row_;
  std::vector<std::uint8_t> raw_;
};

// The operand that an instruction writes. Partitions may be stored in any order, each at most once;
// close() transfers results to PSUM and may wait for it.
class ResultWriter {
 public:
  void open(const EngineMemory& memory, const AccessPattern& pattern, numerics::DType type,
            unsigned partitions);

  const AccessPattern& pattern() const { return pattern_; }
  numerics::DType type() const { return type_; }
  std::size_t count() const { return row_.size(); }

  // store() then rounds stochastically, until the next open().
  void round_stochastically(RandomStates* random) { random_ = random; }

  float* row() { return row_.data(); }  // buffer for the results of one partition
  void store(unsigned lane) { store(lane, row_.data()); }
  void store(unsigned lane, const float* results);         // each rounded once
  void store_raw(unsigned lane, const std::uint8_t* raw);  // elements of type(), packed
  void close();

 private:
  EngineMemory memory_;
  AccessPattern pattern_;
  numerics::DType type_ = numerics::DType::kFp32;
  std::size_t size_ = 4;
  bool contiguous_ = false;
  unsigned partitions_ = 0;

  void narrow(unsigned lane, const float* results, void* target);

  RandomStates* random_ = nullptr;
  std::vector<float> row_, psum_;
  std::vector<std::uint8_t> raw_;
};

// One FP32 scalar per partition: a column in memory, or the same value everywhere.
class ScalarColumn {
 public:
  void set(float value) { values_.fill(value); }
  // `address` as in tern_ap_t. Fetches from PSUM as OperandReader::open() does.
  void open(const EngineMemory& memory, std::uint32_t address, unsigned partitions);
  float at(unsigned lane) const { return values_[lane]; }

  // Writes such a column; to PSUM it may wait.
  static void store(const EngineMemory& memory, std::uint32_t address, const float* values,
                    unsigned partitions);

 private:
  std::array<float, TERN_CORE_SBUF_COUNT> values_{};
};

}  // namespace tern
