// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "systemc/link/flit/data_link.h"

namespace tern::flit {

// Packets to flits, without gaps.
class Packer {
 public:
  explicit Packer(unsigned flit_cycles) : flit_cycles_(flit_cycles) {}

  bool empty() const { return words_.empty(); }
  TlpPart next() const;  // the flit that take() removes
  void take();
  bool has_room() const { return words_.size() < kTlpDwords && starts_ < flit_cycles_; }
  void add(const Packet& packet);

 private:
  unsigned flit_cycles_;
  std::deque<std::uint32_t> words_;
  unsigned starts_ = 0;  // of packets, in the next flit
};

// Flits to packets, one at a time.
class Unpacker {
 public:
  explicit Unpacker(unsigned flit_cycles) : flit_cycles_(flit_cycles) {}

  std::optional<Packet> take();
  bool add(const TlpPart& tlp);  // false: what the rest of the flit holds is no packet

 private:
  unsigned flit_cycles_;
  std::deque<std::uint32_t> words_;
  std::size_t tail_ = 0;  // double words of the last packet that are missing
};

}  // namespace tern::flit
