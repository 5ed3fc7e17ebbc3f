// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "systemc/dma/model/state.h"

namespace tern::dma::model {

// Pairs that arrived together and wait for the scan.
struct Batch {
  unsigned ring = 0, generation = 0, pairs = 0;
  std::uint64_t place = 0, index = 0;  // of the first pair
  std::uint64_t complete = 0;          // cycle
  bool pushed = false;
};

// rtl/dma/README.md, "Fetch": one decision every two cycles at most, round robin over the rings.
class FetchUnit {
 public:
  explicit FetchUnit(State& state) : state_(state) {}
  void run(std::uint64_t cycle);
  // The last beat of an answer; true when it completes the batch `batch` of a live ring.
  bool answer(std::uint64_t cycle, unsigned tag, Answer answer, const std::uint8_t* data,
              Batch& batch);
  bool expects(unsigned tag) const { return under_way_[tag / 2].missing[tag % 2]; }
  std::uint32_t request_bytes(unsigned tag) const {
    return under_way_[tag / 2].batch.pairs * TERN_DESCRIPTOR_BYTES;
  }
  bool idle() const { return fetches_ == 0; }
  // For a snapshot, while idle().
  void archive_state(base::StateArchive& archive) { archive.number(last_, kRings - 1); }

 private:
  struct UnderWay {
    Batch batch;
    std::uint64_t address[2] = {0, 0};
    bool missing[2] = {false, false};  // TX, RX
    Answer answer[2] = {Answer::kGood, Answer::kGood};
  };
  unsigned want(const Ring& ring) const;
  void request(std::uint64_t cycle, unsigned ring, bool is_rx);

  State& state_;
  std::array<UnderWay, kRings> under_way_{};
  unsigned last_ = kRings - 1;
  unsigned fetches_ = 0;
  std::uint64_t rx_cycle_ = kNever;  // the RX request of last_ is due
};

}  // namespace tern::dma::model
