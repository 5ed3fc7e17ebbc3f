// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/config/load_chip_config.h"
#include "sw/nki/call/run_message.h"
#include "sw/nki/run/run_parts.h"
#include "systemc/chip/chip.h"

namespace tern {
struct Platform;
}

namespace tern::nki {

// Who builds the chip of a run and looks on: for reports and waveforms.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  // Before the chip is built: back ends of its engines.
  virtual ChipOptions chip_options(const RunRequest& request) = 0;
  // When it is: listeners.
  virtual void built(const RunRequest& request, Platform& platform) = 0;
  // After the run.
  virtual void ran(const RunRequest& request, const PartsResult& run) = 0;
  // When the chip is gone, also after a failure.
  virtual void gone() = 0;
  // After a good run.
  virtual void finish(const RunRequest& request) = 0;
};

// The request's settings of single keys.
std::vector<ConfigOverride> overrides_of(const RunRequest& request);

}  // namespace tern::nki
