// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "sw/config/wave_options.h"
#include "systemc/qos/class_shaper.h"

namespace tern {

// The Verilated QoS arbiter of a DMA engine, cycle by cycle: settings, then `offer`, `tick`.
class QosRtl {
 public:
  static constexpr unsigned kRequesters = 16;

  struct Grant {
    bool valid = false;
    std::uint32_t grants = 0;  // one bit per requester
    unsigned requester = 0, cls = 0;
    bool by_right = false;
  };

  // Out of reset. wave: a waveform if its file is not empty.
  explicit QosRtl(const WaveOptions& wave = {});
  ~QosRtl();

  void configure(const qos::Settings& settings);
  void configure_policy(unsigned bits);  // any two bits
  // The decision of this cycle. bytes_of: size of each requester's packet; the granted one's is
  // charged.
  Grant offer(bool enable, std::uint32_t requests, const std::uint32_t* class_of,
              const std::uint32_t* bytes_of);
  void tick();  // to the next cycle

  std::int64_t balance_256(unsigned cls) const;
  bool settled() const;
  std::uint64_t cycle() const { return cycle_; }

 private:
  struct Dut;
  std::unique_ptr<Dut> dut_;
  std::uint64_t cycle_ = 0;
};

}  // namespace tern
