// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sw/base/partial_file.h"
#include "sw/config/chip_config.h"
#include "sw/config/wave_options.h"
#include "systemc/wave/fst_file.h"
#include "systemc/wave/state_log.h"

namespace tern::wave {

// One waveform of a chip, in simulated time: Verilated blocks record to files of their own, models
// report states and spans to the trace; at the end all of it becomes one FST.
//
// It must outlive the blocks. If it is destroyed by an exception, what was recorded until then
// stays as FILE.partial.
class ChipWave {
 public:
  // UserErrors: a file that cannot be written, a trigger that is none.
  ChipWave(const ChipWaveOptions& options, const ChipConfig& chip,
           std::function<std::uint64_t()> now_fs);
  ~ChipWave();
  ChipWave(const ChipWave&) = delete;
  ChipWave& operator=(const ChipWave&) = delete;

  // Tensor and DMA engines count the clocks of simulated time. The units of the Vector engine and
  // the adders next to a memory count only those in which they work: a model asks them at a moment,
  // and their cycles follow from there.
  enum class Block { kTensor, kVector, kNearMemory, kDma };
  // How the block at `scope` ("core0.tensor") records; without a file if it is not to.
  WaveOptions part(const std::string& scope, Block block);

  std::shared_ptr<trace::Sink> sink() const { return log_; }
  // Of a chip that has been built, with its parts and its trace: UserError if the scope is empty.
  void check_scope() const;

 private:
  class Time;
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  StateLog::Place place(std::uint64_t ps) const;
  std::uint64_t limit(std::uint64_t cycle) const;  // its time, once recording has begun
  void read_trigger();
  bool write();  // false: not whole
  void warn_of_nothing() const;

  const ChipWaveOptions options_;
  const double tensor_ps_, vector_ps_, dma_ps_;  // a cycle
  const std::function<std::uint64_t()> now_fs_;
  const int exceptions_;
  base::PartialFile partial_;
  std::string folder_;  // of the parts
  std::vector<RtlPart> parts_;
  std::string trigger_path_, trigger_value_;
  bool signal_seen_ = false;                     // of the trigger
  std::atomic<std::uint64_t> begin_ps_{kNever};  // of the recording
  std::shared_ptr<StateLog> log_;
};

}  // namespace tern::wave
