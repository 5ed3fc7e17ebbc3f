// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "systemc/engines/ports/clock_domain.h"
#include "systemc/trace/sim_time.h"

namespace tern::dma {

// The clock of the DMA engines of a core, and their common event. They are mostly active in the
// same cycles, and a wake of the SystemC kernel costs as much as the work of an engine in one
// cycle.
class EngineClock : public sc_core::sc_module {
 public:
  class Member {
   public:
    virtual void wake() = 0;

   protected:
    ~Member() = default;
  };

  EngineClock(sc_core::sc_module_name name, double ghz);

  // The member's number, for wake_at().
  unsigned add(Member& member);
  // The earliest of a member's calls since its last wake counts.
  void wake_at(unsigned member, std::uint64_t fs) {
    if (fs < due_[member]) set_due(member, fs);
  }

  // The current cycle; an event of this moment is at the ports in the next one.
  std::uint64_t present() const {
    look();
    return present_;
  }
  // When the next cycle begins.
  std::uint64_t next_fs() const {
    look();
    return next_fs_;
  }
  std::uint64_t cycle_begun(std::uint64_t fs) const { return domain_.cycle_begun(fs); }
  std::uint64_t fs_of(std::uint64_t cycle) const { return domain_.fs_of(cycle); }
  // Of the calling SC_THREAD.
  void wait_for(std::uint64_t cycle) const { domain_.wait_for(cycle); }

 private:
  void set_due(unsigned member, std::uint64_t fs);
  void wake_members();
  void look() const {
    if (!waking_) look(now_fs());
  }
  void look(std::uint64_t now) const {
    if (now < begin_fs_ || now >= next_fs_) find_present(now);
  }
  void find_present(std::uint64_t now) const;

  const ClockDomain domain_;
  // The cycle of the last query: begin_fs_ <= time < next_fs_.
  mutable std::uint64_t present_ = 0, begin_fs_ = 0, next_fs_ = 0;
  std::vector<Member*> members_;
  std::vector<std::uint64_t> due_;  // per member; UINT64_MAX: never
  std::uint64_t notified_ = UINT64_MAX;
  bool waking_ = false;
  sc_core::sc_event wake_;
};

}  // namespace tern::dma
