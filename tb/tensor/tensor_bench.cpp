// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/tensor_bench.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>

namespace tern::tb {

namespace {

TensorRtlOptions options_of(const std::string& config, const TestSbuf& sbuf) {
  TensorRtlOptions options;
  options.config = config;
  options.sbuf = sbuf.view();
  options.wave = wave_of_environment();
  return options;
}

[[noreturn]] void fail(const std::string& text) {
  FAIL(text);
  std::abort();
}

std::string hex(std::uint32_t bits) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08X", bits);
  return text;
}

}  // namespace

WaveOptions wave_of_environment() {
  WaveOptions wave;
  if (const char* file = std::getenv("TERN_WAVE")) wave.file = file;
  return wave;
}

TensorBench::TensorBench(const std::string& config)
    : sbuf_(tensor_rtl_shape(config).rows, 256 * 1024),
      rtl_(make_tensor_rtl(options_of(config, sbuf_))),
      reference_(rtl_->shape(), sbuf_) {
  rtl_->set_observer(this);
}

TensorBench::~TensorBench() = default;

TensorCommand TensorBench::load(unsigned row_start, unsigned rows, unsigned cols, unsigned address,
                                TensorType type) {
  TensorCommand c;
  c.op = TensorOp::kLoadStationary;
  c.type = type;
  c.tag = next_tag_++ & 0xFF;
  c.row_start = row_start;
  c.rows = rows;
  c.cols = cols;
  c.sbuf_address = address;
  return c;
}

TensorCommand TensorBench::move(const TensorCommand& stationary, unsigned columns, unsigned address,
                                unsigned bank, unsigned psum_column, bool accumulate,
                                TensorType type) {
  TensorCommand c = stationary;
  c.op = TensorOp::kMultiplyMoving;
  c.type = type;
  c.tag = next_tag_++ & 0xFF;
  c.sbuf_address = address;
  c.num0 = columns;
  c.step0 = 1;
  c.psum_bank = bank;
  c.psum_column = psum_column;
  c.accumulate = accumulate;
  return c;
}

void TensorBench::accept(const TensorCommand& command) {
  while (!rtl_->ready()) {
    if (reference_.ready(rtl_->cycle()))
      fail("not ready in cycle " + std::to_string(rtl_->cycle()));
    step();
  }
  if (!reference_.ready(rtl_->cycle())) fail("ready in cycle " + std::to_string(rtl_->cycle()));
  rtl_->push(command);
  expected_.push_back(reference_.accept(command, rtl_->cycle()));
  if (rtl_->ready()) fail("ready twice in a cycle");
  step();
}

void TensorBench::finish() {
  while (rtl_->next_event() != TensorDatapath::kIdle) step();
  if (statuses_seen_ != expected_.size()) fail("statuses are missing");
  if (writes_seen_ != reference_.writes().size()) fail("PSUM writes are missing");
  reference_.writes().clear();
  writes_seen_ = 0;
}

std::vector<ExpectedStatus> TensorBench::run(const std::vector<TensorCommand>& program,
                                             const std::function<unsigned(std::size_t)>& gap) {
  const std::size_t first = expected_.size();
  for (std::size_t i = 0; i < program.size(); ++i) {
    for (unsigned wait = gap ? gap(i) : 0; wait > 0; --wait) step();
    accept(program[i]);
  }
  finish();
  return {expected_.begin() + static_cast<std::ptrdiff_t>(first), expected_.end()};
}

void TensorBench::run_with_access(const std::vector<TensorCommand>& program, unsigned delay,
                                  unsigned column, unsigned columns, bool write,
                                  const std::function<std::uint32_t(unsigned, unsigned)>& value) {
  for (const TensorCommand& command : program) accept(command);
  for (; delay > 0; --delay) step();
  if (write) {
    write_psum(0, shape().cols, column, columns, value);
  } else {
    compare_psum(column, columns);
  }
  finish();
}

