// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <type_traits>
#include <vector>

#include "systemc/riscv/code_cache.h"
#include "systemc/riscv/decode.h"
#include "systemc/riscv/float/soft_float.h"
#include "systemc/riscv/hart.h"
#include "systemc/riscv/translation.h"

namespace tern::riscv {

// The interpreter behind Hart. X: std::uint32_t or std::uint64_t; kTimed: loads take the time of
// their memory. How it works: README.md.
template <typename X, bool kTimed>
class Core final : public Hart, private PageObserver {
 public:
  using Signed = std::make_signed_t<X>;

  Core(const HartConfig& config, PhysicalMemory& memory, Bus& bus);
  ~Core() override;
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  Stop run(std::uint64_t cycles) override;
  void reset() override;
  std::uint64_t pc() const override { return pc_; }
  std::uint64_t cycles() const override { return end_cycles_ - left_ + load_cycles_; }
  void idle(std::uint64_t cycles) override;
  void set_interrupt(Interrupt line, bool level) override;
  void request_stop() override;
  HartState save() const override;
  void restore(const HartState& state) override;
  void lose_reservation() override { reserved_ = false; }
  bool peek_csr(unsigned number, std::uint64_t& value) override;
  bool poke_csr(unsigned number, std::uint64_t value) override;
  bool translate(std::uint64_t address, std::uint64_t& physical) const override;
  void add_breakpoint(std::uint64_t pc) override;
  void remove_breakpoint(std::uint64_t pc) override;
  void add_watchpoint(const Watchpoint& watchpoint) override;
  void remove_watchpoint(const Watchpoint& watchpoint) override;
  const Watchpoint& met_watchpoint() const override { return met_; }
  Trap trap() const override { return trap_; }
  std::uint64_t before_fetch() const override { return before_fetch_; }

 private:
  static constexpr unsigned kModes = 4;
  static constexpr unsigned kDataEntries = 256, kFetchEntries = 64;
  static constexpr X kPageMask = static_cast<X>(~(kPageBytes - 1));
  static constexpr X kNoTag = ~X{0};  // no page has it: its low bits are set

  // A page that accesses reach directly.
  struct PlainEntry {
    X tag = kNoTag;
    std::uint8_t* page = nullptr;
  };
  struct TimedEntry {
    X tag = kNoTag;
    std::uint32_t load_cycles = 0;
    std::uint8_t* page = nullptr;
  };
  using DataEntry = std::conditional_t<kTimed, TimedEntry, PlainEntry>;
  struct FetchEntry {
    X tag = kNoTag;
    CodePage* page = nullptr;
  };
  using DataTlb = std::array<DataEntry, kDataEntries>;
  using FetchTlb = std::array<FetchEntry, kFetchEntries>;

  // Handlers beyond the instructions.
  enum : unsigned { kDecode = kInstructions, kNextPage, kBreakpointHandler, kHandlers };

  // Executes until left_ is 0 or something stops it. With `table`: only fills it with handlers.
  Stop execute(const void** table);

  // PageObserver
  void code_written(std::uint64_t address, std::uint64_t bytes) override;
  void stores_refused() override;

  // The page with the instruction at `pc`, whose decoding has not begun; null: trap_ is set.
  CodePage* fetch(X pc);
  CodePage* single_instruction(X pc);
  bool fetch_half(X pc, std::uint16_t& half);
  void decode_slot(CodePage& page, unsigned slot);
  std::uint32_t raw_at(const CodePage& page, unsigned slot) const;
  void fill(Op& op, std::uint32_t raw) const;
  bool resolve(X address, unsigned bytes, Access access, std::uint64_t& physical, bool& direct);

  // Accesses that the tables of direct pages do not serve; false: trap_ is set.
  bool load_slow(X address, void* data, unsigned bytes);
  bool store_slow(X address, const void* data, unsigned bytes);
  bool watched_page(X address) const;
  void watch(X address, unsigned bytes, Watchpoint::Kind kind);
  bool load_part(X address, void* data, unsigned bytes);
  bool store_part(X address, const void* data, unsigned bytes);
  bool fault(Access access, WalkResult result, X address);
  // Memory for an atomic access; null: trap_ is set.
  std::uint8_t* atomic_memory(X address, unsigned bytes, Access access, std::uint64_t& physical);

  // Traps, returns, interrupts: they change pc_ and mode_.
  void take_trap(const Trap& trap, X pc);
  void enter(std::uint64_t cause, bool interrupt, std::uint64_t value, X pc);
  bool take_interrupt();
  bool return_from(Privilege level);
  bool csr_access(const Op& op, Instruction instruction);
  void after_csr(unsigned number, std::uint64_t old_status);
  bool may_wait() const;
  bool raise(Cause cause, std::uint64_t value);

  Privilege data_mode() const;
  void use_mode();
  void flush_data();
  void flush_all();
  Counts counts();
  bool float_context(unsigned mode, FloatContext& context) const;
  void float_done(const FloatContext& context);

  const HartConfig config_;
  PhysicalMemory& memory_;
  Bus& bus_;
  CsrFile csrs_;
  Translation translation_;

  std::array<X, 33> x_{};  // the last one is never read
  std::array<std::uint64_t, 32> f_{};
  X pc_ = 0;
  Privilege mode_ = Privilege::kMachine;
  std::uint64_t left_ = 0;         // cycles of this run, with the current instruction
  std::uint64_t end_cycles_ = 0;   // cycles when none is left
  std::uint64_t not_retired_ = 0;  // cycles without an instruction that ended, but for loads
  std::uint64_t load_cycles_ = 0;  // of loads beyond their first
  bool waiting_ = false, reserved_ = false;
  std::uint64_t reservation_ = 0;
  bool attention_ = false;  // interrupts or a stop to be looked at after this instruction
  bool stop_requested_ = false;
  bool pass_breakpoint_ = false;  // it was reported: the next run goes past pass_pc_
  X pass_pc_ = 0;
  Trap trap_;
  X before_fetch_ = 0;

  std::array<const void*, kHandlers> handlers_{};
  CodeCache code_;
  CodePage single_;           // for instructions that no page holds alone
  unsigned single_slot_ = 0;  // the one decoded slot of it
  std::uint32_t single_raw_ = 0;
  std::set<X> breakpoints_;
  std::vector<Watchpoint> watchpoints_;
  Watchpoint met_;
  bool watchpoint_met_ = false;  // by the current instruction

  std::array<DataTlb, kModes> load_tlbs_, store_tlbs_;
  std::array<FetchTlb, kModes> fetch_tlbs_;
  DataEntry* loads_ = nullptr;  // of the mode of data accesses
  DataEntry* stores_ = nullptr;
  FetchEntry* fetches_ = nullptr;
};

}  // namespace tern::riscv
