// SPDX-License-Identifier: Apache-2.0
#include "sw/fpga/board.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "sw/base/user_error.h"
#include "sw/numerics/float_bits.h"

namespace tern::fpga {

namespace {

constexpr std::size_t kMaxWords = TERN_FPGA_MAX_WORDS;  // of a request
constexpr unsigned kRingEntries = TERN_FPGA_RING_ENTRIES, kRingStatus = 4 * kRingEntries;
// Answers without progress until the board counts as hung; each takes a millisecond or more.
constexpr unsigned kMaxPolls = 20000;

std::uint32_t pair(unsigned low, unsigned high) {
  if (low > 0xFFFF || high > 0xFFFF) throw std::logic_error("fpga: an address has 16 bits");
  return low | high << 16;
}

std::uint32_t head(unsigned op, unsigned count, unsigned flags = 0) {
  if (count == 0 || count > 0xFFFF) throw std::logic_error("fpga: a count has 16 bits");
  return op | flags << 8 | count << 16;
}

std::uint32_t steps(unsigned from, unsigned other, unsigned to) {
  if (std::max({from, other, to}) > 15) throw std::logic_error("fpga: a step has 4 bits");
  return from | other << 4 | to << 8;
}

void put16(Bytes* bytes, unsigned value) {
  bytes->push_back(static_cast<std::uint8_t>(value));
  bytes->push_back(static_cast<std::uint8_t>(value >> 8));
}

std::uint32_t word_at(const Bytes& bytes, std::size_t at) {
  return bytes[at] | bytes[at + 1] << 8 | bytes[at + 2] << 16 |
         static_cast<std::uint32_t>(bytes[at + 3]) << 24;
}

}  // namespace

Descriptor to_sbuf(unsigned mem, unsigned sbuf, unsigned words) {
  return {head(TERN_FPGA_OP_TO_SBUF, words), pair(mem, sbuf), 0, 0};
}

Descriptor to_psum(unsigned mem, unsigned psum, unsigned words) {
  return {head(TERN_FPGA_OP_TO_PSUM, words), pair(mem, psum), 0, 0};
}

Descriptor from_psum(unsigned psum, unsigned mem, unsigned words) {
  return {head(TERN_FPGA_OP_FROM_PSUM, words), pair(psum, mem), 0, 0};
}

Descriptor multiply(const Product& p) {
  return {head(TERN_FPGA_OP_MULTIPLY, p.columns, p.continues ? 1 : 0), pair(p.moving, p.weights),
          pair(p.groups, p.psum), pair(p.stride, 0)};
}

Descriptor add(unsigned count, Walk from, Walk other, Walk to) {
  return {head(TERN_FPGA_OP_ADD, count), pair(from.first, other.first),
          pair(to.first, steps(from.step, other.step, to.step)), 0};
}

Descriptor exponential(unsigned count, Walk from, Walk to, float maximum) {
  return {head(TERN_FPGA_OP_EXP, count), pair(from.first, 0),
          pair(to.first, steps(from.step, 0, to.step)), numerics::bits_of(maximum)};
}

Board::Board(std::unique_ptr<Link> link) : link_(std::move(link)) {
  const Bytes info = link_->ask(Request::kInfo, {});
  const std::string at = "FPGA at " + link_->port().name() + ": ";
  if (info.size() != 6 || info[0] != TERN_FPGA_VERSION) {
    throw RunError(at + "its bitstream is of another version: make and load it again");
  }
  shape_ = {info[1], info[2], 1u << (info[3] & 31), 1u << (info[4] & 31), 1u << (info[5] & 31)};
  if (shape_.rows == 0 || shape_.rows % 2 != 0 || shape_.cols == 0 || info[3] > 16 ||
      info[4] > 16 || info[5] > 16) {
    throw RunError(at + "its bitstream reports an impossible shape");
  }
  link_->ask(Request::kReset, {});
  wait_for(0);
}

void Board::check(unsigned address, std::size_t count) const {
  if (address < kFirstFree || address + count > shape_.mem_words) {
    throw std::logic_error("fpga::Board: outside the board's memory");
  }
}

void Board::write(unsigned address, const std::uint32_t* words, std::size_t count) {
  check(address, count);
  for (std::size_t done = 0; done < count;) {
    const std::size_t some = std::min(kMaxWords, count - done);
    Bytes body;
    put16(&body, static_cast<unsigned>(address + done));
    body.push_back(static_cast<std::uint8_t>(some));
    for (std::size_t i = 0; i < some; ++i) {
      put16(&body, words[done + i] & 0xFFFF);
      put16(&body, words[done + i] >> 16);
    }
    link_->ask(Request::kWrite, body);
    done += some;
  }
}

void Board::read(unsigned address, std::uint32_t* words, std::size_t count) {
  check(address, count);
  for (std::size_t done = 0; done < count;) {
    const std::size_t some = std::min(kMaxWords, count - done);
    Bytes body;
    put16(&body, static_cast<unsigned>(address + done));
    body.push_back(static_cast<std::uint8_t>(some));
    const Bytes answer = link_->ask(Request::kRead, body);
    if (answer.size() != 4 * some) {
      throw RunError("FPGA at " + link_->port().name() + ": an answer has the wrong length");
    }
    for (std::size_t i = 0; i < some; ++i) words[done + i] = word_at(answer, 4 * i);
    done += some;
  }
}

void Board::run(const std::vector<Descriptor>& descriptors) {
  // Half of the ring at a time never meets what is still in work.
  constexpr std::size_t kSome = kRingEntries / 2;
  for (std::size_t done = 0; done < descriptors.size(); done += kSome) {
    run_some(descriptors.data() + done, std::min(kSome, descriptors.size() - done));
  }
}

void Board::run_some(const Descriptor* descriptors, std::size_t count) {
  for (std::size_t done = 0; done < count;) {
    // Up to the end of the ring.
    const unsigned slot = static_cast<unsigned>(tail_ + done) % kRingEntries;
    const std::size_t some = std::min<std::size_t>(kRingEntries - slot, count - done);
    Bytes body;
    put16(&body, 4 * slot);
    body.push_back(static_cast<std::uint8_t>(4 * some));
    for (std::size_t i = 0; i < some; ++i) {
      for (const std::uint32_t word : descriptors[done + i]) {
        put16(&body, word & 0xFFFF);
        put16(&body, word >> 16);
      }
    }
    link_->ask(Request::kWrite, body);
    done += some;
  }
  tail_ = static_cast<std::uint16_t>(tail_ + count);
  Bytes body;
  put16(&body, tail_);
  link_->ask(Request::kDoorbell, body);
  wait_for(tail_);
}

void Board::wait_for(std::uint16_t completed) {
  std::uint16_t left = 0xFFFF;  // of the descriptors; fewer is progress
  for (unsigned polls = 0; polls < kMaxPolls; ++polls) {
    Bytes body;
    put16(&body, kRingStatus);
    body.push_back(1);
    const Bytes answer = link_->ask(Request::kRead, body);
    if (answer.size() != 4) continue;
    const std::uint32_t status = word_at(answer, 0);
    if (status == completed) return;
    // After a reset the old word may still be there.
    if (status >> 24 != 0 && completed != 0) {
      throw RunError("FPGA at " + link_->port().name() + ": descriptor " +
                     std::to_string(status & 0xFFFF) + " stopped the ring: " +
                     (status >> 24 == 1 ? "unknown operation" : "outside of a memory"));
    }
    const auto now_left = static_cast<std::uint16_t>(completed - status);
    if (completed != 0 && now_left < left) {
      polls = 0;
      left = now_left;
    }
  }
  throw RunError("FPGA at " + link_->port().name() + ": its ring makes no progress");
}

}  // namespace tern::fpga
