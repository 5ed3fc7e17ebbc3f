// SPDX-License-Identifier: Apache-2.0
// Generated from docs/spec/ports.yaml by tern_spec_gen: do not edit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "systemc/cosim/port_bits.h"

// Packed structs of tensor_pkg at the ports of a Verilated block, from bit `lsb` on. pack() keeps the
// lower bits of a member that is too large. kWidths: of the members, the first one uppermost.
namespace tern::tensor_ports {

// Operand forms of array A. Raw: the bits of a transpose.
enum class Form : std::uint8_t {
  kBf16 = 0,
  kFp16 = 1,
  kTf32 = 2,
  kFp32Low = 3,
  kFp32High = 4,
  kRaw8 = 5,
  kRaw16 = 6,
  kRaw32 = 7,
};

// Operand forms of the MX array. E4m3: the legacy format.
enum class MxForm : std::uint8_t {
  kE4m3Fn = 0,
  kE5m2 = 1,
  kE4m3 = 2,
  kE2m1 = 3,
};

// One command: eight 32-bit words.
struct Cmd {
  std::uint32_t op = 0;  // Op*
  std::uint32_t dtype = 0;  // tern_spec_pkg::Dtype*
  std::uint32_t mode = 0;  // Mode*
  bool high_half = false;  // FP32 operands: which half
  std::uint32_t sparsity = 0;  // Pattern: kept() of every group_size()
  std::uint32_t tile_rows = 0;  // The tile claims 0: all rows, 1: a half, 2: a quarter
  std::uint32_t tile_cols = 0;  // The same of columns
  bool accumulate = false;  // Add to PSUM instead of overwriting it
  bool bf16_result = false;  // PSUM destination BF16 instead of FP32
  bool stochastic = false;  // Rounding of a BF16 destination
  bool zero7 = false;
  std::uint32_t tag = 0;  // Returned in the status
  std::uint32_t row_start = 0;  // First array row (= partition) of the tile
  std::uint32_t rows = 0;  // K of the tile in partitions
  std::uint32_t col_start = 0;  // First array column of the tile
  std::uint32_t cols = 0;  // M of the tile
  std::uint32_t zero5 = 0;
  std::uint32_t scale_offset = 0;  // 0, 4, 8 or 12
  std::uint32_t psum_bank = 0;
  std::uint32_t psum_column = 0;  // In the bank, in elements of the destination
  std::uint32_t address = 0;  // Byte in the partition
  std::uint32_t num0 = 0;
  std::int32_t step0 = 0;
  std::uint32_t num1 = 0;
  std::int32_t step1 = 0;
  std::int32_t plane = 0;  // Bytes between two planes (sparse moving, double row)
  std::uint32_t aux_address = 0;  // Scales or tags: byte in the partition

  static constexpr unsigned kBits = 256;
  static constexpr std::array<unsigned, 27> kWidths = {
      4, 5, 3, 1, 3, 2, 2, 1, 1, 1, 1, 8, 8, 8, 8, 8, 5, 4, 7, 16, 32, 16, 16, 16, 16, 32, 32,
  };

