// SPDX-License-Identifier: Apache-2.0
// The interpreter's loop: one label per instruction, reached through the address in its Op.
#include <cstring>
#include <limits>

#include "systemc/riscv/core.h"
#include "systemc/riscv/float/boxing.h"

namespace tern::riscv {

namespace {

template <typename Wide, typename X>
X high_product(Wide a, Wide b) {
  return static_cast<X>(static_cast<Wide>(a * b) >> (8 * sizeof(X)));
}

}  // namespace

#define LIKELY(condition) __builtin_expect(static_cast<bool>(condition), 1)
#define UNLIKELY(condition) __builtin_expect(static_cast<bool>(condition), 0)

// Of the current instruction.
#define RD x[op->rd]
#define RS1 x[op->rs1]
#define RS2 x[op->rs2]
#define IMM static_cast<X>(static_cast<Signed>(op->imm))
#define PC static_cast<X>(page_pc + static_cast<X>(op - ops) * 2)
#define NEXT_PC static_cast<X>(PC + static_cast<X>(op->step) * 2)

#define HANDLER(name) L_##name:
// The next instruction.
#define DONE                             \
  do {                                   \
    op += op->step;                      \
    if (UNLIKELY(--left == 0)) goto out; \
    goto * op->handler;                  \
  } while (false)
// After a call that may look at the hart's state or change it.
#define SYNC      \
  do {            \
    pc_ = PC;     \
    left_ = left; \
  } while (false)
#define DONE_AFTER_CALL                      \
  do {                                       \
    if (UNLIKELY(attention_)) goto attended; \
    DONE;                                    \
  } while (false)
#define JUMP_TO(address)                            \
  do {                                              \
    pc = (address);                                 \
    if (UNLIKELY(--left == 0)) goto out_at_pc;      \
    const X within = pc - page_pc;                  \
    if (LIKELY(within < kPageBytes && page_open)) { \
      op = ops + within / 2;                        \
      goto * op->handler;                           \
    }                                               \
    goto lookup;                                    \
  } while (false)

template <typename X, bool kTimed>
Stop Core<X, kTimed>::execute(const void** table) {
  if (table != nullptr) {
    const void* const labels[kHandlers] = {
#define RISCV_INSTRUCTION(name, match, mask, operands, needs) &&L_##name,
#include "systemc/riscv/instructions.def"
#undef RISCV_INSTRUCTION
        &&L_illegal, &&L_decode, &&L_next_page, &&L_breakpoint};
    std::memcpy(table, labels, sizeof labels);
    return Stop::kBudget;
  }

  X* const x = x_.data();
  std::uint64_t left = left_;
  X pc = pc_, page_pc = 0;
  CodePage* page = nullptr;
  Op* ops = nullptr;
  const Op* op = nullptr;
  bool page_open = false;  // its slots may be entered anywhere
  const bool compressed = config_.compressed;

  goto resync;

attended:  // after an instruction that ended
  pc = NEXT_PC;
  --left;
resync:  // at pc: interrupts, stops, other tables of pages
  pc_ = pc;
  left_ = left;
  if (watchpoint_met_) {
    watchpoint_met_ = false;
    return Stop::kWatchpoint;
  }
  if (left == 0) return Stop::kBudget;
  attention_ = false;
  if (stop_requested_) {
    stop_requested_ = false;
    return Stop::kRequest;
  }
  if (take_interrupt()) pc = pc_;
lookup :  // the page of pc
{
  const FetchEntry& entry = fetches_[(pc >> kPageShift) % kFetchEntries];
  page_open = entry.tag == (pc & kPageMask);
  if (LIKELY(page_open)) {
    page = entry.page;
  } else {
    pc_ = pc;
    left_ = left;
    page = fetch(pc);
    if (page == nullptr) {
      if (op != nullptr) before_fetch_ = PC;
      goto trap_at_pc;
    }
    page_open = page != &single_;
  }
  page_pc = pc & kPageMask;
  ops = page->ops.data();
  op = ops + (pc - page_pc) / 2;
  goto * op->handler;
}

trap:  // trap_, at op
  pc = PC;
  watchpoint_met_ = false;
trap_at_pc:
  left_ = left;
  take_trap(trap_, pc);
  pc = pc_;
  --left;
  if (UNLIKELY(config_.stop_at_traps)) {
    left_ = left;
    return Stop::kTrap;
  }
  goto resync;

out:
  pc = PC;
out_at_pc:
  before_fetch_ = PC;
  pc_ = pc;
  left_ = 0;
  return Stop::kBudget;

  HANDLER(decode) {
    const unsigned slot = static_cast<unsigned>(op - ops);
    if (page == &single_) {  // this page holds only one instruction
      pc = PC;
      page_open = false;
      pc_ = pc;
      left_ = left;
      page = fetch(pc);
      if (page == nullptr) goto trap_at_pc;
      page_open = page != &single_;
      ops = page->ops.data();
      op = ops + slot;
      goto * op->handler;
    }
    if (slot == CodePage::kSlots - 1 && (page->data[kPageBytes - 2] & 3) == 3) {
      // Its second half is on the next page.
      pc = PC;
      pc_ = pc;
      left_ = left;
      page = single_instruction(pc);
      if (page == nullptr) goto trap_at_pc;
      page_open = false;
      ops = page->ops.data();
      op = ops + slot;
      goto * op->handler;
    }
    decode_slot(*page, slot);
    goto * op->handler;
  }
  HANDLER(next_page) {
    pc = PC;
    goto lookup;
  }
  HANDLER(breakpoint) {
    pc = PC;
    if (breakpoints_.count(pc) != 0 && !(pass_breakpoint_ && pass_pc_ == pc)) {
      pc_ = pc;
      left_ = left;
      pass_breakpoint_ = true;
      pass_pc_ = pc;
      return Stop::kBreakpoint;
    }
    pass_breakpoint_ = false;
    Op plain;
    fill(plain, page == &single_ ? single_raw_ : raw_at(*page, static_cast<unsigned>(op - ops)));
    goto* plain.handler;
  }
  HANDLER(illegal) {
    const unsigned slot = static_cast<unsigned>(op - ops);
    std::uint32_t raw = page == &single_ ? single_raw_ : raw_at(*page, slot);
    if (op->step == 1) raw &= 0xffff;
    raise(Cause::kIllegalInstruction, raw);
    goto trap;
  }

#include "systemc/riscv/execute_access.inc"
#include "systemc/riscv/execute_float.inc"
#include "systemc/riscv/execute_integer.inc"
#include "systemc/riscv/execute_memory.inc"
#include "systemc/riscv/execute_system.inc"
}

template class Core<std::uint32_t, false>;
template class Core<std::uint32_t, true>;
template class Core<std::uint64_t, false>;

}  // namespace tern::riscv
