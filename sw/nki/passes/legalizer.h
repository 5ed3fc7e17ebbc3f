// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "sw/nki/trace/kernel.h"

namespace tern::nki {

// What the instructions of the chip do not take is copied or converted first: a visible instruction
// with the place of the one that needs it.
class Legalizer {
 public:
  explicit Legalizer(Kernel& kernel) : kernel_(kernel) {}

  void run();

 private:
  // legalize.cpp
  void visit(Instruction instruction);
  // Vector and Scalar stay in one PSUM bank: an element-wise instruction over several becomes one
  // for each.
  static std::vector<Instruction> by_banks(Instruction instruction);
  // Free elements [begin, end), which must be whole steps of some dimension.
  static View elements_of(const View& view, std::int64_t begin, std::int64_t end);
  // A new tensor in SBUF of this shape, from partition `first` on.
  View temporary(const View& like, const ElementType* type, std::int64_t first, const Site* site);
  void copy(const View& dst, const View& src, const Site* site, Engine engine = Engine::kVector);
  void push(Instruction instruction, const Site* site);
  void move(const View& dst, const View& src, const Site* site);
  void in_one_bank(Instruction instruction);
  // legalize_psum.cpp
  // What an operand in PSUM is replaced by, in SBUF, and what it is copied to afterwards: Vector
  // and Scalar do not cross from bank to bank, and write words of 4 bytes.
  using Copies = std::vector<std::pair<View, View>>;
  Copies take_out_of_psum(Instruction* instruction);
  void into_psum(const Copies& results, const Site* site);
  static bool crosses_banks(const View& view);
  void copy_by_banks(const View& dst, const View& src, const Site* site);
  void store_in_words(const View& dst, const View& src, const Site* site);
  // legalize.cpp
  // Results that are all written to one element, as those that nobody wants: into a tensor of their
  // own, then the last one to where it belongs if somebody reads it.
  void repeated_results(Instruction instruction);
  // What becomes a bool is 0 or 1: other results go through a tensor of numbers.
  void bool_results(Instruction instruction);
  // Per-partition columns are FP32 on the chip.
  void columns(Instruction instruction);

  // legalize_tensor.cpp
  // Both operands begin on one partition; FP8, which the array takes as two planes only, becomes
  // BF16 with the same values.
  void matmul(Instruction instruction);
  void transpose(Instruction instruction);
  // A transpose keeps the type; into FP32 it is a product with the identity, which is as exact.
  void product_with_identity(const Instruction& transpose);
  // [128, 128] in SBUF, made at its first use.
  View identity(const ElementType* type, const Site* site);

  // legalize_transfers.cpp
  // DMA engines convert between floats of 16 and 32 bits, rows at multiples of 64 bytes; the rest
  // is converted by Vector, in SBUF.
  void transfer(Instruction instruction);
  // Within HBM, piece by piece; the views have one shape.
  void through_sbuf(const View& dst, const View& src, const Site* site);
  // Blocks are transposed in transit from rows at multiples of 64 bytes: others are copied first,
  // on chip by GpSimd, so that the queue of the transfers does not wait for one of its own.
  void transposes(Instruction instruction);
  // Of the planes of a transpose, that is: the last dimension contiguous, the others at multiples
  // of 64 bytes.
  static bool rows_are_aligned(const View& view);
  // A DMA transpose of more dimensions exchanges the first and the last: one of two dimensions for
  // each position in those between.
  void planes(const Instruction& instruction);
  // Sums take rows at multiples of 64 bytes: others are copied first or afterwards.
  void sum_of_transfers(Instruction instruction);

  Kernel& kernel_;
  std::map<const ElementType*, View> identities_;
  std::vector<bool> read_;                 // storages, by instructions
  std::vector<Instruction> out_, before_;  // before_: in front of all
  unsigned loop_ = 0;                      // of the instruction in work
};

}  // namespace tern::nki