  template <typename Port>
  void pack(Port& port, std::size_t lsb = 0) const {
    cosim::set_bits(port, lsb + 252, 4, op);
    cosim::set_bits(port, lsb + 247, 5, dtype);
    cosim::set_bits(port, lsb + 244, 3, mode);
    cosim::set_bits(port, lsb + 243, 1, high_half);
    cosim::set_bits(port, lsb + 240, 3, sparsity);
    cosim::set_bits(port, lsb + 238, 2, tile_rows);
    cosim::set_bits(port, lsb + 236, 2, tile_cols);
    cosim::set_bits(port, lsb + 235, 1, accumulate);
    cosim::set_bits(port, lsb + 234, 1, bf16_result);
    cosim::set_bits(port, lsb + 233, 1, stochastic);
    cosim::set_bits(port, lsb + 232, 1, zero7);
    cosim::set_bits(port, lsb + 224, 8, tag);
    cosim::set_bits(port, lsb + 216, 8, row_start);
    cosim::set_bits(port, lsb + 208, 8, rows);
    cosim::set_bits(port, lsb + 200, 8, col_start);
    cosim::set_bits(port, lsb + 192, 8, cols);
    cosim::set_bits(port, lsb + 187, 5, zero5);
    cosim::set_bits(port, lsb + 183, 4, scale_offset);
    cosim::set_bits(port, lsb + 176, 7, psum_bank);
    cosim::set_bits(port, lsb + 160, 16, psum_column);
    cosim::set_bits(port, lsb + 128, 32, address);
    cosim::set_bits(port, lsb + 112, 16, num0);
    cosim::set_bits(port, lsb + 96, 16, static_cast<std::uint32_t>(step0));
    cosim::set_bits(port, lsb + 80, 16, num1);
    cosim::set_bits(port, lsb + 64, 16, static_cast<std::uint32_t>(step1));
    cosim::set_bits(port, lsb + 32, 32, static_cast<std::uint32_t>(plane));
    cosim::set_bits(port, lsb, 32, aux_address);
  }
  template <typename Port>
  static Cmd unpack(const Port& port, std::size_t lsb = 0) {
    Cmd s;
    s.op = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 252, 4));
    s.dtype = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 247, 5));
    s.mode = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 244, 3));
    s.high_half = cosim::get_bits(port, lsb + 243, 1) != 0;
    s.sparsity = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 240, 3));
    s.tile_rows = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 238, 2));
    s.tile_cols = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 236, 2));
    s.accumulate = cosim::get_bits(port, lsb + 235, 1) != 0;
    s.bf16_result = cosim::get_bits(port, lsb + 234, 1) != 0;
    s.stochastic = cosim::get_bits(port, lsb + 233, 1) != 0;
    s.zero7 = cosim::get_bits(port, lsb + 232, 1) != 0;
    s.tag = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 224, 8));
    s.row_start = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 216, 8));
    s.rows = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 208, 8));
    s.col_start = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 200, 8));
    s.cols = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 192, 8));
    s.zero5 = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 187, 5));
    s.scale_offset = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 183, 4));
    s.psum_bank = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 176, 7));
    s.psum_column = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 160, 16));
    s.address = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 128, 32));
    s.num0 = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 112, 16));
    s.step0 = cosim::get_signed(port, lsb + 96, 16);
    s.num1 = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 80, 16));
    s.step1 = cosim::get_signed(port, lsb + 64, 16);
    s.plane = cosim::get_signed(port, lsb + 32, 32);
    s.aux_address = static_cast<std::uint32_t>(cosim::get_bits(port, lsb, 32));
    return s;
  }
};

struct Status {
  std::uint32_t tag = 0;
  std::uint32_t code = 0;

  static constexpr unsigned kBits = 12;
  static constexpr std::array<unsigned, 2> kWidths = {
      8, 4,
  };

  template <typename Port>
  void pack(Port& port, std::size_t lsb = 0) const {
    cosim::set_bits(port, lsb + 4, 8, tag);
    cosim::set_bits(port, lsb, 4, code);
  }
  template <typename Port>
  static Status unpack(const Port& port, std::size_t lsb = 0) {
    Status s;
    s.tag = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 4, 8));
    s.code = static_cast<std::uint32_t>(cosim::get_bits(port, lsb, 4));
    return s;
  }
};

// Destination of a command's results in PSUM.
struct Dest {
  std::uint32_t tag = 0;
  std::uint32_t first = 0;  // First lane
  std::uint32_t lanes = 0;  // M
  std::uint32_t bank = 0;
  std::uint32_t column = 0;  // In the bank, in elements of the destination
  std::uint32_t count = 0;  // N
  bool accumulate = false;
  bool half = false;  // 16-bit elements
  bool raw = false;  // A transpose: bits as they are
  bool stochastic = false;
  bool quad = false;  // Port p writes slot p, PsumBanks/4 banks apart

