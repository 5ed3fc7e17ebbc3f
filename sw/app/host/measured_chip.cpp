// SPDX-License-Identifier: Apache-2.0
#include "sw/app/host/measured_chip.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/app/host/run_options.h"
#include "sw/base/user_error.h"

namespace tern::app {

void refuse_rtl(const ChipConfig& config, const std::string& who) {
  for (const RtlBlock& block : kRtlBlocks) {
    for (const Backend backend : config.*block.place) {
      if (backend == Backend::kModel) continue;
      throw UserError(fmt::format("chip '{}': key '{}': '{}': not with {}, which runs on the model",
                                  config.name, block.key, backend_name(backend), who));
    }
  }
}

MeasuredChip::MeasuredChip(const std::string& name, const ChipConfig& config,
                           const std::string& trace_file, const ChipOptions& options)
    : HostedChip(name, config, options) {
  if (!trace_file.empty()) {
    file_ = std::make_shared<trace::PerfettoSink>(trace_file);
    trace().add_sink(file_);
  }
  for (unsigned core = 0; core < config.cores; ++core) {
    spans_.push_back(std::make_shared<trace::SpanLog>(fmt::format("core{}", core)));
    trace().add_sink(spans_.back());
  }
}

void MeasuredChip::close_trace() {
  if (file_) file_->close();
}

std::vector<trace::SpanLog::Entry> spans_since(const trace::SpanLog& log, const std::string& lane,
                                               const std::string& name, std::uint64_t begin_fs) {
  std::vector<trace::SpanLog::Entry> found;
  const auto place = log.lanes().find(lane);
  if (place == log.lanes().end()) return found;
  for (const trace::SpanLog::Entry& entry : place->second) {
    if (entry.begin_fs < begin_fs) continue;
    if (name.empty() || log.names()[entry.name] == name) found.push_back(entry);
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.begin_fs < b.begin_fs; });
  return found;
}

}  // namespace tern::app
