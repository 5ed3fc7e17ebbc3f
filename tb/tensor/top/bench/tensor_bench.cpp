// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/top/bench/tensor_bench.h"

#include <catch2/catch.hpp>
#include <cstdlib>

#include "tb/common/check_mismatch.h"
#include "tb/tensor/command_text.h"

namespace tern::tb {

namespace {

constexpr unsigned kSbufBytes = 256 * 1024;
constexpr unsigned kStateWords = 6;  // of a random generator

}  // namespace

TensorBench::TensorBench(const std::string& config, MakeEngine make, unsigned ramp_cycles)
    : sbuf_(config_shape(config).rows, kSbufBytes),
      engine_(make(config, sbuf_.view(), kSbufBytes, ramp_cycles)),
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
  c.cols = c.num0 = cols;
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
  c.num1 = 1;
  c.step1 = 0;
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
    if (timing.ready(engine().cycle())) fail("port cmd_ready_o", 1, 0);
    step();
  }
  if (!timing.ready(engine().cycle())) fail("port cmd_ready_o", 0, 1);
  command.tag = next_tag_++ & 0xFF;
  // The model reports writes when a command is pushed: first the reference.
  commands_.push_back(command);
  expected_.push_back(reference_.accept(command, engine().cycle()));
  for (const ExpectedWrite& write : reference_.writes())
    due_[command.tag][write.slot].push_back(write);
  writes_due_ += reference_.writes().size();
  engine().push(command);
  if (engine().ready()) fail("port cmd_ready_o, twice in a cycle", 0, 1);
  step();
}

void TensorBench::finish() {
  while (engine().next_event() != TensorDatapath::kIdle) step();
  if (statuses_seen_ != expected_.size()) {
    fail("port status_valid_o, statuses in all", expected_.size(), statuses_seen_);
  }
  if (writes_due_ != 0) {
    fail("port retire_valid_o, writes in all", writes_compared_ + writes_due_, writes_compared_);
  }
  compare_counters();
}

void TensorBench::compare_counters() const {
  const TensorCounters actual = engine_.counters();
  const ExpectedCounters& expected = reference_.counters();
  const auto compare = [&](const char* name, std::uint64_t want, std::uint64_t got) {
    if (want != got) fail("port perf_o, " + std::string(name), want, got);
  };
  compare("load_commands", expected.loads, actual.load_commands);
  compare("move_commands", expected.moves, actual.move_commands);
  compare("moving_columns", expected.columns, actual.moving_columns);
  compare("macs", expected.macs, actual.macs);
  compare("errors", expected.errors, actual.errors);
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
    fail("port status_o, tag " + hex(expected_[statuses_seen_].tag, 8),
         "status in cycle " + hex(expected_[statuses_seen_].retire), "none", engine().cycle(),
         text(commands_[statuses_seen_]));
  }
  if (engine().next_event() == TensorDatapath::kIdle) {
    engine().skip_to(engine().cycle() + 1);
  } else {
    engine().advance_to(engine().cycle() + 1);
  }
  TensorStatus status;
  while (engine().pop_status(&status)) {
    if (statuses_seen_ >= expected_.size()) fail("port status_valid_o, one too many", 0, 1);
    const ExpectedStatus& expected = expected_[statuses_seen_];
    const auto words = [](std::uint32_t tag, TensorStatusCode code, std::uint64_t cycle) {
      return "tag " + hex(tag, 8) + " code " + hex(static_cast<unsigned>(code), 4) + " cycle " +
             hex(cycle, 16);
    };
    const std::string want = words(expected.tag, expected.code, expected.retire);
    if (status.tag != expected.tag || status.code != expected.code ||
        status.cycle != expected.retire) {
      fail("port status_o", want, words(status.tag, status.code, status.cycle), status.cycle,
           "issued in cycle " + std::to_string(expected.issue) + ": " +
               text(commands_[statuses_seen_]));
    }
    ++statuses_seen_;
  }
}

void TensorBench::psum_written(const PsumWrite& write) {
  if (write.slot > 3) fail("port retire_o, slot", 3, write.slot);
  auto& due = due_[write.tag & 0xFF][write.slot];
  if (due.empty()) {
    fail("port retire_o, tag " + hex(write.tag, 8), "no write",
         "one to column " + hex(write.column, 16), write.cycle);
  }
  compare_write(write, due.front());
  due.pop_front();
  --writes_due_;
  ++writes_compared_;
}

