// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/board/board.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "sw/base/stop.h"
#include "sw/base/user_error.h"
#include "systemc/mgmt/devices/device_tree.h"

namespace tern::mgmt {

namespace {

using riscv::Interrupt;
using sc_core::sc_time;
using sc_core::sc_time_stamp;

constexpr std::size_t kStackBytes = 256 * 1024;
constexpr int kSleepPollMs = 1;  // how often a sleeping board looks at requests to stop

std::vector<std::uint8_t> tree_of(const BoardConfig& config) {
  const riscv::HartConfig hart = config.hart();
  DeviceTreeConfig tree;
  tree.harts = config.harts;
  tree.isa = config.isa;
  tree.mmu_type = !hart.supervisor ? "" : hart.xlen == 64 ? "riscv,sv39" : "riscv,sv32";
  tree.memory_bytes = config.ram_bytes;
  tree.timebase_hz = config.timebase_hz;
  tree.uart_clock_hz = config.uart_clock_hz;
  tree.plic_sources = config.plic_sources;
  tree.rtc = true;
  return device_tree(tree);
}

BootConfig boot_of(const BoardConfig& config, const BoardImages& images, std::uint64_t tree) {
  const riscv::HartConfig hart = config.hart();
  BootConfig boot;
  boot.xlen = hart.xlen;
  boot.start = images.images.front().entry;
  boot.device_tree = tree;
  boot.next = images.next != 0 ? images.next : kernel_address(config);
  boot.next_mode = static_cast<unsigned>(hart.supervisor ? riscv::Privilege::kSupervisor
                                                         : riscv::Privilege::kMachine);
  return boot;
}

std::unique_ptr<BootRom> rom_of(const BoardConfig& config, const BoardImages& images,
                                std::uint64_t tree) {
  if (!images.rom.empty()) return std::make_unique<BootRom>("boot_rom", images.rom);
  return std::make_unique<BootRom>("boot_rom", boot_of(config, images, tree));
}

BoardImages checked(BoardImages images) {
  if (images.images.empty() && images.rom.empty()) throw UserError("the board has no firmware");
  for (std::size_t i = 0; i < images.images.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) check_apart(images.images[j], images.images[i]);
  }
  return images;
}

Uart16550::Config uart_of(const BoardConfig& config) {
  Uart16550::Config uart;
  uart.clock_hz = config.uart_clock_hz;
  uart.baud_timing = config.baud_timing;
  uart.poll = sc_time(config.poll_us, sc_core::SC_US);
  return uart;
}

}  // namespace

void Board::prepare_simulation() {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
}

