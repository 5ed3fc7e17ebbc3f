// SPDX-License-Identifier: Apache-2.0
#include "sw/app/host/run_wave.h"

#include <fmt/format.h>

#include <filesystem>

#include "sw/base/user_error.h"
#include "systemc/trace/sim_time.h"

namespace tern::app {

std::unique_ptr<wave::ChipWave> chip_wave(const ChipWaveOptions& options, const ChipConfig& chip) {
  if (options.file.empty()) return nullptr;
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
    throw RunError(fmt::format("{}: the waveform could not be written", options.file));
}

}  // namespace tern::app
