// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/collectives/operation.h"

// A collective as programs of DMA and semaphore steps, one for each stream of a collective core.
namespace tern::collectives {

// Buffers of a rank, in chunks of equal size. `data` if the operation is in place, else `input` and
// `output`.
enum class Buffer : std::uint8_t { kData, kInput, kOutput, kScratch };
const std::string& name_of(Buffer buffer);

struct Place {
  Buffer buffer = Buffer::kData;
  unsigned chunk = 0;
};

struct Step {
  enum Kind : std::uint8_t {
    kPut,     // writes, or adds, chunks of this rank to a place of another one, or of itself
    kSignal,  // a put of nothing: this rank is ready for what that one waits to put
    kWait,    // until `count` more puts and signals of that rank's stream have come
    kFlush,   // until all earlier puts of this stream have come
    kAfter    // until that step of another stream of this rank has ended
  };
  Kind kind = kPut;
  unsigned rank = 0;    // kPut, kSignal: the target; kWait: the source
  unsigned stream = 0;  // kWait: of the source; kAfter: of this rank
  Place from, at;       // kPut
  unsigned count = 1;   // kPut: chunks; kWait: puts; kAfter: number of the step
  bool add = false;     // kPut: at = at + from, by the adders next to the memory
  unsigned line = 0;    // of the file; 0: none
};

// Steps start in order. A put to another rank only starts there, and what follows does not wait for
// it; puts of a stream to one rank come in order. A put to the own rank has ended before the next
// step. A rank has ended when its streams have ended and all their puts have come.
using Stream = std::vector<Step>;

struct Schedule {
  static constexpr unsigned kMostChunks = 1 << 20, kMostStreams = 64, kMostSteps = 1 << 22;
  // Of a file: as many as its most bytes can hold without aliases.
  static constexpr unsigned kMostStepsOfFile = 1 << 18;
  static constexpr std::uint64_t kMostMoved = 1 << 26;   // chunks, by all puts
  static constexpr std::uint64_t kMostPlaces = 1 << 23;  // chunks of all buffers of all ranks

  std::string name;  // of the algorithm, or of the file
  Problem problem;
  unsigned chunks = 1;                       // of `data`, or of `input` and of `output`
  unsigned scratch = 0;                      // chunks
  std::vector<std::vector<Stream>> streams;  // [rank][stream]

  unsigned chunks_of(Buffer buffer) const;  // 0: the operation has no such buffer
  bool adds() const;                        // any of its puts: barriers do, too
  // "FILE:LINE: " or "NAME: rank 3, stream 0, step 7: ".
  std::string where(unsigned rank, unsigned stream, std::size_t step) const;
};

}  // namespace tern::collectives
