// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/tensor/block_array.h"

#include <algorithm>
#include <cmath>

#include "sw/base/math.h"
#include "sw/numerics/fp_modes.h"
#include "systemc/engines/tensor/tensor_geometry.h"

namespace tern {

namespace {

// Values of `count` elements of a slot, `stride` bytes apart.
inline void look_up(const BlockTable& table, unsigned mask, const BlockLayout::Slot& slot,
                    const std::uint8_t* __restrict source, std::size_t stride, std::size_t count,
                    double* __restrict target) {
  source += slot.byte;
  if (mask == 0xFF && stride == 4 && count == BlockTile::kColumns) {
    for (std::size_t i = 0; i < BlockTile::kColumns; ++i) target[i] = table[source[i * 4]];
    return;
  }
#pragma GCC unroll 1
  for (std::size_t i = 0; i < count; ++i) {
    target[i] = table[(source[i * stride] >> slot.shift) & mask];
  }
}

// Prefetches a whole range at once: its lines have left the nearest cache since the last step, and
// one wait for each of them costs more than the decoding.
void prefetch_range(const double* begin, std::size_t count) {
  for (std::size_t i = 0; i < count; i += 64 / sizeof(double)) __builtin_prefetch(begin + i, 1);
}

bool has_specials(const AlignedVector<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double x) { return !std::isfinite(x); });
}

}  // namespace

void BlockArray::load(TensorStationary* stationary) const {
  const TensorCommand& command = stationary->command;
  const BlockLayout layout(command);
  const BlockFormat& format = block_format(command.type);
  const std::size_t parts = ceil_div(command.cols, kLanes), stride = element_bytes(command.type);
  const auto fill = [&](const BlockTable& table, AlignedVector<double>* target) {
    target->assign(layout.steps() * parts * layout.items() * kLanes, 0.0);
    for (unsigned step = 0; step < layout.steps(); ++step) {
      for (unsigned i = 0; i < layout.items(); ++i) {
        const BlockLayout::Slot slot = layout.slot(step, i % layout.slots);
        const std::uint8_t* source = sbuf_.partition(layout.partition(step) + i / layout.slots) +
                                     command.sbuf_address +
                                     std::int64_t{slot.plane} * command.plane;
        for (std::size_t lane = 0; lane < command.cols; lane += kLanes) {
          look_up(table, format.mask, slot, source + stride * lane, stride,
                  std::min(kLanes, command.cols - lane),
                  target->data() + ((step * parts + lane / kLanes) * layout.items() + i) * kLanes);
        }
      }
    }
  };
  fill(format.values, &stationary->elements);
  stationary->specials = has_specials(stationary->elements);
  if (stationary->specials) fill(format.finite, &stationary->finite);
  if (format.wide) {
    for (std::size_t c = 0; c < 3; ++c) fill(format.classes[c], &stationary->classes[c]);
  }
  stationary->scales.assign(layout.steps() * parts * kLanes, 1.0);
  if (!uses_scales(command)) return;
  for (unsigned step = 0; step < layout.steps(); ++step) {
    const std::uint8_t* codes =
        sbuf_.partition(scale_partition(command, layout, step)) + command.aux_address;
    std::transform(codes, codes + command.cols,
                   stationary->scales.begin() + static_cast<std::ptrdiff_t>(step * parts * kLanes),
                   scale_value);
  }
}

void BlockArray::multiply(const TensorCommand& command, const TensorStationary& stationary,
                          PsumMemory* psum) {
  const numerics::ScopedFpModes modes;
  const BlockLayout layout(command);
  const unsigned size = element_bytes(command.type);
  Readers readers = {{}, PatternReader(sbuf_, command, 1, command.aux_address)};
  for (unsigned plane = 0; plane < (uses_scales(command) ? 1 : 2); ++plane) {
    readers.planes.emplace_back(
        sbuf_, command, size,
        std::int64_t{command.sbuf_address} + std::int64_t{plane} * command.plane);
  }
  const bool wide = is_wide(command.type, stationary.command.type);
  acc_.resize(layout.passes * padded_lanes() * kColumns);
  const std::size_t columns = moving_columns(command);
  for (Stretch stretch = {0, 0}; stretch.column < columns; stretch.column += kColumns) {
    stretch.width = std::min(kColumns, columns - stretch.column);
    std::fill(acc_.begin(), acc_.end(), 0.0f);
    for (unsigned step = 0; step < layout.steps(); ++step) {
      decode(command, layout, readers, step, stretch, wide);
      const bool last = step + 1 == layout.steps();
      prefetch(layout, readers, last ? 0 : step + 1, stretch.column + (last ? kColumns : 0));
      add_step(command, stationary, layout, step, round_up(stretch.width, 8));
    }
    store(command, layout, stretch, psum);
  }
}

