// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/mx_unit_rtl.h"

#include <algorithm>
#include <cstring>

#include "sw/base/seconds_since.h"
#include "sw/spec/generated/formats.h"

namespace tern {

namespace {

constexpr unsigned kQuadrants = TERN_CORE_SBUF_COUNT / kMxQuadrant;
static_assert(kMxRtlPartitions == kMxQuadrant, "one pipeline, one quadrant");

using numerics::kMxBlockRows;
using numerics::kMxSlots;

// A request's columns to and from the ports of one quadrant.
class Columns {
 public:
  Columns(const MxShape& shape, unsigned quadrant)
      : columns_(shape.columns), partition_(quadrant * kMxQuadrant) {}

  // Words of column j; `of`: how many a column has in each partition.
  template <typename Word>
  Word* words(Word* all, unsigned p, std::size_t j, unsigned of) const {
    return all + ((partition_ + p) * columns_ + j) * of;
  }
  template <typename Byte>
  Byte& scale(Byte* all, unsigned block, std::size_t j) const {
    return all[(partition_ / kMxBlockRows + block) * columns_ + j];
  }

 private:
  std::size_t columns_, partition_;
};

// Streams the columns of all quadrants, one column of each per cycle, until all results are there:
// give(quadrant, j, &input), take(quadrant, j, output). Returns the cycles.
template <typename Input, typename Pipelines, typename Give, typename Take>
std::uint64_t stream(Pipelines& pipelines, const MxShape& shape, Give give, Take take) {
  const unsigned quadrants = shape.partitions / kMxQuadrant;
  Input input;
  std::vector<std::size_t> taken(quadrants, 0);
  std::uint64_t cycle = 0;
  const auto all_taken = [&] {
    return std::all_of(taken.begin(), taken.end(),
                       [&](std::size_t n) { return n == shape.columns; });
  };
  for (; !all_taken(); ++cycle) {
    for (unsigned q = 0; q < quadrants; ++q) {
      const bool offers = cycle < shape.columns;
      if (offers) give(q, cycle, &input);
      const auto output = pipelines[q].cycle(offers ? &input : nullptr);
      if (output) take(q, taken[q]++, *output);
    }
  }
  return cycle;
}

}  // namespace

MxUnitRtl::MxUnitRtl(const WaveOfBlock& wave, const std::string& place) {
  const auto of = [&](const char* pipeline, unsigned quadrant) {
    return wave ? wave(place + pipeline + std::to_string(quadrant)) : WaveOptions();
  };
  for (unsigned q = 0; q < kQuadrants; ++q) {
    quantize_.emplace_back(of(".mx_quantize", q));
    dequantize_.emplace_back(of(".mx_dequantize", q));
  }
}

std::uint64_t MxUnitRtl::quantize(const MxQuantizeRequest& r) {
  check_mx_request(r);
  const auto wall = std::chrono::steady_clock::now();
  const auto give = [&r](unsigned quadrant, std::size_t j, MxQuantizeInput* input) {
    const Columns at(r.shape, quadrant);
    input->fp16 = r.fp16;
    input->e5m2 = r.x4_type == TERN_DTYPE_E5M2_X4;
    input->ocp = r.rule == numerics::MxRule::kOcp;
    for (unsigned i = 0; i < kMxRtlLanes; ++i)
      input->elements[i] =
          static_cast<std::uint16_t>(at.words(r.elements, i / kMxSlots, j, kMxSlots)[i % kMxSlots]);
  };
  const auto take = [&r](unsigned quadrant, std::size_t j, const MxQuantizeOutput& output) {
    const Columns at(r.shape, quadrant);
    for (unsigned p = 0; p < kMxQuadrant; ++p)
      std::memcpy(at.words(r.x4, p, j, 1), &output.codes[std::size_t{kMxSlots} * p], kMxSlots);
    for (unsigned b = 0; b < kMxRtlBlocks; ++b) at.scale(r.scales, b, j) = output.scales[b];
  };
  const std::uint64_t cycles = stream<MxQuantizeInput>(quantize_, r.shape, give, take);
  work_ += {r.shape.partitions * r.shape.columns * kMxSlots, cycles,
            mx_quantize_cycles(r.shape.columns), base::seconds_since(wall)};
  return cycles;
}

std::uint64_t MxUnitRtl::dequantize(const MxDequantizeRequest& r) {
  check_mx_request(r);
  const auto wall = std::chrono::steady_clock::now();
  const bool expands = r.scales == nullptr;
  const auto give = [&](unsigned quadrant, std::size_t j, MxDequantizeInput* input) {
    const Columns at(r.shape, quadrant);
    input->src = r.x4_type;
    input->dst = r.result_type;
    for (unsigned p = 0; p < kMxQuadrant; ++p) input->x4[p] = *at.words(r.x4, p, j, 1);
    for (unsigned b = 0; b < kMxRtlBlocks && !expands; ++b)
      input->scales[b] = at.scale(r.scales, b, j);
  };
  const auto take = [&](unsigned quadrant, std::size_t j, const MxDequantizeOutput& output) {
    const Columns at(r.shape, quadrant);
    for (unsigned p = 0; p < kMxQuadrant; ++p) {
      const std::uint32_t* lanes = &output.elements[std::size_t{kMxSlots} * p];
      if (expands) {
        *at.words(r.elements, p, j, 1) = lanes[0] | lanes[1] << 8 | lanes[2] << 16 | lanes[3] << 24;
      } else {
        std::copy_n(lanes, kMxSlots, at.words(r.elements, p, j, kMxSlots));
      }
    }
  };
  const std::uint64_t cycles = stream<MxDequantizeInput>(dequantize_, r.shape, give, take);
  work_ += {r.shape.partitions * r.shape.columns * kMxSlots, cycles,
            mx_dequantize_cycles(r.shape.columns), base::seconds_since(wall)};
  return cycles;
}

}  // namespace tern