void TensorBench::compare_write(const PsumWrite& actual, const ExpectedWrite& expected) const {
  const std::string place = "port retire_o, tag " + hex(actual.tag, 8) + ", column " +
                            std::to_string(expected.index) + " of slot " +
                            std::to_string(expected.slot);
  const auto words = [](unsigned index, unsigned column, unsigned partition, std::size_t lanes,
                        bool half, std::uint64_t cycle) {
    return "index " + hex(index, 12) + " to column " + hex(column, 16) + ", lanes " +
           hex(partition, 8) + " + " + hex(lanes, 8) + (half ? ", 16 bits" : ", 32 bits") +
           ", cycle " + hex(cycle, 16);
  };
  const std::string want = words(expected.index, expected.column, expected.partition,
                                 expected.data.size(), expected.half, expected.cycle);
  const std::string got =
      words(actual.index, actual.column, actual.partition, actual.lanes, actual.half, actual.cycle);
  if (want != got) {
    fail(place, want, got, actual.cycle, operands(actual.tag, expected.index, actual.partition));
  }
  for (unsigned lane = 0; lane < actual.lanes; ++lane) {
    if (actual.data[lane] == expected.data[lane]) continue;
    const unsigned bits = actual.half ? 16 : 32;
    fail(place + ", lane " + std::to_string(actual.partition + lane),
         hex(expected.data[lane], bits), hex(actual.data[lane], bits), actual.cycle,
         operands(actual.tag, expected.index, actual.partition + lane));
  }
}

void TensorBench::fail(const std::string& place, const std::string& expected,
                       const std::string& got, std::uint64_t cycle,
                       const std::string& input) const {
  // The engine may have had cycles without a clock, which a waveform does not count.
  if (*bench_cycle() != kNoCycle) cycle += *bench_cycle() - engine_.datapath->cycle();
  FAIL_MISMATCH({{place, input, cycle}, expected, got});
  std::abort();  // it does not return
}

void TensorBench::fail(const std::string& place, std::uint64_t expected, std::uint64_t got) const {
  fail(place, hex(expected, 4), hex(got, 4), engine_.datapath->cycle());
}

// The commands in flight, oldest first.
std::string TensorBench::inputs() const {
  std::string all;
  for (std::size_t i = statuses_seen_; i < commands_.size(); ++i) {
    all += (all.empty() ? "" : "\n") + text(commands_[i]);
  }
  if (all.empty() && !commands_.empty()) all = "no command; the last: " + text(commands_.back());
  return all;
}

// What a lane's element comes from: the column of the command, and the weights of the last load.
std::string TensorBench::operands(std::uint32_t tag, unsigned index, unsigned lane) const {
  std::size_t i = commands_.size();
  while (i > 0 && (commands_[i - 1].tag & 0xFF) != (tag & 0xFF)) --i;
  if (i == 0) return "no command has this tag";
  const TensorCommand& c = commands_[i - 1];
  const auto words = [&](const TensorCommand& of, std::int64_t offset) {
    const unsigned bytes = bytes_of(of.type);
    std::vector<std::uint32_t> column;
    for (unsigned r = of.row_start; r < of.row_start + of.rows; ++r) {
      column.push_back(sbuf_.read(r, of.sbuf_address + offset, bytes));
    }
    return hex_list(column, 8 * bytes);
  };
  if (c.op == TensorOp::kTranspose) return text(c);
  std::string all = text(c);
  all += "\n  moving column " + std::to_string(index) + ": " +
         words(c, pattern_offset(c, index, bytes_of(c.type)));
  while (i > 0 && commands_[i - 1].op != TensorOp::kLoadStationary) --i;
  if (i == 0) return all;
  const TensorCommand& load = commands_[i - 1];
  return all + "\n  last load: " + text(load) + "\n  its lane " + std::to_string(lane) + ": " +
         words(load, std::int64_t{bytes_of(load.type)} * (lane - load.col_start));
}

void TensorBench::transfer(const PsumTransfer& transfer) {
  const std::uint64_t end =
      reference_.timing().access_end(engine().cycle(), transfer.column, transfer.columns);
  engine().psum_start(transfer);
  while (engine().psum_busy()) step();
  if (engine().cycle() != end) {
    fail("port access_ready_o, PSUM transfer of " + std::to_string(transfer.columns) +
             " columns from " + std::to_string(transfer.column),
         "end in cycle " + hex(end, 16), "end in cycle " + hex(engine().cycle(), 16),
         engine().cycle());
  }
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
        fail("port access_rdata_o, lane " + std::to_string(lane + m) + ", PSUM column " +
                 std::to_string(column + c),
             hex(expected), hex(actual), engine().cycle());
      }
    }
  }
}

}  // namespace tern::tb
