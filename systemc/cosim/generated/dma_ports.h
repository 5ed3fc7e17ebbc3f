// SPDX-License-Identifier: Apache-2.0
// Generated from docs/spec/ports.yaml by tern_spec_gen: do not edit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "systemc/cosim/port_bits.h"

// Packed structs of dma_pkg at the ports of a Verilated block, from bit `lsb` on. pack() keeps the
// lower bits of a member that is too large. kWidths: of the members, the first one uppermost.
namespace tern::dma_ports {

// Answers of memory.
enum class AnswerCode : std::uint8_t {
  kGood = 0,
  kBadAddress = 1,
  kUncorrectable = 2,
};

// A packet that waits for the arbiter.
struct Ready {
  std::uint32_t fault = 0;  // 0: a good packet
  std::uint32_t index = 0;  // Position in the ring: of the first pair; faulty: of the bad one
  std::uint32_t pairs = 0;
  std::uint32_t bytes = 0;  // Of its destinations
  std::uint32_t op = 0;
  std::uint32_t src_dtype = 0;
  std::uint32_t dst_dtype = 0;
  std::uint32_t crc = 0;
  std::uint32_t crc_expected = 0;

  static constexpr unsigned kBits = 101;
  static constexpr std::array<unsigned, 9> kWidths = {
      5, 24, 7, 23, 4, 2, 2, 2, 32,
  };

  template <typename Port>
  void pack(Port& port, std::size_t lsb = 0) const {
    cosim::set_bits(port, lsb + 96, 5, fault);
    cosim::set_bits(port, lsb + 72, 24, index);
    cosim::set_bits(port, lsb + 65, 7, pairs);
    cosim::set_bits(port, lsb + 42, 23, bytes);
    cosim::set_bits(port, lsb + 38, 4, op);
    cosim::set_bits(port, lsb + 36, 2, src_dtype);
    cosim::set_bits(port, lsb + 34, 2, dst_dtype);
    cosim::set_bits(port, lsb + 32, 2, crc);
    cosim::set_bits(port, lsb, 32, crc_expected);
  }
  template <typename Port>
  static Ready unpack(const Port& port, std::size_t lsb = 0) {
    Ready s;
    s.fault = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 96, 5));
    s.index = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 72, 24));
    s.pairs = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 65, 7));
    s.bytes = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 42, 23));
    s.op = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 38, 4));
    s.src_dtype = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 36, 2));
    s.dst_dtype = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 34, 2));
    s.crc = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 32, 2));
    s.crc_expected = static_cast<std::uint32_t>(cosim::get_bits(port, lsb, 32));
    return s;
  }
};

// A packet in transit from the arbiter to dma_source and dma_target. Widths are those of the full
// engine.
struct Packet {
  std::uint32_t entry = 0;  // Of the packet table
  std::uint32_t ring = 0;
  std::uint32_t slot = 0;  // Of its first pair in the prefetch buffer; they wrap around
  std::uint32_t pairs = 0;  // 1 .. MaxPacketPairs, pattern slots included
  std::uint32_t op = 0;  // dma_spec_pkg::Op*
  std::uint32_t src_dtype = 0;
  std::uint32_t dst_dtype = 0;
  std::uint32_t crc = 0;
  std::uint32_t crc_expected = 0;
  std::uint32_t traffic_class = 0;

  static constexpr unsigned kBits = 72;
  static constexpr std::array<unsigned, 10> kWidths = {
      6, 4, 7, 7, 4, 4, 4, 2, 32, 2,
  };

  template <typename Port>
  void pack(Port& port, std::size_t lsb = 0) const {
    cosim::set_bits(port, lsb + 66, 6, entry);
    cosim::set_bits(port, lsb + 62, 4, ring);
    cosim::set_bits(port, lsb + 55, 7, slot);
    cosim::set_bits(port, lsb + 48, 7, pairs);
    cosim::set_bits(port, lsb + 44, 4, op);
    cosim::set_bits(port, lsb + 40, 4, src_dtype);
    cosim::set_bits(port, lsb + 36, 4, dst_dtype);
    cosim::set_bits(port, lsb + 34, 2, crc);
    cosim::set_bits(port, lsb + 2, 32, crc_expected);
    cosim::set_bits(port, lsb, 2, traffic_class);
  }
  template <typename Port>
  static Packet unpack(const Port& port, std::size_t lsb = 0) {
    Packet s;
    s.entry = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 66, 6));
    s.ring = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 62, 4));
    s.slot = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 55, 7));
    s.pairs = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 48, 7));
    s.op = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 44, 4));
    s.src_dtype = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 40, 4));
    s.dst_dtype = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 36, 4));
    s.crc = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 34, 2));
    s.crc_expected = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 2, 32));
    s.traffic_class = static_cast<std::uint32_t>(cosim::get_bits(port, lsb, 2));
    return s;
  }
};

