// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <systemc>

#include "sw/base/state_archive.h"
#include "sw/spec/generated/mgmt.h"
#include "sw/spec/generated/registers.h"

namespace tern {

// The notification queues of a core: rings of entries in memory, one for each type, which software
// reads. Entries are written one after the other, in the order of events. A queue that is full
// loses the newest and counts it.
class Notifications : public sc_core::sc_module {
 public:
  // Blocks the calling SC_THREAD; false on a bus error.
  using Write = std::function<bool(std::uint64_t address, const void* data, unsigned bytes)>;

  // changed: an interrupt may have changed.
  Notifications(sc_core::sc_module_name name, Write write, std::function<void()> changed);

  // Its type's queue takes it if it is on; `pass` and `time_ns` are filled in.
  void post(tern_notification entry);
  bool takes(unsigned type) const { return queues_[type].size != 0; }
  bool takes_ring(unsigned ring) const { return (rings_ >> ring & 1) != 0; }
  // What has not been written yet is dropped; settings stay.
  void reset();
  bool interrupt() const;
  // Entries that have not been written.
  bool idle() const;
  // For a snapshot, while idle().
  void archive_state(base::StateArchive& archive);

  // Registers notify_*; false: there is no such register.
  bool read(std::uint32_t offset, std::uint32_t* value) const;
  bool write(std::uint32_t offset, std::uint32_t value);

 private:
  SC_HAS_PROCESS(Notifications);
  static constexpr std::uint32_t kStride = TERN_REG_CORE_NOTIFY_BASE_STRIDE;

  struct Queue {
    std::uint64_t base = 0;
    std::uint32_t size = 0, head = 0, tail = 0, lost = 0;
    std::uint32_t slot = 0;        // of the next entry
    std::uint32_t waiting = 0;     // accepted, not written
    std::uint32_t generation = 0;  // counts set-ups and resets
    bool even_pass = false;
  };
  struct Waiting {
    tern_notification entry;
    std::uint32_t generation;
  };
  void run();
  void deliver(const Waiting& waiting);

  const Write write_;
  const std::function<void()> changed_;
  std::array<Queue, TERN_NOTIFICATION_COUNT> queues_;
  std::uint32_t irq_ = 0, rings_ = TERN_REG_CORE_NOTIFY_RINGS_RESET;
  std::deque<Waiting> waiting_;
  sc_core::sc_event posted_;
};

}  // namespace tern
