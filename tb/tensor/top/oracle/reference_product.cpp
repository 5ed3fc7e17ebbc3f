// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/top/oracle/reference_product.h"

#include <cmath>

#include "tb/tensor/top/oracle/reference_block.h"

namespace tern::tb {

namespace {

constexpr unsigned kNoScale = 127;  // 2^0

// The partition that holds the scales of block `block` (eight rows, in quad mode a slot of a
// quadrant).
unsigned scale_partition(unsigned block, unsigned offset) {
  return 32 * (block / 4) + offset + block % 4;
}

// The operands of one partition and column: one x4 word or an element of each plane.
std::vector<Fixed> partition_elements(const TestSbuf& sbuf, const TensorCommand& c,
                                      unsigned partition, std::int64_t address) {
  std::vector<Fixed> elements;
  if (c.mode == TensorMode::kDoubleRow) {
    for (std::int64_t plane : {std::int64_t{0}, std::int64_t{c.plane}})
      elements.push_back(fixed_of(c.type, sbuf.read(partition, address + plane, 1)));
  } else {
    const std::uint32_t word = sbuf.read(partition, address, bytes_of(c.type));
    for (unsigned slot = 0; slot < 4; ++slot) elements.push_back(fixed_of_slot(c.type, word, slot));
  }
  return elements;
}

void read_dense(const TestSbuf& sbuf, const TensorCommand& c, Stationary* s) {
  const unsigned bytes = bytes_of(c.type);
  for (unsigned r = 0; r < c.rows; ++r) {
    for (unsigned m = 0; m < c.cols; ++m) {
      const std::int64_t address = c.sbuf_address + pattern_offset(c, m, bytes);
      s->weights.push_back(decode(c.type, sbuf.read(c.row_start + r, address, bytes), c.high_half));
    }
  }
}

void read_positions(const TestSbuf& sbuf, const TensorCommand& c, Stationary* s) {
  for (unsigned r = 0; r < c.rows; ++r) {
    for (unsigned m = 0; m < c.cols; ++m) {
      const unsigned tags = sbuf.read(c.row_start + r, c.aux_address + 2 * (m / 4), 2);
      s->positions.push_back((tags >> (4 * (m % 4))) & 15);
      if (s->positions.back() >= pattern_of(c.sparsity).of) s->bad_tag = true;
    }
  }
}

void read_blocks(const TestSbuf& sbuf, const TensorCommand& c, Stationary* s) {
  const unsigned bytes = bytes_of(c.type);
  for (unsigned r = 0; r < c.rows; ++r) {
    for (unsigned m = 0; m < c.cols; ++m) {
      for (const Fixed& element :
           partition_elements(sbuf, c, c.row_start + r, c.sbuf_address + bytes * m))
        s->elements.push_back(element);
    }
  }
  for (unsigned b = 0; b < c.rows / 8; ++b) {
    for (unsigned m = 0; m < c.cols; ++m) {
      const unsigned partition = scale_partition(c.row_start / 8 + b, c.scale_offset);
      s->scales.push_back(
          c.mode == TensorMode::kDoubleRow ? kNoScale : sbuf.read(partition, c.aux_address + m, 1));
    }
  }
}

std::vector<float> dense_sums(const TestSbuf& sbuf, const Stationary& s, const TensorCommand& c,
                              unsigned n) {
  const unsigned bytes = bytes_of(c.type);
  const std::int64_t address = c.sbuf_address + pattern_offset(c, n, bytes);
  std::vector<float> sums(c.cols, 0.0f);
  for (unsigned r = 0; r < c.rows; ++r) {
    const float x = decode(c.type, sbuf.read(c.row_start + r, address, bytes), c.high_half);
    for (unsigned m = 0; m < c.cols; ++m)
      sums[m] = std::fmaf(x, s.weights[std::size_t{r} * c.cols + m], sums[m]);
  }
  return sums;
}

std::vector<float> sparse_sums(const TestSbuf& sbuf, const Stationary& s, const TensorCommand& c,
                               unsigned n) {
  const Pattern pattern = pattern_of(c.sparsity);
  const std::int64_t address = c.sbuf_address + pattern_offset(c, n, 2);
  std::vector<float> moving;  // by k
  for (unsigned p = 0; p < c.rows; ++p) {
    for (unsigned plane = 0; plane < pattern.planes(); ++plane) {
      moving.push_back(
          decode(c.type, sbuf.read(c.row_start + p, address + std::int64_t{plane} * c.plane, 2)));
    }
  }
  std::vector<float> sums(c.cols, 0.0f);
  for (unsigned r = 0; r < c.rows; ++r) {
    for (unsigned m = 0; m < c.cols; ++m) {
      const std::size_t i = std::size_t{r} * c.cols + m;
      if (s.positions[i] >= pattern.of) continue;
      const unsigned k = pattern.of * (r / pattern.kept) + s.positions[i];
      sums[m] = std::fmaf(moving[k], s.weights[i], sums[m]);
    }
  }
  return sums;
}

std::vector<float> block_sums(const TestSbuf& sbuf, const Stationary& s, const TensorCommand& c,
                              unsigned n, unsigned slot) {
  const bool quad = c.mode == TensorMode::kQuad;
  const unsigned slots = c.mode == TensorMode::kDoubleRow ? 2 : 4;
  const unsigned height = quad ? 32 : 8;
  const std::int64_t address = c.sbuf_address + pattern_offset(c, n, bytes_of(c.type));
  std::vector<float> sums(c.cols, 0.0f);
  for (unsigned first = 0; first < c.rows; first += height) {
    const unsigned block = (c.row_start + first) / 8 + (quad ? slot : 0);
    unsigned scale = kNoScale;
    if (c.mode != TensorMode::kDoubleRow) {
      scale = sbuf.read(scale_partition(block, c.scale_offset),
                        c.aux_address + pattern_offset(c, n, 1), 1);
    }
    std::vector<BlockSum> blocks(c.cols);
    for (unsigned r = first; r < first + height; ++r) {
      const auto moving = partition_elements(sbuf, c, c.row_start + r, address);
      for (unsigned m = 0; m < c.cols; ++m) {
        const Fixed* weights = &s.elements[(std::size_t{r} * c.cols + m) * slots];
        for (unsigned q = 0; q < slots; ++q) {
          if (!quad || q == slot) blocks[m].add(weights[q], moving[q]);
        }
      }
    }
    for (unsigned m = 0; m < c.cols; ++m) {
      const std::size_t row = block - c.row_start / 8;
      sums[m] += blocks[m].scaled(s.scales[row * c.cols + m], scale);
    }
  }
  return sums;
}

}  // namespace

Pattern pattern_of(TensorSparsity sparsity) {
  static const Pattern patterns[] = {{4, 16}, {4, 12}, {4, 8}, {2, 8}, {2, 4}, {1, 4}, {1, 2}};
  return patterns[static_cast<unsigned>(sparsity) % 7];
}

std::int64_t pattern_offset(const TensorCommand& c, unsigned n, unsigned element_bytes) {
  const std::int64_t index =
      std::int64_t{n % c.num0} * c.step0 + std::int64_t{n / c.num0} * c.step1;
  return index * element_bytes;
}

Stationary read_stationary(const TestSbuf& sbuf, const TensorCommand& load) {
  Stationary s;
  s.command = load;
  if (load.mode == TensorMode::kDense || load.mode == TensorMode::kSparse) {
    read_dense(sbuf, load, &s);
    if (load.mode == TensorMode::kSparse) read_positions(sbuf, load, &s);
  } else {
    read_blocks(sbuf, load, &s);
  }
  return s;
}

std::vector<float> column_sums(const TestSbuf& sbuf, const Stationary& stationary,
                               const TensorCommand& move, unsigned n, unsigned slot) {
  if (move.mode == TensorMode::kDense) return dense_sums(sbuf, stationary, move, n);
  if (move.mode == TensorMode::kSparse) return sparse_sums(sbuf, stationary, move, n);
  return block_sums(sbuf, stationary, move, n, slot);
}

}  // namespace tern::tb
