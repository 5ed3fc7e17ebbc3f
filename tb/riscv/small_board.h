// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "systemc/riscv/hart.h"

namespace tern::tb {

// A hart with memory at 0x80000000, a UART that only transmits at 0x10000000, a timer register of
// one tick per cycle, and a register at 0x100000 that ends the run.
class SmallBoard : public riscv::Bus {
 public:
  static constexpr std::uint64_t kBase = 0x80000000;

  SmallBoard(riscv::HartConfig config, std::uint64_t bytes) : ram(bytes) {
    config.reset_pc = kBase;
    memory.add({kBase, bytes, ram.data(), true, true, true, {}, 0});
    hart = riscv::Hart::make(config, memory, *this);
  }

  void load(const std::vector<std::uint8_t>& image) {
    std::memcpy(ram.data(), image.data(), image.size());
  }
  // Runs until the program ends; false if that takes more than `cycles`.
  bool run(std::uint64_t cycles, std::uint64_t quantum = 10000) {
    while (!ended && hart->cycles() < cycles) hart->run(quantum);
    return ended;
  }

  bool read(std::uint64_t, void*, unsigned) override { return false; }
  bool write(std::uint64_t address, const void* data, unsigned bytes) override {
    if (address == 0x10000000 && bytes == 1) {
      output += *static_cast<const char*>(data);
      return true;
    }
    if (address != 0x100000 || bytes != 4) return false;
    std::memcpy(&status, data, sizeof status);
    ended = true;
    hart->request_stop();
    return true;
  }
  std::uint64_t time() override { return hart->cycles(); }

  std::vector<std::uint8_t> ram;
  riscv::PhysicalMemory memory;
  std::unique_ptr<riscv::Hart> hart;
  std::string output;
  bool ended = false;
  std::uint32_t status = 0;
};

}  // namespace tern::tb