Board::Board(sc_core::sc_module_name name, const BoardConfig& config, BoardImages images,
             UartBackend* backend, ChipControl* chip)
    : sc_module(name),
      config_(config),
      images_(checked(std::move(images))),
      tree_(tree_of(config)),
      tree_address_(free_range(images_.images, config, tree_.size())),
      quantum_(sc_time::from_value(config.quantum_fs())),
      ram_("ram", kMemoryBase, config.ram_bytes, memory_, [this] { lose_reservations(); }),
      router_("router"),
      rom_(rom_of(config, images_, tree_address_)),
      finisher_("finisher", [this](const Finisher::Request& request) { finish(request); }),
      clint_(
          "clint", {config.harts, config.timebase_hz},
          [this](unsigned h, bool level) { set_line(h, Interrupt::kMachineTimer, level); },
          [this](unsigned h, bool level) { set_line(h, Interrupt::kMachineSoftware, level); }),
      plic_("plic", {config.plic_sources, config.harts},
            [this](unsigned context, bool level) {
              set_line(
                  context / 2,
                  context % 2 == 0 ? Interrupt::kMachineExternal : Interrupt::kSupervisorExternal,
                  level);
            }),
      uart_connected_(backend != nullptr),
      backend_(backend,
               [this](std::exception_ptr failure) {
                 failure_ = std::move(failure);
                 request_stop();
               }),
      input_log_(backend_),
      uart_("uart", uart_of(config), uart_connected_ ? &input_log_ : nullptr,
            [this](bool level) { plic_.set_level(kUartSource, level); }),
      rtc_("rtc", [this](bool level) { plic_.set_level(kRtcSource, level); }) {
  memory_.add({kBootRomBase, kBootRomBytes, rom_->data(), true, false, true, {}});
  router_.map(kBootRomBase, kBootRomBytes, *rom_);
  router_.map(kFinisherBase, kFinisherBytes, finisher_);
  router_.map(kRtcBase, kRtcBytes, rtc_);
  router_.map(kClintBase, kClintBytes, clint_);
  router_.map(kPlicBase, kPlicBytes, plic_);
  router_.map(kUartBase, kUartBytes, uart_);
  if (config.management) add_domain(*config.management, chip);
  riscv::HartConfig hart = config.hart();
  for (hart.hart_id = 0; hart.hart_id < config.harts; ++hart.hart_id) {
    runners_.push_back(
        std::make_unique<HartRunner>(hart, config.instruction_fs(), memory_, router_, clint_));
  }
  newest_.resize(runners_.size());
  load();
  reset_devices();
  turn_ = runners_.size();  // the thread begins with a new round
  SC_THREAD(thread);
  set_stack_size(kStackBytes);
}

void Board::add_domain(const DomainConfig& config, ChipControl* chip) {
  Domain::Board board;
  board.memory_bytes = ram_.bytes();
  board.read_memory = [this](std::uint64_t address, void* data, std::size_t bytes) {
    if (!ram_.contains(address, bytes)) return false;
    ram_.read(address, data, bytes);
    return true;
  };
  board.set_irq = [this](unsigned source, bool level) { plic_.set_level(source, level); };
  board.reset = [this] { request_reset(TERN_RESET_CAUSE_WATCHDOG); };
  domain_ = std::make_unique<Domain>("management", config, std::move(board), chip);
  for (const Domain::Range& range : domain_->ranges())
    router_.map(range.base, range.bytes, *range.device);
  Flash& flash = domain_->flash();
  for (unsigned slot = 0; slot < images_.slots.size(); ++slot)
    flash.fill_slot(slot, images_.slots[slot]);
  memory_.add({TERN_MGMT_FLASH_BASE, TERN_MGMT_FLASH_BYTES, flash.data(), true, false, false, {}});
}

// Power on, and what software calls a cold reboot. What no image holds keeps its contents.
void Board::load() {
  for (const Image& image : images_.images) {
    for (const Image::Segment& segment : image.segments) {
      const std::string_view contents = image.contents(segment);
      ram_.write(segment.address, contents.data(), contents.size());
      ram_.clear(segment.address + contents.size(), segment.bytes - contents.size());
    }
  }
  ram_.write(tree_address_, tree_.data(), tree_.size());
}

// The PLIC takes all levels as low, so devices report theirs after it.
void Board::reset_devices() {
  plic_.reset();
  finisher_.reset();
  clint_.reset();
  uart_.reset();
  rtc_.reset();
  if (domain_) domain_->reset(reset_cause_);
  reset_cause_ = TERN_RESET_CAUSE_POWER_ON;
}

void Board::reset() {
  reset_pending_ = false;
  for (const auto& runner : runners_) runner->reset();
  load();
  reset_devices();
}

void Board::power_cycle() {
  for (const auto& runner : runners_) runner->idle(sc_time_stamp());
  reset();
  turn_ = runners_.size();
}

sc_time Board::simulation_now() const {
  return executing_ != nullptr ? executing_->now() : sc_time_stamp();
}

std::uint64_t Board::instructions() const {
  std::uint64_t sum = 0;
  for (const auto& runner : runners_) sum += runner->instructions();
  return sum;
}

