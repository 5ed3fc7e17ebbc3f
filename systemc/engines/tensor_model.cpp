// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/tensor_model.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "systemc/numerics/convert.h"
#include "systemc/numerics/fp_modes.h"

namespace tern {

namespace {

constexpr std::size_t kLanes = TensorTile::kLanes;
constexpr std::size_t kColumns = TensorTile::kColumns;

constexpr std::size_t divide_up(std::size_t a, std::size_t b) {
  return (a + b - 1) / b;
}

// Rows of one power-of-two pitch would all fall into the same cache sets: keep a line between them.
constexpr std::size_t kPadding = 16;

numerics::DType operand_type(TensorType type) {
  return static_cast<numerics::DType>(type);
}

std::uint64_t moving_columns(const TensorCommand& command) {
  return std::uint64_t{command.num0} * command.num1;
}

bool moving_inside(const TensorCommand& command, std::int64_t bytes) {
  const std::int64_t span0 = (std::int64_t{command.num0} - 1) * command.step0;
  const std::int64_t span1 = (std::int64_t{command.num1} - 1) * command.step1;
  const std::int64_t low = std::min<std::int64_t>(span0, 0) + std::min<std::int64_t>(span1, 0);
  const std::int64_t high = std::max<std::int64_t>(span0, 0) + std::max<std::int64_t>(span1, 0);
  const std::int64_t address = command.sbuf_address;
  return address + 2 * low >= 0 && address + 2 * high <= bytes - 2;
}

// A row of a full tile.
template <typename Convert>
void widen_row(const std::uint8_t* __restrict source, float* __restrict target, Convert convert) {
#pragma GCC unroll 1
  for (std::size_t i = 0; i < kColumns; ++i) {
    std::uint16_t raw;
    std::memcpy(&raw, source + 2 * i, sizeof raw);
    target[i] = convert(raw);
  }
}

// The moving operand of one instruction, a row of a tile at a time.
class MovingReader {
 public:
  MovingReader(const SbufView& sbuf, const TensorCommand& command)
      : sbuf_(sbuf),
        command_(command),
        contiguous_((command.num0 == 1 || command.step0 == 1) &&
                    (command.num1 == 1 || command.step1 == static_cast<int>(command.num0))) {}

  // Columns [column, column + width) of a row, widened, zero up to the tile's end.
  void read(std::size_t row, std::size_t column, std::size_t width, float* target) const {
    const std::uint8_t* source = start(row);
    if (contiguous_) return widen(source + 2 * column, width, target);
    std::uint8_t gathered[2 * kColumns];
    for (std::size_t i = 0; i < width; ++i) {
      const auto i0 = static_cast<std::int64_t>((column + i) % command_.num0);
      const auto i1 = static_cast<std::int64_t>((column + i) / command_.num0);
      std::memcpy(gathered + 2 * i, source + 2 * (i0 * command_.step0 + i1 * command_.step1), 2);
    }
    widen(gathered, width, target);
  }

  // Rows lie in different pages, so the host's own prefetcher does not see the next tile coming:
  // ask for part `part` of `parts` of it.
  void prefetch(std::size_t column, std::size_t part, std::size_t parts) const {
    if (!contiguous_ || column >= moving_columns(command_)) return;
    const std::size_t end = command_.rows * (part + 1) / parts;
    for (std::size_t row = command_.rows * part / parts; row < end; ++row) {
      const std::uint8_t* source = start(row) + 2 * column;
      __builtin_prefetch(source);
      if (reinterpret_cast<std::uintptr_t>(source) % 64 != 0) __builtin_prefetch(source + 63);
    }
  }

 private:
  const std::uint8_t* start(std::size_t row) const {
    return sbuf_.partition(static_cast<unsigned>(command_.row_start + row)) + command_.sbuf_address;
  }
  void widen(const std::uint8_t* source, std::size_t width, float* target) const {
    if (width != kColumns) {
      numerics::widen(operand_type(command_.type), source, target, width);
      std::fill(target + width, target + kColumns, 0.0f);
    } else if (command_.type == TensorType::kBf16) {
      widen_row(source, target, numerics::bf16_to_float);
    } else {
      widen_row(source, target, numerics::fp16_to_float);
    }
  }

