// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/top/bench/tensor_bench.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>

namespace tern::tb {

namespace {

constexpr unsigned kSbufBytes = 256 * 1024;
constexpr unsigned kStateWords = 6;  // of a random generator

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

TensorBench::TensorBench(const std::string& config, MakeEngine make)
    : sbuf_(config_shape(config).rows, kSbufBytes),
      engine_(make(config, sbuf_.view(), kSbufBytes)),
      reference_(shape(), sbuf_) {
  engine().set_observer(this);
}

TensorBench::~TensorBench() = default;

TensorCommand TensorBench::load(unsigned row_start, unsigned rows, unsigned cols, unsigned address,
                                TensorType type) const {
  TensorCommand c;
  c.op = TensorOp::kLoadStationary;
  c.type = type;
  c.row_start = row_start;
  c.rows = rows;
  c.cols = cols;
  c.sbuf_address = address;
  return c;
}

TensorCommand TensorBench::move(const TensorCommand& stationary, unsigned columns, unsigned address,
                                unsigned bank, unsigned psum_column, bool accumulate,
                                TensorType type) const {
  TensorCommand c = stationary;
  c.op = TensorOp::kMultiplyMoving;
  c.type = type;
  c.sbuf_address = address;
  c.num0 = columns;
  c.step0 = 1;
  c.psum_bank = bank;
  c.psum_column = psum_column;
  c.accumulate = accumulate;
  return c;
}

TensorCommand TensorBench::transpose(unsigned row_start, unsigned rows, unsigned cols,
                                     unsigned address, unsigned bank, unsigned psum_column,
                                     TensorType type) const {
  TensorCommand c = load(row_start, rows, cols, address, type);
  c.op = TensorOp::kTranspose;
  c.psum_bank = bank;
  c.psum_column = psum_column;
  return c;
}

void TensorBench::accept(TensorCommand command) {
  const ReferenceTiming& timing = reference_.timing();
  while (!engine().ready()) {
    if (timing.ready(engine().cycle()))
      fail("not ready in cycle " + std::to_string(engine().cycle()));
    step();
  }
  if (!timing.ready(engine().cycle())) fail("ready in cycle " + std::to_string(engine().cycle()));
  command.tag = next_tag_++ & 0xFF;
  // The model reports writes when a command is pushed: first the reference.
  expected_.push_back(reference_.accept(command, engine().cycle()));
  for (const ExpectedWrite& write : reference_.writes())
    due_[command.tag][write.slot].push_back(write);
  writes_due_ += reference_.writes().size();
  engine().push(command);
  if (engine().ready()) fail("ready twice in a cycle");
  step();
}

void TensorBench::finish() {
  while (engine().next_event() != TensorDatapath::kIdle) step();
  if (statuses_seen_ != expected_.size()) fail("statuses are missing");
  if (writes_due_ != 0) fail("PSUM writes are missing");
  compare_counters();
}

void TensorBench::compare_counters() const {
  const TensorCounters actual = engine_.counters();
  const ExpectedCounters& expected = reference_.counters();
  if (actual.load_commands != expected.loads || actual.move_commands != expected.moves ||
      actual.moving_columns != expected.columns || actual.macs != expected.macs ||
      actual.errors != expected.errors) {
    CHECK(actual.load_commands == expected.loads);
    CHECK(actual.move_commands == expected.moves);
    CHECK(actual.moving_columns == expected.columns);
    CHECK(actual.macs == expected.macs);
    CHECK(actual.errors == expected.errors);
    fail("the counters differ");
  }
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
                                  const Access& access,
                                  const std::function<std::uint32_t(unsigned, unsigned)>& value) {
  for (const TensorCommand& command : program) accept(command);
  for (; delay > 0; --delay) step();
  if (access.write) {
    write_psum(access.lane, access.lanes, access.column, access.columns, value);
  } else {
    compare_psum(access.lane, access.lanes, access.column, access.columns);
  }
  finish();
}

void TensorBench::step() {
  // A hang would be a test without end.
  if (!expected_.empty() && statuses_seen_ < expected_.size() &&
      engine().cycle() > expected_.back().retire + 10) {
    fail("no status for tag " + std::to_string(expected_[statuses_seen_].tag));
  }
  if (engine().next_event() == TensorDatapath::kIdle) {
    engine().skip_to(engine().cycle() + 1);
  } else {
    engine().advance_to(engine().cycle() + 1);
  }
  TensorStatus status;
  while (engine().pop_status(&status)) {
    if (statuses_seen_ >= expected_.size()) fail("a status too many");
    const ExpectedStatus& expected = expected_[statuses_seen_++];
    INFO("tag " << expected.tag << ", issue " << expected.issue);
    REQUIRE(status.tag == expected.tag);
    REQUIRE(static_cast<int>(status.code) == static_cast<int>(expected.code));
    REQUIRE(status.cycle == expected.retire);
  }
}

void TensorBench::psum_written(const PsumWrite& write) {
  if (write.slot > 3) fail("a write of slot " + std::to_string(write.slot));
  auto& due = due_[write.tag & 0xFF][write.slot];
  if (due.empty()) {
    fail("tag " + std::to_string(write.tag) + ": a PSUM write too many, column " +
         std::to_string(write.column) + " in cycle " + std::to_string(write.cycle));
  }
  compare_write(write, due.front());
  due.pop_front();
  --writes_due_;
  ++writes_compared_;
}

void TensorBench::compare_write(const PsumWrite& actual, const ExpectedWrite& expected) const {
  const auto where = [&] {
    return "tag " + std::to_string(actual.tag) + " column " + std::to_string(expected.index) +
           " slot " + std::to_string(expected.slot) + " cycle " + std::to_string(actual.cycle);
  };
  if (actual.index != expected.index || actual.column != expected.column ||
      actual.partition != expected.partition || actual.lanes != expected.data.size() ||
      actual.half != expected.half) {
    fail(where() + ": another write: column " + std::to_string(actual.index) + " to " +
         std::to_string(actual.column) + " (expected " + std::to_string(expected.column) +
         "), lanes " + std::to_string(actual.partition) + " + " + std::to_string(actual.lanes) +
         (actual.half ? ", 16 bits" : ", 32 bits"));
  }
  if (actual.cycle != expected.cycle)
    fail(where() + ": expected in cycle " + std::to_string(expected.cycle));
  for (unsigned lane = 0; lane < actual.lanes; ++lane) {
    if (actual.data[lane] != expected.data[lane]) {
      fail(where() + " lane " + std::to_string(lane) + ": " + hex(actual.data[lane]) +
           ", expected " + hex(expected.data[lane]));
    }
  }
}

void TensorBench::transfer(const PsumTransfer& transfer) {
  const std::uint64_t end =
      reference_.timing().access_end(engine().cycle(), transfer.column, transfer.columns);
  engine().psum_start(transfer);
  while (engine().psum_busy()) step();
  INFO("PSUM transfer of " << transfer.columns << " columns from " << transfer.column);
  if (engine().cycle() != end) REQUIRE(engine().cycle() == end);
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
  const unsigned columns = shape().psum_banks * shape().bank_columns;
  compare_psum(0, shape().cols, 0, columns);
  compare_psum(0, shape().cols, columns, kStateWords);
}

void TensorBench::compare_psum(unsigned lane, unsigned lanes, unsigned column, unsigned columns) {
  std::vector<float> data(std::size_t{lanes} * columns);
  PsumTransfer request;
  request.partition = lane;
  request.partitions = lanes;
  request.column = column;
  request.columns = columns;
  request.data = data.data();
  request.stride = columns;
  transfer(request);
  for (unsigned m = 0; m < lanes; ++m) {
    for (unsigned c = 0; c < columns; ++c) {
      const std::uint32_t actual = bits_of(data[std::size_t{m} * columns + c]);
      const std::uint32_t expected = reference_.psum(lane + m, column + c);
      if (actual != expected) {
        fail("PSUM lane " + std::to_string(lane + m) + " column " + std::to_string(column + c) +
             ": " + hex(actual) + ", expected " + hex(expected));
      }
    }
  }
}

}  // namespace tern::tb
