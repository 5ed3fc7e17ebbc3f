// SPDX-License-Identifier: Apache-2.0
#include "systemc/gpsimd/processor.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "sw/spec/generated/address_map.h"
#include "systemc/riscv/hart.h"

namespace tern::gpsimd {

namespace {

using riscv::Cause;
using riscv::PhysicalMemory;

constexpr std::uint32_t kLocalBase = TERN_GPSIMD_LOCAL_BASE;
constexpr std::uint32_t kLocalBytes = TERN_GPSIMD_LOCAL_STRIDE;
constexpr std::uint32_t kRegisters = TERN_GPSIMD_REGISTERS_BASE;
constexpr std::uint32_t kRegisterBytes = TERN_GPSIMD_REGISTERS_STRIDE;
constexpr std::uint32_t kPartitionBase = TERN_GPSIMD_PARTITION_BASE;
constexpr std::uint32_t kPartitionStride = TERN_GPSIMD_PARTITION_STRIDE;
constexpr unsigned kPartitions = TERN_GPSIMD_PARTITION_COUNT;
constexpr std::uint32_t kPage = base::ElfFile::kPage;
constexpr unsigned kA0 = 10;                 // of the arguments' registers
constexpr std::size_t kLongestLine = 1000;   // of the log
constexpr std::uint64_t kMaxLogged = 65536;  // characters per run
static_assert(kPage == riscv::kPageBytes);

// RV32IMF with M mode alone. What a program must not do is a trap, at which it ends.
riscv::HartConfig config_of(std::uint32_t entry) {
  riscv::HartConfig config;
  config.xlen = 32;
  config.atomics = config.compressed = config.doubles = false;
  config.supervisor = config.user = false;
  config.pmp_entries = 0;
  config.misaligned_data = false;
  config.timed_loads = config.stop_at_traps = true;
  config.reset_pc = entry;
  return config;
}

bool is_register(std::uint64_t address) {
  return address >= kRegisters && address - kRegisters < kRegisterBytes;
}

}  // namespace

// The state of a run. Outside memory are the registers.
class Processor::Machine : private riscv::Bus, private RunningProgram {
 public:
  Machine(base::ElfFile program, const SbufWindow& sbuf, const GpsimdProgramConfig& config,
          ProgramLog log, ProgramRunner* runner);

  ProgramResult run(unsigned number, const Arguments& arguments);

 private:
  // Bus
  bool read(std::uint64_t address, void* data, unsigned bytes) override;
  bool write(std::uint64_t address, const void* data, unsigned bytes) override;
  std::uint64_t time() override { return hart_->cycles(); }

  // RunningProgram
  unsigned processor() const override { return number_; }
  riscv::Hart& hart() override { return *hart_; }
  const riscv::HartConfig& hart_config() const override { return hart_config_; }
  bool peek(std::uint64_t address, void* data, unsigned bytes) override;
  bool poke(std::uint64_t address, const void* data, unsigned bytes) override;
  std::uint8_t* memory_at(std::uint64_t address, unsigned bytes);

  void load_program();
  void map_local_memory();
  void map_partitions();
  void begin(const Arguments& arguments);
  ProgramFault execute();
  ProgramFault fault_of_trap();
  bool read_register(std::uint64_t address, std::uint32_t& value);
  void log_character(char c);

  std::uint32_t pc() const { return static_cast<std::uint32_t>(hart_->save().pc); }
  std::uint32_t word_at(std::uint32_t address) const;
  std::uint64_t map_bytes() const { return sbuf_.partition_bytes / kPage * kPage; }

  const base::ElfFile program_;
  const SbufWindow sbuf_;
  const GpsimdProgramConfig config_;
  const ProgramLog log_;
  ProgramRunner* const runner_;
  const riscv::HartConfig hart_config_;
  std::vector<std::uint8_t> local_ = std::vector<std::uint8_t>(kLocalBytes);
  std::optional<PhysicalMemory> memory_;  // of this run, as its hart
  std::unique_ptr<riscv::Hart> hart_;

