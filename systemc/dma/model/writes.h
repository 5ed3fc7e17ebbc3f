// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>

#include "systemc/dma/model/source.h"
#include "systemc/dma/model/target.h"

namespace tern::dma::model {

// Beats that enter the mover at `begin` and then every cycle, pauses excepted.
struct Burst {
  std::uint64_t begin = 0;
  std::uint32_t beats = 0, pace = 0, accumulated = 0;

  // Pauses before beat `beat`; after the last beat there are as many as pauses(beats) adds.
  std::uint64_t pauses(std::uint32_t beat) const {
    return (accumulated + std::uint64_t{beat} * pace) >> 10;
  }
  std::uint64_t cycle(std::uint32_t beat) const { return begin + beat + pauses(beat); }
  std::uint64_t last() const { return cycle(beats - 1); }
  bool has_beat_in(std::uint64_t at) const;
};

// Writes from their first beat to their answer, and the immediates that wait for them
// (rtl/dma/README.md, "Mover", "Completion").
class WriteUnit {
 public:
  explicit WriteUnit(State& state);

  void run(std::uint64_t cycle);
  bool idle() const { return busy_ == 0 && checksums_.empty(); }

  // For the mover. A target piece of `bytes` has a tag and lines.
  bool room(std::uint32_t bytes) const {
    return busy_ != ~std::uint64_t{0} && lines_ >= lines(bytes);
  }
  unsigned take(const TargetPiece& piece);
  std::unique_ptr<Buffer>& buffer(unsigned tag) { return writes_[tag].data; }
  void beats(const Burst& burst);  // of a piece that is written
  void finish(unsigned tag, std::uint64_t last_beat);

  bool room_for_immediate() const { return immediates_.size() < kImmediates; }
  void finish_immediate(unsigned tag, std::uint64_t beat);
  // The CRC-32C of a packet whose last beat is in `last_beat`.
  void checksum(std::uint64_t entry, std::uint32_t crc, std::uint64_t last_beat);

  bool expects(unsigned tag) const { return (requested_ >> tag & 1) != 0; }
  void answer(std::uint64_t cycle, unsigned tag, Answer answer);

 private:
  struct Write {
    TargetPiece piece;
    std::unique_ptr<Buffer> data = std::make_unique<Buffer>();
  };
  struct Due {
    std::uint64_t cycle;
    unsigned tag;
  };
  struct Immediate {
    std::uint64_t from;   // cycle
    std::uint64_t waits;  // tags of earlier writes that are not answered
    unsigned tag;
  };
  struct Checksum {
    std::uint64_t cycle, entry;
    std::uint32_t crc;
  };

  void request(std::uint64_t cycle, unsigned tag);
  void release(std::uint64_t cycle, unsigned tag);
  void run_checksums(std::uint64_t cycle);
  void run_immediates(std::uint64_t cycle);
  bool port_has_beat(std::uint64_t cycle);

  State& state_;
  std::array<Write, kWriteTags> writes_;
  std::uint64_t busy_ = 0, requested_ = 0, immediate_ = 0;  // by tag
  unsigned lines_ = kWriteLines;
  FixedQueue<Due, 16> due_;
  FixedQueue<Immediate, kImmediates> immediates_;
  FixedQueue<Burst, 32> bursts_;  // kept while an immediate waits
  FixedQueue<Checksum, 16> checksums_;
};

}  // namespace tern::dma::model
