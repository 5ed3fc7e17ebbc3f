// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace tern {

// Size of one tensor engine. The named configurations are in docs/spec/tensor.yaml; full is the
// chip's.
struct TensorShape {
  unsigned rows = 128;               // contraction K: one row per SBUF partition
  unsigned cols = 128;               // stationary free size M: one column per PSUM partition
  unsigned psum_banks = 8;           //
  unsigned bank_columns = 512;       // FP32 words per partition in one PSUM bank
  unsigned min_interval = 64;        // cycles between two MultiplyMoving at least
  unsigned max_moving = 4096;        // FP32 moving columns per instruction at most; BF16: twice
  unsigned command_depth = 16;       // commands accepted and not yet retired at most
  unsigned sbuf_bytes = 256 * 1024;  // bytes per SBUF partition
};

enum class TensorOp : std::uint8_t { kLoadStationary = 0, kMultiplyMoving = 1, kTranspose = 2 };

// Operand formats, with the codes of docs/spec/formats.yaml. One element of an x4 format is four
// packed values of one column.
enum class TensorType : std::uint8_t {
  kBf16 = 6,
  kFp16 = 7,
  kFp32 = 10,
  kTf32 = 11,
  kE4m3 = 14,
  kE5m2 = 15,
  kE4m3fn = 16,
  kE4m3fnX4 = 20,
  kE5m2X4 = 21,
  kE2m1X4 = 22,
};

// What the array does with its operands; the formats each mode takes: rtl/tensor/README.md.
enum class TensorMode : std::uint8_t {
  kDense = 0,      // bf16, fp16, tf32, fp32 (one half)
  kSparse = 1,     // bf16, fp16; stationary with tags, moving in N/M planes
  kDoubleRow = 2,  // e4m3, e4m3fn, e5m2 in two planes, no scales
  kMx = 3,         // x4 formats, K = 4 * rows
  kQuad = 4,       // x4 formats, four results per column
};

// M of every N consecutive k are kept.
enum class TensorSparsity : std::uint8_t {
  k4of16 = 0,
  k4of12 = 1,
  k4of8 = 2,
  k2of8 = 3,
  k2of4 = 4,
  k1of4 = 5,
  k1of2 = 6,
};

// Part of the array's rows or columns that a tile claims for itself. Tiles on different parts run
// at the same time.
enum class TensorTileSize : std::uint8_t { kWhole = 0, kHalf = 1, kQuarter = 2 };

// One command of the engine. Partition r of the operand feeds array row r.
struct TensorCommand {
  TensorOp op = TensorOp::kLoadStationary;
  TensorType type = TensorType::kBf16;  // of the operand this command reads
  std::uint32_t tag = 0;                // returned in the status; 8 bits in the RTL
  unsigned row_start = 0;               // first partition of the tile: a multiple of rows/4
  unsigned rows = 0;                    // K of the tile in partitions
  unsigned cols = 0;               // M of the tile (LoadStationary: elements read per partition)
  std::uint32_t sbuf_address = 0;  // byte offset in the partition
  // MultiplyMoving only: N = num0 * num1 columns; element (i1, i0) is at address + size * (i0*step0
  // + i1*step1), size = bytes of an element.
  unsigned num0 = 1;
  int step0 = 1;
  unsigned num1 = 1;
  int step1 = 0;
  // Destination; the column counts elements of its format and may lead into the next banks.
  unsigned psum_bank = 0;
  unsigned psum_column = 0;
  bool accumulate = false;  // add to PSUM instead of overwriting it

  TensorMode mode = TensorMode::kDense;
  bool high_half = false;                             // kFp32: which half
  TensorSparsity sparsity = TensorSparsity::k4of16;   // kSparse
  TensorTileSize tile_rows = TensorTileSize::kWhole;  // kDense: the tile is the part of that size
  TensorTileSize tile_cols = TensorTileSize::kWhole;  // which contains row_start and col_start
  unsigned col_start = 0;                             // first array column: a multiple of cols/4
  std::int32_t plane = 0;         // kSparse moving, kDoubleRow: bytes between two planes
  std::uint32_t aux_address = 0;  // scales (kMx, kQuad) or tags (kSparse LoadStationary)
  unsigned scale_offset = 0;      // of the scales in a quadrant: 0, 4, 8 or 12
  bool bf16_result = false;       // PSUM destination BF16 instead of FP32
  bool stochastic = false;        // rounding of a BF16 destination
};

