// SPDX-License-Identifier: Apache-2.0
#include "systemc/gpsimd/processor.h"

#include <unicorn/unicorn.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "sw/base/user_error.h"
#include "sw/spec/generated/address_map.h"

namespace tern::gpsimd {

namespace {

constexpr std::uint32_t kLocalBase = TERN_GPSIMD_LOCAL_BASE;
constexpr std::uint32_t kLocalBytes = TERN_GPSIMD_LOCAL_STRIDE;
constexpr std::uint32_t kRegisters = TERN_GPSIMD_REGISTERS_BASE;
constexpr std::uint32_t kRegisterBytes = TERN_GPSIMD_REGISTERS_STRIDE;
constexpr std::uint32_t kPartitionBase = TERN_GPSIMD_PARTITION_BASE;
constexpr std::uint32_t kPartitionStride = TERN_GPSIMD_PARTITION_STRIDE;
constexpr unsigned kPartitions = TERN_GPSIMD_PARTITION_COUNT;
constexpr std::uint32_t kPage = base::ElfFile::kPage;
constexpr std::uint32_t kEbreak = 0x00100073, kWfi = 0x10500073;
constexpr std::size_t kLongestLine = 1000;   // of the log
constexpr std::uint64_t kMaxLogged = 65536;  // characters per run

void check(uc_err error, const char* what) {
  if (error != UC_ERR_OK)
    throw RunError(std::string("Unicorn: ") + what + ": " + uc_strerror(error));
}

bool is_memory_instruction(std::uint32_t word) {
  const unsigned opcode = word & 0x7f;
  return opcode == 0x03 || opcode == 0x07 || opcode == 0x23 || opcode == 0x27;
}

}  // namespace

// The state of the run and Unicorn's callbacks, which must not throw.
class Processor::Machine {
 public:
  Machine(base::ElfFile program, const SbufWindow& sbuf, const GpsimdProgramConfig& config,
          ProgramLog log);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  ProgramResult run(unsigned number, const Arguments& arguments);

 private:
  void map_local_memory();
  void map_partitions(unsigned number);
  void add_hooks();
  void stop(unsigned reason, std::uint32_t pc, std::uint32_t value);
  void enter_block(std::uint32_t address, std::uint32_t bytes);
  void access(bool write, std::uint32_t address, std::uint32_t bytes);
  void refuse(uc_mem_type type, std::uint32_t address);
  void trap(std::uint32_t pc);
  std::uint32_t read_register(std::uint32_t offset, unsigned bytes);
  void write_register(std::uint32_t offset, unsigned bytes, std::uint32_t value);
  void log_character(char c);

  std::uint32_t pc() const;  // as Unicorn reports it: the address of an instruction only at traps
  std::uint32_t word_at(std::uint32_t address) const;
  std::uint32_t pc_of_access(unsigned index) const;
  // A jump ends its block.
  std::uint32_t last_of_block() const { return block_ + block_bytes_ - 4; }
  std::uint64_t map_bytes() const { return sbuf_.partition_bytes / kPage * kPage; }

  const base::ElfFile program_;
  const SbufWindow sbuf_;
  const GpsimdProgramConfig config_;
  const ProgramLog log_;
  std::unique_ptr<std::uint8_t, void (*)(void*)> local_;
  uc_engine* engine_ = nullptr;
  uc_context* at_reset_ = nullptr;
  bool partitions_mapped_ = false;

