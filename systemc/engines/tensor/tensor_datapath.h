// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "sw/base/state_archive.h"
#include "sw/spec/generated/formats.h"
#include "sw/spec/generated/isa.h"
#include "sw/spec/generated/tensor_codes.h"
#include "sw/spec/generated/tensor_shapes.h"
#include "sw/spec/tensor_modes.h"

namespace tern {

// Size of one tensor engine. The named configurations are in docs/spec/tensor.yaml; full is the
// chip's.
struct TensorShape {
  unsigned rows = TERN_TENSOR_ROWS;  // contraction K: one row per SBUF partition
  unsigned cols = TERN_TENSOR_COLS;  // stationary free size M: one column per PSUM partition
  unsigned psum_banks = TERN_TENSOR_PSUM_BANKS;
  unsigned bank_columns = TERN_TENSOR_BANK_COLUMNS;  // FP32 words per partition in one PSUM bank
  unsigned min_interval = TERN_TENSOR_MIN_INTERVAL;  // minimum cycles between two MultiplyMoving
  // Maximum FP32 moving columns per instruction; BF16: twice.
  unsigned max_moving = TERN_TENSOR_MAX_MOVING;
  unsigned command_depth = TERN_TENSOR_COMMAND_DEPTH;  // maximum commands accepted and not retired
  unsigned stages = TERN_TENSOR_STAGES;                // cycles from a row or block to the next
  unsigned sbuf_bytes = 256 * 1024;                    // bytes per SBUF partition
  unsigned ramp_cycles = 0;  // in which an array at rest comes to its full rate; 0: at once
};

enum class TensorOp : std::uint8_t {
  kLoadStationary = TERN_TENSOR_OP_LOAD_STATIONARY,
  kMultiplyMoving = TERN_TENSOR_OP_MULTIPLY_MOVING,
  kTranspose = TERN_TENSOR_OP_TRANSPOSE,
};

// Operand formats, with the codes of docs/spec/formats.yaml. One element of an x4 format is four
// packed values of one column.
enum class TensorType : std::uint8_t {
  kBf16 = TERN_DTYPE_BF16,
  kFp16 = TERN_DTYPE_FP16,
  kFp32 = TERN_DTYPE_FP32,
  kTf32 = TERN_DTYPE_TF32,
  kE4m3 = TERN_DTYPE_E4M3,
  kE5m2 = TERN_DTYPE_E5M2,
  kE4m3fn = TERN_DTYPE_E4M3FN,
  kE4m3fnX4 = TERN_DTYPE_E4M3FN_X4,
  kE5m2X4 = TERN_DTYPE_E5M2_X4,
  kE2m1X4 = TERN_DTYPE_E2M1_X4,
};

// Part of the array's rows or columns that a tile claims for itself. Tiles on different parts run
// at the same time.
enum class TensorTileSize : std::uint8_t {
  kWhole = TERN_TILE_SIZE_WHOLE,
  kHalf = TERN_TILE_SIZE_HALF,
  kQuarter = TERN_TILE_SIZE_QUARTER,
};

// One command of the engine. Partition r of the operand feeds array row r.
struct TensorCommand {
  TensorOp op = TensorOp::kLoadStationary;
  TensorType type = TensorType::kBf16;  // of the operand this command reads
  std::uint32_t tag = 0;                // returned in the status; 8 bits in the RTL
  unsigned row_start = 0;               // first partition of the tile: a multiple of rows/4
  unsigned rows = 0;                    // K of the tile in partitions
  unsigned cols = 0;               // M of the tile (LoadStationary: elements read per partition)
  std::uint32_t sbuf_address = 0;  // byte offset in the partition
  // num0 * num1 elements per partition, N of a MultiplyMoving, else M; element (i1, i0) is at
  // address + size * (i0*step0 + i1*step1), size = bytes of an element.
  unsigned num0 = 1;
  int step0 = 1;
  unsigned num1 = 1;
  int step1 = 0;
  // Destination; the column counts elements of its format and may lead into the next banks.
  unsigned psum_bank = 0;
  unsigned psum_column = 0;
  bool accumulate = false;  // add to PSUM instead of overwriting it

  TensorMode mode = TensorMode::kDense;
  bool high_half = false;                            // kFp32: which half
  TensorSparsity sparsity = TensorSparsity::k4of16;  // kSparse
  // The tile is the part of that size which contains row_start and col_start. Rows: kDense,
  // kDoubleRow, kMx; columns: kDense.
  TensorTileSize tile_rows = TensorTileSize::kWhole;
  TensorTileSize tile_cols = TensorTileSize::kWhole;
  unsigned col_start = 0;         // first array column: a multiple of cols/4
  std::int32_t plane = 0;         // kSparse moving, kDoubleRow: bytes between two planes
  std::uint32_t aux_address = 0;  // scales (kMx, kQuad) or tags (kSparse LoadStationary)
  unsigned scale_offset = 0;      // of the scales in a quadrant: 0, 4, 8 or 12
  bool bf16_result = false;       // PSUM destination BF16 instead of FP32
  bool stochastic = false;        // rounding of a BF16 destination
};

// Meanings: rtl/tensor/README.md, "Commands".
enum class TensorStatusCode : std::uint8_t {
  kOk = TERN_TENSOR_STATUS_OK,
  kBadOperation = TERN_TENSOR_STATUS_BAD_OPERATION,
  kBadTile = TERN_TENSOR_STATUS_BAD_TILE,
  kBadMoving = TERN_TENSOR_STATUS_BAD_MOVING,
  kBadPsum = TERN_TENSOR_STATUS_BAD_PSUM,
  kBadAlignment = TERN_TENSOR_STATUS_BAD_ALIGNMENT,
  kNoStationary = TERN_TENSOR_STATUS_NO_STATIONARY,
  kBadAddress = TERN_TENSOR_STATUS_BAD_ADDRESS,
  kBadScale = TERN_TENSOR_STATUS_BAD_SCALE,
  kBadTag = TERN_TENSOR_STATUS_BAD_TAG,
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

// One column written to PSUM, as observed at its write port.
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

  // For a snapshot: nothing is in flight, and a command of this cycle would wait for nothing.
  virtual bool rests_for_snapshot(std::uint64_t /*cycle*/) const { return false; }
  // While it does: PSUM, random states and loaded weights. The model only.
  virtual void archive_state(base::StateArchive& /*archive*/) {
    throw std::logic_error("TensorDatapath: only the model can be saved");
  }
};

}  // namespace tern
