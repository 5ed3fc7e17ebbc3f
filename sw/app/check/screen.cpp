// SPDX-License-Identifier: Apache-2.0
#include "sw/app/check/screen.h"

#include <fmt/format.h>

#include <cstring>
#include <random>

#include "sw/kernels/builder/memory/limits.h"

namespace tern::app {

std::vector<ScreenTest> screen_tests(const ChipConfig& chip, bool full) {
  std::vector<ScreenTest> tests = screen_transfers(chip, full);
  for (auto* more : {&screen_engines, &screen_products}) {
    for (ScreenTest& test : (*more)(chip, full)) tests.push_back(std::move(test));
  }
  return tests;
}

Difference differences(const ScreenProgram& screen, const std::map<std::string, Bytes>& outputs) {
  Difference all;
  for (const auto& [name, expected] : screen.outputs) {
    const Bytes& bytes = outputs.at(name);
    const std::size_t row = expected.columns * expected.word_bytes;
    for (std::size_t at = 0; at < expected.bytes.size(); at += row) {
      const std::size_t r = at / row;
      const std::uint64_t wrong = all.wrong;
      all.compare(
          bytes.data() + at, expected.bytes.data() + at, row, expected.word_bytes,
          [&, &n = name](std::size_t column) { return fmt::format("{}[{}, {}]", n, r, column); });
      if (all.wrong != wrong) all.lanes.insert(static_cast<unsigned>(r % kernels::kPartitions));
    }
  }
  return all;
}

std::vector<float> screen_values(std::size_t count, unsigned stream) {
  std::mt19937_64 engine(0x7465726e + stream);
  std::vector<float> values(count);
  // Written out: the standard's distributions differ between libraries.
  for (float& value : values) value = 4.0f * (static_cast<float>(engine() >> 40) * 0x1p-24f) - 2.0f;
  return values;
}

Bytes bytes_of(const std::vector<float>& values) {
  Bytes bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace tern::app
