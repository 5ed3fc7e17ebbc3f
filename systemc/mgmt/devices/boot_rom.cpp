// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/devices/boot_rom.h"

#include <fmt/format.h>

#include <utility>

#include "sw/base/user_error.h"

namespace tern::mgmt {

namespace {

// Registers by their numbers in the calling convention.
constexpr unsigned kT0 = 5, kA0 = 10, kA1 = 11, kA2 = 12;
constexpr std::uint32_t kMhartid = 0xF14;

std::uint32_t i_type(std::uint32_t opcode, unsigned funct3, unsigned rd, unsigned rs1,
                     std::uint32_t immediate) {
  return immediate << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
std::uint32_t auipc(unsigned rd) {
  return rd << 7 | 0x17;
}
std::uint32_t addi(unsigned rd, unsigned rs1, std::uint32_t immediate) {
  return i_type(0x13, 0, rd, rs1, immediate);
}
std::uint32_t load(unsigned xlen, unsigned rd, unsigned rs1, std::uint32_t immediate) {
  return i_type(0x03, xlen == 64 ? 3 : 2, rd, rs1, immediate);
}
std::uint32_t csrr(unsigned rd, std::uint32_t csr) {
  return i_type(0x73, 2, rd, 0, csr);
}
std::uint32_t jr(unsigned rs1) {
  return i_type(0x67, 0, 0, rs1, 0);
}

// Data follow the code, each of xlen bits: start, device tree, then struct fw_dynamic_info.
constexpr unsigned kCodeBytes = 24;
constexpr std::uint64_t kInfoMagic = 0x4942534F;  // "OSBI"
constexpr std::uint64_t kInfoVersion = 2;

}  // namespace

std::vector<std::uint8_t> boot_code(const BootConfig& config) {
  if (config.xlen != 32 && config.xlen != 64) {
    throw UserError(fmt::format("boot ROM: xlen {}, expected 32 or 64", config.xlen));
  }
  const unsigned word = config.xlen / 8;
  std::vector<std::uint8_t> bytes;
  const auto append = [&](std::uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> 8 * i));
  };
  for (const std::uint32_t instruction :
       {auipc(kT0), addi(kA2, kT0, kCodeBytes + 2 * word), csrr(kA0, kMhartid),
        load(config.xlen, kA1, kT0, kCodeBytes + word), load(config.xlen, kT0, kT0, kCodeBytes),
        jr(kT0)}) {
    append(instruction, 4);
  }
  constexpr std::uint64_t kOptions = 0;
  for (const std::uint64_t value :
       {config.start, config.device_tree, kInfoMagic, kInfoVersion, config.next,
        std::uint64_t{config.next_mode}, kOptions, config.boot_hart}) {
    if (config.xlen == 32 && value >> 32 != 0) {
      throw UserError(fmt::format("boot ROM: {:#x} does not fit into 32 bits", value));
    }
    append(value, word);
  }
  return bytes;
}

BootRom::BootRom(sc_core::sc_module_name name, const BootConfig& config)
    : BootRom(name, boot_code(config)) {}

BootRom::BootRom(sc_core::sc_module_name name, std::vector<std::uint8_t> content)
    : RegisterDevice(name, 1 + 2 + 4 + 8, kBootRomBytes), bytes_(std::move(content)) {
  if (bytes_.size() > kBootRomBytes)
    throw UserError(
        fmt::format("boot ROM: {} bytes, it has room for {}", bytes_.size(), kBootRomBytes));
  bytes_.resize(kBootRomBytes);
}

RegisterDevice::Status BootRom::read(std::uint64_t offset, unsigned size, const sc_core::sc_time&,
                                     std::uint64_t& value) {
  for (unsigned i = 0; i < size; ++i) value |= std::uint64_t{bytes_[offset + i]} << (8 * i);
  return kDone;
}

RegisterDevice::Status BootRom::write(std::uint64_t, unsigned, const sc_core::sc_time&,
                                      std::uint64_t) {
  return tlm::TLM_COMMAND_ERROR_RESPONSE;
}

}  // namespace tern::mgmt
