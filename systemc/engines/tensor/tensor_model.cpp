// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/tensor/tensor_model.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sw/base/user_error.h"
#include "sw/numerics/float_bits.h"
#include "systemc/engines/tensor/tensor_geometry.h"
#include "systemc/engines/tensor/tensor_operands.h"

namespace tern {

namespace {

const TensorKernels& chosen(const TensorKernels* kernels) {
  return kernels != nullptr ? *kernels : tensor_kernels().front();
}

}  // namespace

TensorModel::TensorModel(const TensorShape& shape, SbufView sbuf, const TensorKernels* kernels)
    : shape_(shape),
      sbuf_(sbuf),
      schedule_(shape),
      chains_(shape, sbuf, chosen(kernels)),
      blocks_(shape, sbuf, chosen(kernels)),
      psum_(shape) {}

TensorModel::TensorModel(const TensorShape& shape, SbufView sbuf,
                         std::shared_ptr<ChainDevice> device)
    : TensorModel(shape, sbuf) {
  device_ = std::move(device);
}

void TensorModel::advance_to(std::uint64_t cycle) {
  if (cycle < this->cycle() || cycle > next_event()) {
    throw std::logic_error("TensorModel: advance_to() outside [cycle(), next_event()]");
  }
  schedule_.move_to(cycle);
}

void TensorModel::skip_to(std::uint64_t cycle) {
  if (cycle < this->cycle() || next_event() != kIdle) {
    throw std::logic_error("TensorModel: skip_to() while commands are in flight");
  }
  schedule_.move_to(cycle);
}

bool TensorModel::pop_status(TensorStatus* status) {
  if (statuses_.empty() || statuses_.front().cycle > cycle()) return false;
  *status = statuses_.front();
  statuses_.pop_front();
  return true;
}

void TensorModel::push(const TensorCommand& command) {
  if (!ready()) throw std::logic_error("TensorModel: push() without ready()");
  TensorStatusCode code = check_tensor_command(shape_, command, records_);
  const TensorTimeline::Slot slot = schedule_.push(command, code == TensorStatusCode::kOk);
  if (code != TensorStatusCode::kOk) {
    ++counters_.errors;
  } else {
    counters_.weight_stalls += slot.weight_stalls;
    code = run(command);
    if (observer_ != nullptr && command.op != TensorOp::kLoadStationary) {
      report(command, slot.issue);
    }
  }
  statuses_.push_back({command.tag, code, slot.retire});
  counters_.busy_cycles += slot.retire - std::max(cycle(), busy_until_);
  busy_until_ = slot.retire;
}

TensorStatusCode TensorModel::run(const TensorCommand& command) {
  switch (command.op) {
    case TensorOp::kLoadStationary:
      return load(command);
    case TensorOp::kMultiplyMoving:
      multiply(command);
      break;
    case TensorOp::kTranspose:
      transpose(command);
      break;
  }
  return TensorStatusCode::kOk;
}

TensorStatusCode TensorModel::load(const TensorCommand& command) {
  auto stationary = std::make_shared<TensorStationary>();
  stationary->command = command;
  bool legal = true;
  if (uses_mx_array(command)) {
    blocks_.load(stationary.get());
  } else {
    legal = chains_.load(stationary.get());
  }
  records_.load(shape_, std::move(stationary));
  ++counters_.load_commands;
  return legal ? TensorStatusCode::kOk : TensorStatusCode::kBadTag;
}

void TensorModel::multiply(const TensorCommand& command) {
  const TensorRecords::Stationary stationary = records_.find(shape_, command);
  if (device_) {
    multiply_on_device(command, *stationary);
  } else if (uses_mx_array(command)) {
    blocks_.multiply(command, *stationary, &psum_);
  } else {
    chains_.multiply(command, *stationary, &psum_);
  }
  records_.multiply(shape_, command);
  const std::uint64_t columns = moving_columns(command);
  ++counters_.move_commands;
  counters_.moving_columns += columns;
  counters_.macs += columns * command.rows * command.cols * products_per_cell(command.mode);
}

void TensorModel::multiply_on_device(const TensorCommand& command,
                                     const TensorStationary& stationary) {
  if (command.mode != TensorMode::kDense || command.type != TensorType::kBf16 ||
      stationary.command.type != TensorType::kBf16 || command.bf16_result) {
    throw RunError(
        "tensor engine on FPGA: it multiplies dense BF16 operands into FP32 only, and the program "
        "has another product");
  }
  const std::size_t rows = command.rows, columns = moving_columns(command);
  constexpr std::size_t kLanes = TensorTile::kLanes;
  std::vector<std::uint16_t> weights(rows * command.cols), moving(rows * columns);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t lane = 0; lane < command.cols; ++lane) {
      const float weight =
          stationary.weights[lane / kLanes * rows * kLanes + row * kLanes + lane % kLanes];
      weights[row * command.cols + lane] =
          static_cast<std::uint16_t>(numerics::bits_of(weight) >> 16);
    }
  }
  const PatternReader reader(sbuf_, command, sizeof(std::uint16_t), command.sbuf_address);
  std::vector<std::uint8_t> gathered(sizeof(std::uint16_t) * columns);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto partition = static_cast<unsigned>(command.row_start + row);
    std::memcpy(&moving[row * columns], reader.read(partition, 0, columns, gathered.data()),
                sizeof(std::uint16_t) * columns);
  }
  ChainProduct product;
  product.rows = rows;
  product.lanes = command.cols;
  product.columns = columns;
  product.weights = weights.data();
  product.moving = moving.data();
  product.psum = psum_.words(command.col_start, first_element(shape_, command));
  product.pitch = psum_.pitch();
  product.accumulate = command.accumulate;
  device_->multiply(product);
}

