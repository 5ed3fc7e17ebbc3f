// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "systemc/engines/tensor/tensor_datapath.h"

namespace tern::tb {

inline TensorShape tiny_shape() {
  TensorShape shape;
  shape.rows = 32;
  shape.cols = 16;
  shape.bank_columns = 16;
  shape.min_interval = 4;
  shape.max_moving = 128;
  shape.sbuf_bytes = 4096;
  return shape;
}

// A separate state buffer, with a gap between partitions.
class FakeSbuf {
 public:
  explicit FakeSbuf(const TensorShape& shape)
      : pitch_(shape.sbuf_bytes + 64), bytes_(pitch_ * shape.rows) {}

  SbufView view() const { return {bytes_.data(), pitch_}; }
  void put(unsigned partition, unsigned address, std::uint16_t bits) {
    std::memcpy(bytes_.data() + partition * pitch_ + address, &bits, sizeof bits);
  }
  void put32(unsigned partition, unsigned address, std::uint32_t bits) {
    std::memcpy(bytes_.data() + partition * pitch_ + address, &bits, sizeof bits);
  }
  void put8(unsigned partition, unsigned address, std::uint8_t bits) {
    bytes_[partition * pitch_ + address] = bits;
  }
  // Operands: `wild` bytes of 1000 are anything (NaN, infinity, subnormals), the others make
  // moderate numbers in every format.
  void fill(std::mt19937_64& random, unsigned wild) {
    for (std::uint8_t& byte : bytes_) {
      const auto any = static_cast<std::uint8_t>(random());
      byte = random() % 1000 < wild
                 ? any
                 : static_cast<std::uint8_t>((any & 0x80) + 0x30 + random() % 28);
    }
  }

 private:
  std::size_t pitch_;
  std::vector<std::uint8_t> bytes_;
};

inline TensorCommand load_stationary(unsigned rows, unsigned cols, unsigned address = 0) {
  TensorCommand command;
  command.op = TensorOp::kLoadStationary;
  command.rows = rows;
  command.cols = command.num0 = cols;
  command.sbuf_address = address;
  return command;
}

inline TensorCommand multiply_moving(unsigned rows, unsigned cols, unsigned columns,
                                     unsigned address = 0) {
  TensorCommand command = load_stationary(rows, cols, address);
  command.op = TensorOp::kMultiplyMoving;
  command.num0 = columns;
  return command;
}

// Moves the clock to the next cycle in which a command may be pushed.
inline void wait_ready(TensorDatapath& engine) {
  while (!engine.ready()) engine.advance_to(engine.next_event());
}

// Runs until nothing is in flight; the statuses in order.
inline std::vector<TensorStatus> drain(TensorDatapath& engine) {
  std::vector<TensorStatus> statuses;
  TensorStatus status;
  while (true) {
    while (engine.pop_status(&status)) statuses.push_back(status);
    if (engine.next_event() == TensorDatapath::kIdle) return statuses;
    engine.advance_to(engine.next_event());
  }
}

inline std::vector<TensorStatus> run(TensorDatapath& engine,
                                     const std::vector<TensorCommand>& commands) {
  for (const TensorCommand& command : commands) {
    wait_ready(engine);
    engine.push(command);
  }
  return drain(engine);
}

inline std::vector<std::uint32_t> read_psum(TensorDatapath& engine) {
  const TensorShape& shape = engine.shape();
  PsumTransfer transfer;
  transfer.partitions = shape.cols;
  transfer.columns = shape.psum_banks * shape.bank_columns;
  std::vector<float> values(std::size_t{transfer.partitions} * transfer.columns);
  transfer.data = values.data();
  transfer.stride = transfer.columns;
  engine.psum_start(transfer);
  while (engine.psum_busy()) engine.advance_to(engine.next_event());
  std::vector<std::uint32_t> bits(values.size());
  std::memcpy(bits.data(), values.data(), values.size() * sizeof(float));
  return bits;
}

}  // namespace tern::tb
