// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/matmul_format.h"

namespace tern::kernels {

// One operand of a matrix product, A (stationary) or B (moving): its tensors in HBM (layouts:
// matmul.h) and its tiles on chip. A slab is what 128 partitions hold; a block is a range of
// columns of it.
class MatmulOperand {
 public:
  enum class Role { kStationary, kMoving };
  struct Extent {
    std::uint64_t k = 0, columns = 0;
  };

  MatmulOperand(KernelBuilder* kb, const MatmulFormat& format, Role role, Extent extent);

  static unsigned slab_rows(const MatmulFormat& format, std::uint64_t k, std::uint64_t slab);
  // SBUF bytes of a partition that a block of that many columns takes.
  static std::uint64_t bytes(const MatmulFormat& format, Role role, std::uint64_t columns);

  // Slabs that a transfer of `columns` takes together, so that its rows are long enough for a
  // descriptor generator.
  unsigned together(std::uint32_t columns) const;
  // Room for `buffers` slabs of `columns` in rotation instead of separate tiles for each block.
  void rotate(unsigned buffers, std::uint32_t columns);
  // Programs that only load do not expand; programs that only compute do not load.
  void set_part(bool loads, bool computes);

  // Tiles for columns [first, first + columns) of a slab, filled the first time.
  void fetch(std::uint64_t slab, std::uint64_t first, std::uint32_t columns);
  // Forgets the contents of rotating tiles: their memory is reused.
  void forget() { tiles_.clear(); }
  // Columns [at, at + columns) of a fetched block that began at column `first`.
  TensorOperand view(std::uint64_t slab, std::uint64_t first, unsigned at, unsigned columns,
                     Half half = Half::kLow) const;
  bool has_halves() const { return dtype_ == DType::kFp32; }

 private:
  struct Tiles {
    Tile elements;  // as the array takes them
    std::optional<Tile> stored, aux;
    std::uint32_t columns = 0, pitch = 0;
    unsigned together = 1;  // slabs, side by side
  };
  using Key = std::pair<std::uint64_t, std::uint64_t>;  // first column, first slab

  unsigned element_planes() const;
  std::uint32_t pitch(std::uint32_t columns) const;
  Tile place(std::optional<TilePool>* pool, const char* what, std::uint64_t slab, unsigned rows,
             std::uint32_t free, DType dtype);
  void load(const Tiles& tiles, std::uint64_t slab, std::uint64_t first);
  void load_aux(const Tiles& tiles, std::uint64_t slab, std::uint64_t first);

  KernelBuilder* kb_;
  const MatmulFormat& format_;
  const Role role_;
  const Extent extent_;
  const std::string name_;
  const DType dtype_, in_hbm_;
  Tensor elements_;
  std::optional<Tensor> aux_;
  std::optional<TilePool> element_pool_, stored_pool_, aux_pool_;
  bool loads_ = true, computes_ = true;
  std::map<Key, Tiles> tiles_;
};

}  // namespace tern::kernels
