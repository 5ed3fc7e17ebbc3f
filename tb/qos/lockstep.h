// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <random>
#include <string>

#include "systemc/cosim/qos_rtl.h"
#include "systemc/qos/arbiter.h"
#include "tb/common/bench_inputs.h"
#include "tb/common/bench_wave.h"
#include "tb/common/check_mismatch.h"
#include "tb/qos/reference.h"

namespace tern::tb {

// RTL, model and reference with the same inputs; any difference fails the test.
class QosTrio {
 public:
  static constexpr unsigned kRequesters = QosRtl::kRequesters;

  explicit QosTrio(const WaveOptions& wave = bench_wave())
      : rtl_(wave), model_(kRequesters), reference_(kRequesters) {}

  void configure(const qos::Settings& settings) {
    settings_ = settings;
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
    enable_ = enable;
    requests_ = requests;
    std::copy_n(class_of, kRequesters, class_of_.begin());
    std::copy_n(bytes_of, kRequesters, bytes_of_.begin());
    for (unsigned c = 0; c < qos::kClasses; ++c) {
      if (ask_model) {
        same(model_.shaper().balance_256(cycle_, c), rtl_.balance_256(c),
             "balance_o against the model,", c);
      }
      same(reference_.balance[c], rtl_.balance_256(c), "balance_o,", c);
    }
    const QosRtl::Grant grant = rtl_.offer(enable, requests, class_of, bytes_of);
    const auto expected = reference_.cycle(enable, requests, class_of, bytes_of);
    same(expected.has_value(), grant.valid, "grant_valid_o");
    same(expected ? 1u << expected->requester : 0, grant.grants, "grant_o");
    if (expected) {
      same(expected->requester, grant.requester, "grant_index_o");
      same(expected->cls, grant.cls, "grant_class_o");
      same(expected->by_right, grant.by_right, "by_right_o");
      const auto picked = model_.pick(cycle_, class_of, requests);
      same(picked ? static_cast<int>(*picked) : -1, static_cast<int>(grant.requester),
           "grant_index_o against the model");
      model_.granted(cycle_, grant.requester, grant.cls, bytes_of[grant.requester]);
    }
    rtl_.tick();
    ++cycle_;
    return grant;
  }

  QosReference& reference() { return reference_; }
  const QosRtl& rtl() const { return rtl_; }
  std::uint64_t cycle() const { return cycle_; }

 private:
  template <typename A, typename B>
  void same(A expected, B got, const char* port, int cls = -1) const {
    const auto e = static_cast<std::int64_t>(expected), g = static_cast<std::int64_t>(got);
    if (e == g) return;
    const std::string lane = cls >= 0 ? " class " + std::to_string(cls) : "";
    FAIL_MISMATCH({{"port " + std::string(port) + lane, "", cycle_}, word(e), word(g)});
  }
  static std::string word(std::int64_t value) {
    return (value < 0 ? "-" : "") + hex(static_cast<std::uint64_t>(std::abs(value)), 8);
  }

  std::string inputs() const {
    return "enable " + std::to_string(enable_) + ", requests " + hex(requests_, kRequesters) +
           "\nclasses of requesters " + hex_list(class_of_, 4) + "\nbytes of requesters " +
           hex_list(bytes_of_, qos::kChargeBits) + "\npolicy " +
           std::to_string(static_cast<unsigned>(settings_.policy)) + ", rates of classes " +
           hex_list(settings_.rate_256, qos::kRateBits) + ", depths " +
           hex_list(settings_.depth, qos::kDepthBits);
  }

  QosRtl rtl_;
  qos::Arbiter model_;
  QosReference reference_;
  std::uint64_t cycle_ = 0;
  // As of the last cycle.
  qos::Settings settings_;
  bool enable_ = false;
  std::uint32_t requests_ = 0;
  std::array<std::uint32_t, kRequesters> class_of_{}, bytes_of_{};
  BenchInputs inputs_{[this] { return inputs(); }};
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
