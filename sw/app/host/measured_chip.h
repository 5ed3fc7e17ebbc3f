// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sw/platform/hosted_chip.h"
#include "systemc/trace/perfetto_sink.h"
#include "systemc/trace/span_log.h"
#include "systemc/trace/trace.h"

namespace tern::app {

// Refuses a chip whose settings ask for RTL; who: the kind or command that has models only.
void refuse_rtl(const ChipConfig& config, const std::string& who);

// A chip with a host whose cores' spans are kept.
class MeasuredChip : public HostedChip {
 public:
  // trace_file: also written as a Perfetto trace; empty: none. options: for back ends with RTL.
  MeasuredChip(const std::string& name, const ChipConfig& config,
               const std::string& trace_file = "", const ChipOptions& options = {});

  const trace::SpanLog& spans(unsigned core) const { return *spans_.at(core); }
  void close_trace();

 private:
  std::shared_ptr<trace::PerfettoSink> file_;
  std::vector<std::shared_ptr<trace::SpanLog>> spans_;
};

// Of a lane ("sync", "dma3"), the spans with this name ("" for all) that begin at or after a time;
// in order.
std::vector<trace::SpanLog::Entry> spans_since(const trace::SpanLog& log, const std::string& lane,
                                               const std::string& name, std::uint64_t begin_fs);

}  // namespace tern::app