enum class TensorStatusCode : std::uint8_t {
  kOk = 0,
  kBadOperation = 1,  // unknown operation, operand format or mode, or a combination that none has
  kBadTile = 2,       // rows, columns or starts outside the array, the tile or the mode's grain
  kBadMoving = 3,     // N is 0 or above max_moving
  kBadPsum = 4,       // the destination leaves PSUM
  kBadAlignment = 5,  // an operand not on its alignment
  kNoStationary =
      6,  // MultiplyMoving before any LoadStationary, or with another tile, mode or format class
  kBadAddress = 7,  // an operand address leaves the partition
  kBadScale = 8,    // scales or tags misplaced: offset, alignment or address
  kBadTag = 9,      // LoadStationary: a sparse position outside its pattern (found while loading)
};

struct TensorStatus {
  std::uint32_t tag = 0;
  TensorStatusCode code = TensorStatusCode::kOk;
  std::uint64_t cycle = 0;  // cycle in which the status left the engine
};

// Read access to SBUF: partition p starts at base + p * pitch.
struct SbufView {
  const std::uint8_t* base = nullptr;
  std::size_t pitch = 0;
  const std::uint8_t* partition(unsigned p) const { return base + p * pitch; }
};

// A rectangle of PSUM moved for another engine: data[p * stride + c]. Columns are 32-bit words; a
// BF16 column c is half c % 2 of word c / 2. The bank after the last one holds the random
// generators' state (docs/numerics.md, section 6).
struct PsumTransfer {
  bool write = false;
  unsigned partition = 0, partitions = 0;
  unsigned column = 0, columns = 0;  // column = bank * bank_columns + column in the bank
  float* data = nullptr;
  std::size_t stride = 0;
};

// One column written to PSUM, as seen at its write port.
struct PsumWrite {
  std::uint32_t tag = 0;  // of the MultiplyMoving
  std::uint64_t cycle = 0;
  unsigned column = 0;  // PSUM column in elements of its format: bank * columns of a bank + column
  unsigned index = 0;   // 0-based column of the instruction
  unsigned slot = 0;    // quad mode: 0..3
  unsigned partition = 0;               // first lane
  unsigned lanes = 0;                   // M
  bool half = false;                    // 16-bit elements, in the lower halves of data
  const std::uint32_t* data = nullptr;  // one word per lane, valid during the call
};

class PsumObserver {
 public:
  virtual ~PsumObserver() = default;
  virtual void psum_written(const PsumWrite& write) = 0;
};

// The one socket of the tensor engine: the fast model, the Verilated RTL and their lockstep are
// behind it. Results and cycles are the same on all of them (formulas: rtl/tensor/README.md). PSUM
// is behind it too.
//
// Use: while ready(), push() commands, in program order, in the current cycle(); advance_to() the
// next_event(); take the statuses. Commands read SBUF between their push and their status: keep the
// operands unchanged.
class TensorDatapath {
 public:
  static constexpr std::uint64_t kIdle = std::numeric_limits<std::uint64_t>::max();

  virtual ~TensorDatapath() = default;

  virtual const TensorShape& shape() const = 0;
  virtual std::uint64_t cycle() const = 0;

  // A command may be accepted in the current cycle. At most one push per cycle: push() makes
  // ready() false until the next advance_to().
  virtual bool ready() const = 0;
  virtual void push(const TensorCommand& command) = 0;

  // First cycle after cycle() at which a status, a finished PSUM transfer or ready() can change;
  // kIdle if nothing is in flight.
  virtual std::uint64_t next_event() const = 0;
  // Moves the clock; `cycle` must not be beyond next_event().
  virtual void advance_to(std::uint64_t cycle) = 0;
  // Jumps over cycles in which the block has no work (its clock is stopped): only when next_event()
  // is kIdle.
  virtual void skip_to(std::uint64_t cycle) = 0;

  // Statuses come in program order, one a cycle.
  virtual bool pop_status(TensorStatus* status) = 0;

  // PSUM access for the other engines: one column of all partitions a cycle, except in cycles in
  // which the array uses the same bank. One transfer at a time; it is finished when psum_busy() is
  // false.
  virtual void psum_start(const PsumTransfer& transfer) = 0;
  virtual bool psum_busy() const = 0;
  // The same at once and without simulated time, for a debugger; false if this datapath cannot.
  virtual bool psum_debug(const PsumTransfer& /*transfer*/) { return false; }

  // Reports every PSUM write of the array; null to stop. Those of one command come in order. The
  // model reports them ahead of time, with their cycle.
  virtual void set_observer(PsumObserver* observer) = 0;
};

}  // namespace tern
