// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bitset>
#include <cstdint>

#include "systemc/link/flit/data_link.h"

namespace tern::flit {

// Credits of four classes, as counters since the link's start.
class Credits {
 public:
  explicit Credits(const LinkOptions& options);

  bool up() const { return state_ == State::kActive; }
  unsigned head_left(unsigned cls) const;
  unsigned data_left(unsigned cls) const;
  bool allows(unsigned cls, unsigned dwords) const;

  void send(unsigned cls, unsigned dwords);
  void free(const Freed& freed);
  // What a flit tells the other end.
  void tell(Dlp& dlp) const;
  void next_class() { turn_ = (turn_ + 1) % kClasses; }
  // What a good flit of the other end tells.
  void told(const Dlp& dlp);
  void end_cycle();

 private:
  enum class State : std::uint8_t { kFirst, kSecond, kActive };
  struct Count {
    unsigned head = 0, data = 0;  // since the link's start, modulo 2^32
  };

  State state_ = State::kFirst;
  bool second_ = false;  // the other end has our credits
  std::bitset<kClasses> seen_, seen_before_;
  unsigned turn_ = 0;
  std::array<Count, kClasses> limit_{}, used_{}, given_{};
};

}  // namespace tern::flit
