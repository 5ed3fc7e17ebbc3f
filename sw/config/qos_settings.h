// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "sw/spec/generated/isa.h"
#include "sw/spec/generated/qos.h"

// Settings of the QoS arbiter: of a DMA engine's rings, of a port of the network (systemc/qos).
namespace tern::qos {

constexpr unsigned kClasses = TERN_QOS_CLASSES;  // traffic classes; 0 is the most urgent
constexpr unsigned kRateBits = TERN_QOS_RATE_BITS;
constexpr unsigned kDepthBits = TERN_QOS_DEPTH_BITS;
// A packet is charged by fewer than 2^kChargeBits bytes.
constexpr unsigned kChargeBits = TERN_QOS_CHARGE_BITS;

enum class Policy : std::uint8_t {
  kRoundRobin = TERN_QOS_POLICY_ROUND_ROBIN,
  kStrict = TERN_QOS_POLICY_STRICT,
  kWeighted = TERN_QOS_POLICY_WEIGHTED,
};

struct Settings {
  Policy policy = Policy::kRoundRobin;
  std::array<std::uint32_t, kClasses> rate_256{};  // share in 1/256 byte per cycle, < 2^kRateBits
  std::array<std::uint32_t, kClasses> depth{};     // of the token bucket in bytes, < 2^kDepthBits
};

}  // namespace tern::qos
