// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "systemc/link/flit/data_link.h"

namespace tern::flit {

// Sequence numbers are 1 to 1023 in rotation.
constexpr unsigned number_after(unsigned number) {
  return number % kLastNumber + 1;
}
constexpr unsigned number_distance(unsigned from, unsigned to) {
  return (to + kLastNumber - from) % kLastNumber;
}

// The sender: flits are kept until they are acknowledged.
class Replay {
 public:
  struct Sent {
    const TlpPart* payload = nullptr;  // none: null
    bool is_explicit = false;
    unsigned number = 0;
  };
  struct Events {
    bool replay = false, recovery = false, protocol_error = false;
  };
  struct Acknowledgement {
    unsigned number = 0;
    bool nak = false;
  };

  explicit Replay(const LinkOptions& options) : options_(options) {}

  bool empty() const { return kept_.empty(); }
  bool wants_new() const { return sent_ == kept_.size() && kept_.size() < options_.replay_depth; }
  // The flit of a slot; `fresh`: the next new one, which is taken if wants_new().
  Sent slot(const TlpPart* fresh);
  // The end of a cycle, in which a slot may have been.
  Events end_cycle(bool restart, bool slot, const std::optional<Acknowledgement>& ack);

 private:
  LinkOptions options_;
  std::deque<TlpPart> kept_;
  std::size_t sent_ = 0;             // of those kept, since the last restart
  std::size_t old_ = 0;              // kept before this cycle: may be acknowledged
  unsigned acked_ = kLastNumber;     // the last one acknowledged
  unsigned position_ = kLastNumber;  // the last one sent
  bool explicit_ = true;
  unsigned honoured_ = 0;  // the last nak followed
  unsigned timer_ = 0, tries_ = 0;
};

// The receiver: which payload flit is the next one, and whether one is missing.
class Sequence {
 public:
  struct Events {
    bool accept = false, duplicate = false, recovery = false;
  };

  explicit Sequence(const LinkOptions& options) : options_(options) {}

  void restart();
  Events slot(bool good, const Dlp& dlp);
  unsigned last() const { return last_; }
  bool nak() const { return nak_; }

 private:
  enum class State : std::uint8_t { kUnknown, kDoubtful, kKnown };

  LinkOptions options_;
  State state_ = State::kUnknown;
  unsigned current_ = kLastNumber, last_ = kLastNumber;
  bool nak_ = false;
  unsigned bad_ = 0;  // slots in a row
};

}  // namespace tern::flit