  static constexpr unsigned kBits = 68;
  static constexpr std::array<unsigned, 11> kWidths = {
      8, 8, 8, 7, 16, 16, 1, 1, 1, 1, 1,
  };

  template <typename Port>
  void pack(Port& port, std::size_t lsb = 0) const {
    cosim::set_bits(port, lsb + 60, 8, tag);
    cosim::set_bits(port, lsb + 52, 8, first);
    cosim::set_bits(port, lsb + 44, 8, lanes);
    cosim::set_bits(port, lsb + 37, 7, bank);
    cosim::set_bits(port, lsb + 21, 16, column);
    cosim::set_bits(port, lsb + 5, 16, count);
    cosim::set_bits(port, lsb + 4, 1, accumulate);
    cosim::set_bits(port, lsb + 3, 1, half);
    cosim::set_bits(port, lsb + 2, 1, raw);
    cosim::set_bits(port, lsb + 1, 1, stochastic);
    cosim::set_bits(port, lsb, 1, quad);
  }
  template <typename Port>
  static Dest unpack(const Port& port, std::size_t lsb = 0) {
    Dest s;
    s.tag = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 60, 8));
    s.first = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 52, 8));
    s.lanes = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 44, 8));
    s.bank = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 37, 7));
    s.column = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 21, 16));
    s.count = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 5, 16));
    s.accumulate = cosim::get_bits(port, lsb + 4, 1) != 0;
    s.half = cosim::get_bits(port, lsb + 3, 1) != 0;
    s.raw = cosim::get_bits(port, lsb + 2, 1) != 0;
    s.stochastic = cosim::get_bits(port, lsb + 1, 1) != 0;
    s.quad = cosim::get_bits(port, lsb, 1) != 0;
    return s;
  }
};

// What travels down array A, one row per cycle. A row belongs to the tile if skip is 0 and left is
// not; each row counts them down for the next, so that all rows are identical. At most 64 bits
// each: the simulator is slow on wider structs.
struct LoadWave {
  bool valid = false;
  bool last = false;  // Last group of a LoadStationary (a Transpose has none)
  std::uint32_t slot = 0;
  std::uint32_t form = 0;  // Form*
  bool single = false;  // One column of the group; else all four
  std::uint32_t group = 0;  // Columns 4*group .. 4*group + 3 of the array
  std::uint32_t column = 0;  // Single: which of them; else 0
  std::uint32_t address = 0;  // Byte in the partition: the first element
  std::uint32_t skip = 0;
  std::uint32_t left = 0;

  static constexpr unsigned kBits = 51;
  static constexpr std::array<unsigned, 10> kWidths = {
      1, 1, 4, 3, 1, 5, 2, 18, 8, 8,
  };

  template <typename Port>
  void pack(Port& port, std::size_t lsb = 0) const {
    cosim::set_bits(port, lsb + 50, 1, valid);
    cosim::set_bits(port, lsb + 49, 1, last);
    cosim::set_bits(port, lsb + 45, 4, slot);
    cosim::set_bits(port, lsb + 42, 3, form);
    cosim::set_bits(port, lsb + 41, 1, single);
    cosim::set_bits(port, lsb + 36, 5, group);
    cosim::set_bits(port, lsb + 34, 2, column);
    cosim::set_bits(port, lsb + 16, 18, address);
    cosim::set_bits(port, lsb + 8, 8, skip);
    cosim::set_bits(port, lsb, 8, left);
  }
  template <typename Port>
  static LoadWave unpack(const Port& port, std::size_t lsb = 0) {
    LoadWave s;
    s.valid = cosim::get_bits(port, lsb + 50, 1) != 0;
    s.last = cosim::get_bits(port, lsb + 49, 1) != 0;
    s.slot = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 45, 4));
    s.form = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 42, 3));
    s.single = cosim::get_bits(port, lsb + 41, 1) != 0;
    s.group = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 36, 5));
    s.column = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 34, 2));
    s.address = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 16, 18));
    s.skip = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 8, 8));
    s.left = static_cast<std::uint32_t>(cosim::get_bits(port, lsb, 8));
    return s;
  }
};

