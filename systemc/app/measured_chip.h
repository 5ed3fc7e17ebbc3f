// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "sw/runtime/host_port.h"
#include "systemc/chip/chip.h"
#include "systemc/config/chip_config.h"
#include "systemc/trace/perfetto_sink.h"
#include "systemc/trace/span_log.h"
#include "systemc/trace/trace.h"

namespace tern::app {

// A chip with a host of its own, whose cores' spans are kept. Several may stand in one Simulation:
// they share nothing but the clock on the wall.
class MeasuredChip {
 public:
  // trace_file: also written as a Perfetto trace; empty: none.
  MeasuredChip(const std::string& name, const ChipConfig& config,
               const std::string& trace_file = "");

  const ChipConfig& config() const { return config_; }
  Chip& chip() { return *chip_; }
  runtime::HostPort& host() { return *host_; }
  trace::Bus& trace() { return bus_; }
  const trace::SpanLog& spans(unsigned core) const { return *spans_.at(core); }
  void close_trace();

 private:
  const ChipConfig config_;
  trace::Bus bus_;
  std::shared_ptr<trace::PerfettoSink> file_;
  std::vector<std::shared_ptr<trace::SpanLog>> spans_;
  sc_core::sc_signal<bool> irq_;
  std::unique_ptr<Chip> chip_;
  std::unique_ptr<runtime::HostPort> host_;
};

// Of a lane ("sync", "dma3"), the spans with this name ("" for all) that begin at or after a time;
// in order.
std::vector<trace::SpanLog::Entry> spans_since(const trace::SpanLog& log, const std::string& lane,
                                               const std::string& name, std::uint64_t begin_fs);

}  // namespace tern::app
