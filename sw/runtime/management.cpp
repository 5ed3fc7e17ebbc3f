// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/management.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "sw/base/crc32c.h"
#include "sw/base/user_error.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"

namespace tern::runtime {

namespace {

constexpr std::size_t kMostBytes = TERN_MGMT_MAILBOX_BYTES;

// A message in words: sequence, code, bytes of the payload; CRC with its own field as 0; payload.
using Message = std::vector<std::uint32_t>;
constexpr std::size_t kHeaderWords = 2;

std::uint32_t crc_of(Message message) {
  message[1] = 0;
  return base::crc32c(0, reinterpret_cast<const std::uint8_t*>(message.data()), 4 * message.size());
}

std::uint64_t reg(std::uint64_t offset) {
  return TERN_CHIP_REGS_BASE + offset;
}

[[noreturn]] void fail(std::uint8_t command, const std::string& what) {
  throw RunError("mailbox of the management core, command " + std::to_string(command) + ": " +
                 what);
}

}  // namespace

bool Management::present() {
  std::uint32_t value = 0;
  return port_.peek32(reg(TERN_REG_CHIP_MAILBOX_STATUS), &value);
}

std::uint32_t Management::phase() {
  return port_.read32(reg(TERN_REG_CHIP_FIRMWARE_PHASE));
}

Management::Reply Management::request(std::uint8_t command,
                                      const std::vector<std::uint32_t>& words) {
  if (4 * (words.size() + kHeaderWords) > kMostBytes) fail(command, "a request that is too long");
  sequence_ = sequence_ == 255 ? 1 : static_cast<std::uint8_t>(sequence_ + 1);
  Message message = {
      sequence_ | std::uint32_t{command} << 8 | static_cast<std::uint32_t>(4 * words.size()) << 16,
      0};
  message.insert(message.end(), words.begin(), words.end());
  message[1] = crc_of(message);

  const sc_core::sc_time poll(kPollUs, sc_core::SC_US);
  const sc_core::sc_time end =
      sc_core::sc_time_stamp() + sc_core::sc_time(kTimeoutMs, sc_core::SC_MS);
  const auto wait_for = [&](std::uint32_t mask, std::uint32_t state, const char* what) {
    while ((port_.read32(reg(TERN_REG_CHIP_MAILBOX_STATUS)) & mask) != state) {
      if (sc_core::sc_time_stamp() >= end) fail(command, what);
      sc_core::wait(poll);
    }
  };
  wait_for(TERN_REG_CHIP_MAILBOX_STATUS_REQUEST_MASK, 0, "busy for a second");
  port_.write(reg(TERN_REG_CHIP_MAILBOX_REQUEST), message.data(), 4 * message.size());
  port_.write32(reg(TERN_REG_CHIP_MAILBOX_DOORBELL), 1);
  wait_for(TERN_REG_CHIP_MAILBOX_STATUS_RESPONSE_MASK, TERN_REG_CHIP_MAILBOX_STATUS_RESPONSE_MASK,
           "no response for a second");

  Message answer(kHeaderWords);
  port_.read(reg(TERN_REG_CHIP_MAILBOX_RESPONSE), answer.data(), 4 * kHeaderWords);
  const std::size_t bytes = answer[0] >> 16;
  const bool fits = bytes % 4 == 0 && bytes + 4 * kHeaderWords <= kMostBytes;
  if (fits && bytes > 0) {
    answer.resize(kHeaderWords + bytes / 4);
    port_.read(reg(TERN_REG_CHIP_MAILBOX_RESPONSE) + 4 * kHeaderWords, &answer[kHeaderWords],
               bytes);
  }
  port_.write32(reg(TERN_REG_CHIP_MAILBOX_TAKE), 1);
  if (!fits || crc_of(answer) != answer[1]) fail(command, "a damaged response");
  if ((answer[0] & 0xFF) != sequence_) fail(command, "the response to another request");
  Reply reply;
  reply.status = static_cast<std::uint8_t>(answer[0] >> 8);
  reply.words.assign(answer.begin() + kHeaderWords, answer.end());
  return reply;
}

Management::Reply Management::good(std::uint8_t command, const std::vector<std::uint32_t>& words) {
  Reply reply = request(command, words);
  if (reply.status != TERN_MAILBOX_STATUS_OK)
    fail(command, "status " + std::to_string(reply.status));
  return reply;
}

std::array<std::uint32_t, TERN_ERROR_CLASS_COUNT> Management::error_counts() {
  std::array<std::uint32_t, TERN_ERROR_CLASS_COUNT> counts{};
  const Reply reply = good(TERN_COMMAND_GET_COUNTERS);
  if (reply.words.size() != counts.size())
    fail(TERN_COMMAND_GET_COUNTERS, "a response of another size");
  std::copy(reply.words.begin(), reply.words.end(), counts.begin());
  return counts;
}

std::vector<tern_error_entry> Management::error_log() {
  std::vector<tern_error_entry> log;
  constexpr std::size_t kEntryWords = sizeof(tern_error_entry) / 4;
  for (std::uint32_t first = 0;;) {
    const Reply reply = good(TERN_COMMAND_GET_LOG, {first});
    const std::size_t entries = reply.words.size() / kEntryWords;
    if (reply.words.size() % kEntryWords != 0)
      fail(TERN_COMMAND_GET_LOG, "a response of another size");
    if (entries == 0) return log;
    for (std::size_t i = 0; i < entries; ++i) {
      tern_error_entry entry;
      std::memcpy(&entry, &reply.words[i * kEntryWords], sizeof entry);
      log.push_back(entry);
    }
    if (log.back().number < first) fail(TERN_COMMAND_GET_LOG, "entries that do not go on");
    first = log.back().number + 1;
  }
}

std::uint32_t Management::reset_cores(std::uint32_t cores) {
  const Reply reply = good(TERN_COMMAND_RESET_CORES, {cores});
  if (reply.words.size() != 1) fail(TERN_COMMAND_RESET_CORES, "a response of another size");
  return reply.words[0];
}

}  // namespace tern::runtime
