// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "systemc/cosim/tensor_rtl.h"
#include "tb/tensor/reference.h"
#include "tb/tensor/test_sbuf.h"

namespace tern::tb {

// TERN_WAVE=FILE in the environment asks for a waveform (scripts/wave).
WaveOptions wave_of_environment();

// The Verilated engine beside the reference. Every status, every PSUM write and every cycle of both
// is compared; a difference fails the running test case. With the environment variable
// TERN_WAVE=FILE the engine writes an FST.
class TensorBench : private PsumObserver {
 public:
  explicit TensorBench(const std::string& config);
  ~TensorBench() override;

  // Pushes a program as fast as the engine takes it, but not before `gap(i)` idle cycles after
  // command i - 1 was accepted; runs until the engine is idle and compares. Returns the statuses
  // with their issue cycles.
  std::vector<ExpectedStatus> run(const std::vector<TensorCommand>& program,
                                  const std::function<unsigned(std::size_t)>& gap = {});

  // PSUM through the access port; both sides.
  void write_psum(unsigned lane, unsigned lanes, unsigned column, unsigned columns,
                  const std::function<std::uint32_t(unsigned lane, unsigned column)>& value);
  void compare_psum();  // all of it
  // Runs a program and, `delay` cycles after its last command, a transfer of all lanes beside it:
  // columns that the program does not touch, written with `value` or read and compared.
  void run_with_access(const std::vector<TensorCommand>& program, unsigned delay, unsigned column,
                       unsigned columns, bool write,
                       const std::function<std::uint32_t(unsigned lane, unsigned column)>& value);

  const TensorShape& shape() const { return rtl_->shape(); }
  TestSbuf& sbuf() { return sbuf_; }
  TensorRtl& rtl() { return *rtl_; }
  Reference& reference() { return reference_; }

  // Commands with the next free tag.
  TensorCommand load(unsigned row_start, unsigned rows, unsigned cols, unsigned address,
                     TensorType type = TensorType::kBf16);
  TensorCommand move(const TensorCommand& stationary, unsigned columns, unsigned address,
                     unsigned bank, unsigned psum_column, bool accumulate = false,
                     TensorType type = TensorType::kBf16);

 private:
  void psum_written(const PsumWrite& write) override;
  void step();
  void compare_psum(unsigned column, unsigned columns);
  void accept(const TensorCommand& command);
  void finish();
  void compare_write(const PsumWrite& actual, const ExpectedWrite& expected) const;
  void transfer(PsumTransfer transfer);

  TestSbuf sbuf_;
  std::unique_ptr<TensorRtl> rtl_;
  Reference reference_;
  std::size_t writes_seen_ = 0;
  std::vector<ExpectedStatus> expected_;
  std::size_t statuses_seen_ = 0;
  std::uint32_t next_tag_ = 0;
};

}  // namespace tern::tb
