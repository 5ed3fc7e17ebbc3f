// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "tb/common/bench_inputs.h"
#include "tb/tensor/top/bench/engine.h"
#include "tb/tensor/top/bench/test_sbuf.h"
#include "tb/tensor/top/oracle/reference.h"

namespace tern::tb {

// An engine next to the reference. Every status, every PSUM write, every cycle and the counters of
// both are compared; a difference fails the running test case. With the environment variable
// TERN_WAVE=FILE a Verilated engine writes an FST.
class TensorBench : private PsumObserver {
 public:
  using MakeEngine = Engine (*)(const std::string& config, SbufView sbuf, unsigned sbuf_bytes,
                                unsigned ramp_cycles);

  explicit TensorBench(const std::string& config, MakeEngine make = default_engine,
                       unsigned ramp_cycles = 0);
  ~TensorBench() override;

  // Pushes a program as fast as the engine takes it, but not before `gap(i)` idle cycles after
  // command i - 1 was accepted; runs until the engine is idle and compares. Every command gets the
  // next free tag. Returns the statuses with their issue cycles.
  std::vector<ExpectedStatus> run(const std::vector<TensorCommand>& program,
                                  const std::function<unsigned(std::size_t)>& gap = {});
  ExpectedStatus run_one(const TensorCommand& command) { return run({command}).front(); }

  // PSUM through the access port; both sides. Columns of words; after the last bank come the
  // random generators.
  void write_psum(unsigned lane, unsigned lanes, unsigned column, unsigned columns,
                  const std::function<std::uint32_t(unsigned lane, unsigned column)>& value);
  void compare_psum();  // all of it, generators included
  // Runs a program and, `delay` cycles after its last command, a parallel transfer of words that
  // the program does not touch, written with `value` or read and compared.
  struct Access {
    unsigned lane, lanes, column, columns;
    bool write;
  };
  void run_with_access(const std::vector<TensorCommand>& program, unsigned delay,
                       const Access& access,
                       const std::function<std::uint32_t(unsigned lane, unsigned column)>& value);

  const TensorShape& shape() const { return engine_.datapath->shape(); }
  TestSbuf& sbuf() { return sbuf_; }
  TensorDatapath& engine() { return *engine_.datapath; }
  TensorCounters counters() const { return engine_.counters(); }
  Reference& reference() { return reference_; }
  std::uint64_t writes_compared() const { return writes_compared_; }

  // Commands of mode dense; a multiply and the fields it shares with its stationary.
  TensorCommand load(unsigned row_start, unsigned rows, unsigned cols, unsigned address,
                     TensorType type = TensorType::kBf16) const;
  TensorCommand move(const TensorCommand& stationary, unsigned columns, unsigned address,
                     unsigned bank, unsigned psum_column, bool accumulate = false,
                     TensorType type = TensorType::kBf16) const;
  TensorCommand transpose(unsigned row_start, unsigned rows, unsigned cols, unsigned address,
                          unsigned bank, unsigned psum_column, TensorType type) const;

 private:
  void psum_written(const PsumWrite& write) override;
  void step();
  void compare_psum(unsigned lane, unsigned lanes, unsigned column, unsigned columns);
  void accept(TensorCommand command);
  void finish();
  void compare_counters() const;
  void compare_write(const PsumWrite& actual, const ExpectedWrite& expected) const;
  void transfer(const PsumTransfer& transfer);

  // A mismatch at a port ends the test. `cycle`: of the engine.
  [[noreturn]] void fail(const std::string& place, const std::string& expected,
                         const std::string& got, std::uint64_t cycle,
                         const std::string& input = "") const;
  [[noreturn]] void fail(const std::string& place, std::uint64_t expected, std::uint64_t got) const;
  std::string inputs() const;
  std::string operands(std::uint32_t tag, unsigned index, unsigned lane) const;

  TestSbuf sbuf_;
  Engine engine_;
  Reference reference_;
  // Writes that are due, by tag and slot: those of commands that run at the same time interleave.
  std::array<std::array<std::deque<ExpectedWrite>, 4>, 256> due_;
  std::size_t writes_due_ = 0;
  std::uint64_t writes_compared_ = 0;
  std::vector<ExpectedStatus> expected_;
  std::vector<TensorCommand> commands_;  // of each expected status
  std::size_t statuses_seen_ = 0;
  std::uint32_t next_tag_ = 0;
  BenchInputs inputs_{[this] { return inputs(); }};
};

}  // namespace tern::tb
