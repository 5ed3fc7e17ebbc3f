// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/system/link_config.h"

// What a link costs: bytes on the wire, times on an idle link, replays. Formulas: README.md.
// Times are in nanoseconds; rates in bytes per nanosecond, which are GB/s.
namespace tern::link {

using system::LinkConfig;
using system::Medium;

// Packets of a train.
std::uint64_t packets_of(const LinkConfig& config, std::uint64_t payload);
// Bytes of a train of packets before line code and flits: payload in units of 4 bytes, headers and,
// without flits, start token and CRC of each packet. No payload: one packet of a header.
std::uint64_t packet_bytes(const LinkConfig& config, std::uint64_t payload);
// A byte of packets on the wire of a busy link: line code, or flits packed without gaps.
double wire_factor(const LinkConfig& config);
// Bytes of link-layer packets (acknowledgements, credits) for a packet, without flits: those of a
// link that is as busy in the other direction. In flits they have a place of their own: 0.
double dllp_bytes(const LinkConfig& config, unsigned lanes);
// Payload by bytes on the wire, without link-layer packets.
double efficiency(const LinkConfig& config, std::uint64_t payload);

// One direction of a link.
class LinkTiming {
 public:
  // from_chip, to_chip: what its ends are; the controllers of a switch are in switch_ns.
  LinkTiming(const LinkConfig& config, unsigned lanes, double lane_gb_per_s, Medium medium,
             bool from_chip, bool to_chip);

  double line_rate() const { return rate_; }
  // Of a stream of packets of this payload, the link-layer packets of the other direction included.
  double payload_rate(std::uint64_t payload) const;
  // How long a train occupies the link: byte_time for each byte of payload, in units of 4 bytes,
  // and packet_time for each packet.
  double occupancy(std::uint64_t payload) const;
  double byte_time() const { return wire_factor(config_) / rate_; }
  double packet_time() const;
  // From a transmitter's decision to the first bytes behind the receiver, on which a switch can
  // act: of a flit all of them, because it is checked first.
  double head_latency() const { return head_; }
  // The same without the bytes themselves: what a credit takes.
  double flight() const { return flight_; }
  // To the last byte behind the receiver.
  double latency(std::uint64_t payload) const { return head_ + occupancy(payload); }
  // From a flit sent to its acknowledgement or its credit seen, in an idle link whose other
  // direction has the same latency.
  double round_trip() const { return 2 * head_; }

  // Time of the line that one lost flit (without flits: packet of max_payload) costs.
  double replay_cost(bool selective) const;
  // That a flit, or a packet of max_payload, is lost: errors beyond what its code corrects, each
  // bit on its own.
  double loss_probability() const;
  // That a flit, or a packet, has wrong bits and its code corrects them.
  double corrected_probability() const;
  // Flits, or packets, that a train takes on the wire: what is lost as a whole.
  std::uint64_t units(std::uint64_t payload) const;
  // Share of the line that replays take.
  double replay_share() const;

  // Of a flit; without flits: of the header on which a switch acts.
  double unit_time() const { return unit_; }

 private:
  LinkConfig config_;
  unsigned lanes_;
  double rate_, unit_, flight_, head_;
};

}  // namespace tern::link
