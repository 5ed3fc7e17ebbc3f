// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

// What the levels of detail of the network between chips have in common. No SystemC: an adapter in
// the chip's platform, a sweep and a process of a distributed run drive them alike.
namespace tern::fabric {

using Time = std::uint64_t;  // femtoseconds
inline constexpr Time kNever = UINT64_MAX;

// Bytes from chip to chip.
struct Transfer {
  std::uint32_t source = 0, target = 0;  // numbers of chips in the system; not equal
  std::uint64_t bytes = 0;               // payload; 0: a message of headers only
  std::uint8_t traffic_class = 3;        // 0 is the most urgent
  // Transfers of one source, target, class and stream take one path and arrive in order. Other
  // streams may be spread over paths of equal length.
  std::uint32_t stream = 0;
  std::uint64_t tag = 0;  // the sender's own
  // If `ways` is not 0: divide the equal paths into `ways` groups of one size, and take one of
  // group `way`. All transfers of a stream must name the same group.
  std::uint32_t way = 0, ways = 0;
};

struct Delivery {
  Transfer transfer;
  Time sent = 0, arrived = 0;  // of its last byte
  bool lost = false;           // no way to the target is left: not all of it arrived
};

class Transport {
 public:
  virtual ~Transport() = default;
  // "packet", "flow".
  virtual const char* level() const = 0;
  // now: not before the last event handled. Never blocks: the source's queue is not bounded.
  virtual void send(const Transfer& transfer, Time now) = 0;
  // Of the earliest event pending; kNever: none.
  virtual Time next_time() const = 0;
  // Handles all events up to and including `until`: while something is pending, not before that of
  // the call before. What has arrived is appended, in order of
  // time, then of target, source, stream: the same whatever `until` the caller steps by.
  virtual void advance(Time until, std::vector<Delivery>& arrived) = 0;

  // A send changes nothing that arrives earlier than this after it.
  virtual Time lookahead() const = 0;
  // From now on deliveries are also announced: once they are certain, notice() before they arrive
  // or earlier. Lost ones are not. Throws UserError: nothing is certain, because links fail.
  virtual void announce() { announces_ = true; }
  // advance(t) has announced all that arrives up to t + notice(). lookahead(), or an instant, 1,
  // where links may fail up to then.
  virtual Time notice() const { return lookahead(); }
  // Those of the events handled since the last call.
  std::vector<Delivery> take_announced() { return std::exchange(announced_, {}); }

 protected:
  bool announces() const { return announces_; }
  void certain(const Transfer& transfer, Time sent, Time arrives) {
    if (announces_) announced_.push_back({transfer, sent, arrives});
  }

 private:
  bool announces_ = false;
  std::vector<Delivery> announced_;
};

}  // namespace tern::fabric