// A request to stop the ring of a packet. Ignored when the packet is dead.
struct Stop {
  bool valid = false;
  std::uint32_t entry = 0;
  std::uint32_t pair = 0;  // Of the packet, 0 is its first
  std::uint32_t fault = 0;  // dma_spec_pkg::Fault*
  std::uint64_t address = 0;

  static constexpr unsigned kBits = 83;
  static constexpr std::array<unsigned, 5> kWidths = {
      1, 6, 7, 5, 64,
  };

  template <typename Port>
  void pack(Port& port, std::size_t lsb = 0) const {
    cosim::set_bits(port, lsb + 82, 1, valid);
    cosim::set_bits(port, lsb + 76, 6, entry);
    cosim::set_bits(port, lsb + 69, 7, pair);
    cosim::set_bits(port, lsb + 64, 5, fault);
    cosim::set_bits(port, lsb, 64, address);
  }
  template <typename Port>
  static Stop unpack(const Port& port, std::size_t lsb = 0) {
    Stop s;
    s.valid = cosim::get_bits(port, lsb + 82, 1) != 0;
    s.entry = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 76, 6));
    s.pair = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 69, 7));
    s.fault = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 64, 5));
    s.address = cosim::get_bits(port, lsb, 64);
    return s;
  }
};

// A burst that a port requests from memory; a write request is valid with its last beat.
struct Request {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  std::uint32_t tag = 0;
  std::uint32_t traffic_class = 0;
  std::uint32_t write_op = 0;  // Reads: 0

  static constexpr unsigned kBits = 85;
  static constexpr std::array<unsigned, 5> kWidths = {
      64, 11, 6, 2, 2,
  };

  template <typename Port>
  void pack(Port& port, std::size_t lsb = 0) const {
    cosim::set_bits(port, lsb + 21, 64, address);
    cosim::set_bits(port, lsb + 10, 11, bytes);
    cosim::set_bits(port, lsb + 4, 6, tag);
    cosim::set_bits(port, lsb + 2, 2, traffic_class);
    cosim::set_bits(port, lsb, 2, write_op);
  }
  template <typename Port>
  static Request unpack(const Port& port, std::size_t lsb = 0) {
    Request s;
    s.address = cosim::get_bits(port, lsb + 21, 64);
    s.bytes = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 10, 11));
    s.tag = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 4, 6));
    s.traffic_class = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 2, 2));
    s.write_op = static_cast<std::uint32_t>(cosim::get_bits(port, lsb, 2));
    return s;
  }
};

// A beat of an answer: `data` packed from the request's first byte, the error with the last beat,
// the tag with every one.
struct Answer {
  bool valid = false;
  bool last = false;
  std::uint32_t tag = 0;
  std::uint32_t error = 0;  // Answer*

  static constexpr unsigned kBits = 10;
  static constexpr std::array<unsigned, 4> kWidths = {
      1, 1, 6, 2,
  };

  template <typename Port>
  void pack(Port& port, std::size_t lsb = 0) const {
    cosim::set_bits(port, lsb + 9, 1, valid);
    cosim::set_bits(port, lsb + 8, 1, last);
    cosim::set_bits(port, lsb + 2, 6, tag);
    cosim::set_bits(port, lsb, 2, error);
  }
  template <typename Port>
  static Answer unpack(const Port& port, std::size_t lsb = 0) {
    Answer s;
    s.valid = cosim::get_bits(port, lsb + 9, 1) != 0;
    s.last = cosim::get_bits(port, lsb + 8, 1) != 0;
    s.tag = static_cast<std::uint32_t>(cosim::get_bits(port, lsb + 2, 6));
    s.error = static_cast<std::uint32_t>(cosim::get_bits(port, lsb, 2));
    return s;
  }
};

}  // namespace tern::dma_ports
