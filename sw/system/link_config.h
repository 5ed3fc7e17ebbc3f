// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "sw/config/yaml_reader.h"

// Key `link` of a system: what every link, switch and forwarding chip of it costs in time and
// bytes. The formulas that use it are in systemc/link.
namespace tern::system {

// Where a setting stands, for messages: "my.yaml:7: key 'torus.size'".
using Source = std::string;

// What a link runs over; its ends say which: one tray, one group, two groups, two units. The last
// one is no NeuronLink: scale_out.h.
enum class Medium : std::uint8_t { kPcb, kBackplane, kAec, kNetwork };
inline constexpr unsigned kMedia = 3;  // of NeuronLink
const char* medium_name(Medium medium);

// Framing of a link. PCIe to 5.0 sends packets, from 6.0 on flits of 256 bytes, UALink of 640.
enum class Protocol : std::uint8_t { kPcie4, kPcie5, kPcie6, kPcie7, kUalink };
const char* protocol_name(Protocol protocol);
// Of a protocol with flits; 0: packets follow each other without.
unsigned flit_bytes(Protocol protocol);

struct MediumConfig {
  double propagation_ns = 0;  // of the whole way
  unsigned retimers = 0;
};

struct LinkConfig {
  Protocol protocol = Protocol::kPcie6;
  std::array<MediumConfig, kMedia> media;  // by Medium
  double controller_ns = 0;                // a chip's transmitter or receiver
  double retimer_ns = 0;                   // one
  double fec_ns = 0;                       // error correction and check of a receiver
  double switch_ns = 0;                    // pin to pin, its port controllers included
  double forward_ns = 0;                   // inside of a chip, receiver to transmitter
  unsigned header_bytes = 0;               // of a packet
  unsigned max_payload = 0;                // bytes of a packet
  unsigned train_bytes = 0;                // most payload that queues and arbiters handle as one
  unsigned buffer_bytes_per_lane = 0;      // of a receiver, for a class of service
  double bit_error_rate = 0;               // before error correction
  bool selective_nak = false;              // only what was lost is sent again
  double replay_timer_ns = 0;              // until what nobody acknowledged is sent again
  double retrain_ns = 0;                   // of a link that lost its lock, until it carries again
  double train_ns = 0;                     // the same of one whose end was put in
  Source source;                           // empty: nobody has chosen yet

  const MediumConfig& medium(Medium m) const { return media[static_cast<unsigned>(m)]; }
};

// What a protocol has unless a file says otherwise. Sources: README.md.
LinkConfig default_link(Protocol protocol);
// The protocol whose lanes have this rate, or the next slower one's.
Protocol protocol_of_rate(double lane_gb_per_s);

// Reads the keys of `value` over the defaults of its protocol. Without a protocol of its own they
// go over `base`, if that was chosen, else over the protocol of the rate.
LinkConfig read_link(const std::optional<config::YamlValue>& value, double lane_gb_per_s,
                     const LinkConfig& base);

}  // namespace tern::system
