// SPDX-License-Identifier: Apache-2.0
// Commands of the debugger's user: "monitor ...".
#include "sw/app/boot/board_target.h"

#include <fmt/format.h>

#include <vector>

#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/mgmt.h"
#include "systemc/mgmt/devices/memory_map.h"
#include "systemc/riscv/csr_numbers.h"

namespace tern::app {

namespace {

constexpr const char* kHelp =
    "time      simulated time, instructions of each hart\n"
    "irq       interrupts of each hart: pending, enabled\n"
    "devices   addresses of devices and memory\n"
    "history   how far back the run can go\n"
    "stay      stop where the software ends, to go back from there; from now on\n"
    "reset     power on again; memory that no image holds keeps its contents\n"
    "snapshot  keeps the state of harts, devices and memory\n"
    "restore   goes back to it; simulated time goes on\n";

// The bits of mip and mie by name.
std::string lines_of(std::uint64_t bits) {
  struct Line {
    riscv::Interrupt bit;
    const char* name;
  };
  constexpr Line kLines[] = {
      {riscv::Interrupt::kSupervisorSoftware, "ssi"}, {riscv::Interrupt::kMachineSoftware, "msi"},
      {riscv::Interrupt::kSupervisorTimer, "sti"},    {riscv::Interrupt::kMachineTimer, "mti"},
      {riscv::Interrupt::kSupervisorExternal, "sei"}, {riscv::Interrupt::kMachineExternal, "mei"}};
  std::string text;
  for (const Line& line : kLines) {
    if ((bits >> static_cast<unsigned>(line.bit) & 1) == 0) continue;
    text += (text.empty() ? "" : " ") + std::string(line.name);
  }
  return text.empty() ? "none" : text;
}

std::string devices_text(const mgmt::BoardConfig& config) {
  struct Device {
    const char* name;
    std::uint64_t base, bytes;
  };
  std::vector<Device> devices = {{"boot ROM", mgmt::kBootRomBase, mgmt::kBootRomBytes},
                                 {"finisher", mgmt::kFinisherBase, mgmt::kFinisherBytes},
                                 {"RTC", mgmt::kRtcBase, mgmt::kRtcBytes},
                                 {"CLINT", mgmt::kClintBase, mgmt::kClintBytes},
                                 {"PLIC", mgmt::kPlicBase, mgmt::kPlicBytes},
                                 {"UART", mgmt::kUartBase, mgmt::kUartBytes},
                                 {"memory", mgmt::kMemoryBase, config.ram_bytes}};
  if (config.management) {
    devices.insert(devices.end() - 1,
                   {{"OTP", TERN_MGMT_OTP_BASE, TERN_MGMT_OTP_STRIDE},
                    {"crypto", TERN_MGMT_CRYPTO_BASE, TERN_MGMT_CRYPTO_STRIDE},
                    {"flash control", TERN_MGMT_FLASH_CONTROL_BASE, TERN_MGMT_FLASH_CONTROL_STRIDE},
                    {"control", TERN_MGMT_CONTROL_BASE, TERN_MGMT_CONTROL_STRIDE},
                    {"watchdog", TERN_MGMT_WATCHDOG_BASE, TERN_MGMT_WATCHDOG_STRIDE},
                    {"mailbox", TERN_MGMT_MAILBOX_BASE, TERN_MGMT_MAILBOX_STRIDE},
                    {"sensors", TERN_MGMT_SENSORS_BASE, TERN_MGMT_SENSORS_STRIDE},
                    {"power", TERN_MGMT_POWER_BASE, TERN_MGMT_POWER_STRIDE},
                    {"BMC table", TERN_MGMT_BMC_BASE, TERN_MGMT_BMC_STRIDE},
                    {"flash", TERN_MGMT_FLASH_BASE, TERN_MGMT_FLASH_BYTES}});
  }
  std::string text;
  for (const Device& device : devices) {
    text += fmt::format("{:#010x} .. {:#010x}  {}\n", device.base, device.base + device.bytes - 1,
                        device.name);
  }
  return text;
}

}  // namespace

std::string BoardTarget::time_text() const {
  std::string text;
  for (unsigned h = 0; h < board_.harts(); ++h)
    text += fmt::format("hart {}: {:.9f} s, {} instructions\n", h, board_.now(h).to_seconds(),
                        board_.instructions(h));
  return text;
}

std::string BoardTarget::interrupts_text() {
  std::string text;
  for (unsigned h = 0; h < board_.harts(); ++h) {
    std::uint64_t pending = 0, enabled = 0;
    board_.hart(h).peek_csr(riscv::csr::kMip, pending);
    board_.hart(h).peek_csr(riscv::csr::kMie, enabled);
    text +=
        fmt::format("hart {}: pending {}; enabled {}\n", h, lines_of(pending), lines_of(enabled));
  }
  return text;
}

std::string BoardTarget::history_text() const {
  return fmt::format("since {:.9f} s; {} records, {:.1f} MiB; now {}\n",
                     history_.begin().at.to_seconds(), history_.records(),
                     static_cast<double>(history_.bytes()) / 1048576,
                     history_.in_past() ? "in the past" : "at its end");
}

std::string BoardTarget::monitor(const std::string& command) {
  if (command == "help") return kHelp;
  if (command == "time") return time_text();
  if (command == "irq") return interrupts_text();
  if (command == "devices") return devices_text(board_.config());
  if (command == "history") return history_text();
  if (command == "stay") {
    stays_ = true;
    return "the end stops; continue there ends the program\n";
  }
  if (command == "reset") {
    board_.power_cycle();
    history_.restart();
    return "reset; GDB has old registers: maintenance flush register-cache\n";
  }
  if (command == "snapshot") {
    snapshot_ = board_.save();
    return "kept\n";
  }
  if (command == "restore") {
    if (!snapshot_) throw UserError("no snapshot is kept");
    board_.restore(*snapshot_);
    history_.restart();
    return "restored; GDB has old registers: maintenance flush register-cache\n";
  }
  throw UserError(fmt::format("no command {}; monitor help lists them", base::printable(command)));
}

}  // namespace tern::app
