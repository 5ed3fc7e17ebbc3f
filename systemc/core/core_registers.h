// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "systemc/core/core_reset.h"
#include "systemc/core/notifications.h"
#include "systemc/core/sequencer.h"

namespace tern {

// The register file of a core (docs/reference/registers.md, block "core").
class CoreRegisters {
 public:
  using Queues = std::array<Sequencer*, TERN_QUEUE_COUNT>;

  CoreRegisters(CoreContext& context, const Queues& queues, CoreReset& reset,
                Notifications& notifications)
      : context_(context), queues_(queues), reset_(reset), notifications_(notifications) {}

  // 32 bits at a multiple of 4; false if there is no such register, it cannot be read or written,
  // or it refuses the value.
  bool read(std::uint32_t offset, std::uint32_t* value) const;
  bool write(std::uint32_t offset, std::uint32_t value);

  bool running() const;
  bool done() const;     // at least one queue was started and all started ones have halted
  bool stalled() const;  // running, but only the host or another core can unblock it
  bool interrupt() const {
    return !reset_.active() && (done() || context_.errors.any() || notifications_.interrupt());
  }
  // The end of a reset: no queue counts as started, no error.
  void clear();
  // Held: no queue starts.
  void set_held(bool held) { held_ = held; }
  bool held() const { return held_; }
  // For a snapshot.
  void archive_state(base::StateArchive& archive);

 private:
  bool read_queue(unsigned queue, std::uint32_t offset, std::uint32_t* value) const;
  bool write_queue(unsigned queue, std::uint32_t offset, std::uint32_t value);

  CoreContext& context_;
  Queues queues_;
  CoreReset& reset_;
  Notifications& notifications_;
  std::array<std::uint64_t, TERN_QUEUE_COUNT> base_{};
  std::array<std::uint32_t, TERN_QUEUE_COUNT> length_{};
  std::array<bool, TERN_QUEUE_COUNT> started_{};  // since the last irq_clear
  bool held_ = false;
};

}  // namespace tern
