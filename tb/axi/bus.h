// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <random>

namespace tern::tb {

// Codes of AXI responses, and of the DMA engine's answers.
constexpr unsigned kOkay = 0, kSlvErr = 2, kDecErr = 3;
constexpr unsigned kGood = 0, kBadAddress = 1, kUncorrectable = 2;

inline unsigned answer_of(unsigned response) {
  return response == kSlvErr ? kUncorrectable : response == kDecErr ? kBadAddress : kGood;
}
inline unsigned random_response(std::mt19937_64& random) {
  const auto n = random() % 32;
  return n == 0 ? kSlvErr : n == 1 ? kDecErr : kOkay;
}

constexpr std::uint64_t kTop = 0xA5C3'0000'0000'0000;  // upper bits of addresses, where any will do
// Any upper bits: the address of 32 KiB.
inline std::uint64_t random_top(std::mt19937_64& random) {
  return random() & ~std::uint64_t{0x7FFF};
}

// A request of the engine: 1 to 1024 bytes inside a window of 1 KiB.
struct Request {
  std::uint64_t address = 0;
  unsigned bytes = 0, tag = 0, cls = 0, op = 0;

  unsigned offset() const { return address % 64; }
  unsigned bus_beats() const { return (offset() + bytes + 63) / 64; }
  unsigned packed_beats() const { return (bytes + 63) / 64; }
};

inline Request random_request(std::mt19937_64& random) {
  Request r;
  const unsigned start = random() % 3 == 0 ? random() % 16 * 64 : random() % 1024;
  const unsigned most = 1024 - start, kind = random() % 4;
  r.bytes = kind == 0 ? most : 1 + random() % (kind == 1 && most > 128 ? 128 : most);
  r.address = random_top(random) + random() % 16 * 1024 + start;
  r.cls = random() % 4;
  r.op = random() % 4;
  return r;
}

// request_t: 85 bits in words of 32 (docs/spec/ports.yaml).
template <typename Port>
void set_request(Port& port, const Request& r) {
  const std::uint64_t low = std::uint64_t{r.bytes} << 10 | r.tag << 4 | r.cls << 2 | r.op;
  port[0] = static_cast<std::uint32_t>(low | r.address << 21);
  port[1] = static_cast<std::uint32_t>(r.address >> 11);
  port[2] = static_cast<std::uint32_t>(r.address >> 43);
}

// A beat of 64 bytes at a port.
template <typename Port>
void set_beat(Port& port, const std::uint8_t* bytes) {
  std::memcpy(port.m_storage, bytes, 64);
}

struct Answer {
  bool valid, last;
  unsigned tag, error;
  explicit Answer(std::uint32_t bits)
      : valid((bits >> 9 & 1) != 0),
        last((bits >> 8 & 1) != 0),
        tag(bits >> 2 & 63),
        error(bits & 3) {}
};

}  // namespace tern::tb
