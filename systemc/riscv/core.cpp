// SPDX-License-Identifier: Apache-2.0
#include "systemc/riscv/core.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "systemc/riscv/pmp.h"

namespace tern::riscv {

template <typename X, bool kTimed>
Core<X, kTimed>::Core(const HartConfig& config, PhysicalMemory& memory, Bus& bus)
    : config_(config),
      memory_(memory),
      bus_(bus),
      csrs_(config_),
      translation_(config_, csrs_.state, memory) {
  execute(handlers_.data());
  single_.clear(handlers_[kDecode], handlers_[kNextPage]);
  memory_.observe(this);
  reset();
}

template <typename X, bool kTimed>
Core<X, kTimed>::~Core() {
  memory_.forget(this);
}

template <typename X, bool kTimed>
void Core<X, kTimed>::reset() {
  csrs_.reset();
  if (!config_.user) csrs_.state.mstatus |= csr::kMpp;
  x_ = {};
  f_ = {};
  pc_ = static_cast<X>(config_.reset_pc);
  mode_ = Privilege::kMachine;
  waiting_ = reserved_ = watchpoint_met_ = false;
  flush_all();
}

template <typename X, bool kTimed>
Stop Core<X, kTimed>::run(std::uint64_t cycles) {
  end_cycles_ += cycles - left_;
  left_ = cycles;
  if (waiting_) {
    if (csrs_.pending() == 0) {
      if (!stop_requested_) return Stop::kWaiting;
      stop_requested_ = false;
      return Stop::kRequest;
    }
    waiting_ = false;
  }
  return execute(nullptr);
}

template <typename X, bool kTimed>
void Core<X, kTimed>::idle(std::uint64_t cycles) {
  end_cycles_ += cycles;
  not_retired_ += cycles;
}

template <typename X, bool kTimed>
void Core<X, kTimed>::set_interrupt(Interrupt line, bool level) {
  const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(line);
  csrs_.state.lines = level ? csrs_.state.lines | bit : csrs_.state.lines & ~bit;
  attention_ = true;
}

template <typename X, bool kTimed>
void Core<X, kTimed>::request_stop() {
  stop_requested_ = attention_ = true;
}

template <typename X, bool kTimed>
HartState Core<X, kTimed>::save() const {
  HartState state;
  for (std::size_t i = 0; i < state.x.size(); ++i) state.x[i] = x_[i];
  state.f = f_;
  state.pc = pc_;
  state.mode = mode_;
  state.csrs = csrs_.state;
  state.cycles = cycles();
  state.retired = cycles() - load_cycles_ - not_retired_;
  state.waiting = waiting_;
  state.reserved = reserved_;
  state.reservation = reservation_;
  return state;
}

template <typename X, bool kTimed>
void Core<X, kTimed>::restore(const HartState& state) {
  for (std::size_t i = 1; i < state.x.size(); ++i) x_[i] = static_cast<X>(state.x[i]);
  f_ = state.f;
  pc_ = static_cast<X>(state.pc);
  mode_ = state.mode;
  csrs_.state = state.csrs;
  left_ = load_cycles_ = 0;
  end_cycles_ = state.cycles;
  not_retired_ = state.cycles - state.retired;
  waiting_ = state.waiting;
  reserved_ = state.reserved;
  reservation_ = state.reservation;
  pass_breakpoint_ = watchpoint_met_ = false;
  flush_all();
}

template <typename X, bool kTimed>
void Core<X, kTimed>::code_written(std::uint64_t address, std::uint64_t bytes) {
  CodePage* page = code_.find(address & -kPageBytes);
  if (page == nullptr) return;
  const auto offset = static_cast<unsigned>(address % kPageBytes);
  // The slot before may hold an instruction that reaches into these bytes.
  const unsigned first = offset < 2 ? 0 : (offset - 2) / 2;
  const auto last = static_cast<unsigned>((offset + bytes - 1) / 2);
  for (unsigned slot = first; slot <= last; ++slot) page->ops[slot].handler = handlers_[kDecode];
}

template <typename X, bool kTimed>
void Core<X, kTimed>::stores_refused() {
  for (DataTlb& tlb : store_tlbs_) tlb.fill({});
}

template <typename X, bool kTimed>
void Core<X, kTimed>::add_breakpoint(std::uint64_t pc) {
  breakpoints_.insert(static_cast<X>(pc));
  code_.for_each(
      [&](CodePage& page) { page.ops[pc % kPageBytes / 2].handler = handlers_[kDecode]; });
}

template <typename X, bool kTimed>
void Core<X, kTimed>::remove_breakpoint(std::uint64_t pc) {
  breakpoints_.erase(static_cast<X>(pc));  // what is decoded with it finds nothing to stop at
}

template <typename X, bool kTimed>
void Core<X, kTimed>::add_watchpoint(const Watchpoint& watchpoint) {
  watchpoints_.push_back(watchpoint);
  flush_data();
}

template <typename X, bool kTimed>
void Core<X, kTimed>::remove_watchpoint(const Watchpoint& watchpoint) {
  const auto found =
      std::find_if(watchpoints_.begin(), watchpoints_.end(), [&](const Watchpoint& w) {
        return w.address == watchpoint.address && w.bytes == watchpoint.bytes &&
               w.kind == watchpoint.kind;
      });
  if (found != watchpoints_.end()) watchpoints_.erase(found);
}

template <typename X, bool kTimed>
std::uint32_t Core<X, kTimed>::raw_at(const CodePage& page, unsigned slot) const {
  std::uint32_t raw = 0;
  std::memcpy(&raw, page.data + std::size_t{2} * slot, slot == CodePage::kSlots - 1 ? 2 : 4);
  return raw;
}

template <typename X, bool kTimed>
void Core<X, kTimed>::fill(Op& op, std::uint32_t raw) const {
  const bool half = (raw & 3) != 3 && config_.compressed;
  Decoded decoded;
  if (half) {
    const std::uint32_t word = expand(static_cast<std::uint16_t>(raw), config_);
    if (word != 0) decoded = decode(word, config_);
  } else {
    decoded = decode(raw, config_);
  }
  op.handler = handlers_[static_cast<unsigned>(decoded.instruction)];
  op.imm = decoded.imm;
  op.rd = decoded.rd;
  op.rs1 = decoded.rs1;
  op.rs2 = decoded.rs2;
  op.step = half ? 1 : 2;
}

template <typename X, bool kTimed>
void Core<X, kTimed>::decode_slot(CodePage& page, unsigned slot) {
  fill(page.ops[slot], &page == &single_ ? single_raw_ : raw_at(page, slot));
  for (const X breakpoint : breakpoints_) {
    if (breakpoint % kPageBytes / 2 == slot) page.ops[slot].handler = handlers_[kBreakpointHandler];
  }
}

template <typename X, bool kTimed>
bool Core<X, kTimed>::fetch_half(X pc, std::uint16_t& half) {
  std::uint64_t physical = 0;
  bool direct = false;
  if (!resolve(pc, 2, Access::kFetch, physical, direct)) return false;
  const PhysicalMemory::Region* region = memory_.find(physical);
  if (region == nullptr || !region->executable) return raise(Cause::kInstructionAccess, pc);
  std::memcpy(&half, region->data + (physical - region->base), sizeof half);
  return true;
}

// An instruction that crosses pages, or in a page that PMP divides: it is fetched anew each time.
template <typename X, bool kTimed>
CodePage* Core<X, kTimed>::single_instruction(X pc) {
  std::uint16_t low = 0, high = 0;
  if (!fetch_half(pc, low)) return nullptr;
  if ((low & 3) == 3 && !fetch_half(pc + 2, high)) return nullptr;
  single_.ops[single_slot_].handler = handlers_[kDecode];
  single_slot_ = static_cast<unsigned>(pc % kPageBytes / 2);
  single_raw_ = low | static_cast<std::uint32_t>(high) << 16;
  decode_slot(single_, single_slot_);
  return &single_;
}

template <typename X, bool kTimed>
CodePage* Core<X, kTimed>::fetch(X pc) {
  std::uint64_t physical = 0;
  bool direct = false;
  if (!resolve(pc, 2, Access::kFetch, physical, direct)) return nullptr;
  PhysicalMemory::Region* region = memory_.find(physical);
  if (region == nullptr || !region->executable) {
    raise(Cause::kInstructionAccess, pc);
    return nullptr;
  }
  if (!direct) return single_instruction(pc);
  const std::uint64_t base = physical & -kPageBytes;
  CodePage* page = code_.find(base);
  if (page == nullptr) {
    if (code_.full()) {
      for (FetchTlb& tlb : fetch_tlbs_) tlb.fill({});
      code_.clear();
    }
    page = &code_.add(base);
    page->clear(handlers_[kDecode], handlers_[kNextPage]);
    page->data = region->data + (base - region->base);
    memory_.mark_code(*region, base);
  }
  fetches_[(pc >> kPageShift) % kFetchEntries] = {static_cast<X>(pc & kPageMask), page};
  return page;
}

template <typename X, bool kTimed>
void Core<X, kTimed>::flush_data() {
  for (DataTlb& tlb : load_tlbs_) tlb.fill({});
  for (DataTlb& tlb : store_tlbs_) tlb.fill({});
}

template <typename X, bool kTimed>
void Core<X, kTimed>::flush_all() {
  flush_data();
  for (FetchTlb& tlb : fetch_tlbs_) tlb.fill({});
  use_mode();
}

template <typename X, bool kTimed>
Privilege Core<X, kTimed>::data_mode() const {
  const std::uint64_t status = csrs_.state.mstatus;
  if (mode_ != Privilege::kMachine || (status & csr::kMprv) == 0) return mode_;
  return static_cast<Privilege>((status & csr::kMpp) >> csr::kMppShift);
}

template <typename X, bool kTimed>
void Core<X, kTimed>::use_mode() {
  loads_ = load_tlbs_[static_cast<unsigned>(data_mode())].data();
  stores_ = store_tlbs_[static_cast<unsigned>(data_mode())].data();
  fetches_ = fetch_tlbs_[static_cast<unsigned>(mode_)].data();
}

template class Core<std::uint32_t, false>;
template class Core<std::uint32_t, true>;
template class Core<std::uint64_t, false>;

std::unique_ptr<Hart> Hart::make(const HartConfig& config, PhysicalMemory& memory, Bus& bus) {
  if (config.timed_loads && config.xlen != 32)
    throw std::invalid_argument("timed loads: only of harts with 32 bits");
  if (config.timed_loads) return std::make_unique<Core<std::uint32_t, true>>(config, memory, bus);
  if (config.xlen == 32) return std::make_unique<Core<std::uint32_t, false>>(config, memory, bus);
  return std::make_unique<Core<std::uint64_t, false>>(config, memory, bus);
}

}  // namespace tern::riscv
