// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "sw/spec/generated/mgmt.h"
#include "systemc/mgmt/domain/word_device.h"

namespace tern::mgmt {

// One request of the host and one response to it at a time. README.md; the protocol:
// docs/reference/mailbox.md.
class Mailbox : public WordDevice {
 public:
  using Buffer = std::array<std::uint32_t, TERN_MGMT_MAILBOX_BYTES / 4>;
  // An interrupt; called when it changes, after reset() and restore() in any case.
  using Line = std::function<void(bool level)>;
  struct State {
    Buffer request = {}, response = {};
    bool request_waits = false, response_waits = false;
    std::uint32_t ignored = 0;
  };

  // line: to the management core. host_line: a response waits.
  Mailbox(sc_core::sc_module_name name, Line line, Line host_line = {});

  // The host's side, at the present simulated time. Words outside of a buffer are ignored, and read
  // 0. The request belongs to the management core while it waits: writes change nothing.
  std::uint32_t host_status() const;
  void host_write(unsigned word, std::uint32_t value);
  std::uint32_t host_read(unsigned word) const;
  // The request is complete; false: one is waiting, this doorbell was ignored.
  bool host_ring();
  // The response was read.
  void host_take();
  void set_host_line(Line line) { host_line_ = std::move(line); }

  void reset() { restore({}); }
  State save() const { return state_; }
  void restore(const State& state);

 private:
  std::uint32_t word(std::uint64_t offset, const sc_core::sc_time& at) const override;
  void set_word(std::uint64_t offset, std::uint32_t value, const sc_core::sc_time& at) override;
  void update(bool always = false);

  const Line line_;
  Line host_line_;
  State state_;
  bool level_ = false, host_level_ = false;
};

}  // namespace tern::mgmt