  unsigned number_ = 0;
  Arguments arguments_{};
  std::uint64_t latched_cycles_ = 0, logged_ = 0;
  ProgramFault exit_;  // where the program ended itself, and its status
  std::string line_;
};

Processor::Machine::Machine(base::ElfFile program, const SbufWindow& sbuf,
                            const GpsimdProgramConfig& config, ProgramLog log,
                            ProgramRunner* runner)
    : program_(std::move(program)),
      sbuf_(sbuf),
      config_(config),
      log_(std::move(log)),
      runner_(runner),
      hart_config_(config_of(program_.entry())) {}

void Processor::Machine::load_program() {
  std::fill(local_.begin(), local_.end(), std::uint8_t{0});
  for (const base::ElfFile::Segment& segment : program_.segments())
    std::copy(segment.contents.begin(), segment.contents.end(),
              local_.begin() + (segment.address - kLocalBase));
}

// Pages that no segment covers do not exist.
void Processor::Machine::map_local_memory() {
  struct Rights {
    bool exists = false, writable = false, executable = false;
    bool operator==(const Rights& other) const {
      return exists == other.exists && writable == other.writable && executable == other.executable;
    }
  };
  std::array<Rights, kLocalBytes / kPage> rights;
  for (const base::ElfFile::Segment& segment : program_.segments()) {
    const std::uint32_t first = (segment.address - kLocalBase) / kPage;
    const std::uint32_t last = (segment.address - kLocalBase + segment.bytes - 1) / kPage;
    for (std::uint32_t page = first; page <= last; ++page) {
      rights[page].exists = true;
      rights[page].writable |= segment.writable;
      rights[page].executable |= segment.executable;
    }
  }
  for (std::uint32_t page = 0; page < rights.size();) {
    std::uint32_t end = page + 1;
    while (end < rights.size() && rights[end] == rights[page]) ++end;
    PhysicalMemory::Region region;
    region.base = kLocalBase + page * kPage;
    region.bytes = (end - page) * kPage;
    region.data = local_.data() + page * kPage;
    region.writable = rights[page].writable;
    region.executable = rights[page].executable;
    region.load_cycles = config_.local_load_cycles - 1;
    if (rights[page].exists) memory_->add(region);
    page = end;
  }
}

void Processor::Machine::map_partitions() {
  if (map_bytes() == 0) return;
  for (unsigned i = 0; i < kPartitions; ++i) {
    PhysicalMemory::Region region;
    region.base = kPartitionBase + i * std::uint64_t{kPartitionStride};
    region.bytes = map_bytes();
    region.data = sbuf_.memory.partition(number_ * kPartitions + i);
    region.executable = false;
    region.load_cycles = config_.sbuf_load_cycles - 1;
    memory_->add(region);
  }
}

void Processor::Machine::begin(const Arguments& arguments) {
  riscv::HartState state = hart_->save();
  std::copy(arguments.begin(), arguments.end(), state.x.begin() + kA0);
  hart_->restore(state);
}

ProgramResult Processor::Machine::run(unsigned number, const Arguments& arguments) {
  number_ = number;
  arguments_ = arguments;
  latched_cycles_ = logged_ = 0;
  line_.clear();
  load_program();
  hart_.reset();
  memory_.emplace();
  map_local_memory();
  map_partitions();
  hart_ = riscv::Hart::make(hart_config_, *memory_, *this);
  begin(arguments);
  const ProgramFault fault = execute();
  if (runner_ != nullptr) runner_->ended(fault.reason != TERN_PROGRAM_FAULT_NONE);
  if (!line_.empty()) log_character('\n');
  return {hart_->cycles(), fault};
}

ProgramFault Processor::Machine::execute() {
  // As many instructions as there are cycles left: fewer pass where loads take more.
  while (hart_->cycles() <= config_.limit_cycles) {
    const std::uint64_t left = config_.limit_cycles - hart_->cycles() + 1;
    switch (runner_ != nullptr ? runner_->run(*this, left) : hart_->run(left)) {
      case riscv::Stop::kBudget:
        break;
      case riscv::Stop::kTrap:
        return fault_of_trap();
      case riscv::Stop::kRequest:
        return exit_;
      default: {  // waits: no interrupt will come
        const std::uint32_t at = pc() - 4;
        return {TERN_PROGRAM_FAULT_STOPPED, at, word_at(at)};
      }
    }
  }
  return {TERN_PROGRAM_FAULT_LIMIT, pc(), config_.limit_cycles};
}

ProgramFault Processor::Machine::fault_of_trap() {
  const auto at = static_cast<std::uint32_t>(hart_->save().csrs.mepc);
  const riscv::Trap trap = hart_->trap();
  const auto value = static_cast<std::uint32_t>(trap.value);
  switch (trap.cause) {
    case Cause::kInstructionAccess: {
      const auto before = static_cast<std::uint32_t>(hart_->before_fetch());
      return {TERN_PROGRAM_FAULT_JUMP, before == at ? at - 4 : before, value};
    }
    case Cause::kInstructionMisaligned:
      return {TERN_PROGRAM_FAULT_JUMP, at, value};
    case Cause::kLoadMisaligned:
    case Cause::kStoreMisaligned:
      return {TERN_PROGRAM_FAULT_MISALIGNED, at, value};
    case Cause::kLoadAccess:
      return {is_register(value) ? TERN_PROGRAM_FAULT_REGISTER : TERN_PROGRAM_FAULT_LOAD, at,
              value};
    case Cause::kStoreAccess:
      if (is_register(value)) return {TERN_PROGRAM_FAULT_REGISTER, at, value};
      return {
          memory_->find(value) != nullptr ? TERN_PROGRAM_FAULT_PROTECTED : TERN_PROGRAM_FAULT_STORE,
          at, value};
    case Cause::kBreakpoint:
      return {TERN_PROGRAM_FAULT_BREAKPOINT, at, word_at(at)};
    default:
      return {TERN_PROGRAM_FAULT_ILLEGAL, at, word_at(at)};
  }
}

bool Processor::Machine::read_register(std::uint64_t address, std::uint32_t& value) {
  constexpr std::uint32_t kArguments = TERN_REG_GPSIMD_ARGUMENT;
  const std::uint64_t offset = address - kRegisters;
  if (offset >= kArguments && offset < kArguments + 4 * arguments_.size()) {
    value = arguments_[(offset - kArguments) / 4];
    return true;
  }
  switch (offset) {
    case TERN_REG_GPSIMD_PROCESSOR:
      value = number_;
      return true;
    case TERN_REG_GPSIMD_PARTITION_BYTES:
      value = static_cast<std::uint32_t>(map_bytes());
      return true;
    case TERN_REG_GPSIMD_CYCLE:
      latched_cycles_ = hart_->cycles();
      value = static_cast<std::uint32_t>(latched_cycles_);
      return true;
    case TERN_REG_GPSIMD_CYCLE + 4:
      value = static_cast<std::uint32_t>(latched_cycles_ >> 32);
      return true;
    default:
      return false;
  }
}

bool Processor::Machine::read(std::uint64_t address, void* data, unsigned bytes) {
  std::uint32_t value = 0;
  if (bytes != sizeof value || !is_register(address) || !read_register(address, value))
    return false;
  std::memcpy(data, &value, sizeof value);
  hart_->idle(config_.local_load_cycles - 1);
  return true;
}

bool Processor::Machine::write(std::uint64_t address, const void* data, unsigned bytes) {
  std::uint32_t value = 0;
  if (bytes != sizeof value || !is_register(address)) return false;
  std::memcpy(&value, data, sizeof value);
  switch (address - kRegisters) {
    case TERN_REG_GPSIMD_LOG:
      log_character(static_cast<char>(value));
      return true;
    case TERN_REG_GPSIMD_EXIT:
      exit_ = {value == 0 ? TERN_PROGRAM_FAULT_NONE : TERN_PROGRAM_FAULT_EXIT, pc(), value};
      hart_->request_stop();
      return true;
    default:
      return false;
  }
}

std::uint8_t* Processor::Machine::memory_at(std::uint64_t address, unsigned bytes) {
  const PhysicalMemory::Region* region = memory_->find(address);
  const bool fits = region != nullptr && bytes <= region->bytes - (address - region->base);
  return fits ? region->data + (address - region->base) : nullptr;
}

bool Processor::Machine::peek(std::uint64_t address, void* data, unsigned bytes) {
  if (const std::uint8_t* from = memory_at(address, bytes)) {
    std::memcpy(data, from, bytes);
    return true;
  }
  const std::uint64_t latched = latched_cycles_;
  bool done = true;
  for (unsigned i = 0; i < bytes && done; ++i) {
    const std::uint64_t at = address + i;
    std::uint32_t value = 0;
    done = is_register(at) && read_register(at - at % 4, value);
    static_cast<std::uint8_t*>(data)[i] = static_cast<std::uint8_t>(value >> 8 * (at % 4));
  }
  latched_cycles_ = latched;
  return done;
}

bool Processor::Machine::poke(std::uint64_t address, const void* data, unsigned bytes) {
  std::uint8_t* to = memory_at(address, bytes);
  if (to == nullptr) return false;
  std::memcpy(to, data, bytes);
  memory_->written(address, bytes);
  return true;
}

void Processor::Machine::log_character(char c) {
  if (logged_ >= kMaxLogged) return;
  ++logged_;
  if (c != '\n' && line_.size() < kLongestLine) line_ += c;
  const bool last = logged_ == kMaxLogged;
  if (c != '\n' && !last) return;
  if (last) line_ += " ... the rest of the log is dropped";
  if (log_) log_(number_, line_);
  line_.clear();
}

std::uint32_t Processor::Machine::word_at(std::uint32_t address) const {
  std::uint32_t word = 0;
  if (address < kLocalBase || address - kLocalBase > kLocalBytes - 4) return word;
  std::memcpy(&word, local_.data() + (address - kLocalBase), sizeof word);
  return word;
}

Processor::Processor(base::ElfFile program, const SbufWindow& sbuf,
                     const GpsimdProgramConfig& config, ProgramLog log, ProgramRunner* runner)
    : machine_(
          std::make_unique<Machine>(std::move(program), sbuf, config, std::move(log), runner)) {}

Processor::~Processor() = default;

ProgramResult Processor::run(unsigned number, const Arguments& arguments) {
  return machine_->run(number, arguments);
}

}  // namespace tern::gpsimd
