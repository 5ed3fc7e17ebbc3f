// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "systemc/mgmt/board/address_router.h"
#include "systemc/mgmt/board/board_config.h"
#include "systemc/mgmt/board/guarded_backend.h"
#include "systemc/mgmt/board/hart_runner.h"
#include "systemc/mgmt/board/image.h"
#include "systemc/mgmt/board/input_log.h"
#include "systemc/mgmt/board/moment.h"
#include "systemc/mgmt/board/ram.h"
#include "systemc/mgmt/devices/boot_rom.h"
#include "systemc/mgmt/devices/clint.h"
#include "systemc/mgmt/devices/finisher.h"
#include "systemc/mgmt/devices/plic.h"
#include "systemc/mgmt/devices/rtc.h"
#include "systemc/mgmt/devices/uart16550.h"
#include "systemc/mgmt/domain/domain.h"

namespace tern::mgmt {

// What is loaded into the board's memory.
struct BoardImages {
  std::vector<Image> images;  // the first one is the firmware: harts start at its entry
  std::uint64_t next = 0;     // where fw_dynamic jumps; 0: kernel_address()
  // A boot ROM of its own, in place of the one that jumps to the firmware; then `images` may be
  // empty. Harts start at its first byte.
  std::vector<std::uint8_t> rom;
  // Of the management domain: contents of the two image slots of the flash; empty: erased.
  std::array<std::string, 2> slots;
};

// Why the board does not run.
struct BoardStop {
  enum class Kind : std::uint8_t {
    kNone,
    kRequest,  // request_stop()
    kPass,
    kFail,  // the finisher
    kTimeLimit,
    kBreakpoint,   // of `hart`, before the instruction
    kWatchpoint,   // of `hart`, after the instruction
    kStep,         // step() is done
    kAsleep,       // all harts wait, and nothing is left that could wake them
    kInterrupted,  // base::stop_request()
    kReached,      // the moment of replay()
    kBegin,        // of what has been recorded (systemc/mgmt/history)
  };
  Kind kind = Kind::kNone;
  unsigned hart = 0;       // that ran then
  std::uint16_t code = 0;  // of kFail
  sc_core::sc_time at;
};

struct BoardState;

// The management core on its board: harts, devices, memory. It runs in a thread of its own,
// hart after hart for a quantum each. README.md.
class Board : public sc_core::sc_module {
 public:
  // The simulation must resolve femtoseconds: see prepare_simulation(). backend: the other end of
  // the serial line, or null. chip: what the management domain controls; null: a StandAloneChip.
  // Throws UserError, also for images that do not fit.
  Board(sc_core::sc_module_name name, const BoardConfig& config, BoardImages images,
        UartBackend* backend, ChipControl* chip = nullptr);

  // Sets what a process sets before its first module: femtoseconds, no notes of the kernel.
  static void prepare_simulation();

  // Runs the simulation until something stops the board, at the latest at this time, and may be
  // called again. Throws what a backend or a device has thrown.
  BoardStop run(const sc_core::sc_time& limit = sc_core::sc_max_time());
  // Instead of run(): the simulation is somebody else's, as that of a whole chip, and the harts run
  // while it does, without a limit of time. What stops the board stops only the board; an
  // exception of a device or a backend is one of the simulation's process. Before its start.
  void join_simulation() { joined_ = true; }
  // kNone: it runs.
  const BoardStop& stopped() const { return stop_; }
  // One instruction of a hart, for a debugger; the others stand still, and their time follows when
  // they run again.
  BoardStop step(unsigned hart, const sc_core::sc_time& limit = sc_core::sc_max_time());
  // Power on again, between two calls of run(); simulated time and counts continue.
  void power_cycle();
  // Asked between rounds, and within those that are long: whether run() should return (kRequest).
  void set_poll(std::function<bool()> poll) { poll_ = std::move(poll); }
  // Null: nobody. Does not see what is replayed.
  void set_observer(InstructionObserver* observer);
  // Somebody may type at any moment: when all harts sleep, a millisecond takes one of the host's.
  void set_live_input(bool live) { live_input_ = live; }
  // run() returns after the current instruction. For backends and other processes.
  void request_stop() { stop(BoardStop::Kind::kRequest); }

  // The time of the hart that executes, otherwise that of the simulation; after go_back(), as it
  // was the first time.
  sc_core::sc_time now() const { return simulation_now() - late_; }
  sc_core::sc_time now(unsigned hart) const { return runners_[hart]->now() - late_; }
  // How much later the simulation's own time is.
  const sc_core::sc_time& late() const { return late_; }
  unsigned harts() const { return static_cast<unsigned>(runners_.size()); }
  riscv::Hart& hart(unsigned number) { return runners_[number]->hart(); }
  // Instructions that ended, of a hart and of all.
  std::uint64_t instructions(unsigned hart) const { return runners_[hart]->instructions(); }
  std::uint64_t instructions() const;
  unsigned resets() const { return resets_; }  // by software

  // Physical memory or device registers as they are now, without side effects; false: there is
  // nothing. Writes reach memory only.
  bool peek(std::uint64_t address, void* data, unsigned bytes);
  bool poke(std::uint64_t address, const void* data, unsigned bytes);

