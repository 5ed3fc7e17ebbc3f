// SPDX-License-Identifier: Apache-2.0
#include "sw/platform/hosted_chip.h"

#include <cmath>
#include <cstdint>
#include <numeric>

#include "sw/base/math.h"
#include "systemc/trace/sim_time.h"

namespace tern {

namespace {

// All clocks of a core start a cycle together at multiples of this time.
std::uint64_t common_period_fs(const CoreConfig& core) {
  constexpr std::uint64_t kFsPerSecond = 1'000'000'000'000'000;
  std::uint64_t period = 1;
  for (const double ghz : {core.tensor_clock_ghz, core.vector.clock_ghz, core.scalar.clock_ghz,
                           core.gpsimd.clock_ghz, core.sync.clock_ghz}) {
    const auto hertz = static_cast<std::uint64_t>(std::llround(ghz * 1e9));
    period = std::lcm(period, kFsPerSecond / std::gcd(kFsPerSecond, hertz));  // divides 1 s
  }
  return period;
}

}  // namespace

HostedChip::HostedChip(const std::string& name, const ChipConfig& config,
                       const ChipOptions& options)
    : config_(config),
      program_core_(options.program_core),
      running_(config.cores),
      irq_((name + "_irq").c_str()) {
  chip_ = std::make_unique<Chip>(name.c_str(), config_, with_origins(options), &trace_);
  host_ = std::make_unique<runtime::HostPort>((name + "_host").c_str());
  function_ = std::make_unique<pcie::Function>((name + "_pcie").c_str(), config_);
  host_->socket.bind(function_->bus);
  host_->config.bind(function_->config);
  function_->chip.bind(chip_->host);
  chip_->host_memory.bind(function_->master);
  function_->host.bind(host_->memory().socket);
  function_->set_reset_handler([this] {
    for (unsigned n = 0; n < chip_->cores(); ++n) chip_->core(n).reset();
  });
  host_->irq.bind(irq_);
  chip_->irq.bind(irq_);
  chip_->messages().set_receiver(
      [function = function_.get()](unsigned vector) { function->message(vector); });
  host_tracks_ = {trace_.add_track("host", "programs"), trace_.add_track("host", "copies")};
}

void HostedChip::settle() const {
  constexpr std::uint64_t kMostFs = 100'000'000'000;  // clocks of odd rates meet refresh too rarely
  const auto refresh = static_cast<std::uint64_t>(std::llround(config_.hbm.timing.t_refi * 1e6));
  std::uint64_t period = common_period_fs(config_.core);
  if (period < kMostFs && std::lcm(period, refresh) < kMostFs) period = std::lcm(period, refresh);
  // At rest two refreshes go where one is due: all that are owed, and a round more.
  const std::uint64_t rested = now_fs() + (config_.hbm.refresh_postpone + 2) * refresh;
  sc_core::wait(from_fs(ceil_div(rested, period) * period - now_fs()));
}

void HostedChip::archive_state(base::StateArchive& archive) {
  chip_->archive_state(archive);
  function_->archive_state(archive);
  host_->archive_state(archive);
}

void HostedChip::trace_host(HostSpan kind, const std::string& name, std::uint64_t begin_fs,
                            std::uint64_t end_fs) {
  if (!trace_.enabled()) return;
  trace_.span({host_tracks_[static_cast<unsigned>(kind)], name, begin_fs, end_fs, {}});
}

ChipOptions HostedChip::with_origins(ChipOptions options) const {
  if (options.core.describe || options.describe) return options;
  options.describe = [this](unsigned core, unsigned queue, unsigned index) {
    const Executable* program = running_.at(core);
    if (program == nullptr) return std::string();
    const auto& origins = program->origins[queue];
    return index < origins.size() ? origins[index] : std::string();
  };
  return options;
}

}  // namespace tern
