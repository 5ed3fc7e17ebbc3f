// SPDX-License-Identifier: Apache-2.0
#include "sw/nrt/system.h"

#include <fmt/format.h>

#include "sw/nrt/log.h"
#include "sw/platform/managed/own_firmware.h"
#include "sw/runtime/management.h"

namespace tern::nrt {

System::System(const Settings& settings) {
  for (unsigned n = 0; n < settings.chips; ++n) {
    Device device;
    const std::string name = fmt::format("chip{}", n);
    device.chip = std::make_unique<HostedChip>(name, settings.chip);
    device.runtime = std::make_unique<runtime::Runtime>(device.chip->host(),
                                                        runtime::Runtime::Completion::kMessage);
    if (!settings.firmware.empty()) {
      const mgmt::BoardConfig board = mgmt::load_board_config(settings.firmware);
      check_runs_own_firmware(board);
      device.managed = std::make_unique<ManagedChip>(name + "_management", device.chip->chip(),
                                                     board, own_firmware("", ""));
    }
    live_.add(*device.chip, name);
    if (device.managed) live_.add(device.managed->board());
    devices_.push_back(std::move(device));
  }
  live_.watch(simulation_);
}

void System::start() {
  for (unsigned n = 0; n < devices_.size(); ++n) {
    Device& device = devices_[n];
    if (device.managed) {
      const auto phase =
          device.managed->wait_ready(sc_core::sc_time(ManagedChip::kBootLimitMs, sc_core::SC_MS));
      log(LogLevel::kInfo, fmt::format("chip {}: {}", n, phase_name(phase)));
    }
    for (unsigned core = 0; core < device.runtime->cores(); ++core) device.runtime->reset(core);
  }
}

runtime::Status System::of_firmware(Device& device, runtime::Status status) {
  if (!device.managed || status != runtime::Status::kHbmUncorrectable) return status;
  // Its harts take the interrupt within two quanta.
  sc_core::wait(sc_core::sc_time(ManagedChip::kInterruptUs, sc_core::SC_US));
  const std::uint32_t now =
      runtime::Management(device.chip->host()).error_counts()[TERN_ERROR_CLASS_ECC_REPAIRABLE];
  const bool repairable = now != device.repairable;
  device.repairable = now;
  return repairable ? runtime::Status::kHbmRepairable : status;
}

}  // namespace tern::nrt
