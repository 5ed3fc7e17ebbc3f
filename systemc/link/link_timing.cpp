// SPDX-License-Identifier: Apache-2.0
#include "systemc/link/link_timing.h"

#include <algorithm>
#include <cmath>

#include "sw/spec/generated/link.h"

namespace tern::link {

namespace {

using system::flit_bytes;
using system::Protocol;

constexpr double kLineCode = 130.0 / 128;  // from 8 GT/s to 32 GT/s
const double kFlitBytes = flit_bytes(Protocol::kPcie6);
constexpr double kFlitPacketBytes = 4.0 * TERN_LINK_TLP_DWORDS;  // of its packets
constexpr double kUalinkBytes = 640, kUalinkPayload = 628;       // data-link flit
constexpr double kUalinkCodeWord = 680;                          // the same with its RS-FEC
constexpr unsigned kPacketOverhead = 8;                          // start token and CRC
constexpr double kDllpBytes = 8;                                 // 6 and their framing
constexpr unsigned kFecGroups = 3, kFecGroupSymbols = 85;        // of a PCIe flit: 250 bytes and 6
constexpr unsigned kRsSymbols = 544, kRsSymbolBits = 10, kRsCorrects = 15;  // RS(544, 514)

// The probability of more than `most` of `count` independent events.
double tail(unsigned count, double probability, unsigned most) {
  // Terms fall quickly where this is used; a hundred of them are plenty.
  double sum = 0;
  for (unsigned k = most + 1; k <= std::min(count, most + 100); ++k) {
    const double log_term = std::lgamma(count + 1.0) - std::lgamma(k + 1.0) -
                            std::lgamma(count - k + 1.0) + k * std::log(probability) +
                            (count - k) * std::log1p(-probability);
    sum += std::exp(log_term);
  }
  return std::min(sum, 1.0);
}

double any_of(double bits, double error_rate) {
  return -std::expm1(bits * std::log1p(-error_rate));
}

}  // namespace

std::uint64_t packets_of(const LinkConfig& config, std::uint64_t payload) {
  return std::max<std::uint64_t>(1, (payload + config.max_payload - 1) / config.max_payload);
}

std::uint64_t packet_bytes(const LinkConfig& config, std::uint64_t payload) {
  const unsigned overhead = flit_bytes(config.protocol) > 0 ? 0 : kPacketOverhead;
  return (payload + 3) / 4 * 4 + packets_of(config, payload) * (config.header_bytes + overhead);
}

double wire_factor(const LinkConfig& config) {
  switch (config.protocol) {
    case Protocol::kPcie4:
    case Protocol::kPcie5:
      return kLineCode;
    case Protocol::kPcie6:
    case Protocol::kPcie7:
      return kFlitBytes / kFlitPacketBytes;
    case Protocol::kUalink:
      break;
  }
  return kUalinkBytes / kUalinkPayload * (kUalinkCodeWord / kUalinkBytes);
}

// An acknowledgement and an update of credits every AckFactor packets (Base Specification, table
// of the Ack latency limit).
double dllp_bytes(const LinkConfig& config, unsigned lanes) {
  if (flit_bytes(config.protocol) > 0) return 0;
  const bool small = config.max_payload <= 256;
  const double ack_factor = lanes >= 16  ? (small ? 3.0 : 2.0)
                            : lanes >= 8 ? (small ? 2.5 : 1.0)
                                         : (small ? 1.4 : 1.0);
  return 2 * kDllpBytes / ack_factor;
}

double efficiency(const LinkConfig& config, std::uint64_t payload) {
  return static_cast<double>(payload) /
         (static_cast<double>(packet_bytes(config, payload)) * wire_factor(config));
}

LinkTiming::LinkTiming(const LinkConfig& config, unsigned lanes, double lane_gb_per_s,
                       Medium medium, bool from_chip, bool to_chip)
    : config_(config), lanes_(lanes), rate_(lanes * lane_gb_per_s) {
  const double unit_bytes =
      config.protocol == Protocol::kUalink ? kUalinkCodeWord
      : flit_bytes(config.protocol) > 0
          ? kFlitBytes
          : static_cast<double>(packet_bytes(config, 0)) * wire_factor(config);
  unit_ = unit_bytes / rate_;
  const auto& m = config.medium(medium);
  flight_ = (from_chip ? config.controller_ns : 0) + m.propagation_ns +
            m.retimers * config.retimer_ns + config.fec_ns + (to_chip ? config.controller_ns : 0);
  head_ = flight_ + unit_;
}

double LinkTiming::occupancy(std::uint64_t payload) const {
  const std::uint64_t padded = (payload + 3) / 4 * 4;
  return static_cast<double>(padded) * byte_time() +
         static_cast<double>(packets_of(config_, payload)) * packet_time();
}

double LinkTiming::packet_time() const {
  return (static_cast<double>(packet_bytes(config_, 0)) + dllp_bytes(config_, lanes_)) *
         byte_time();
}

double LinkTiming::payload_rate(std::uint64_t payload) const {
  return static_cast<double>(payload) / occupancy(payload);
}

double LinkTiming::replay_cost(bool selective) const {
  const double lost = flit_bytes(config_.protocol) > 0 ? unit_ : occupancy(config_.max_payload);
  return selective ? lost : round_trip() + lost;
}

double LinkTiming::loss_probability() const {
  const double error = config_.bit_error_rate;
  if (error <= 0) return 0;
  if (config_.protocol == Protocol::kUalink)
    return tail(kRsSymbols, any_of(kRsSymbolBits, error), kRsCorrects);
  if (flit_bytes(config_.protocol) == 0)
    return any_of(8.0 * static_cast<double>(packet_bytes(config_, config_.max_payload)), error);
  return any_of(kFecGroups, tail(kFecGroupSymbols, any_of(8, error), 1));
}

double LinkTiming::corrected_probability() const {
  const double error = config_.bit_error_rate;
  if (error <= 0 || flit_bytes(config_.protocol) == 0) return 0;
  const double bytes = config_.protocol == Protocol::kUalink ? kUalinkCodeWord : kFlitBytes;
  return std::max(0.0, any_of(8 * bytes, error) - loss_probability());
}

std::uint64_t LinkTiming::units(std::uint64_t payload) const {
  if (flit_bytes(config_.protocol) == 0) return packets_of(config_, payload);
  return static_cast<std::uint64_t>(std::ceil(occupancy(payload) / unit_ - 1e-9));
}

double LinkTiming::replay_share() const {
  const double lost = flit_bytes(config_.protocol) > 0 ? unit_ : occupancy(config_.max_payload);
  const double extra = loss_probability() * replay_cost(config_.selective_nak);
  return extra / (lost + extra);
}

}  // namespace tern::link
