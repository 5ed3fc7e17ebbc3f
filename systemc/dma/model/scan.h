// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "systemc/dma/model/fetch.h"

namespace tern::dma::model {

// rtl/dma/README.md, "Scan": one pair per cycle, batch after batch.
class ScanUnit {
 public:
  explicit ScanUnit(State& state) : state_(state) {}
  void run(std::uint64_t cycle);
  void add(const Batch& batch);
  bool idle() const { return batches_.empty(); }

 private:
  void check(std::uint64_t cycle, const Batch& batch, unsigned pair);

  State& state_;
  std::deque<Batch> batches_;
  unsigned checked_ = 0;         // pairs of the front batch
  std::uint64_t free_from_ = 0;  // the next pair may be checked in this cycle
};

}  // namespace tern::dma::model
