// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/layers/layers.h"
#include "sw/train/share.h"

namespace tern::train {

using layers::DType;
using layers::Layers;
using layers::Matrix;

// Vectors of characters on their way to the experts that work on them, and back. Characters are in
// slabs of 128; of each slab every expert has the same number of slots. The experts are divided
// among ranks with other parts of the batch, or all on each.
class ExpertExchange {
 public:
  struct Sizes {
    std::uint32_t experts = 0, slots = 0;  // slots: 32, 64 or 128 of a slab
  };
  // `name`: of the buffers in HBM, which all ranks have alike; each program has its own. The share
  // must outlive it.
  ExpertExchange(Layers& layers, const Share& share, std::string name, const Sizes& sizes)
      : l_(layers), share_(share), name_(std::move(name)), sizes_(sizes) {}

  // How many experts a rank has, and the number of its first one.
  std::uint32_t own() const { return sizes_.experts / share_.expert; }
  std::uint32_t first() const { return share_.expert_part() * own(); }

  // From [experts * slots, width] of each slab, slots of the first expert first, all slots of each
  // of the rank's experts: [ranks * slabs * slots, width]. In the same order on all ranks.
  std::vector<Matrix> to_experts(const std::vector<Matrix>& slabs);
  // And back.
  std::vector<Matrix> to_slabs(const std::vector<Matrix>& experts);

 private:
  struct Buffers {
    kernels::Tensor sent, received;
  };
  Buffers buffers(std::uint64_t rows, std::uint64_t width, DType dtype);
  void exchange(const Buffers& of);
  // Calls visit(slab, its first row in the buffers of that expert, the expert's first row in it)
  // for one of the experts that each rank has.
  template <typename Visit>
  void for_slots(std::uint32_t expert, std::size_t slabs, const Visit& visit) const;

  Layers& l_;
  const Share& share_;
  const std::string name_;
  const Sizes sizes_;
  unsigned buffers_ = 0;
};

}  // namespace tern::train
