// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/exp_transport.h"

#include <cstdint>
#include <cstring>

#include "sw/numerics/dtype.h"

// Tiles of 8 partitions x 8 elements are transposed in the host's vector registers; what is left at
// the edges goes word by word.
namespace tern::cosim {

namespace {

constexpr unsigned kTile = 8;

// A row of a tile, as words and as elements.
typedef std::uint32_t Words __attribute__((vector_size(kTile * 4)));
template <typename Element>
struct RowOf;
template <>
struct RowOf<std::uint32_t> {
  typedef std::uint32_t Type __attribute__((vector_size(kTile * 4)));
};
template <>
struct RowOf<std::uint16_t> {
  typedef std::uint16_t Type __attribute__((vector_size(kTile * 2)));
};

template <typename Element>
Words load(const void* from) {
  typename RowOf<Element>::Type row;
  std::memcpy(&row, from, sizeof row);
  return __builtin_convertvector(row, Words);
}

template <typename Element>
void store(Words words, void* to) {
  const auto row = __builtin_convertvector(words, typename RowOf<Element>::Type);
  std::memcpy(to, &row, sizeof row);
}

// Pairs of words, pairs of pairs, halves.
void transpose(Words (&tile)[kTile]) {
  Words a[kTile], b[kTile];
  for (unsigned i = 0; i < kTile; i += 2) {
    a[i] = __builtin_shufflevector(tile[i], tile[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    a[i + 1] = __builtin_shufflevector(tile[i], tile[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (unsigned i = 0; i < kTile; i += 4) {
    for (unsigned j = 0; j < 2; ++j) {
      const Words low = a[i + j], high = a[i + 2 + j];
      b[i + 2 * j] = __builtin_shufflevector(low, high, 0, 1, 8, 9, 4, 5, 12, 13);
      b[i + 2 * j + 1] = __builtin_shufflevector(low, high, 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (unsigned i = 0; i < kTile / 2; ++i) {
    tile[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    tile[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

template <typename Element>
void gather_as(const ExpRequest& request, std::size_t first, std::size_t count,
               std::uint32_t* words) {
  const auto row = [&](unsigned p, std::size_t i) {
    return request.source + p * request.source_pitch + (first + i) * sizeof(Element);
  };
  const std::size_t whole = count / kTile * kTile;
  const unsigned partitions = request.partitions, tiled = partitions / kTile * kTile;
  for (unsigned p = 0; p < tiled; p += kTile) {
    for (std::size_t i = 0; i < whole; i += kTile) {
      Words tile[kTile];
      for (unsigned k = 0; k < kTile; ++k) tile[k] = load<Element>(row(p + k, i));
      transpose(tile);
      for (unsigned k = 0; k < kTile; ++k)
        store<std::uint32_t>(tile[k], words + (i + k) * kExpPartitions + p);
    }
  }
  for (unsigned p = 0; p < partitions; ++p) {
    for (std::size_t i = p < tiled ? whole : 0; i < count; ++i) {
      Element element;
      std::memcpy(&element, row(p, i), sizeof element);
      words[i * kExpPartitions + p] = element;
    }
  }
}

template <typename Element>
void scatter_as(const ExpRequest& request, std::size_t first, std::size_t count,
                const std::uint32_t* words) {
  const auto row = [&](unsigned p, std::size_t i) {
    return request.result + p * request.result_pitch + (first + i) * sizeof(Element);
  };
  const std::size_t whole = count / kTile * kTile;
  const unsigned partitions = request.partitions, tiled = partitions / kTile * kTile;
  for (unsigned p = 0; p < tiled; p += kTile) {
    for (std::size_t i = 0; i < whole; i += kTile) {
      Words tile[kTile];
      for (unsigned k = 0; k < kTile; ++k)
        tile[k] = load<std::uint32_t>(words + (i + k) * kExpPartitions + p);
      transpose(tile);
      for (unsigned k = 0; k < kTile; ++k) store<Element>(tile[k], row(p + k, i));
    }
  }
  for (unsigned p = 0; p < partitions; ++p) {
    for (std::size_t i = p < tiled ? whole : 0; i < count; ++i) {
      const auto element = static_cast<Element>(words[i * kExpPartitions + p]);
      std::memcpy(row(p, i), &element, sizeof element);
    }
  }
}

}  // namespace

void gather(const ExpRequest& request, std::size_t first, std::size_t count, std::uint32_t* words) {
  const bool word = request.source_type == numerics::DType::kFp32;
  (word ? gather_as<std::uint32_t> : gather_as<std::uint16_t>)(request, first, count, words);
}

void scatter(const ExpRequest& request, std::size_t first, std::size_t count,
             const std::uint32_t* words) {
  const bool word = request.result_type == numerics::DType::kFp32;
  (word ? scatter_as<std::uint32_t> : scatter_as<std::uint16_t>)(request, first, count, words);
}

}  // namespace tern::cosim