void Board::lose_reservations() {
  for (const auto& runner : runners_) runner->lose_reservation();
}

void Board::set_line(unsigned hart, Interrupt line, bool level) {
  if (hart >= runners_.size()) return;  // the devices are being made
  runners_[hart]->set_line(line, level, simulation_now());
  wake_.notify(sc_core::SC_ZERO_TIME);
}

// The first reason counts.
void Board::stop(BoardStop::Kind kind, std::uint16_t code) {
  if (stop_.kind != BoardStop::Kind::kNone) return;
  const auto executing = [this](const auto& runner) { return runner.get() == executing_; };
  const auto hart = std::find_if(runners_.begin(), runners_.end(), executing);
  stop_ = {kind, hart == runners_.end() ? 0 : static_cast<unsigned>(hart - runners_.begin()), code,
           now()};
  if (executing_ != nullptr) executing_->stop();
  wake_.notify(sc_core::SC_ZERO_TIME);
}

void Board::finish(const Finisher::Request& request) {
  switch (request.kind) {
    case Finisher::Kind::kPass:
      return stop(BoardStop::Kind::kPass);
    case Finisher::Kind::kFail:
      return stop(BoardStop::Kind::kFail, request.code);
    case Finisher::Kind::kReset:
      return request_reset(TERN_RESET_CAUSE_SOFTWARE);
    case Finisher::Kind::kNone:
      return;
  }
}

// At the end of the round.
void Board::request_reset(std::uint32_t cause) {
  reset_pending_ = true;
  reset_cause_ = cause;
  if (executing_ != nullptr) executing_->stop();
  wake_.notify(sc_core::SC_ZERO_TIME);
}

BoardStop Board::run(const sc_time& limit) {
  set_limit(limit);
  return simulate();
}

// Simulated time ends after 5.1 hours: 2^64 fs.
void Board::set_limit(const sc_time& limit) {
  const sc_time end = sc_core::sc_max_time() - 2 * quantum_;
  limit_ = limit < end - late_ ? limit + late_ : end;
}

BoardStop Board::step(unsigned hart, const sc_time& limit) {
  set_limit(limit);
  step_ = hart;
  return simulate();
}

BoardStop Board::simulate() {
  if (failure_) throw RunError("the board cannot continue after an error");
  stop_ = {};
  do {
    sc_core::sc_start();
  } while (stop_.kind == BoardStop::Kind::kNone && !failure_);
  if (failure_) std::rethrow_exception(failure_);
  return stop_;
}

void Board::thread() {
  try {
    for (;;) {
      if (stop_.kind != BoardStop::Kind::kNone) {
        pause();
      } else if (step_) {
        take_step();
      } else if (!reset_pending_ && turn_ < runners_.size()) {
        take_turn();
      } else {
        next_round();
      }
    }
  } catch (const sc_core::sc_unwind_exception&) {
    throw;  // the kernel ends this thread
  } catch (...) {
    if (joined_) throw;
    failure_ = std::current_exception();
    executing_ = nullptr;
    sc_core::sc_pause();
  }
}

void Board::pause() {
  if (joined_) {
    if (failure_) std::rethrow_exception(failure_);
    wait();  // for nothing
  }
  sc_core::sc_pause();
  wait(sc_core::SC_ZERO_TIME);
}

void Board::start_turn(std::size_t hart) {
  executing_ = runners_[hart].get();
  if (last_hart_ != hart) executing_->lose_reservation();
}

// A hart that has slept all the time has not run.
void Board::turn_ended(std::size_t hart) {
  executing_ = nullptr;
  if (runners_[hart]->executed() != 0) last_hart_ = hart;
}

// By itself, while no hart executes.
void Board::stopped(BoardStop::Kind kind, std::size_t hart) {
  if (stop_.kind != BoardStop::Kind::kNone) return;
  stop_ = {kind, static_cast<unsigned>(hart), 0, now(static_cast<unsigned>(hart))};
}