  unsigned number_ = 0;
  Arguments arguments_{};
  std::uint64_t cycles_ = 0, latched_cycles_ = 0, logged_ = 0;
  std::uint32_t block_ = 0, block_bytes_ = 0;
  unsigned accesses_ = 0;  // in this block
  bool stopped_ = false;   // by a fault or an exit: the rest of the block is meaningless
  ProgramFault fault_;
  std::string line_;
};

Processor::Machine::Machine(base::ElfFile program, const SbufWindow& sbuf,
                            const GpsimdProgramConfig& config, ProgramLog log)
    : program_(std::move(program)),
      sbuf_(sbuf),
      config_(config),
      log_(std::move(log)),
      local_(static_cast<std::uint8_t*>(std::aligned_alloc(kPage, kLocalBytes)), std::free) {
  if (local_ == nullptr) throw std::bad_alloc();
  check(uc_open(UC_ARCH_RISCV, UC_MODE_RISCV32, &engine_), "open");
  check(uc_context_alloc(engine_, &at_reset_), "context");
  check(uc_context_save(engine_, at_reset_), "context");
  map_local_memory();
  add_hooks();
}

Processor::Machine::~Machine() {
  if (at_reset_ != nullptr) uc_context_free(at_reset_);
  if (engine_ != nullptr) uc_close(engine_);
}

// Pages that no segment covers do not exist.
void Processor::Machine::map_local_memory() {
  std::array<std::uint32_t, kLocalBytes / kPage> rights{};
  for (const base::ElfFile::Segment& segment : program_.segments()) {
    const std::uint32_t first = (segment.address - kLocalBase) / kPage;
    const std::uint32_t last = (segment.address - kLocalBase + segment.bytes - 1) / kPage;
    for (std::uint32_t page = first; page <= last; ++page) {
      rights[page] |= UC_PROT_READ;
      if (segment.writable) rights[page] |= UC_PROT_WRITE;
      if (segment.executable) rights[page] |= UC_PROT_EXEC;
    }
  }
  for (std::uint32_t page = 0; page < rights.size();) {
    std::uint32_t end = page + 1;
    while (end < rights.size() && rights[end] == rights[page]) ++end;
    if (rights[page] != 0) {
      check(uc_mem_map_ptr(engine_, kLocalBase + page * kPage, (end - page) * kPage, rights[page],
                           local_.get() + page * kPage),
            "local memory");
    }
    page = end;
  }
}

void Processor::Machine::map_partitions(unsigned number) {
  if (map_bytes() == 0 || (partitions_mapped_ && number == number_)) return;
  for (unsigned i = 0; i < kPartitions; ++i) {
    const std::uint64_t address = kPartitionBase + i * std::uint64_t{kPartitionStride};
    if (partitions_mapped_) check(uc_mem_unmap(engine_, address, map_bytes()), "SBUF");
    check(uc_mem_map_ptr(engine_, address, map_bytes(), UC_PROT_READ | UC_PROT_WRITE,
                         sbuf_.memory.partition(number * kPartitions + i)),
          "SBUF");
  }
  partitions_mapped_ = true;
}

void Processor::Machine::add_hooks() {
  const auto block = [](uc_engine*, std::uint64_t address, std::uint32_t bytes, void* self) {
    static_cast<Machine*>(self)->enter_block(static_cast<std::uint32_t>(address), bytes);
  };
  const auto access = [](uc_engine*, uc_mem_type type, std::uint64_t address, int bytes,
                         std::int64_t, void* self) {
    static_cast<Machine*>(self)->access(type == UC_MEM_WRITE, static_cast<std::uint32_t>(address),
                                        static_cast<std::uint32_t>(bytes));
  };
  const auto refuse = [](uc_engine*, uc_mem_type type, std::uint64_t address, int, std::int64_t,
                         void* self) -> bool {
    static_cast<Machine*>(self)->refuse(type, static_cast<std::uint32_t>(address));
    return false;
  };
  const auto trap = [](uc_engine*, std::uint32_t, void* self) {
    Machine& machine = *static_cast<Machine*>(self);
    machine.trap(machine.pc() - 4);
  };
  const auto invalid = [](uc_engine*, void* self) -> bool {
    Machine& machine = *static_cast<Machine*>(self);
    machine.trap(machine.pc());
    return false;
  };
  const auto read = [](uc_engine*, std::uint64_t offset, unsigned bytes,
                       void* self) -> std::uint64_t {
    return static_cast<Machine*>(self)->read_register(static_cast<std::uint32_t>(offset), bytes);
  };
  const auto write = [](uc_engine*, std::uint64_t offset, unsigned bytes, std::uint64_t value,
                        void* self) {
    static_cast<Machine*>(self)->write_register(static_cast<std::uint32_t>(offset), bytes,
                                                static_cast<std::uint32_t>(value));
  };
  const auto add = [this](int type, void* callback) {
    uc_hook hook = 0;
    check(uc_hook_add(engine_, &hook, type, callback, this, 1, 0), "hook");  // at any address
  };
  add(UC_HOOK_BLOCK, reinterpret_cast<void*>(+block));
  add(UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, reinterpret_cast<void*>(+access));
  add(UC_HOOK_MEM_INVALID, reinterpret_cast<void*>(+refuse));
  add(UC_HOOK_INTR, reinterpret_cast<void*>(+trap));
  add(UC_HOOK_INSN_INVALID, reinterpret_cast<void*>(+invalid));
  check(uc_mmio_map(engine_, kRegisters, kRegisterBytes, read, this, write, this), "registers");
}

ProgramResult Processor::Machine::run(unsigned number, const Arguments& arguments) {
  map_partitions(number);
  number_ = number;
  arguments_ = arguments;
  cycles_ = latched_cycles_ = logged_ = 0;
  accesses_ = 0;
  stopped_ = false;
  fault_ = {};
  line_.clear();
  std::memset(local_.get(), 0, kLocalBytes);
  for (const base::ElfFile::Segment& segment : program_.segments()) {
    if (segment.contents.empty()) continue;
    std::memcpy(local_.get() + (segment.address - kLocalBase), segment.contents.data(),
                segment.contents.size());
  }
  check(uc_context_restore(engine_, at_reset_), "context");
  for (unsigned i = 0; i < arguments.size(); ++i) {
    check(uc_reg_write(engine_, UC_RISCV_REG_A0 + static_cast<int>(i), &arguments[i]), "registers");
  }
  constexpr std::uint64_t kNowhere = 0xffffffff;  // runs until it is stopped
  const uc_err error = uc_emu_start(engine_, program_.entry(), kNowhere, 0, 0);
  if (!stopped_) {
    // Unicorn stopped on its own, before the instruction after wfi: no interrupt will come.
    const std::uint32_t at = pc() - 4;
    const bool waits = error == UC_ERR_OK && word_at(at) == kWfi;
    stop(waits ? TERN_PROGRAM_FAULT_STOPPED : TERN_PROGRAM_FAULT_ILLEGAL, at, word_at(at));
  }
  if (!line_.empty()) log_character('\n');
  return {cycles_, fault_};
}

void Processor::Machine::stop(unsigned reason, std::uint32_t pc, std::uint32_t value) {
  if (stopped_) return;
  stopped_ = true;
  fault_ = {reason, pc, value};
  uc_emu_stop(engine_);
}

void Processor::Machine::enter_block(std::uint32_t address, std::uint32_t bytes) {
  if (stopped_) return;
  block_ = address;
  block_bytes_ = bytes;
  accesses_ = 0;
  // A block of compressed instructions may have two bytes; one without a cost could loop for ever.
  cycles_ += (bytes + 3) / 4;
  if (cycles_ > config_.limit_cycles) {
    stop(TERN_PROGRAM_FAULT_LIMIT, address, config_.limit_cycles);
  }
}

// Called before an access; not for a read of memory that does not exist.
void Processor::Machine::access(bool write, std::uint32_t address, std::uint32_t bytes) {
  if (stopped_) return;
  if (address % bytes != 0) {
    stop(TERN_PROGRAM_FAULT_MISALIGNED, pc_of_access(accesses_), address);
    return;
  }
  ++accesses_;
  if (write) return;
  cycles_ += (address >= kPartitionBase ? config_.sbuf_load_cycles : config_.local_load_cycles) - 1;
}

void Processor::Machine::refuse(uc_mem_type type, std::uint32_t address) {
  switch (type) {
    case UC_MEM_FETCH_UNMAPPED:
    case UC_MEM_FETCH_PROT:
      return stop(TERN_PROGRAM_FAULT_JUMP, block_bytes_ == 0 ? address : last_of_block(), address);
    case UC_MEM_READ_UNMAPPED:
    case UC_MEM_READ_PROT:
      return stop(TERN_PROGRAM_FAULT_LOAD, pc_of_access(accesses_), address);
    case UC_MEM_WRITE_PROT:
      return stop(TERN_PROGRAM_FAULT_PROTECTED, pc_of_access(accesses_ - 1), address);
    default:
      return stop(TERN_PROGRAM_FAULT_STORE, pc_of_access(accesses_ - 1), address);
  }
}

void Processor::Machine::trap(std::uint32_t pc) {
  const std::uint32_t word = word_at(pc);
  stop(word == kEbreak ? TERN_PROGRAM_FAULT_BREAKPOINT : TERN_PROGRAM_FAULT_ILLEGAL, pc, word);
}

std::uint32_t Processor::Machine::pc() const {
  std::uint32_t pc = 0;
  uc_reg_read(engine_, UC_RISCV_REG_PC, &pc);
  return pc;
}

std::uint32_t Processor::Machine::read_register(std::uint32_t offset, unsigned bytes) {
  constexpr std::uint32_t kArguments = TERN_REG_GPSIMD_ARGUMENT;
  if (bytes == 4 && offset >= kArguments && offset < kArguments + 4 * arguments_.size()) {
    return arguments_[(offset - kArguments) / 4];
  }
  if (bytes == 4) {
    switch (offset) {
      case TERN_REG_GPSIMD_PROCESSOR:
        return number_;
      case TERN_REG_GPSIMD_PARTITION_BYTES:
        return static_cast<std::uint32_t>(map_bytes());
      case TERN_REG_GPSIMD_CYCLE:
        latched_cycles_ = cycles_;
        return static_cast<std::uint32_t>(cycles_);
      case TERN_REG_GPSIMD_CYCLE + 4:
        return static_cast<std::uint32_t>(latched_cycles_ >> 32);
    }
  }
  stop(TERN_PROGRAM_FAULT_REGISTER, pc_of_access(accesses_ - 1), kRegisters + offset);
  return 0;
}

void Processor::Machine::write_register(std::uint32_t offset, unsigned bytes, std::uint32_t value) {
  if (stopped_) return;
  const std::uint32_t pc = pc_of_access(accesses_ - 1);
  if (bytes == 4 && offset == TERN_REG_GPSIMD_LOG) return log_character(static_cast<char>(value));
  if (bytes == 4 && offset == TERN_REG_GPSIMD_EXIT) {
    return value == 0 ? stop(TERN_PROGRAM_FAULT_NONE, pc, 0)
                      : stop(TERN_PROGRAM_FAULT_EXIT, pc, value);
  }
  stop(TERN_PROGRAM_FAULT_REGISTER, pc, kRegisters + offset);
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
  std::memcpy(&word, local_.get() + (address - kLocalBase), sizeof word);
  return word;
}

// Unicorn reports only the block of the instruction that accesses memory: it is the block's
// `index`-th access.
std::uint32_t Processor::Machine::pc_of_access(unsigned index) const {
  for (std::uint32_t pc = block_; pc < block_ + block_bytes_; pc += 4) {
    if (is_memory_instruction(word_at(pc)) && index-- == 0) return pc;
  }
  return block_;
}

Processor::Processor(base::ElfFile program, const SbufWindow& sbuf,
                     const GpsimdProgramConfig& config, ProgramLog log)
    : machine_(std::make_unique<Machine>(std::move(program), sbuf, config, std::move(log))) {}

Processor::~Processor() = default;

ProgramResult Processor::run(unsigned number, const Arguments& arguments) {
  return machine_->run(number, arguments);
}

}  // namespace tern::gpsimd
