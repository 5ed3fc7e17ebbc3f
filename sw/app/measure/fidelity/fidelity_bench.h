// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "sw/app/host/measured_chip.h"
#include "sw/app/measure/dma/dma_measure.h"
#include "sw/kernels/builder/kernel_builder.h"

namespace tern::app {

// The chips on which published figures are measured: the presets, unchanged. Its functions take
// simulated time: they run in the host's SystemC thread.
class FidelityBench {
 public:
  explicit FidelityBench(const std::vector<std::string>& chips);

  MeasuredChip& chip(const std::string& name) const { return *chips_.at(name); }

  DmaSteps transfer(const std::string& chip, DmaQuestion question) const;
  // GB/s, many in flight, descriptors by one of the chip's generators where it has them.
  double rate(const std::string& chip, std::uint32_t bytes_per_partition);
  // Descriptors by the host.
  double rate_by_host(const std::string& chip, std::uint32_t bytes_per_partition) const;

  // A kernel on core 0, its inputs whatever memory holds.
  using Build = std::function<void(kernels::KernelBuilder&)>;
  // From the start of its last instruction called `name` on a queue to its result: GpSimd's last
  // tensor_copy, which must depend on it, less a semaphore's way. It must itself depend on another
  // engine: spans of an engine's instructions are drawn one after the other.
  double latency_ns(const std::string& chip, const std::string& queue, const std::string& name,
                    const Build& build) const;
  // From the start of one to that of the next: the mean over those that follow the first `before`.
  double interval_ns(const std::string& chip, const std::string& queue, const std::string& name,
                     const Build& build, std::size_t before = 1) const;
  double program_us(const std::string& chip, const Executable& program) const;

 private:
  // Runs it; when it began.
  std::uint64_t run(const std::string& chip, const Build& build) const;
  std::vector<trace::SpanLog::Entry> spans(const std::string& chip, const std::string& queue,
                                           const std::string& name, std::uint64_t begin_fs) const;

  std::map<std::string, std::unique_ptr<MeasuredChip>> chips_;
  std::map<std::pair<std::string, std::uint32_t>, double> rates_;
};

}  // namespace tern::app