  const BoardConfig& config() const { return config_; }
  const std::vector<std::uint8_t>& device_tree() const { return tree_; }
  std::uint64_t device_tree_address() const { return tree_address_; }
  Ram& ram() { return ram_; }
  riscv::PhysicalMemory& memory() { return memory_; }
  // The devices of the management domain; null: the board has none.
  Domain* domain() { return domain_.get(); }
  // Sources but kUartSource, kRtcSource and those of the management domain are free.
  Plic& plic() { return plic_; }
  Uart16550& uart() { return uart_; }

  // Between two calls of run(), or in another process of the simulation that it has joined. A
  // backend's state is not in it.
  BoardState save() const;
  // Throws RunError for a state of another configuration. A History of it must be restarted.
  void restore(const BoardState& state);

  // Repeating a stretch of a run (systemc/mgmt/history): board_replay.cpp.
  Moment moment() const;
  // Before the newest instruction of a hart; nothing: it has executed none.
  const std::optional<Moment>& before_newest(unsigned hart) const { return newest_[hart]; }
  const std::vector<std::optional<Moment>>& before_newest() const { return newest_; }
  // Whether it has executed an instruction in the newest step().
  bool stepped(unsigned hart) const { return runners_[hart]->executed() != 0; }
  // All but memory, also from set_boundary().
  BoardState save_devices() const;
  // Between two calls of run(), with the memory of then. newest: before_newest() of each hart.
  void go_back(const BoardState& state, const Moment& moment,
               const std::vector<std::optional<Moment>>& newest);
  // What may be saved: called between rounds, and within those that are long.
  void set_boundary(std::function<void()> boundary) { boundary_ = std::move(boundary); }
  struct Replay {
    std::optional<Moment> until;   // exactly (kReached)
    std::optional<unsigned> hart;  // its next instruction (kStep)
    bool stops = true;             // at breakpoints and watchpoints
  };
  // As run(). Throws RunError if the run does not come to the moment.
  BoardStop replay(const Replay& replay, const sc_core::sc_time& limit);
  // While something is repeated, the host's end of the serial line and observers take no part.
  void set_replaying(bool replaying);
  bool replaying() const { return replaying_; }
  // After set_replaying(): answers of the host's end are no longer kept.
  void stop_recording();
  // Null: no serial line.
  InputLog* input_log() { return uart_connected_ ? &input_log_ : nullptr; }

 private:
  SC_HAS_PROCESS(Board);

  void thread();
  BoardStop simulate();
  sc_core::sc_time simulation_now() const;
  void set_limit(const sc_core::sc_time& limit);
  void take_turn();
  void take_step();
  void start_turn(std::size_t hart);
  HartRunner::Limit limit_of_turn() const;
  void turn_ended(std::size_t hart);
  void judge(HartRunner::Ended ended);
  bool at_boundary();
  void check_replay();
  std::uint64_t cycles() const;
  void restore_devices(const BoardState& state);
  void stopped(BoardStop::Kind kind, std::size_t hart);
  void next_round();
  bool all_asleep() const;
  void sleep();
  void pause();
  void stop(BoardStop::Kind kind, std::uint16_t code = 0);
  void finish(const Finisher::Request& request);
  void request_reset(std::uint32_t cause);
  void set_line(unsigned hart, riscv::Interrupt line, bool level);
  void reset_devices();
  void reset();
  void load();
  void add_domain(const DomainConfig& config, ChipControl* chip);
  void lose_reservations();

  const BoardConfig config_;
  const BoardImages images_;
  const std::vector<std::uint8_t> tree_;
  const std::uint64_t tree_address_;
  const sc_core::sc_time quantum_;

  riscv::PhysicalMemory memory_;
  Ram ram_;
  AddressRouter router_;
  std::vector<std::unique_ptr<HartRunner>> runners_;  // before the devices that call them
  std::unique_ptr<BootRom> rom_;
  Finisher finisher_;
  Clint clint_;
  Plic plic_;
  const bool uart_connected_;
  GuardedBackend backend_;
  InputLog input_log_;
  Uart16550 uart_;
  Rtc rtc_;
  std::unique_ptr<Domain> domain_;

  // The round: harts before turn_ have reached its end.
  std::size_t turn_ = 0;
  sc_core::sc_time round_end_;
  HartRunner* executing_ = nullptr;
  std::size_t last_hart_ = 0;     // that has executed instructions
  std::optional<unsigned> step_;  // hart
  bool reset_pending_ = false;
  std::uint32_t reset_cause_ = TERN_RESET_CAUSE_POWER_ON;  // of the next reset
  unsigned resets_ = 0;
  sc_core::sc_time limit_ = sc_core::sc_max_time();
  BoardStop stop_;
  std::function<bool()> poll_;
  std::function<void()> boundary_;
  bool live_input_ = false;
  bool joined_ = false;
  InstructionObserver* observer_ = nullptr;
  sc_core::sc_time late_;
  std::vector<std::optional<Moment>> newest_;
  std::optional<Replay> replay_;
  bool replaying_ = false;
  std::exception_ptr failure_;
  sc_core::sc_event wake_;
  sc_core::sc_event restored_;  // the round has another end
};

}  // namespace tern::mgmt
