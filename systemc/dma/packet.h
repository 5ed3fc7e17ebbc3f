// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "systemc/dma/descriptor.h"

namespace tern::dma {

// One transfer: a list of source buffers gathered into a list of destination buffers of the same
// total length.
struct Packet {
  struct Piece {
    std::uint64_t address = 0;
    std::uint32_t length = 0;
  };
  struct Source : Piece {
    bool barrier = false;
    bool failed = false;         // the read got an error response
    std::uint64_t ready_fs = 0;  // when its data are in the engine
  };

  unsigned ring = 0;
  unsigned generation =
      0;  // of the ring: an older one means the ring was reset or stopped meanwhile
  Fault fault =
      Fault::kNone;           // a packet that stops its ring when its turn comes, and moves nothing
  bool fetch_failed = false;  // likewise: its descriptors could not be read
  std::uint64_t detail = 0;
  std::uint64_t available_fs = 0;  // since when all its descriptors are in the engine

  std::vector<Source> sources;
  std::vector<Piece> destinations;
  std::vector<std::uint8_t> data;
  std::size_t bytes = 0;
  std::size_t issued = 0, done = 0,
              written = 0;  // sources read, sources done, destinations written
  std::size_t bytes_issued = 0, bytes_done = 0, bytes_written = 0;
  std::uint64_t begin_fs = 0;

  bool stops_ring() const { return fault != Fault::kNone || fetch_failed; }
};

}  // namespace tern::dma
