// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sw/config/hbm_config.h"
#include "sw/spec/memory_access.h"
#include "systemc/hbm/secded.h"
#include "systemc/memory/near_memory.h"
#include "systemc/memory/sparse_memory.h"

namespace tern::hbm {

struct EccCounters {
  std::uint64_t injected_flips = 0;
  std::uint64_t corrected_reads = 0;  // bursts delivered corrected
  std::uint64_t scrubbed = 0;         // bursts corrected in memory by a scrub or partial write
  std::uint64_t uncorrectable = 0;    // bursts found uncorrectable, once per find
};

// The bytes of a stack protected by its code. Bursts are stored as they were written; of those with
// errors, which bits are wrong: the stored codeword is the clean one with these bits flipped.
class EccMemory {
 public:
  explicit EccMemory(std::uint64_t bytes,
                     std::shared_ptr<NearMemory> adders = make_near_memory_model())
      : bytes_(bytes), adders_(std::move(adders)) {}

  // Each returns the offset of the first uncorrectable burst, if any. A read then delivers the
  // bits as stored; a write leaves everything as it was.
  using Fault = std::optional<std::uint64_t>;
  Fault read(std::uint64_t offset, std::uint8_t* data, std::size_t bytes);
  // Whole bursts are simply replaced, parts of bursts and additions need the rest of the burst.
  Fault write(std::uint64_t offset, const std::uint8_t* data, std::size_t bytes, WriteOp op);
  // Corrects what is correctable.
  Fault scrub(std::uint64_t offset, std::uint64_t bytes);
  // Whether a scrub of these bytes would find something.
  bool damaged(std::uint64_t offset, std::uint64_t bytes) const;

  // Told of each burst whose wrong bits are found: its offset, and whether they were corrected.
  using Observer = std::function<void(std::uint64_t offset, bool corrected)>;
  void observe(Observer observer) { observer_ = std::move(observer); }

  // Inverts one stored bit of the burst at an offset: 0 to 255 data, 256 to 265 check bits.
  void flip(std::uint64_t offset, unsigned bit);
  // From now on a data line is stuck: bit 0 to 255 of every burst that is read has this value.
  // Whether a write to a part of a burst meets it, too, is not modelled.
  void stick(unsigned bit, bool value);

  const SparseMemory& bytes() const { return bytes_; }
  const EccCounters& counters() const { return counters_; }
  // For a snapshot.
  void archive_state(base::StateArchive& archive);

 private:
  struct Flips {
    Codeword mask;
  };
  Codeword stored(std::uint64_t burst, const Flips& flips) const;
  Fault repair(std::uint64_t first, std::uint64_t last);
  void found(std::uint64_t burst, bool corrected) const;
  // Of a burst as it is read; true: it was corrected.
  bool deliver(std::uint64_t burst, Codeword word, std::uint64_t offset, std::uint8_t* data,
               std::size_t bytes);
  Fault read_stuck(std::uint64_t offset, std::uint8_t* data, std::size_t bytes);

  SparseMemory bytes_;
  const std::shared_ptr<NearMemory> adders_;
  std::map<std::uint64_t, Flips> flips_;  // by burst number
  struct StuckLine {
    unsigned bit;
    bool value;
  };
  std::vector<StuckLine> stuck_;
  EccCounters counters_;
  Observer observer_;
};

}  // namespace tern::hbm
