// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/config/yaml_reader.h"
#include "sw/system/link_config.h"

// Key `scale_out`: several systems of one kind, its units, whose chips have NICs on a network of
// leaf switches and of what is above them. Keys and sources: README.md.
namespace tern::system {

struct ScaleOut {
  unsigned units = 1;           // 1: no network is built
  double chip_gbit_per_s = 0;   // of a chip's NIC; 0: nothing is known of it
  double port_gbit_per_s = 0;   // of a port: a NIC has several, each on a plane of its own
  unsigned leaf_chips = 0;      // below a leaf; 0: those of a group, with rails those of a place
  bool rails = false;           // a leaf has the chips in one place of all units
  double oversubscription = 1;  // of a leaf: what comes from below over what goes up
  unsigned layers = 2;          // of switches: 1, 2 or 3
  bool multipath = true;        // packets are spread over all ways; else a stream takes one
  double packet_ns = 0;         // of a small packet over a leaf, a spine and a leaf, NIC to NIC
  double switch_ns = 0, cable_ns = 0;
  double post_ns = 0;  // from a put to its first byte in the NIC
  unsigned mtu = 0, header_bytes = 0;
  Source source;  // empty: no file has the key

  double chip_gb_per_s() const { return chip_gbit_per_s / 8; }
  unsigned ports() const;
  double lane_gb_per_s() const { return port_gbit_per_s / 8; }  // a port is a lane of the graph
  unsigned uplinks() const;                                     // of a leaf, in ports
  double nic_ns() const;                                        // of one NIC
  // From a sender's start to the first byte out of the receiver.
  double head_ns(bool from_chip, bool to_chip) const;
  // What headers take, as a part of the bytes of payload of full packets.
  double header_share() const { return static_cast<double>(header_bytes) / mtu; }
};

// The keys of `value` over those of `base`, or over the defaults.
ScaleOut read_scale_out(const config::YamlValue& value, const ScaleOut& base);

}  // namespace tern::system