  const SbufView& sbuf_;
  const TensorCommand& command_;
  const bool contiguous_;
};

}  // namespace

double TensorCounters::utilisation(const TensorShape& shape, std::uint64_t cycles) const {
  if (cycles == 0) return 0.0;
  return static_cast<double>(macs) /
         (static_cast<double>(shape.rows) * shape.cols * static_cast<double>(cycles));
}

TensorStatusCode check_tensor_command(const TensorShape& shape, const TensorCommand& command,
                                      const TensorCommand* loaded) {
  const bool load = command.op == TensorOp::kLoadStationary;
  if (!load && command.op != TensorOp::kMultiplyMoving) return TensorStatusCode::kBadOperation;
  if (command.type != TensorType::kBf16 && command.type != TensorType::kFp16) {
    return TensorStatusCode::kBadOperation;
  }
  const unsigned row_step = std::max(shape.rows / 4, 1u);
  if (command.rows == 0 || command.rows > shape.rows || command.row_start >= shape.rows ||
      command.rows > shape.rows - command.row_start || command.row_start % row_step != 0 ||
      command.cols == 0 || command.cols > shape.cols) {
    return TensorStatusCode::kBadTile;
  }
  if (load) {
    if (command.sbuf_address % 8 != 0) return TensorStatusCode::kBadAlignment;
    if (std::uint64_t{command.sbuf_address} + 2 * std::uint64_t{command.cols} > shape.sbuf_bytes) {
      return TensorStatusCode::kBadAddress;
    }
    return TensorStatusCode::kOk;
  }
  const std::uint64_t columns = moving_columns(command);
  if (columns == 0 || columns > shape.max_moving) return TensorStatusCode::kBadMoving;
  if (command.psum_bank >= shape.psum_banks || command.psum_column + columns > shape.bank_columns) {
    return TensorStatusCode::kBadPsum;
  }
  if (command.sbuf_address % 2 != 0) return TensorStatusCode::kBadAlignment;
  if (loaded == nullptr || loaded->row_start != command.row_start || loaded->rows != command.rows ||
      loaded->cols != command.cols) {
    return TensorStatusCode::kNoStationary;
  }
  if (!moving_inside(command, shape.sbuf_bytes)) return TensorStatusCode::kBadAddress;
  return TensorStatusCode::kOk;
}

TensorTimeline::Slot TensorTimeline::load_stationary(std::uint64_t now, unsigned cols) {
  const std::uint64_t length = divide_up(cols, 4);
  // In order, so also after the MultiplyMoving that freed the buffer.
  const std::uint64_t issue = std::max({now + 1, next_issue_, next_load_});
  next_load_ = issue + length;
  stationary_ready_ = issue + length + 1;
  return finish(issue, issue + length + shape_.rows);
}

TensorTimeline::Slot TensorTimeline::multiply_moving(std::uint64_t now, unsigned columns) {
  const std::uint64_t issue = std::max({now + 1, next_issue_, next_multiply_, stationary_ready_});
  next_multiply_ = issue + std::max(shape_.min_interval, columns);
  return finish(issue, issue + columns + shape_.rows + 2);
}

TensorTimeline::Slot TensorTimeline::rejected(std::uint64_t now) {
  const std::uint64_t issue = std::max(now + 1, next_issue_);
  return finish(issue, issue + 1);
}

TensorTimeline::Slot TensorTimeline::finish(std::uint64_t issue, std::uint64_t complete) {
  const std::uint64_t retire = std::max(complete, next_retire_);
  next_issue_ = issue + 1;
  next_retire_ = retire + 1;
  return {issue, retire};
}

TensorModel::TensorModel(const TensorShape& shape, SbufView sbuf, TensorKernel kernel)
    : shape_(shape),
      sbuf_(sbuf),
      kernel_(kernel != nullptr ? kernel : tensor_kernels().front().kernel),
      timeline_(shape),
      panel_(shape.rows * kColumns),
      psum_pitch_(std::size_t{shape.psum_banks} * shape.bank_columns + kPadding) {
  psum_.resize(shape.cols * psum_pitch_);
}

bool TensorModel::has_room(std::uint64_t at) const {
  // The newest `command_depth` commands decide: there is room once the oldest of them has retired
  // before `at`.
  const std::size_t depth = shape_.command_depth;
  return retires_.size() < depth || retires_[retires_.size() - depth] < at;
}

bool TensorModel::ready() const {
  return !pushed_ && has_room(cycle_);
}

std::uint64_t TensorModel::next_event() const {
  if (!ready() && has_room(cycle_ + 1)) return cycle_ + 1;
  const auto next = std::upper_bound(retires_.begin(), retires_.end(), cycle_);
  return next == retires_.end() ? kIdle : *next;
}

void TensorModel::advance_to(std::uint64_t cycle) {
  if (cycle < cycle_ || cycle > next_event()) {
    throw std::logic_error("TensorModel: advance_to() outside [cycle(), next_event()]");
  }
  if (cycle == cycle_) return;
  cycle_ = cycle;
  pushed_ = false;
  while (!retires_.empty() && retires_.front() < cycle_) retires_.pop_front();
}

void TensorModel::skip_to(std::uint64_t cycle) {
  if (cycle < cycle_ || next_event() != kIdle) {
    throw std::logic_error("TensorModel: skip_to() while commands are under way");
  }
  cycle_ = cycle;
  pushed_ = false;
  while (!retires_.empty() && retires_.front() < cycle_) retires_.pop_front();
}

bool TensorModel::pop_status(TensorStatus* status) {
  if (statuses_.empty() || statuses_.front().cycle > cycle_) return false;
  *status = statuses_.front();
  statuses_.pop_front();
  return true;
}

void TensorModel::push(const TensorCommand& command) {
  if (!ready()) throw std::logic_error("TensorModel: push() without ready()");
  const TensorStatusCode code =
      check_tensor_command(shape_, command, stationary_ ? &stationary_->command : nullptr);
  TensorTimeline::Slot slot;
  if (code != TensorStatusCode::kOk) {
    slot = timeline_.rejected(cycle_);
    ++counters_.rejected;
  } else if (command.op == TensorOp::kLoadStationary) {
    slot = timeline_.load_stationary(cycle_, command.cols);
    load(command);
  } else {
    slot = timeline_.multiply_moving(cycle_, static_cast<unsigned>(moving_columns(command)));
    multiply(command);
    if (observer_ != nullptr) report(command, slot.issue);
  }
  pushed_ = true;
  retires_.push_back(slot.retire);
  statuses_.push_back({command.tag, code, slot.retire});
  counters_.busy_cycles += slot.retire - std::max(cycle_, busy_until_);
  busy_until_ = slot.retire;
}

void TensorModel::load(const TensorCommand& command) {
  if (!stationary_) stationary_.emplace();
  stationary_->command = command;
  AlignedVector<float>& panels = stationary_->panels;
  panels.resize(divide_up(command.cols, kLanes) * command.rows * kLanes);
  const auto source = [&](std::size_t row) {
    return sbuf_.partition(static_cast<unsigned>(command.row_start + row)) + command.sbuf_address;
  };
  for (std::size_t row = 0; row < command.rows; ++row) {
    for (std::size_t byte = 0; byte < 2 * command.cols; byte += 64) {
      __builtin_prefetch(source(row) + byte);
    }
  }
  std::vector<float> wide(divide_up(command.cols, kLanes) * kLanes);
  for (std::size_t row = 0; row < command.rows; ++row) {
    numerics::widen(operand_type(command.type), source(row), wide.data(), command.cols);
    for (std::size_t lane = 0; lane < command.cols; lane += kLanes) {
      std::memcpy(panels.data() + lane * command.rows + row * kLanes, wide.data() + lane,
                  kLanes * sizeof(float));
    }
  }
  ++counters_.load_stationary;
}

void TensorModel::multiply(const TensorCommand& command) {
  const numerics::ScopedFpModes modes;
  const std::size_t columns = moving_columns(command);
  const MovingReader reader(sbuf_, command);
  const std::size_t first =
      std::size_t{command.psum_bank} * shape_.bank_columns + command.psum_column;
  TensorTile tile;
  tile.moving = panel_.data();
  tile.rows = command.rows;
  tile.accumulate = command.accumulate;
  for (std::size_t column = 0; column < columns; column += kColumns) {
    const std::size_t width = std::min(kColumns, columns - column);
    for (std::size_t row = 0; row < command.rows; ++row) {
      reader.read(row, column, width, panel_.data() + row * kColumns);
    }
    for (std::size_t lane = 0; lane < command.cols; lane += kLanes) {
      reader.prefetch(column + kColumns, lane / kLanes, divide_up(command.cols, kLanes));
      tile.stationary = stationary_->panels.data() + lane * command.rows;
      run_tile(tile, lane, std::min(kLanes, command.cols - lane), first + column, width);
    }
  }
  ++counters_.multiply_moving;
  counters_.columns += columns;
  counters_.macs += std::uint64_t{columns} * command.rows * command.cols;
}

void TensorModel::run_tile(TensorTile& tile, std::size_t lane, std::size_t height,
                           std::size_t column, std::size_t width) {
  if (width == kColumns && height == kLanes) {
    tile.psum = psum_at(lane, column);
    tile.psum_pitch = psum_pitch_;
    return kernel_(tile);
  }
  // An edge: work on a full tile beside PSUM and copy back what belongs to the instruction.
  float edge[kLanes * kColumns] = {};
  for (std::size_t i = 0; i < height; ++i) {
    std::copy_n(psum_at(lane + i, column), width, edge + i * kColumns);
  }
  tile.psum = edge;
  tile.psum_pitch = kColumns;
  kernel_(tile);
  for (std::size_t i = 0; i < height; ++i) {
    std::copy_n(edge + i * kColumns, width, psum_at(lane + i, column));
  }
}

void TensorModel::report(const TensorCommand& command, std::uint64_t issue) {
  const std::size_t columns = moving_columns(command);
  std::vector<std::uint32_t> lanes(command.cols);
  PsumWrite write;
  write.tag = command.tag;
  write.lanes = command.cols;
  write.data = lanes.data();
  for (std::size_t n = 0; n < columns; ++n) {
    write.index = static_cast<unsigned>(n);
    write.column =
        static_cast<unsigned>(command.psum_bank * shape_.bank_columns + command.psum_column + n);
    write.cycle = issue + n + shape_.rows + 2;
    for (std::size_t lane = 0; lane < command.cols; ++lane) {
      lanes[lane] = numerics::bits_of(*psum_at(lane, write.column));
    }
    observer_->psum_written(write);
  }
}

void TensorModel::psum_start(const PsumTransfer& transfer) {
  const std::size_t width = std::size_t{shape_.psum_banks} * shape_.bank_columns;
  if (std::size_t{transfer.partition} + transfer.partitions > shape_.cols ||
      std::size_t{transfer.column} + transfer.columns > width) {
    throw std::logic_error("TensorModel: PSUM transfer outside PSUM");
  }
  for (std::size_t p = 0; p < transfer.partitions; ++p) {
    float* psum = psum_at(transfer.partition + p, transfer.column);
    float* data = transfer.data + p * transfer.stride;
    if (transfer.write) {
      std::copy_n(data, transfer.columns, psum);
    } else {
      std::copy_n(psum, transfer.columns, data);
    }
  }
}

}  // namespace tern
