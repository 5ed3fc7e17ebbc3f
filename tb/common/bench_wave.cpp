// SPDX-License-Identifier: Apache-2.0
#include "tb/common/bench_wave.h"

#include <cstdlib>
#include <filesystem>

#include "tb/common/wave_cycle.h"

namespace tern::tb {

WaveOptions bench_wave() {
  WaveOptions wave;
  const char* file = std::getenv("TERN_WAVE");
  if (file == nullptr || *file == '\0') return wave;
  const std::filesystem::path path(file);
  wave.file = file;
  for (unsigned n = 2; std::filesystem::exists(wave.file + ".partial"); ++n) {
    std::filesystem::path other = path;
    other.replace_filename(path.stem().string() + "-" + std::to_string(n) +
                           path.extension().string());
    wave.file = other.string();
  }
  if (wave.file == file) wave.cycle_now = wave_cycle();
  return wave;
}

}  // namespace tern::tb
