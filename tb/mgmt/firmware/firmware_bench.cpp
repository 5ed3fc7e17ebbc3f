// SPDX-License-Identifier: Apache-2.0
#include "tb/mgmt/firmware/firmware_bench.h"

namespace tern::tb {

// Bit i of a byte is the coefficient of a higher power than bit i + 1: registers are mirrored.
std::uint32_t FirmwareBench::crc32c(const std::string& bytes) {
  constexpr std::uint32_t kPolynomial = 0x1EDC6F41;
  const auto mirrored = [](std::uint32_t value, unsigned bits) {
    std::uint32_t result = 0;
    for (unsigned i = 0; i < bits; ++i) result |= (value >> i & 1) << (bits - 1 - i);
    return result;
  };
  std::uint32_t rest = 0xFFFFFFFF;
  for (const char byte : bytes) {
    rest ^= mirrored(static_cast<std::uint8_t>(byte), 8) << 24;
    for (int i = 0; i < 8; ++i) rest = (rest << 1) ^ ((rest >> 31) != 0 ? kPolynomial : 0);
  }
  return ~mirrored(rest, 32);
}

std::string FirmwareBench::words(const std::vector<std::uint32_t>& values) {
  return {reinterpret_cast<const char*>(values.data()), 4 * values.size()};
}

std::string FirmwareBench::message(std::uint8_t sequence, std::uint8_t command,
                                   const std::string& payload) {
  const auto byte = [](std::size_t value) { return static_cast<char>(value & 0xFF); };
  std::string bytes = {byte(sequence), byte(command), byte(payload.size()),
                       byte(payload.size() >> 8)};
  bytes += words({0}) + payload;
  const std::string crc = words({crc32c(bytes)});
  return bytes.replace(4, 4, crc);
}

FirmwareBench::Reply FirmwareBench::send(const std::string& bytes) {
  mgmt::Mailbox& box = domain().mailbox();
  for (unsigned i = 0; i < (bytes.size() + 3) / 4; ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, &bytes[4 * i], std::min<std::size_t>(4, bytes.size() - 4 * i));
    box.host_write(i, word);
  }
  box.host_ring();
  run(200);
  if ((box.host_status() & TERN_REG_MAILBOX_STATUS_RESPONSE_MASK) == 0)
    throw std::runtime_error("no response");
  std::string answer;
  for (unsigned i = 0; i < TERN_MGMT_MAILBOX_BYTES / 4; ++i) answer += words({box.host_read(i)});
  box.host_take();
  Reply reply;
  reply.sequence = static_cast<std::uint8_t>(answer[0]);
  reply.status = static_cast<std::uint8_t>(answer[1]);
  const std::size_t size =
      static_cast<std::uint8_t>(answer[2]) | std::size_t{static_cast<std::uint8_t>(answer[3])} << 8;
  if (size > TERN_MGMT_MAILBOX_BYTES - 8) throw std::runtime_error("a response that is too long");
  reply.payload = answer.substr(8, size);
  reply.crc_matches =
      message(reply.sequence, reply.status, reply.payload).substr(4, 4) == answer.substr(4, 4);
  return reply;
}

FirmwareBench::Reply FirmwareBench::request(std::uint8_t command,
                                            const std::vector<std::uint32_t>& arguments) {
  sequence_ = sequence_ == 255 ? 1 : static_cast<std::uint8_t>(sequence_ + 1);
  Reply reply = send(message(sequence_, command, words(arguments)));
  if (!reply.crc_matches || reply.sequence != sequence_)
    throw std::runtime_error("a response to another request, or a damaged one");
  return reply;
}

}  // namespace tern::tb
