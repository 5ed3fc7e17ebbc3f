// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "systemc/engines/tensor/block_array.h"
#include "systemc/engines/tensor/chain_array.h"
#include "systemc/engines/tensor/chain_device.h"
#include "systemc/engines/tensor/psum_memory.h"
#include "systemc/engines/tensor/tensor_check.h"
#include "systemc/engines/tensor/tensor_counters.h"
#include "systemc/engines/tensor/tensor_datapath.h"
#include "systemc/engines/tensor/tensor_kernel.h"
#include "systemc/engines/tensor/tensor_records.h"
#include "systemc/engines/tensor/tensor_schedule.h"

namespace tern {

// The fast model of the tensor engine: same bits and same cycles as the RTL. Everything is computed
// when a command is pushed; only its status waits for its cycle. PSUM transfers move their data
// when they start and are busy for as long as the RTL's.
class TensorModel : public TensorDatapath {
 public:
  // `kernels`: null takes the fastest that this host can run.
  TensorModel(const TensorShape& shape, SbufView sbuf, const TensorKernels* kernels = nullptr);
  // Products are those of a device, their times still the model's. A program that multiplies
  // anything but dense BF16 operands into FP32 ends with a RunError.
  TensorModel(const TensorShape& shape, SbufView sbuf, std::shared_ptr<ChainDevice> device);

  const TensorShape& shape() const override { return shape_; }
  std::uint64_t cycle() const override { return schedule_.cycle(); }
  bool ready() const override { return schedule_.ready(); }
  void push(const TensorCommand& command) override;
  std::uint64_t next_event() const override { return schedule_.next_event(); }
  void advance_to(std::uint64_t cycle) override;
  void skip_to(std::uint64_t cycle) override;
  bool pop_status(TensorStatus* status) override;
  void psum_start(const PsumTransfer& transfer) override;
  bool psum_busy() const override { return schedule_.psum_busy(); }
  bool psum_debug(const PsumTransfer& transfer) override;
  void set_observer(PsumObserver* observer) override { observer_ = observer; }
  bool rests_for_snapshot(std::uint64_t cycle) const override {
    return statuses_.empty() && next_event() == kIdle && schedule_.settled() <= cycle;
  }
  void archive_state(base::StateArchive& archive) override;

  TensorCounters counters() const;

 private:
  // Computes a command that the engine accepts; returns its status code.
  TensorStatusCode run(const TensorCommand& command);
  TensorStatusCode load(const TensorCommand& command);
  void multiply(const TensorCommand& command);
  void multiply_on_device(const TensorCommand& command, const TensorStationary& stationary);
  void transpose(const TensorCommand& command);
  void report(const TensorCommand& command, std::uint64_t issue);

  TensorShape shape_;
  SbufView sbuf_;
  TensorSchedule schedule_;
  TensorRecords records_;
  ChainArray chains_;
  BlockArray blocks_;
  PsumMemory psum_;
  TensorCounters counters_;
  PsumObserver* observer_ = nullptr;
  std::shared_ptr<ChainDevice> device_;

  std::deque<TensorStatus> statuses_;  // not popped yet, in program order
  std::uint64_t busy_until_ = 0;
};

}  // namespace tern
