// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstring>
#include <vector>

#include "sw/base/user_error.h"
#include "systemc/mgmt/gdb/target.h"

namespace tern::tb {

// Two harts and a memory at 0x80000000; a store of a word to 0x100000 ends the program with it as
// its code. A register at 0x10000000 counts how often software reads it.
class DebuggedBoard : public gdb::Target, public riscv::Bus {
 public:
  static constexpr std::uint64_t kBase = 0x80000000, kBytes = 1 << 20;

  DebuggedBoard() : ram_(kBytes) {
    memory_.add({kBase, kBytes, ram_.data(), true, true, true, {}});
    for (unsigned h = 0; h < harts_.size(); ++h) {
      riscv::HartConfig config = config_;
      config.hart_id = h;
      harts_[h] = riscv::Hart::make(config, memory_, *this);
    }
  }

  void load(std::uint64_t address, const void* data, std::size_t bytes) {
    std::memcpy(&ram_[address - kBase], data, bytes);
    memory_.written(address, static_cast<unsigned>(bytes));
  }

  // Lets the target do what the client wants, for at most `instructions` of each hart; `stop`: the
  // client has sent an interrupt.
  template <typename Stop>
  gdb::Event run(const gdb::Wish& wish, const Stop& stop) {
    using Kind = gdb::Event::Kind;
    const bool step = wish.kind == gdb::Wish::Kind::kStep;
    while (!ended_) {
      for (unsigned h = 0; h < harts_.size(); ++h) {
        if (step && h != wish.hart) continue;
        const riscv::Stop why = harts_[h]->run(step ? 1 : 100);
        if (ended_) break;
        if (why == riscv::Stop::kBreakpoint) return {Kind::kBreakpoint, h, {}, 0};
        if (why == riscv::Stop::kWatchpoint)
          return {Kind::kWatchpoint, h, harts_[h]->met_watchpoint(), 0};
      }
      if (step && !ended_) return {Kind::kStep, wish.hart, {}, 0};
      if (stop()) return {Kind::kRequest, 0, {}, 0};
    }
    return {Kind::kExit, 0, {}, code_};
  }

  unsigned harts() const override { return static_cast<unsigned>(harts_.size()); }
  riscv::Hart& hart(unsigned number) override { return *harts_[number]; }
  const riscv::HartConfig& hart_config() const override { return config_; }
  bool peek(std::uint64_t address, void* data, unsigned bytes) override {
    if (address == 0x10000000 && bytes == 4) {
      std::memcpy(data, &reads, 4);
      return true;
    }
    if (address < kBase || address - kBase > kBytes - bytes) return false;
    std::memcpy(data, &ram_[address - kBase], bytes);
    return true;
  }
  bool poke(std::uint64_t address, const void* data, unsigned bytes) override {
    if (address < kBase || address - kBase > kBytes - bytes) return false;
    load(address, data, bytes);
    return true;
  }
  std::string monitor(const std::string& command) override {
    if (command == "fail") throw UserError("monitor: no such command");
    return "you said " + command + "\n";
  }

  bool read(std::uint64_t address, void* data, unsigned bytes) override {
    if (address != 0x10000000 || bytes != 4) return false;
    ++reads;
    std::memcpy(data, &reads, 4);
    return true;
  }
  bool write(std::uint64_t address, const void* data, unsigned) override {
    if (address != 0x100000) return false;
    code_ = *static_cast<const std::uint8_t*>(data);
    ended_ = true;
    for (const auto& hart : harts_) hart->request_stop();
    return true;
  }
  std::uint64_t time() override { return harts_[0]->cycles(); }

  bool write_register(unsigned hart, unsigned number, std::string_view bytes) override {
    written.push_back(number);
    return gdb::Target::write_register(hart, number, bytes);
  }
  bool reverses() const override { return goes_back; }

  std::uint32_t reads = 0;
  std::vector<unsigned> written;  // registers, by clients
  bool goes_back = false;         // what it is told to a client; run() does not

 private:
  riscv::HartConfig config_ = [] {
    riscv::HartConfig config;
    config.reset_pc = kBase;
    return config;
  }();
  std::vector<std::uint8_t> ram_;
  riscv::PhysicalMemory memory_;
  std::array<std::unique_ptr<riscv::Hart>, 2> harts_;
  bool ended_ = false;
  std::uint8_t code_ = 0;
};

}  // namespace tern::tb
