// SPDX-License-Identifier: Apache-2.0
// For the main programs: where in the waveform the first check failed. scripts/wave reads the line.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "tb/common/bench_cycle.h"
#include "tb/common/catch_versions.h"

namespace tern::tb {

class WaveListener : public EventListener {
 public:
  using EventListener::EventListener;

  CatchHandled assertionEnded(const Catch::AssertionStats& stats) override {
    if (std::getenv("TERN_WAVE") == nullptr || stats.assertionResult.isOk() || reported_ ||
        *bench_cycle() == kNoCycle) {
      return CatchHandled(false);
    }
    reported_ = true;
    std::fprintf(stderr, "waveform: the first failed check is in cycle %llu\n",
                 static_cast<unsigned long long>(*bench_cycle()));
    return CatchHandled(false);
  }

 private:
  bool reported_ = false;
};

CATCH_REGISTER_LISTENER(WaveListener)

}  // namespace tern::tb
