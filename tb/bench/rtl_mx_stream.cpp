// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/rtl_mx_stream.h"

#include <cstring>
#include <random>

#include "systemc/engines/tensor/tensor_model.h"
#include "tb/bench/tensor_stream.h"

namespace tern::bench {

namespace {

constexpr unsigned kRows = 128, kLanes = 128, kColumns = 512;
constexpr unsigned kProducts = 8;  // one PSUM bank each
constexpr unsigned kMovingBytes = kColumns * 4, kStationaryBytes = kLanes * 4;
constexpr unsigned kStationaryBase = kProducts * kMovingBytes;
constexpr unsigned kScaleBase = kStationaryBase + kProducts * kStationaryBytes;
constexpr unsigned kBytes = 32 * 1024;

// Finite elements and scales around 1.
void fill(std::vector<std::uint8_t>* sbuf, TensorType type) {
  std::mt19937 random(0);
  const unsigned largest = type == TensorType::kE5m2X4 ? 0x7B : 0x7E;
  for (unsigned row = 0; row < kRows; ++row) {
    std::uint8_t* partition = sbuf->data() + std::size_t{row} * kBytes;
    for (unsigned i = 0; i < kBytes; ++i) {
      partition[i] = static_cast<std::uint8_t>(
          i < kScaleBase ? random() % (largest + 1) | (random() & 0x80) : 120 + random() % 16);
    }
  }
}

std::vector<float> read_psum(TensorDatapath& engine) {
  const std::size_t words = std::size_t{engine.shape().psum_banks} * engine.shape().bank_columns;
  std::vector<float> psum(kLanes * words);
  PsumTransfer transfer;
  transfer.partitions = kLanes;
  transfer.columns = static_cast<unsigned>(words);
  transfer.data = psum.data();
  transfer.stride = words;
  engine.psum_start(transfer);
  while (engine.psum_busy()) engine.advance_to(engine.next_event());
  return psum;
}

}  // namespace

RtlMxStream::RtlMxStream(TensorType type) : sbuf_(std::size_t{kBytes} * kRows) {
  fill(&sbuf_, type);
  for (unsigned i = 0; i < kProducts; ++i) {
    TensorCommand c;
    c.type = type;
    c.mode = TensorMode::kMx;
    c.tag = 2 * i;
    c.rows = kRows;
    c.cols = c.num0 = kLanes;
    c.sbuf_address = kStationaryBase + i * kStationaryBytes;
    c.aux_address = kScaleBase + i * kLanes;
    commands_.push_back(c);
    c.op = TensorOp::kMultiplyMoving;
    c.tag = 2 * i + 1;
    c.sbuf_address = i * kMovingBytes;
    c.aux_address = kScaleBase + kProducts * kLanes + i * kColumns;
    c.num0 = kColumns;
    c.psum_bank = i;
    commands_.push_back(c);
  }
  TensorRtlOptions options;
  options.sbuf = {sbuf_.data(), kBytes};
  options.sbuf_bytes = kBytes;
  engine_ = make_tensor_rtl(options);
}

double RtlMxStream::macs() const {
  return double{kProducts} * 4 * kRows * kLanes * kColumns;
}

std::uint64_t RtlMxStream::round() {
  return run_stream(*engine_, commands_);
}

std::size_t RtlMxStream::mismatches() {
  TensorShape shape = engine_->shape();
  TensorModel model(shape, {sbuf_.data(), kBytes});
  run_stream(model, commands_);
  const std::vector<float> expected = read_psum(model), found = read_psum(*engine_);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    wrong += std::memcmp(&found[i], &expected[i], sizeof(float)) != 0;
  }
  return wrong;
}

}  // namespace tern::bench