void TensorModel::transpose(const TensorCommand& command) {
  const std::size_t first = first_element(shape_, command);
  const unsigned size = element_bytes(command.type);
  const PatternReader reader(sbuf_, command, size, command.sbuf_address);
  std::vector<std::uint8_t> gathered(std::size_t{size} * command.cols);
  for (unsigned row = 0; row < command.rows; ++row) {
    const std::uint8_t* source =
        reader.read(command.row_start + row, 0, command.cols, gathered.data());
    for (unsigned lane = 0; lane < command.cols; ++lane) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, source + std::size_t{size} * lane, size);
      psum_.set_bits(lane, first + row, writes_halves(command), bits);
    }
  }
  records_.transpose();
  ++counters_.load_commands;
}

void TensorModel::report(const TensorCommand& command, std::uint64_t issue) {
  const auto columns = static_cast<unsigned>(written_columns(command));
  const auto first = static_cast<unsigned>(first_element(shape_, command));
  const unsigned between = banks_between_slots(shape_) * elements_of_bank(shape_, command);
  std::vector<std::uint32_t> lanes(command.cols);
  PsumWrite write;
  write.tag = command.tag;
  write.partition = command.op == TensorOp::kTranspose ? 0 : command.col_start;
  write.lanes = command.cols;
  write.half = writes_halves(command);
  write.data = lanes.data();
  for (unsigned n = 0; n < columns; ++n) {
    write.index = n;
    write.cycle = issue + n + write_delay(shape_, command);
    for (write.slot = 0; write.slot < result_slots(command); ++write.slot) {
      write.column = first + n + write.slot * between;
      for (unsigned lane = 0; lane < command.cols; ++lane) {
        lanes[lane] = psum_.bits(write.partition + lane, write.column, write.half);
      }
      observer_->psum_written(write);
    }
  }
}

void TensorModel::psum_start(const PsumTransfer& transfer) {
  if (psum_busy()) throw std::logic_error("TensorModel: psum_start() while busy");
  psum_.transfer(transfer);
  schedule_.psum_start(transfer);
}

bool TensorModel::psum_debug(const PsumTransfer& transfer) {
  psum_.transfer(transfer);
  return true;
}

TensorCounters TensorModel::counters() const {
  TensorCounters counters = counters_;
  counters.psum_conflicts = schedule_.psum_conflicts();
  return counters;
}

}  // namespace tern
