// SPDX-License-Identifier: Apache-2.0
#include "tb/common/bench_wave.h"

#include <cstdlib>
#include <filesystem>

#include "tb/common/bench_cycle.h"

namespace tern::tb {

namespace {

bool asked = false;

}  // namespace

WaveOptions bench_wave() {
  asked = true;
  WaveOptions wave;
  wave.cycle_now = bench_cycle();
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
  if (wave.file != file) wave.cycle_now = nullptr;
  return wave;
}

bool bench_records() {
  return asked;
}

}  // namespace tern::tb