void BlockArray::decode(const TensorCommand& command, const BlockLayout& layout,
                        const Readers& readers, unsigned step, const Stretch& stretch, bool wide) {
  const BlockFormat& format = block_format(command.type);
  const std::size_t stride = element_bytes(command.type);
  std::uint8_t gathered[4 * kColumns];
  const auto fill = [&](const BlockTable& table, AlignedVector<double>* target) {
    target->resize(layout.items() * kColumns);
    prefetch_range(table.data(), table.size());
    prefetch_range(target->data(), target->size());
    double* item = target->data();
    for (unsigned row = 0; row < layout.rows; ++row) {
      for (unsigned i = 0; i < layout.slots; ++i, item += kColumns) {
        const BlockLayout::Slot slot = layout.slot(step, i);
        const std::uint8_t* source = readers.planes[slot.plane].read(
            layout.partition(step) + row, stretch.column, stretch.width, gathered);
        look_up(table, format.mask, slot, source, stride, stretch.width, item);
        for (std::size_t column = stretch.width; column < kColumns; ++column) item[column] = 0.0;
      }
    }
  };
  prefetch(layout, readers, step, stretch.column);
  fill(format.values, &panel_.values);
  if (wide) {
    panel_.specials = has_specials(panel_.values);
    if (!format.wide) fill(format.finite, &panel_.finite);
    for (std::size_t c = 0; format.wide && c < 3; ++c) fill(format.classes[c], &panel_.classes[c]);
  }
  panel_.scales.fill(1.0);
  if (!uses_scales(command)) return;
  const std::uint8_t* codes = readers.scales.read(scale_partition(command, layout, step),
                                                  stretch.column, stretch.width, gathered);
  std::transform(codes, codes + stretch.width, panel_.scales.begin(), scale_value);
}

void BlockArray::prefetch(const BlockLayout& layout, const Readers& readers, unsigned step,
                          std::size_t column) {
  for (unsigned row = 0; row < layout.rows; ++row) {
    for (const PatternReader& reader : readers.planes) {
      reader.prefetch(layout.partition(step) + row, column, kColumns);
    }
  }
}

void BlockArray::add_step(const TensorCommand& command, const TensorStationary& stationary,
                          const BlockLayout& layout, unsigned step, std::size_t columns) {
  const bool wide = is_wide(command.type, stationary.command.type);
  const std::size_t parts = ceil_div(command.cols, kLanes);
  BlockTile tile;
  tile.items = layout.items();
  tile.columns = columns;
  BlockResult result;
  result.column_scale = panel_.scales.data();
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t offset = (step * parts + part) * layout.items() * kLanes;
    result.lane_scale = stationary.scales.data() + (step * parts + part) * kLanes;
    result.acc = accumulators(layout.pass(step), part * kLanes);
    tile.stationary = stationary.elements.data() + offset;
    tile.moving = panel_.values.data();
    if (wide) {
      add_wide(command, stationary, tile, offset, result);
    } else {
      kernels_.block(tile, result);
    }
  }
}

void BlockArray::add_wide(const TensorCommand& command, const TensorStationary& stationary,
                          BlockTile tile, std::size_t offset, const BlockResult& result) const {
  alignas(64) double sums[4][kLanes * kColumns];
  const bool specials = stationary.specials || panel_.specials;
  if (specials) kernels_.block_sum(tile, sums[3]);
  // The moving operand is split if it is E5M2, otherwise the stationary one.
  const bool moving_apart = block_format(command.type).wide;
  const AlignedVector<double>& whole =
      stationary.specials ? stationary.finite : stationary.elements;
  for (std::size_t c = 0; c < 3; ++c) {
    tile.stationary = (moving_apart ? whole : stationary.classes[c]).data() + offset;
    tile.moving = (moving_apart ? panel_.classes[c] : panel_.finite).data();
    kernels_.block_sum(tile, sums[c]);
  }
  const double* const exact[3] = {sums[0], sums[1], sums[2]};
  add_wide_sums(exact, specials ? sums[3] : nullptr, result, tile.columns);
}

void BlockArray::store(const TensorCommand& command, const BlockLayout& layout,
                       const Stretch& stretch, PsumMemory* psum) const {
  const PsumRule rule = {command.bf16_result, command.accumulate, command.stochastic};
  const std::size_t first = first_element(shape_, command) + stretch.column;
  const std::size_t between =
      std::size_t{banks_between_slots(shape_)} * elements_of_bank(shape_, command);
  // Random numbers are drawn column by column, so all slots of one before the next.
  const std::size_t piece = rule.stochastic && layout.passes > 1 ? 1 : stretch.width;
  constexpr std::size_t kAhead = 8;  // lanes whose rows, pages apart, are prefetched
  for (std::size_t lane = 0; lane < command.cols; ++lane) {
    if (lane + kAhead < command.cols) {
      const float* row = psum->words(lane + kAhead, command.bf16_result ? first / 2 : first);
      __builtin_prefetch(row, 1);
      __builtin_prefetch(row + stretch.width - 1, 1);
    }
    for (std::size_t column = 0; column < stretch.width; column += piece) {
      for (std::size_t pass = 0; pass < layout.passes; ++pass) {
        psum->store(lane, first + pass * between + column, accumulators(pass, lane) + column, piece,
                    rule);
      }
    }
  }
}

}  // namespace tern
