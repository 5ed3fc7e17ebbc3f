// SPDX-License-Identifier: Apache-2.0
#include "sw/platform/hosted_chip.h"

namespace tern {

HostedChip::HostedChip(const std::string& name, const ChipConfig& config,
                       const ChipOptions& options)
    : config_(config), irq_((name + "_irq").c_str()) {
  chip_ = std::make_unique<Chip>(name.c_str(), config_, with_origins(options), &trace_);
  host_ = std::make_unique<runtime::HostPort>((name + "_host").c_str());
  host_->socket.bind(chip_->host);
  host_->irq.bind(irq_);
  chip_->irq.bind(irq_);
  host_tracks_ = {trace_.add_track("host", "programs"), trace_.add_track("host", "copies")};
}

void HostedChip::trace_host(HostSpan kind, const std::string& name, std::uint64_t begin_fs,
                            std::uint64_t end_fs) {
  if (!trace_.enabled()) return;
  trace_.span({host_tracks_[static_cast<unsigned>(kind)], name, begin_fs, end_fs, {}});
}

ChipOptions HostedChip::with_origins(ChipOptions options) const {
  if (options.core.describe) return options;
  options.core.describe = [this](unsigned queue, unsigned index) {
    if (running_ == nullptr) return std::string();
    const auto& origins = running_->origins[queue];
    return index < origins.size() ? origins[index] : std::string();
  };
  return options;
}

}  // namespace tern
