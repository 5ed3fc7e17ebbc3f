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

// What the stages of a pipeline hand to their neighbours: results to the next one, their gradients
// to the one before. Each goes through buffers of both ranks in HBM, of every micro-batch its own,
// so that a program's order is all that makes a rank wait.
class StageLinks {
 public:
  // Of matrices [tokens, width] in FP32. `name`: of the buffers, which all ranks have alike; each
  // program has its own. All ranks make this at the same place of their programs. The share must
  // outlive it; of one stage it does nothing.
  StageLinks(Layers& layers, const Share& share, const std::string& name, unsigned micro_batches,
             std::uint32_t tokens, std::uint32_t width);

  enum class Way : std::uint8_t { kForward, kBack };
  // To the next stage, or to the one before; there must be one.
  void send(Way way, unsigned micro_batch, const Matrix& matrix);
  // From the stage before, or from the next one.
  Matrix receive(Way way, unsigned micro_batch);

 private:
  struct Buffers {
    kernels::Tensor sent, received;
  };
  void hand_over(Way way, unsigned boundary, unsigned micro_batch);
  std::vector<std::vector<unsigned>> pairs(Way way, unsigned boundary) const;
  const Buffers& buffers(Way way, unsigned micro_batch) const {
    return buffers_.at(way == Way::kForward ? 0 : 1).at(micro_batch);
  }
  // All rows, or where only the time matters one of the last slab.
  std::uint32_t first_row() const {
    return share_.exchange == Share::Exchange::kAll ? 0
                                                    : (tokens_ - 1) / Matrix::kSlab * Matrix::kSlab;
  }

  Layers& l_;
  const Share& share_;
  const std::uint32_t tokens_, width_;
  std::vector<std::vector<Buffers>> buffers_;  // of both ways
};

}  // namespace tern::train
