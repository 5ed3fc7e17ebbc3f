// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <systemc>
#include <utility>

#include "sw/base/state_archive.h"
#include "sw/spec/generated/registers.h"
#include "systemc/pcie/host_link.h"

namespace tern {

// Message interrupts to the host: vector n when source n rises and is enabled. A message arrives
// over the host link, behind what the chip has written to the host's memory before.
class MessageInterrupts : public sc_core::sc_module {
 public:
  static constexpr unsigned kMailbox = TERN_REG_CHIP_MSI_ENABLE_MAILBOX;
  // A message has arrived at the host.
  using Receiver = std::function<void(unsigned vector)>;

  MessageInterrupts(sc_core::sc_module_name name, const pcie::HostLink& link);

  void set_receiver(Receiver receiver) { receiver_ = std::move(receiver); }
  void set_level(unsigned source, bool level);

  // Register msi_enable, half 0 or 1. Enabling a source that is high sends its message.
  std::uint32_t enabled(unsigned half) const {
    return static_cast<std::uint32_t>(enable_ >> 32 * half);
  }
  void enable(unsigned half, std::uint32_t value);

  bool idle() const { return under_way_.empty(); }
  // For a snapshot, while idle(). Restored, it sends nothing.
  void archive_state(base::StateArchive& archive) {
    archive.section("message interrupts");
    archive.numbers(enable_, levels_);
  }
  // Nothing is sent from now on; before the levels of a snapshot are restored.
  void disable() { enable_ = 0; }

 private:
  SC_HAS_PROCESS(MessageInterrupts);
  void send(std::uint64_t sources);
  void deliver();

  struct Message {
    sc_core::sc_time at;
    unsigned vector;
  };
  const pcie::HostLink& link_;
  Receiver receiver_;
  std::uint64_t enable_ = 0, levels_ = 0;
  std::deque<Message> under_way_;
  sc_core::sc_event arrival_;
};

}  // namespace tern
