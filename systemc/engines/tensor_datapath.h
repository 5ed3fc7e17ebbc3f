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
  unsigned max_moving = 512;         // moving columns N per instruction at most
  unsigned command_depth = 16;       // commands accepted and not yet retired at most
  unsigned sbuf_bytes = 256 * 1024;  // bytes per SBUF partition
};

enum class TensorOp : std::uint8_t { kLoadStationary = 0, kMultiplyMoving = 1 };

// Operand formats, with the codes of docs/spec/isa.yaml.
enum class TensorType : std::uint8_t { kBf16 = 6, kFp16 = 7 };

// One command of the engine. Partition r of the operand feeds array row r.
struct TensorCommand {
  TensorOp op = TensorOp::kLoadStationary;
  TensorType type = TensorType::kBf16;  // of the operand this command reads
  std::uint32_t tag = 0;                // returned in the status; 8 bits in the RTL
  unsigned row_start = 0;          // first partition of the tile: 0, rows/4, rows/2 or 3*rows/4
  unsigned rows = 0;               // K of the tile
  unsigned cols = 0;               // M of the tile (LoadStationary: elements read per partition)
  std::uint32_t sbuf_address = 0;  // byte offset in the partition
  // MultiplyMoving only: N = num0 * num1 columns; element (i1, i0) is at address + 2*(i0*step0 +
  // i1*step1).
  unsigned num0 = 1;
  int step0 = 1;
  unsigned num1 = 1;
  int step1 = 0;
  unsigned psum_bank = 0;
  unsigned psum_column = 0;
  bool accumulate = false;  // add to PSUM instead of overwriting it
};

enum class TensorStatusCode : std::uint8_t {
  kOk = 0,
  kBadOperation = 1,  // unknown operation or operand type
  kBadTile = 2,       // rows, row_start or cols outside the array
  kBadMoving = 3,     // N is 0 or above max_moving
  kBadPsum = 4,       // the destination leaves its bank
  kBadAlignment = 5,  // stationary not on 8 bytes, moving not on 2 bytes
  kNoStationary =
      6,  // MultiplyMoving before any LoadStationary, or with another tile shape than it loaded
  kBadAddress = 7,  // an operand address leaves the partition
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

// A rectangle of PSUM moved for another engine: data[p * stride + c].
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
  unsigned column = 0;                  // PSUM column, bank * bank_columns + column in the bank
  unsigned index = 0;                   // 0-based column of the instruction
  unsigned lanes = 0;                   // M
  const std::uint32_t* data = nullptr;  // FP32 bits per lane, valid during the call
};

class PsumObserver {
 public:
  virtual ~PsumObserver() = default;
  virtual void psum_written(const PsumWrite& write) = 0;
};

// The one socket of the tensor engine: the fast model, the Verilated RTL and their lockstep stand
// behind it. Results and cycles are the same on all of them (formulas: rtl/tensor/README.md). PSUM
// lives behind it too.
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
  // kIdle if nothing is under way.
  virtual std::uint64_t next_event() const = 0;
  // Moves the clock; `cycle` must not lie beyond next_event().
  virtual void advance_to(std::uint64_t cycle) = 0;
  // Jumps over cycles in which the block has no work (its clock is stopped): only when next_event()
  // is kIdle.
  virtual void skip_to(std::uint64_t cycle) = 0;

  // Statuses come in program order, one a cycle.
  virtual bool pop_status(TensorStatus* status) = 0;

  // PSUM access for the other engines: one column of all partitions a cycle. One transfer at a
  // time; it is finished when psum_busy() is false (the model: at once).
  virtual void psum_start(const PsumTransfer& transfer) = 0;
  virtual bool psum_busy() const = 0;

  // Reports every PSUM write of the array; null to stop. The model reports them ahead of time, with
  // their cycle.
  virtual void set_observer(PsumObserver* observer) = 0;
};

}  // namespace tern
