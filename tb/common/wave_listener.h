// SPDX-License-Identifier: Apache-2.0
// For the main programs: where in the waveform the first check failed. scripts/wave reads the line.
#pragma once

#include <catch2/catch.hpp>
#include <cstdio>

#include "tb/common/wave_cycle.h"

namespace tern::tb {

class WaveListener : public Catch::TestEventListenerBase {
 public:
  using TestEventListenerBase::TestEventListenerBase;

  bool assertionEnded(const Catch::AssertionStats& stats) override {
    if (stats.assertionResult.isOk() || reported_ || *wave_cycle() == kNoWave) return false;
    reported_ = true;
    std::fprintf(stderr, "waveform: the first failed check is in cycle %llu\n",
                 static_cast<unsigned long long>(*wave_cycle()));
    return false;
  }

 private:
  bool reported_ = false;
};

CATCH_REGISTER_LISTENER(WaveListener)

}  // namespace tern::tb