// Accompanies a load wave: positions of a sparse stationary.
struct TagWave {
  bool valid = false;  // The load is sparse
  std::uint32_t sparsity = 0;
  std::uint32_t columns = 0;  // Which of the group's four columns belong to the tile
  bool bad = false;  // A row above encountered a position outside the pattern
  std::uint32_t address = 0;  // 2-byte word in the partition

  static constexpr unsigned kBits = 26;
  static constexpr std::array<unsigned, 5> kWidths = {
      1, 3, 4, 1, 17,
  };

  template <typename Port>
  void pack(Port& port, std::size_t lsb = 0) const {
    cosim::set_bits(port, lsb + 25, 1, valid);
    cosim::set_bits(port, lsb + 22, 3, sparsity);
    cosim::set_bits(port, lsb + 18, 4, columns);
    cosim::set_bits(port, lsb + 17, 1, bad);
    cosim::set_bits(port, lsb, 17, address);
  }
  template <typename Port>
  static TagWave unpack(const Port& port, std::size_t lsb = 0) {
    TagWave s;
    s.valid = cosim::get_bits(port, lsb + 25, 1) != 0;
    s.sparsity = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 22, 3));
    s.columns = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 18, 4));
    s.bad = cosim::get_bits(port, lsb + 17, 1) != 0;
    s.address = static_cast<std::uint32_t>(cosim::get_bits(port, lsb, 17));
    return s;
  }
};

// Arrays of structs cross module boundaries as plain vectors: Yosys drops their dimensions.
struct MoveWave {
  bool valid = false;
  bool swap = false;  // First column with new weights: shadow becomes active
  std::uint32_t slot = 0;
  std::uint32_t form = 0;  // Form*
  bool sparse = false;
  std::uint32_t sparsity = 0;
  std::uint32_t mask = 0;  // Column groups of the tile; the lowest one's lane carries it
  std::uint32_t last_group = 0;  // Row group after which the results leave
  std::uint32_t address = 0;  // 2-byte word in the partition
  std::uint32_t skip = 0;
  std::uint32_t left = 0;

  static constexpr unsigned kBits = 52;
  static constexpr std::array<unsigned, 11> kWidths = {
      1, 1, 4, 3, 1, 3, 4, 2, 17, 8, 8,
  };

  template <typename Port>
  void pack(Port& port, std::size_t lsb = 0) const {
    cosim::set_bits(port, lsb + 51, 1, valid);
    cosim::set_bits(port, lsb + 50, 1, swap);
    cosim::set_bits(port, lsb + 46, 4, slot);
    cosim::set_bits(port, lsb + 43, 3, form);
    cosim::set_bits(port, lsb + 42, 1, sparse);
    cosim::set_bits(port, lsb + 39, 3, sparsity);
    cosim::set_bits(port, lsb + 35, 4, mask);
    cosim::set_bits(port, lsb + 33, 2, last_group);
    cosim::set_bits(port, lsb + 16, 17, address);
    cosim::set_bits(port, lsb + 8, 8, skip);
    cosim::set_bits(port, lsb, 8, left);
  }
  template <typename Port>
  static MoveWave unpack(const Port& port, std::size_t lsb = 0) {
    MoveWave s;
    s.valid = cosim::get_bits(port, lsb + 51, 1) != 0;
    s.swap = cosim::get_bits(port, lsb + 50, 1) != 0;
    s.slot = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 46, 4));
    s.form = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 43, 3));
    s.sparse = cosim::get_bits(port, lsb + 42, 1) != 0;
    s.sparsity = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 39, 3));
    s.mask = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 35, 4));
    s.last_group = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 33, 2));
    s.address = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 16, 17));
    s.skip = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 8, 8));
    s.left = static_cast<std::uint32_t>(cosim::get_bits(port, lsb, 8));
    return s;
  }
};

