// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tern::dge {

// A descriptor generator's view of the 16 DMA engines of its core, at the present time.
class RingPort {
 public:
  virtual ~RingPort() = default;

  // A pair, TX then RX (32 bytes), into the prefetch buffer of a ring; false: no room.
  virtual bool push_pair(unsigned engine, unsigned ring, const std::uint8_t* pair) = 0;
  virtual void doorbell(unsigned engine, unsigned ring, unsigned pairs) = 0;
  // By an error or an abort: nothing more is processed.
  virtual bool stopped(unsigned engine, unsigned ring) = 0;
  // Descriptor pairs processed since the ring was set up.
  virtual std::uint32_t head(unsigned engine, unsigned ring) = 0;
};

}  // namespace tern::dge
