// SPDX-License-Identifier: Apache-2.0
#include "sw/app/host/run_wave.h"

#include <fmt/format.h>

#include <filesystem>

#include "sw/base/user_error.h"
#include "systemc/trace/sim_time.h"

namespace tern::app {

std::unique_ptr<wave::ChipWave> chip_wave(const ChipWaveOptions& options, const ChipConfig& chip) {
  if (options.file.empty()) return nullptr;
  if (options.from_cycle > options.to_cycle) {
    throw UserError(fmt::format("--wave-to: expected at least {}, the cycle of --wave-from, got {}",
                                options.from_cycle, options.to_cycle));
  }
  return std::make_unique<wave::ChipWave>(options, chip, now_fs);
}

void listen(wave::ChipWave* wave, trace::Bus& trace) {
  if (wave == nullptr) return;
  trace.add_sink(wave->sink());
  wave->check_scope();
}

void check_wave(const ChipWaveOptions& options) {
  std::error_code ignored;
  const bool whole = std::filesystem::exists(options.file, ignored) &&
                     !std::filesystem::exists(options.file + ".partial", ignored);
  if (!options.file.empty() && !whole)
    throw RunError(fmt::format("{}: write failed: the waveform is not whole", options.file));
}

}  // namespace tern::app