void TensorBench::step() {
  // A hang would be a test without end.
  if (!expected_.empty() && statuses_seen_ < expected_.size() &&
      rtl_->cycle() > expected_.back().retire + 10) {
    fail("no status for tag " + std::to_string(expected_[statuses_seen_].tag));
  }
  if (rtl_->next_event() == TensorDatapath::kIdle) {
    rtl_->skip_to(rtl_->cycle() + 1);
  } else {
    rtl_->advance_to(rtl_->next_event());
  }
  TensorStatus status;
  while (rtl_->pop_status(&status)) {
    if (statuses_seen_ >= expected_.size()) fail("a status too many");
    const ExpectedStatus& expected = expected_[statuses_seen_++];
    INFO("tag " << expected.tag << ", issue " << expected.issue);
    REQUIRE(status.tag == expected.tag);
    REQUIRE(static_cast<int>(status.code) == static_cast<int>(expected.code));
    REQUIRE(status.cycle == expected.retire);
  }
}

void TensorBench::psum_written(const PsumWrite& write) {
  if (writes_seen_ >= reference_.writes().size()) fail("a PSUM write too many");
  compare_write(write, reference_.writes()[writes_seen_++]);
}

void TensorBench::compare_write(const PsumWrite& actual, const ExpectedWrite& expected) const {
  const std::string where = "tag " + std::to_string(expected.tag) + " column " +
                            std::to_string(expected.index) + " cycle " +
                            std::to_string(actual.cycle);
  if (actual.tag != expected.tag || actual.index != expected.index ||
      actual.column != expected.column || actual.lanes != expected.data.size()) {
    fail(where + ": another write: tag " + std::to_string(actual.tag) + " column " +
         std::to_string(actual.index) + " to " + std::to_string(actual.column) + ", lanes " +
         std::to_string(actual.lanes));
  }
  if (actual.cycle != expected.cycle)
    fail(where + ": expected in cycle " + std::to_string(expected.cycle));
  for (unsigned lane = 0; lane < actual.lanes; ++lane) {
    if (actual.data[lane] != expected.data[lane]) {
      fail(where + " lane " + std::to_string(lane) + ": " + hex(actual.data[lane]) + ", expected " +
           hex(expected.data[lane]));
    }
  }
}

void TensorBench::transfer(PsumTransfer transfer) {
  rtl_->psum_start(transfer);
  while (rtl_->psum_busy()) step();
}

void TensorBench::write_psum(unsigned lane, unsigned lanes, unsigned column, unsigned columns,
                             const std::function<std::uint32_t(unsigned, unsigned)>& value) {
  std::vector<float> data;
  for (unsigned m = lane; m < lane + lanes; ++m) {
    for (unsigned c = column; c < column + columns; ++c) {
      const std::uint32_t bits = value(m, c);
      data.push_back(float_of(bits));
      reference_.set_psum(m, c, bits);
    }
  }
  PsumTransfer request;
  request.write = true;
  request.partition = lane;
  request.partitions = lanes;
  request.column = column;
  request.columns = columns;
  request.data = data.data();
  request.stride = columns;
  transfer(request);
}

void TensorBench::compare_psum() {
  compare_psum(0, shape().psum_banks * shape().bank_columns);
}

void TensorBench::compare_psum(unsigned column, unsigned columns) {
  std::vector<float> data(std::size_t{shape().cols} * columns);
  PsumTransfer request;
  request.partitions = shape().cols;
  request.column = column;
  request.columns = columns;
  request.data = data.data();
  request.stride = columns;
  transfer(request);
  for (unsigned lane = 0; lane < shape().cols; ++lane) {
    for (unsigned c = 0; c < columns; ++c) {
      const std::uint32_t actual = bits_of(data[std::size_t{lane} * columns + c]);
      if (actual != reference_.psum(lane, column + c)) {
        fail("PSUM lane " + std::to_string(lane) + " column " + std::to_string(column + c) + ": " +
             hex(actual) + ", expected " + hex(reference_.psum(lane, column + c)));
      }
    }
  }
}

}  // namespace tern::tb
