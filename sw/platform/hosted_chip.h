// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "sw/config/chip_config.h"
#include "sw/runtime/executable.h"
#include "sw/runtime/host_port.h"
#include "systemc/chip/chip.h"
#include "systemc/pcie/function.h"
#include "systemc/trace/trace.h"

namespace tern {

// A chip, the host at its PCIe function, and the trace that both write to. Several may exist in one
// Simulation; they share only its time.
class HostedChip {
 public:
  // name: of the chip's module; its host is NAME_host. options: the back ends of the engines'
  // sockets.
  HostedChip(const std::string& name, const ChipConfig& config, const ChipOptions& options = {});

  const ChipConfig& config() const { return config_; }
  Chip& chip() { return *chip_; }
  const Chip& chip() const { return *chip_; }
  runtime::HostPort& host() { return *host_; }
  pcie::Function& function() { return *function_; }
  trace::Bus& trace() { return trace_; }

  // The program whose instructions run from now on, on the options' program_core or another one:
  // messages and traces of the chip name its lines. It must outlive its run.
  void set_running(const Executable& program) { set_running(program, program_core_); }
  void set_running(const Executable& program, unsigned core) { running_.at(core) = &program; }
  // The same while it exists.
  class Running {
   public:
    Running(HostedChip& chip, const Executable& program)
        : Running(chip, program, chip.program_core_) {}
    Running(HostedChip& chip, const Executable& program, unsigned core)
        : chip_(chip), core_(core), before_(chip.running_.at(core)) {
      chip.set_running(program, core);
    }
    ~Running() { chip_.running_[core_] = before_; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    HostedChip& chip_;
    const unsigned core_;
    const Executable* before_;
  };

  // Blocks a SystemC thread until a chip at rest is as after every settle(): all clocks of the
  // cores begin a cycle together, the memory's refresh stands at the same place, and has closed all
  // rows. What runs from there takes the time that it takes on a fresh chip, whatever ran before.
  void settle() const;

  // For a snapshot (chip_snapshot.h): what keeps it from being taken, and the state of a chip at
  // rest, messages included that the host has not taken.
  std::string in_flight() { return chip_->in_flight(); }
  void archive_state(base::StateArchive& archive);

  // A span of the host in the trace, "programs" or "copies", with its duration in fs.
  enum class HostSpan { kProgram, kCopy };
  void trace_host(HostSpan kind, const std::string& name, std::uint64_t begin_fs,
                  std::uint64_t end_fs);

 private:
  ChipOptions with_origins(ChipOptions options) const;

  const ChipConfig config_;
  const unsigned program_core_;
  std::vector<const Executable*> running_;  // by core; null: none
  trace::Bus trace_;
  std::array<trace::TrackId, 2> host_tracks_{};  // by HostSpan
  sc_core::sc_signal<bool> irq_;
  std::unique_ptr<Chip> chip_;
  std::unique_ptr<pcie::Function> function_;
  std::unique_ptr<runtime::HostPort> host_;
};

}  // namespace tern
