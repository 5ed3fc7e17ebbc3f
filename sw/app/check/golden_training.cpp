// SPDX-License-Identifier: Apache-2.0
#include "sw/app/check/golden_training.h"

#include <fmt/format.h>

#include <cstring>

#include "sw/app/check/screen.h"

namespace tern::app {

namespace {

constexpr std::uint32_t kFeatures = 32, kClasses = 8, kBatch = 128;

// Recorded from the fast model by `tern check --record`.
constexpr GoldenBits kGolden = {{0x4053e6e1, 0x404970ae, 0x403fb16a, 0x4036154e, 0x40275a32,
                                 0x401c63dc, 0x401c7f7e, 0x401d5405},
                                0x1db27ea6};

}  // namespace

train::MlpSpec GoldenTraining::spec() {
  train::MlpSpec spec;
  spec.sizes = {kFeatures, 32, kClasses};
  spec.batch = kBatch;
  return spec;
}

std::vector<float> GoldenTraining::points(unsigned step) {
  return screen_values(std::size_t{kBatch} * kFeatures, 100 + step);
}

// The class of a point: the largest of its first features.
train::Batch GoldenTraining::batch(unsigned step) {
  const std::vector<float> points = GoldenTraining::points(step);
  train::Batch batch;
  batch.x = to_bytes(points, spec().operand());
  for (std::size_t i = 0; i < kBatch; ++i) {
    std::int32_t label = 0;
    for (std::int32_t c = 1; c < static_cast<std::int32_t>(kClasses); ++c) {
      if (points[i * kFeatures + static_cast<std::size_t>(c)] >
          points[i * kFeatures + static_cast<std::size_t>(label)])
        label = c;
    }
    batch.labels.push_back(label);
  }
  return batch;
}

std::vector<float> GoldenTraining::hyper(unsigned step) {
  return train::hyper_of(spec(), step + 1, kRate);
}

const GoldenBits& golden_bits() {
  return kGolden;
}

std::optional<std::string> golden_difference(const GoldenBits& is, const GoldenBits& expected) {
  const auto text = [](std::uint32_t bits) {
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return fmt::format("{:#010x} ({:.6f})", bits, value);
  };
  for (unsigned step = 0; step < GoldenTraining::kSteps; ++step) {
    if (is.losses[step] != expected.losses[step])
      return fmt::format("loss of step {} is {}, expected {}", step, text(is.losses[step]),
                         text(expected.losses[step]));
  }
  if (is.state_crc32 != expected.state_crc32)
    return fmt::format("CRC-32 of the weights is {:#010x}, expected {:#010x}", is.state_crc32,
                       expected.state_crc32);
  return {};
}

}  // namespace tern::app
