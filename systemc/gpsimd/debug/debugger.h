// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "systemc/gpsimd/program_runner.h"
#include "systemc/mgmt/gdb/gdb_server.h"
#include "systemc/mgmt/gdb/target.h"

namespace tern::gpsimd {

// GDB for programs of GpSimd: CoreOptions::program_runner of a chip. README.md.
class Debugger final : public ProgramRunner, private gdb::Target {
 public:
  // A port of this host alone; 0: any free one. Prints it on stderr. Throws UserError.
  explicit Debugger(std::uint16_t port);
  // The client hears that all programs have ended.
  ~Debugger() override;
  Debugger(const Debugger&) = delete;
  Debugger& operator=(const Debugger&) = delete;

  std::uint16_t port() const { return server_.port(); }

  // Waits for a client before the first instruction of the first program.
  riscv::Stop run(RunningProgram& program, std::uint64_t cycles) override;
  void ended(bool fault) override;

 private:
  // gdb::Target
  unsigned harts() const override { return program_ == nullptr ? 0 : 1; }
  riscv::Hart& hart(unsigned number) override;
  const riscv::HartConfig& hart_config() const override;
  bool peek(std::uint64_t address, void* data, unsigned bytes) override;
  bool poke(std::uint64_t address, const void* data, unsigned bytes) override;
  std::string monitor(const std::string& command) override;
  unsigned first_thread() const override;
  std::string hart_name(unsigned number) const override;

  void begin(RunningProgram& program);
  void show_fault();
  void stop(const gdb::Event& event);
  void serve();

  gdb::GdbServer server_;
  RunningProgram* program_ = nullptr;
  bool waited_ = false;  // for the first client
  bool steps_ = false;   // the client wants one instruction
  std::uint8_t code_ = 0;
};

}  // namespace tern::gpsimd
