// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/known.h"

#include <algorithm>

namespace tern::collectives {

Known::Known(std::size_t flows, std::uint64_t* used)
    : used_(used), blocks_((flows + kBlock - 1) / kBlock) {
  *used_ += bytes();
}

Known::Known(const Known& other) : used_(other.used_), blocks_(other.blocks_) {
  *used_ += bytes();
}

Known::~Known() {
  *used_ -= bytes();
}

void Known::raise(std::size_t flow, std::uint32_t number) {
  if ((*this)[flow] >= number) return;
  std::shared_ptr<Block>& block = blocks_[flow / kBlock];
  if (!block) {
    block = std::make_shared<Block>(used_);
  } else if (block.use_count() > 1) {
    block = std::make_shared<Block>(*block);
  }
  block->numbers[flow % kBlock] = number;
}

void Known::join(const Known& other) {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    std::shared_ptr<Block>& mine = blocks_[b];
    const std::shared_ptr<Block>& theirs = other.blocks_[b];
    if (mine == theirs || !theirs) continue;
    // All that the other one has; and nothing that it has not.
    bool has_all = mine != nullptr, has_none = true;
    for (std::size_t i = 0; mine && i < kBlock; ++i) {
      has_all = has_all && mine->numbers[i] >= theirs->numbers[i];
      has_none = has_none && mine->numbers[i] <= theirs->numbers[i];
    }
    if (has_all) continue;
    if (has_none) {
      mine = theirs;
      continue;
    }
    if (mine.use_count() > 1) mine = std::make_shared<Block>(*mine);
    for (std::size_t i = 0; i < kBlock; ++i)
      mine->numbers[i] = std::max(mine->numbers[i], theirs->numbers[i]);
  }
}

}  // namespace tern::collectives