void Board::take_step() {
  const unsigned hart = *step_;
  step_.reset();
  const Moment before = moment();
  start_turn(hart);
  const HartRunner::Ended ended = executing_->step();
  turn_ended(hart);
  if (runners_[hart]->executed() != 0) newest_[hart] = before;
  const sc_time here = runners_[hart]->now();
  stopped(ended == HartRunner::Ended::kBreakpoint   ? BoardStop::Kind::kBreakpoint
          : ended == HartRunner::Ended::kWatchpoint ? BoardStop::Kind::kWatchpoint
          : here >= limit_                          ? BoardStop::Kind::kTimeLimit
                                                    : BoardStop::Kind::kStep,
          hart);
  if (reset_pending_) {
    ++resets_;
    power_cycle();
  }
  // Devices keep up with somebody who steps for long.
  if (here > sc_time_stamp() + quantum_) wait(here - sc_time_stamp());
}

void Board::take_turn() {
  start_turn(turn_);
  const HartRunner::Ended ended = executing_->run(round_end_, limit_of_turn());
  turn_ended(turn_);
  judge(ended);
  if (reset_pending_) {  // the others do not execute the rest of their round
    turn_ = runners_.size();
  } else if (ended == HartRunner::Ended::kArrived) {
    ++turn_;
    return;
  }
  if (replay_) check_replay();
  if (ended == HartRunner::Ended::kLimit && stop_.kind == BoardStop::Kind::kNone) at_boundary();
}

bool Board::all_asleep() const {
  return std::all_of(runners_.begin(), runners_.end(),
                     [](const auto& runner) { return runner->asleep(); });
}

// Between rounds: the simulation follows the harts, then a new round begins.
void Board::next_round() {
  if (round_end_ > sc_time_stamp()) {
    wait(round_end_ - sc_time_stamp(), restored_);
    return;
  }
  if (reset_pending_) {
    ++resets_;
    power_cycle();
  }
  if (replay_) check_replay();
  if (stop_.kind != BoardStop::Kind::kNone || at_boundary()) return;
  if (sc_time_stamp() >= limit_) return stop(BoardStop::Kind::kTimeLimit);
  if (all_asleep()) return sleep();
  turn_ = 0;
  round_end_ = std::min(sc_time_stamp() + quantum_, limit_);
}

// Whether somebody wants the board to stop. Between rounds, and within those that are long.
bool Board::at_boundary() {
  if (boundary_) boundary_();
  // Of a simulation that is somebody else's, he hears of it.
  const auto kind = !joined_ && base::stop_request() ? BoardStop::Kind::kInterrupted
                    : poll_ && poll_()               ? BoardStop::Kind::kRequest
                                                     : BoardStop::Kind::kNone;
  if (kind == BoardStop::Kind::kNone) return false;
  turn_ == runners_.size() ? stop(kind) : stopped(kind, turn_);
  return true;
}

// Until a line rises; the harts' own time follows when they run again.
void Board::sleep() {
  if (joined_) return wait(wake_);
  if (!sc_core::sc_pending_activity()) return stop(BoardStop::Kind::kAsleep);
  const sc_time poll(kSleepPollMs, sc_core::SC_MS);
  wait(std::min(poll, limit_ - sc_time_stamp()), wake_);
  if (live_input_ && !replaying_ && all_asleep())
    std::this_thread::sleep_for(std::chrono::milliseconds(kSleepPollMs));
}

bool Board::peek(std::uint64_t address, void* data, unsigned bytes) {
  if (!ram_.contains(address, bytes)) return router_.peek(address, data, bytes);
  ram_.read(address, data, bytes);
  return true;
}

bool Board::poke(std::uint64_t address, const void* data, unsigned bytes) {
  if (!ram_.contains(address, bytes)) return false;
  ram_.write(address, data, bytes);
  lose_reservations();
  return true;
}

}  // namespace tern::mgmt
