// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "systemc/mgmt/devices/memory_map.h"
#include "systemc/mgmt/domain/domain_config.h"
#include "systemc/riscv/hart_config.h"

namespace tern::mgmt {

// What the board of the management core is made of. Keys, units and defaults: presets/*.yaml.
struct BoardConfig {
  static constexpr unsigned kMaxHarts = 8;
  static constexpr std::uint64_t kMinQuantumInstructions = 100;

  std::string name;
  unsigned harts = 1;
  std::string isa;  // as in the device tree
  std::string modes;
  double clock_ghz = 1, cpi = 1, quantum_us = 10;
  std::uint64_t timebase_hz = kTimebaseHz;
  std::uint64_t ram_bytes = 0;
  unsigned plic_sources = 95;
  std::uint64_t uart_clock_hz = kUartClockHz;
  bool baud_timing = false;
  double poll_us = 1000;
  std::optional<DomainConfig> management;  // devices of the management domain

  // Of an instruction and of a quantum, rounded to femtoseconds.
  std::uint64_t instruction_fs() const;
  std::uint64_t quantum_fs() const;
  // `isa` and `modes` as a hart takes them; without hart_id.
  riscv::HartConfig hart() const;
  std::uint64_t ram_end() const { return kMemoryBase + ram_bytes; }
};

// A preset by its name, or a YAML file that gives what differs from its key `preset` (default:
// mgmt). Throws UserError "FILE:LINE: key ...".
BoardConfig load_board_config(const std::string& name_or_path);

// Empty, or what is wrong with an `isa`: "expected ...".
std::string isa_misfit(const std::string& isa);
// Throws UserError for values that do not go together, such as more memory than rv32 can address;
// where: begins the message.
void check_board(const BoardConfig& config, const std::string& where);

}  // namespace tern::mgmt