// Transpose: the row whose weights leave through the raw bus; each row counts it down.
struct DrainWave {
  bool valid = false;
  std::uint32_t slot = 0;
  std::uint32_t row = 0;  // 0: this one

  static constexpr unsigned kBits = 13;
  static constexpr std::array<unsigned, 3> kWidths = {
      1, 4, 8,
  };

  template <typename Port>
  void pack(Port& port, std::size_t lsb = 0) const {
    cosim::set_bits(port, lsb + 12, 1, valid);
    cosim::set_bits(port, lsb + 8, 4, slot);
    cosim::set_bits(port, lsb, 8, row);
  }
  template <typename Port>
  static DrainWave unpack(const Port& port, std::size_t lsb = 0) {
    DrainWave s;
    s.valid = cosim::get_bits(port, lsb + 12, 1) != 0;
    s.slot = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 8, 4));
    s.row = static_cast<std::uint32_t>(cosim::get_bits(port, lsb, 8));
    return s;
  }
};

// What travels through the MX array, one block of eight rows per cycle. A block belongs to the tile
// if skip is 0 and left is not; each block counts them down for the next.
struct MxLoad {
  bool valid = false;
  bool last = false;  // Last group of four columns
  std::uint32_t slot = 0;
  std::uint32_t form = 0;  // Form*
  bool double_row = false;
  std::uint32_t group = 0;  // Columns 4*group .. 4*group + 3
  std::uint32_t address = 0;  // 4-byte word in the partition
  std::uint32_t plane_address = 0;  // The same of the second plane
  std::uint32_t scale_address = 0;  // 4-byte word
  std::uint32_t scale_offset = 0;  // In fours
  std::uint32_t skip = 0;
  std::uint32_t left = 0;

  static constexpr unsigned kBits = 74;
  static constexpr std::array<unsigned, 12> kWidths = {
      1, 1, 4, 2, 1, 5, 16, 16, 16, 2, 5, 5,
  };

  template <typename Port>
  void pack(Port& port, std::size_t lsb = 0) const {
    cosim::set_bits(port, lsb + 73, 1, valid);
    cosim::set_bits(port, lsb + 72, 1, last);
    cosim::set_bits(port, lsb + 68, 4, slot);
    cosim::set_bits(port, lsb + 66, 2, form);
    cosim::set_bits(port, lsb + 65, 1, double_row);
    cosim::set_bits(port, lsb + 60, 5, group);
    cosim::set_bits(port, lsb + 44, 16, address);
    cosim::set_bits(port, lsb + 28, 16, plane_address);
    cosim::set_bits(port, lsb + 12, 16, scale_address);
    cosim::set_bits(port, lsb + 10, 2, scale_offset);
    cosim::set_bits(port, lsb + 5, 5, skip);
    cosim::set_bits(port, lsb, 5, left);
  }
  template <typename Port>
  static MxLoad unpack(const Port& port, std::size_t lsb = 0) {
    MxLoad s;
    s.valid = cosim::get_bits(port, lsb + 73, 1) != 0;
    s.last = cosim::get_bits(port, lsb + 72, 1) != 0;
    s.slot = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 68, 4));
    s.form = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 66, 2));
    s.double_row = cosim::get_bits(port, lsb + 65, 1) != 0;
    s.group = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 60, 5));
    s.address = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 44, 16));
    s.plane_address = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 28, 16));
    s.scale_address = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 12, 16));
    s.scale_offset = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 10, 2));
    s.skip = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 5, 5));
    s.left = static_cast<std::uint32_t>(cosim::get_bits(port, lsb, 5));
    return s;
  }
};

