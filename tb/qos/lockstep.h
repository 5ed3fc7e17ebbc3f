// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <random>

#include "systemc/cosim/qos_rtl.h"
#include "systemc/qos/arbiter.h"
#include "tb/common/bench_wave.h"
#include "tb/qos/reference.h"

namespace tern::tb {

// RTL, model and reference with the same inputs; any difference fails the test.
class QosTrio {
 public:
  static constexpr unsigned kRequesters = QosRtl::kRequesters;

  explicit QosTrio(const WaveOptions& wave = bench_wave())
      : rtl_(wave), model_(kRequesters), reference_(kRequesters) {}

  void configure(const qos::Settings& settings) {
    rtl_.configure(settings);
    model_.configure(settings, cycle_);
    reference_.policy = static_cast<unsigned>(settings.policy);
    for (unsigned c = 0; c < qos::kClasses; ++c) {
      reference_.rate[c] = settings.rate_256[c];
      reference_.depth[c] = settings.depth[c];
    }
  }

  // ask_model: false leaves the model alone in this cycle if nothing is granted, as an event-driven
  // user does.
  QosRtl::Grant step(bool enable, std::uint32_t requests, const std::uint32_t* class_of,
                     const std::uint32_t* bytes_of, bool ask_model = true) {
    if (ask_model) {
      for (unsigned c = 0; c < qos::kClasses; ++c) {
        same(model_.shaper().balance_256(cycle_, c), rtl_.balance_256(c), "balance", c);
      }
    }
    for (unsigned c = 0; c < qos::kClasses; ++c) {
      same(reference_.balance[c], rtl_.balance_256(c), "balance of the reference", c);
    }
    const QosRtl::Grant grant = rtl_.offer(enable, requests, class_of, bytes_of);
    const auto expected = reference_.cycle(enable, requests, class_of, bytes_of);
    same(expected.has_value(), grant.valid, "grant", 0);
    same(expected ? 1u << expected->requester : 0, grant.grants, "requesters granted", 0);
    if (expected) {
      same(expected->requester, grant.requester, "requester", 0);
      same(expected->cls, grant.cls, "class", 0);
      same(expected->by_right, grant.by_right, "by right", 0);
      const auto picked = model_.pick(cycle_, class_of, requests);
      same(picked ? static_cast<int>(*picked) : -1, static_cast<int>(grant.requester),
           "requester of the model", 0);
      model_.granted(cycle_, grant.requester, grant.cls, bytes_of[grant.requester]);
    }
    rtl_.tick();
    ++cycle_;
    return grant;
  }

  const QosRtl& rtl() const { return rtl_; }
  std::uint64_t cycle() const { return cycle_; }

 private:
  template <typename A, typename B>
  void same(A expected, B got, const char* what, unsigned cls) const {
    if (static_cast<std::int64_t>(expected) == static_cast<std::int64_t>(got)) return;
    FAIL("cycle " << cycle_ << ": " << what << " (class " << cls << "): expected "
                  << static_cast<std::int64_t>(expected) << ", RTL "
                  << static_cast<std::int64_t>(got));
  }

  QosRtl rtl_;
  qos::Arbiter model_;
  QosReference reference_;
  std::uint64_t cycle_ = 0;
};

// Random settings; small buckets and packets meet their borders often.
inline qos::Settings random_qos_settings(std::mt19937_64& random) {
  qos::Settings settings;
  const unsigned policy = static_cast<unsigned>(random() % 8);
  settings.policy = policy == 0   ? qos::Policy::kRoundRobin
                    : policy <= 3 ? qos::Policy::kStrict
                                  : qos::Policy::kWeighted;
  const unsigned rate_bits = 1 + static_cast<unsigned>(random() % qos::kRateBits);
  const unsigned depth_bits = static_cast<unsigned>(random() % (qos::kDepthBits + 1));
  for (unsigned c = 0; c < qos::kClasses; ++c) {
    settings.rate_256[c] =
        random() % 4 == 0 ? 0 : static_cast<std::uint32_t>(random() & ((1u << rate_bits) - 1));
    settings.depth[c] = static_cast<std::uint32_t>(random() & ((1u << depth_bits) - 1));
  }
  return settings;
}

// Random traffic in epochs of random settings, rate of requests and sizes.
inline void random_qos_run(QosTrio& trio, std::mt19937_64& random, std::uint64_t cycles) {
  std::uint32_t class_of[QosTrio::kRequesters], bytes_of[QosTrio::kRequesters];
  std::uint32_t requests = 0;
  const std::uint64_t end = trio.cycle() + cycles;
  while (trio.cycle() < end) {
    trio.configure(random_qos_settings(random));
    const unsigned size_bits = static_cast<unsigned>(random() % (qos::kChargeBits + 1));
    const unsigned arrivals = 1u << random() % 7, gap = 1 + static_cast<unsigned>(random() % 20);
    const bool rarely = random() % 2 == 0;
    for (unsigned i = 0; i < QosTrio::kRequesters; ++i) {
      class_of[i] = static_cast<std::uint32_t>(random() % 4);
      bytes_of[i] = static_cast<std::uint32_t>(random() & ((1u << size_bits) - 1));
    }
    for (std::uint64_t left = 1 + random() % 500; left > 0; --left) {
      if (random() % arrivals == 0) requests |= static_cast<std::uint32_t>(random() & 0xFFFF);
      const bool enable = random() % gap == 0;
      const auto grant =
          trio.step(enable, requests, class_of, bytes_of, !rarely || random() % 64 == 0);
      if (grant.valid) {
        requests &= ~grant.grants;
        bytes_of[grant.requester] = static_cast<std::uint32_t>(random() & ((1u << size_bits) - 1));
        if (random() % 4 == 0) class_of[grant.requester] = static_cast<std::uint32_t>(random() % 4);
      }
    }
  }
}

}  // namespace tern::tb
