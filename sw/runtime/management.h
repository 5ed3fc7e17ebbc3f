// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <systemc>
#include <vector>

#include "sw/runtime/host_port.h"
#include "sw/spec/generated/mgmt.h"

namespace tern::runtime {

// The host's side of the mailbox of the management core (docs/reference/mailbox.md). Calls take
// simulated time and must run in a SystemC thread.
class Management {
 public:
  // How often it looks for a response, and how long: the driver of the modelled chips waits 1 s.
  static constexpr double kPollUs = 10, kTimeoutMs = 1000;

  struct Reply {
    std::uint8_t status = TERN_MAILBOX_STATUS_OK;
    std::vector<std::uint32_t> words;
  };

  explicit Management(HostPort& port) : port_(port) {}

  // The chip has a management core.
  bool present();
  std::uint32_t phase();  // TERN_PHASE_...
  // A command (TERN_COMMAND_...) with its words. RunError without a response in time, or if it is
  // damaged.
  Reply request(std::uint8_t command, const std::vector<std::uint32_t>& words = {});
  // Counts by error class since start or clear_errors. RunError if the firmware refuses.
  std::array<std::uint32_t, TERN_ERROR_CLASS_COUNT> error_counts();
  // The kept entries of the error log, oldest first.
  std::vector<tern_error_entry> error_log();
  // Resets cores, a bit each, and ends their error state; the cores that are ready after it.
  std::uint32_t reset_cores(std::uint32_t cores);

 private:
  Reply good(std::uint8_t command, const std::vector<std::uint32_t>& words = {});

  HostPort& port_;
  std::uint8_t sequence_ = 0;
};

}  // namespace tern::runtime
