// SPDX-License-Identifier: Apache-2.0
// Model and RTL in lockstep over streams of matrix products in all modes.
#include <catch2/catch.hpp>
#include <deque>
#include <string>

#include "systemc/cosim/tensor_lockstep.h"
#include "tb/common/bench_inputs.h"
#include "tb/common/seed.h"
#include "tb/tensor/command_text.h"
#include "tb/tensor/top/bench/random_program.h"

namespace tern::tb {
namespace {

class Lockstep {
 public:
  explicit Lockstep(const std::string& config)
      : shape_(config_shape(config)),
        sbuf_(shape_.rows, shape_.sbuf_bytes),
        model_(model_engine(config, sbuf_.view(), shape_.sbuf_bytes)),
        rtl_(rtl_engine(config, sbuf_.view(), shape_.sbuf_bytes)),
        pair_(std::move(model_.datapath), std::move(rtl_.datapath)) {}

  // Returns the number of statuses.
  std::size_t run(const std::vector<TensorCommand>& program) {
    std::size_t statuses = 0;
    TensorStatus status;
    const auto step = [&] {
      pair_.advance_to(pair_.next_event());
      while (pair_.pop_status(&status)) ++statuses;
    };
    for (const TensorCommand& command : program) {
      while (!pair_.ready()) step();
      recent_.push_back(command);
      if (recent_.size() > 4) recent_.pop_front();
      pair_.push(command);
      pair_.advance_to(pair_.cycle() + 1);
      while (pair_.pop_status(&status)) ++statuses;
    }
    while (pair_.next_event() != TensorDatapath::kIdle) step();
    return statuses;
  }
  // All of PSUM and the generators; the pair compares what it reads.
  void compare_psum() {
    const unsigned columns = shape_.psum_banks * shape_.bank_columns;
    read(0, columns);
    read(columns, 6);
  }
  void compare_counters() const {
    const TensorCounters model = model_.counters(), rtl = rtl_.counters();
    CHECK(model.busy_cycles == rtl.busy_cycles);
    CHECK(model.load_commands == rtl.load_commands);
    CHECK(model.move_commands == rtl.move_commands);
    CHECK(model.moving_columns == rtl.moving_columns);
    CHECK(model.macs == rtl.macs);
    CHECK(model.errors == rtl.errors);
    CHECK(model.weight_stalls == rtl.weight_stalls);
    CHECK(model.psum_conflicts == rtl.psum_conflicts);
  }
  const TensorShape& shape() const { return shape_; }
  TestSbuf& sbuf() { return sbuf_; }
  TensorLockstep& pair() { return pair_; }

 private:
  void read(unsigned column, unsigned columns) {
    std::vector<float> words(std::size_t{shape_.cols} * columns);
    PsumTransfer transfer;
    transfer.partitions = shape_.cols;
    transfer.column = column;
    transfer.columns = columns;
    transfer.data = words.data();
    transfer.stride = columns;
    pair_.psum_start(transfer);
    while (pair_.psum_busy()) pair_.advance_to(pair_.next_event());
  }

  TensorShape shape_;
  TestSbuf sbuf_;
  Engine model_, rtl_;
  TensorLockstep pair_;
  std::deque<TensorCommand> recent_;
  BenchInputs inputs_{[this] {
    std::string all = "the last commands";
    for (const TensorCommand& command : recent_) all += "\n  " + text(command);
    return all;
  }};
};

// C[m][n] += A[k][m] * B[k][n] over several slabs of k and tiles of n, as a kernel issues it: the
// next weights load during the running multiplies, transposes run in parallel.
std::vector<TensorCommand> gemm(const TensorShape& shape, TensorMode mode, Random& random) {
  static const std::vector<TensorType> types[] = {
      {TensorType::kBf16, TensorType::kFp16},
      {TensorType::kBf16, TensorType::kFp16},
      {TensorType::kE4m3fn, TensorType::kE5m2},
      {TensorType::kE4m3fnX4, TensorType::kE5m2X4, TensorType::kE2m1X4},
      {TensorType::kE4m3fnX4, TensorType::kE5m2X4, TensorType::kE2m1X4}};
  const auto& formats = types[static_cast<unsigned>(mode)];
  const unsigned banks = mode == TensorMode::kQuad ? 2 : 4;
  const unsigned columns = std::min(shape.bank_columns, 2 * shape.min_interval);
  const bool half = below(random, 2) != 0, stochastic = half && below(random, 2) != 0;
  const TensorType weights = pick(random, formats), moving = pick(random, formats);
  std::vector<TensorCommand> program;
  for (unsigned slab = 0; slab < 4; ++slab) {
    TensorCommand load;
    load.mode = mode;
    load.type = weights;
    load.sparsity = static_cast<TensorSparsity>(0);  // every tag is legal
    load.rows = shape.rows;
    load.cols = load.num0 = shape.cols;
    load.sbuf_address = 1024 * slab;
    load.plane = 4096;
    load.aux_address = 8192 + 256 * slab;
    load.tag = static_cast<std::uint32_t>(program.size());
    program.push_back(load);
    for (unsigned tile = 0; tile < banks; ++tile) {
      TensorCommand move = load;
      move.op = TensorOp::kMultiplyMoving;
      move.type = moving;
      move.tag = static_cast<std::uint32_t>(program.size());
      move.sbuf_address = 512 * tile + 128 * slab;
      move.plane = 4096;
      if (mode == TensorMode::kSparse) move.plane = 2048;
      move.num0 = columns;
      move.psum_bank = tile;
      move.accumulate = slab != 0;
      move.bf16_result = half;
      move.stochastic = stochastic;
      program.push_back(move);
    }
    if (mode != TensorMode::kQuad) {
      TensorCommand transpose;
      transpose.op = TensorOp::kTranspose;
      transpose.type = TensorType::kBf16;
      transpose.tag = static_cast<std::uint32_t>(program.size());
      transpose.rows = shape.rows;
      transpose.cols = transpose.num0 = shape.cols;
      transpose.psum_bank = 4 + slab % 2;
      program.push_back(transpose);
    }
  }
  return program;
}

}  // namespace

TEST_CASE("lockstep: streams of matrix products in all modes") {
  Lockstep lockstep("tiny");
  Random random(test_seed() + 50);
  for (int round = 0; round < 60; ++round) {
    fill_operands(lockstep.sbuf(), lockstep.shape().rows, random);
    const auto program = gemm(lockstep.shape(), static_cast<TensorMode>(round % 5), random);
    REQUIRE(lockstep.run(program) == program.size());
    if (round % 10 == 9) lockstep.compare_psum();
  }
  REQUIRE(lockstep.pair().writes_compared() > 5000);
  lockstep.compare_counters();
}

TEST_CASE("lockstep: random commands of all modes") {
  Lockstep lockstep("tiny");
  Random random(test_seed() + 51);
  for (int round = 0; round < 150; ++round) {
    fill_operands(lockstep.sbuf(), lockstep.shape().rows, random);
    auto program = RandomCommands(lockstep.shape(), random).program(30);
    for (std::size_t i = 0; i < program.size(); ++i) program[i].tag = i & 0xFF;
    REQUIRE(lockstep.run(program) == program.size());
    if (round % 10 == 9) lockstep.compare_psum();
    lockstep.pair().skip_to(lockstep.pair().cycle() + below(random, 100));
  }
  lockstep.compare_counters();
}

}  // namespace tern::tb