// A block's tile is counted from the row group at which the wave enters.
struct MxMove {
  bool valid = false;
  bool swap = false;  // First column with new weights: shadow becomes active
  std::uint32_t slot = 0;
  std::uint32_t form = 0;  // Form*
  bool double_row = false;
  bool quad = false;
  std::uint32_t last_group = 0;  // Row group after which the results leave
  std::uint32_t address = 0;  // 2-byte word in the partition
  std::uint32_t plane_address = 0;  // The same of the second plane
  bool odd = false;  // Double row: the element is the upper byte of the word
  std::uint32_t scale_address = 0;  // Byte
  std::uint32_t scale_offset = 0;  // In fours
  std::uint32_t skip = 0;
  std::uint32_t left = 0;

  static constexpr unsigned kBits = 77;
  static constexpr std::array<unsigned, 14> kWidths = {
      1, 1, 4, 2, 1, 1, 2, 17, 17, 1, 18, 2, 5, 5,
  };

  template <typename Port>
  void pack(Port& port, std::size_t lsb = 0) const {
    cosim::set_bits(port, lsb + 76, 1, valid);
    cosim::set_bits(port, lsb + 75, 1, swap);
    cosim::set_bits(port, lsb + 71, 4, slot);
    cosim::set_bits(port, lsb + 69, 2, form);
    cosim::set_bits(port, lsb + 68, 1, double_row);
    cosim::set_bits(port, lsb + 67, 1, quad);
    cosim::set_bits(port, lsb + 65, 2, last_group);
    cosim::set_bits(port, lsb + 48, 17, address);
    cosim::set_bits(port, lsb + 31, 17, plane_address);
    cosim::set_bits(port, lsb + 30, 1, odd);
    cosim::set_bits(port, lsb + 12, 18, scale_address);
    cosim::set_bits(port, lsb + 10, 2, scale_offset);
    cosim::set_bits(port, lsb + 5, 5, skip);
    cosim::set_bits(port, lsb, 5, left);
  }
  template <typename Port>
  static MxMove unpack(const Port& port, std::size_t lsb = 0) {
    MxMove s;
    s.valid = cosim::get_bits(port, lsb + 76, 1) != 0;
    s.swap = cosim::get_bits(port, lsb + 75, 1) != 0;
    s.slot = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 71, 4));
    s.form = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 69, 2));
    s.double_row = cosim::get_bits(port, lsb + 68, 1) != 0;
    s.quad = cosim::get_bits(port, lsb + 67, 1) != 0;
    s.last_group = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 65, 2));
    s.address = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 48, 17));
    s.plane_address = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 31, 17));
    s.odd = cosim::get_bits(port, lsb + 30, 1) != 0;
    s.scale_address = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 12, 18));
    s.scale_offset = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 10, 2));
    s.skip = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 5, 5));
    s.left = static_cast<std::uint32_t>(cosim::get_bits(port, lsb, 5));
    return s;
  }
};

// PSUM access by the other engines: one column of words, lanes start .. start + count - 1. Bank
// PsumBanks is the state of the random generators.
struct Access {
  bool write = false;
  std::uint32_t bank = 0;
  std::uint32_t column = 0;
  std::uint32_t start = 0;
  std::uint32_t count = 0;

  static constexpr unsigned kBits = 40;
  static constexpr std::array<unsigned, 5> kWidths = {
      1, 7, 16, 8, 8,
  };

  template <typename Port>
  void pack(Port& port, std::size_t lsb = 0) const {
    cosim::set_bits(port, lsb + 39, 1, write);
    cosim::set_bits(port, lsb + 32, 7, bank);
    cosim::set_bits(port, lsb + 16, 16, column);
    cosim::set_bits(port, lsb + 8, 8, start);
    cosim::set_bits(port, lsb, 8, count);
  }
  template <typename Port>
  static Access unpack(const Port& port, std::size_t lsb = 0) {
    Access s;
    s.write = cosim::get_bits(port, lsb + 39, 1) != 0;
    s.bank = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 32, 7));
    s.column = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 16, 16));
    s.start = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 8, 8));
    s.count = static_cast<std::uint32_t>(cosim::get_bits(port, lsb, 8));
    return s;
  }
};

