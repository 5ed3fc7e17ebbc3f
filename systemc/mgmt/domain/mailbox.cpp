// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/domain/mailbox.h"

#include <utility>

namespace tern::mgmt {

namespace {

constexpr RegisterArray kRequest{TERN_REG_MAILBOX_REQUEST_BUFFER,
                                 TERN_REG_MAILBOX_REQUEST_BUFFER_STRIDE,
                                 TERN_REG_MAILBOX_REQUEST_BUFFER_COUNT};
constexpr RegisterArray kResponse{TERN_REG_MAILBOX_RESPONSE_BUFFER,
                                  TERN_REG_MAILBOX_RESPONSE_BUFFER_STRIDE,
                                  TERN_REG_MAILBOX_RESPONSE_BUFFER_COUNT};
static_assert(TERN_REG_MAILBOX_REQUEST_BUFFER_COUNT * 4 == TERN_MGMT_MAILBOX_BYTES);
static_assert(TERN_REG_MAILBOX_RESPONSE_BUFFER_COUNT * 4 == TERN_MGMT_MAILBOX_BYTES);

}  // namespace

Mailbox::Mailbox(sc_core::sc_module_name name, Line line, Line host_line)
    : WordDevice(name), line_(std::move(line)), host_line_(std::move(host_line)) {}

std::uint32_t Mailbox::host_status() const {
  return (state_.request_waits ? TERN_REG_MAILBOX_STATUS_REQUEST_MASK : 0) |
         (state_.response_waits ? TERN_REG_MAILBOX_STATUS_RESPONSE_MASK : 0);
}

void Mailbox::host_write(unsigned word, std::uint32_t value) {
  if (!state_.request_waits && word < state_.request.size()) state_.request[word] = value;
}

std::uint32_t Mailbox::host_read(unsigned word) const {
  return word < state_.response.size() ? state_.response[word] : 0;
}

bool Mailbox::host_ring() {
  if (state_.request_waits) {
    ++state_.ignored;
    return false;
  }
  state_.request_waits = true;
  update();
  return true;
}

void Mailbox::host_take() {
  state_.response_waits = false;
  update();
}

std::uint32_t Mailbox::word(std::uint64_t offset, const sc_core::sc_time&) const {
  if (const auto i = kRequest.at(offset)) return state_.request[*i];
  if (const auto i = kResponse.at(offset)) return state_.response[*i];
  switch (offset) {
    case TERN_REG_MAILBOX_VERSION:
      return TERN_MGMT_MAILBOX_VERSION;
    case TERN_REG_MAILBOX_STATUS:
      return host_status();
    case TERN_REG_MAILBOX_IGNORED:
      return state_.ignored;
    default:
      return 0;
  }
}

void Mailbox::set_word(std::uint64_t offset, std::uint32_t value, const sc_core::sc_time&) {
  if (const auto i = kResponse.at(offset)) {
    // Likewise the response belongs to the host while it waits.
    if (!state_.response_waits) state_.response[*i] = value;
  } else if (offset == TERN_REG_MAILBOX_DONE && value == 1 && state_.request_waits &&
             !state_.response_waits) {
    state_.request_waits = false;
    state_.response_waits = true;
    update();
  }
}

void Mailbox::update(bool always) {
  const bool level = state_.request_waits && !state_.response_waits;
  if (line_ && (always || level != level_)) line_(level);
  level_ = level;
  const bool host_level = state_.response_waits;
  const bool changed = always || host_level != host_level_;
  host_level_ = host_level;
  if (host_line_ && changed) host_line_(host_level);  // last: the host may go on at once
}

void Mailbox::restore(const State& state) {
  state_ = state;
  update(true);
}

}  // namespace tern::mgmt
