// SPDX-License-Identifier: Apache-2.0
#include "sw/app/check/march.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/base/stop.h"
#include "sw/kernels/builder/kernel_builder.h"

namespace tern::app {

namespace {

using kernels::DmaOptions;
using kernels::DType;
using kernels::KernelBuilder;
using kernels::Tensor;
using kernels::Tile;

constexpr unsigned kRows = kernels::kPartitions;

std::uint8_t byte_of(const MarchElement::Operation& operation, std::uint8_t background) {
  return static_cast<std::uint8_t>(operation.inverse ? ~background : background);
}

// Of `count` units, in the order of an element.
template <typename Visit>
void for_units(const MarchElement& element, std::size_t count, Visit visit) {
  for (std::size_t i = 0; i < count; ++i) visit(element.down ? count - 1 - i : i);
}

}  // namespace

const std::vector<MarchElement>& march_c_minus() {
  using Operation = MarchElement::Operation;
  constexpr Operation kR0{false, false}, kR1{false, true}, kW0{true, false}, kW1{true, true};
  static const std::vector<MarchElement> kElements = {
      {false, {kW0}},     {false, {kR0, kW1}}, {false, {kR1, kW0}},
      {true, {kR0, kW1}}, {true, {kR1, kW0}},  {false, {kR0}},
  };
  return kElements;
}

Difference march_by_host(runtime::HostPort& host, const std::vector<MarchRange>& ranges,
                         std::size_t word, const std::vector<std::uint8_t>& backgrounds) {
  struct Word {
    std::uint64_t address;
    std::size_t range;
  };
  std::vector<Word> words;
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    for (std::uint64_t at = 0; at + word <= ranges[r].bytes; at += word)
      words.push_back({ranges[r].address + at, r});
  }
  Difference difference;
  std::vector<std::uint8_t> data(word), expected(word);
  for (const std::uint8_t background : backgrounds) {
    for (const MarchElement& element : march_c_minus()) {
      base::end_if_requested();
      for_units(element, words.size(), [&](std::size_t i) {
        for (const MarchElement::Operation& operation : element.operations) {
          std::fill(expected.begin(), expected.end(), byte_of(operation, background));
          if (operation.write) {
            host.write(words[i].address, expected.data(), word);
            continue;
          }
          host.read(words[i].address, data.data(), word);
          const std::uint64_t wrong = difference.wrong;
          difference.compare(data.data(), expected.data(), word, 4, [&](std::size_t at) {
            return fmt::format("{}, address {:#x}", ranges[words[i].range].name,
                               words[i].address + 4 * at);
          });
          if (difference.wrong != wrong)
            difference.lanes.insert(static_cast<unsigned>(words[i].range));
        }
      });
    }
  }
  return difference;
}

Executable march_by_dma(const ChipConfig& chip, bool hbm, unsigned units, std::uint32_t bytes) {
  KernelBuilder kb(hbm ? "march of HBM" : "march of SBUF", chip);
  std::size_t reads = 0;
  for (const MarchElement& element : march_c_minus()) {
    for (const auto& operation : element.operations) reads += operation.write ? 0 : units;
  }
  const Tensor backgrounds = kb.input("backgrounds", DType::kUint8, {2 * kRows, bytes});
  const Tensor log = kb.output("log", DType::kUint8, {reads * kRows, bytes});
  const DmaOptions& made = kernels::kMadeByHost;
  std::optional<Tensor> memory;
  std::optional<Tile> tile;
  if (hbm) {
    memory = kb.scratch("memory", DType::kUint8, {units * kRows, bytes});
  } else {
    tile = kb.sbuf_tile("memory", kRows, units * bytes, DType::kUint8);
  }
  std::size_t read = 0;
  for (const MarchElement& element : march_c_minus()) {
    for_units(element, units, [&](std::size_t unit) {
      for (const auto& operation : element.operations) {
        const auto row = static_cast<unsigned>(unit);
        const auto source = backgrounds.view(operation.inverse ? kRows : 0, kRows, 0, bytes);
        if (operation.write && hbm) {
          kb.dma_copy(memory->view(unit * kRows, kRows, 0, bytes), source, made);
        } else if (operation.write) {
          kb.dma_load(tile->view(0, kRows, row * bytes, bytes), source, made);
        } else {
          const auto target = log.view(read++ * kRows, kRows, 0, bytes);
          if (hbm) {
            kb.dma_copy(target, memory->view(unit * kRows, kRows, 0, bytes), made);
          } else {
            kb.dma_store(target, tile->view(0, kRows, row * bytes, bytes), made);
          }
        }
      }
    });
  }
  return kb.finish();
}

std::vector<std::uint8_t> march_backgrounds(std::uint8_t background, std::uint32_t bytes) {
  std::vector<std::uint8_t> data(std::size_t{2} * kRows * bytes, background);
  std::fill(data.begin() + static_cast<std::ptrdiff_t>(data.size() / 2), data.end(),
            static_cast<std::uint8_t>(~background));
  return data;
}

std::vector<std::uint8_t> march_log(std::uint8_t background, unsigned units, std::uint32_t bytes) {
  std::vector<std::uint8_t> log;
  for (const MarchElement& element : march_c_minus()) {
    for (unsigned unit = 0; unit < units; ++unit) {
      for (const auto& operation : element.operations) {
        if (!operation.write)
          log.insert(log.end(), std::size_t{kRows} * bytes, byte_of(operation, background));
      }
    }
  }
  return log;
}

}  // namespace tern::app