// Observation of a PSUM write (the data is a separate port).
struct Retire {
  std::uint32_t tag = 0;
  std::uint32_t first = 0;
  std::uint32_t lanes = 0;
  bool half = false;
  std::uint32_t bank = 0;
  std::uint32_t column = 0;  // In the bank, in elements
  std::uint32_t index = 0;  // Column of the command

  static constexpr unsigned kBits = 64;
  static constexpr std::array<unsigned, 7> kWidths = {
      8, 8, 8, 1, 7, 16, 16,
  };

  template <typename Port>
  void pack(Port& port, std::size_t lsb = 0) const {
    cosim::set_bits(port, lsb + 56, 8, tag);
    cosim::set_bits(port, lsb + 48, 8, first);
    cosim::set_bits(port, lsb + 40, 8, lanes);
    cosim::set_bits(port, lsb + 39, 1, half);
    cosim::set_bits(port, lsb + 32, 7, bank);
    cosim::set_bits(port, lsb + 16, 16, column);
    cosim::set_bits(port, lsb, 16, index);
  }
  template <typename Port>
  static Retire unpack(const Port& port, std::size_t lsb = 0) {
    Retire s;
    s.tag = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 56, 8));
    s.first = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 48, 8));
    s.lanes = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 40, 8));
    s.half = cosim::get_bits(port, lsb + 39, 1) != 0;
    s.bank = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 32, 7));
    s.column = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 16, 16));
    s.index = static_cast<std::uint32_t>(cosim::get_bits(port, lsb, 16));
    return s;
  }
};

// Performance counters, defined in README.md.
struct Perf {
  std::uint64_t busy_cycles = 0;
  std::uint64_t load_commands = 0;
  std::uint64_t move_commands = 0;
  std::uint64_t moving_columns = 0;
  std::uint64_t macs = 0;
  std::uint64_t weight_stalls = 0;
  std::uint64_t psum_conflicts = 0;
  std::uint64_t errors = 0;

  static constexpr unsigned kBits = 512;
  static constexpr std::array<unsigned, 8> kWidths = {
      64, 64, 64, 64, 64, 64, 64, 64,
  };

  template <typename Port>
  void pack(Port& port, std::size_t lsb = 0) const {
    cosim::set_bits(port, lsb + 448, 64, busy_cycles);
    cosim::set_bits(port, lsb + 384, 64, load_commands);
    cosim::set_bits(port, lsb + 320, 64, move_commands);
    cosim::set_bits(port, lsb + 256, 64, moving_columns);
    cosim::set_bits(port, lsb + 192, 64, macs);
    cosim::set_bits(port, lsb + 128, 64, weight_stalls);
    cosim::set_bits(port, lsb + 64, 64, psum_conflicts);
    cosim::set_bits(port, lsb, 64, errors);
  }
  template <typename Port>
  static Perf unpack(const Port& port, std::size_t lsb = 0) {
    Perf s;
    s.busy_cycles = cosim::get_bits(port, lsb + 448, 64);
    s.load_commands = cosim::get_bits(port, lsb + 384, 64);
    s.move_commands = cosim::get_bits(port, lsb + 320, 64);
    s.moving_columns = cosim::get_bits(port, lsb + 256, 64);
    s.macs = cosim::get_bits(port, lsb + 192, 64);
    s.weight_stalls = cosim::get_bits(port, lsb + 128, 64);
    s.psum_conflicts = cosim::get_bits(port, lsb + 64, 64);
    s.errors = cosim::get_bits(port, lsb, 64);
    return s;
  }
};

}  // namespace tern::tensor_ports
