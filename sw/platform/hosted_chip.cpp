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
