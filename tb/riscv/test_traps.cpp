// SPDX-License-Identifier: Apache-2.0
// Traps, interrupts, modes, translation and protection, as the privileged architecture says.
#include <catch2/catch.hpp>

#include "systemc/riscv/csr_numbers.h"
#include "tb/riscv/assembler.h"
#include "tb/riscv/small_board.h"

using namespace tern;  // NOLINT
using riscv::Privilege;
using riscv::Stop;
using tb::Assembler;

namespace {

constexpr std::uint64_t kBase = tb::SmallBoard::kBase;
constexpr std::uint64_t kHandler = kBase + 0x800;
constexpr std::uint32_t kNop = 0x13;

// A board whose device at 0x2000000 raises or lowers the timer's line.
class Board : public tb::SmallBoard {
 public:
  explicit Board(const riscv::HartConfig& config = {}) : SmallBoard(config, 1 << 20) {
    for (std::size_t at = 0; at < 0x2000; at += 4) put(kBase + at, kNop);
  }
  void put(std::uint64_t address, std::uint64_t value, unsigned bytes = 4) {
    std::memcpy(&ram[address - kBase], &value, bytes);
    memory.written(address, bytes);
  }
  void code(const Assembler& code, std::uint64_t at = kBase) {
    std::memcpy(&ram[at - kBase], code.bytes.data(), code.bytes.size());
    memory.written(at, code.bytes.size());
  }
  // Changes the state between runs.
  template <typename Function>
  void with_state(const Function& change) {
    riscv::HartState state = hart->save();
    change(state);
    hart->restore(state);
  }
  std::uint64_t csr(unsigned number) {
    std::uint64_t value = 0;
    REQUIRE(hart->peek_csr(number, value));
    return value;
  }
  bool write(std::uint64_t address, const void* data, unsigned bytes) override {
    if (address != 0x2000000) return SmallBoard::write(address, data, bytes);
    cycles_at_write = hart->cycles();
    hart->set_interrupt(riscv::Interrupt::kMachineTimer,
                        *static_cast<const std::uint8_t*>(data) != 0);
    return true;
  }
  std::uint64_t cycles_at_write = 0;
};

void check_trap(Board& board, riscv::Cause cause, std::uint64_t pc, std::uint64_t value) {
  CHECK(board.csr(riscv::csr::kMcause) == static_cast<std::uint64_t>(cause));
  CHECK(board.csr(riscv::csr::kMepc) == pc);
  CHECK(board.csr(riscv::csr::kMtval) == value);
  CHECK(board.hart->save().pc == kHandler);
  CHECK(board.hart->save().mode == Privilege::kMachine);
}

// Runs one instruction in a mode with the handler set; x5 holds `operand`.
void run_one(Board& board, std::uint32_t instruction, std::uint64_t operand = 0,
             Privilege mode = Privilege::kMachine, std::uint64_t pc = kBase) {
  board.put(pc, instruction);
  board.with_state([&](riscv::HartState& s) {
    s.pc = pc;
    s.mode = mode;
    s.x[5] = operand;
    s.csrs.mtvec = kHandler;
  });
  REQUIRE(board.hart->run(1) == Stop::kBudget);
}

// An Sv39 table at kBase + 0x10000 that maps virtual 0x40000000 to `page` with `rights`.
void map(Board& board, std::uint64_t page, std::uint64_t rights) {
  constexpr std::uint64_t kTables = kBase + 0x10000;
  board.put(kTables + 8, (kTables + 0x1000) >> 12 << 10 | 1, 8);
  board.put(kTables + 0x1000, (kTables + 0x2000) >> 12 << 10 | 1, 8);
  board.put(kTables + 0x2000, page >> 12 << 10 | rights, 8);
  board.with_state([](riscv::HartState& s) {
    s.csrs.satp = std::uint64_t{8} << 60 | kTables >> 12;
    s.csrs.pmp_config[0] = 0x1f;  // all of memory
    s.csrs.pmp_address[0] = ~std::uint64_t{0} >> 10;
  });
}

constexpr std::uint64_t kVirtual = 0x40000000, kLeaf = kBase + 0x12000, kData = kBase + 0x20000;
constexpr std::uint32_t kLoad = 0x0002b303, kStore = 0x0062b023;  // ld x6, 0(x5); sd x6, 0(x5)

}  // namespace

TEST_CASE("exceptions are precise: cause, pc and value") {
  Board board;
  SECTION("illegal instruction") {
    run_one(board, 0xffffffff);
    check_trap(board, riscv::Cause::kIllegalInstruction, kBase, 0xffffffff);
  }
  SECTION("compressed illegal instruction") {
    run_one(board, 0x00130000);
    check_trap(board, riscv::Cause::kIllegalInstruction, kBase, 0);
  }
  SECTION("load outside memory") {
    run_one(board, kLoad, 0x40000000);
    check_trap(board, riscv::Cause::kLoadAccess, kBase, 0x40000000);
  }
  SECTION("store outside memory") {
    run_one(board, kStore, 0x40000008);
    check_trap(board, riscv::Cause::kStoreAccess, kBase, 0x40000008);
  }
  SECTION("jump outside memory: the pc is the target") {
    run_one(board, 0x00028067, 0x40000000);
    board.hart->run(1);
    check_trap(board, riscv::Cause::kInstructionAccess, 0x40000000, 0x40000000);
  }
  SECTION("calls by mode") {
    run_one(board, 0x00000073);
    check_trap(board, riscv::Cause::kCallFromMachine, kBase, 0);
  }
  SECTION("machine registers are not for S mode") {
    board.with_state([](riscv::HartState& s) {
      s.csrs.pmp_config[0] = 0x1f;
      s.csrs.pmp_address[0] = ~std::uint64_t{0} >> 10;
    });
    run_one(board, 0x30002373, 0, Privilege::kSupervisor);  // csrr x6, mstatus
    check_trap(board, riscv::Cause::kIllegalInstruction, kBase, 0x30002373);
  }
  // A trapped instruction takes a cycle, but does not retire.
  CHECK(board.hart->save().cycles - board.hart->save().retired == 1);
}

TEST_CASE("an interrupt that a store raises is taken before the next instruction") {
  Board board;
  Assembler code;
  code.li32(5, 0x2000000);
  code.i(0x13, 6, 0, 1);
  code.s(0x2023, 5, 6, 0);
  board.code(code);
  board.with_state([](riscv::HartState& s) {
    s.csrs.mtvec = kHandler;
    s.csrs.mie = 0x80;
    s.csrs.mstatus |= riscv::csr::kMieBit;
  });
  board.hart->run(5);
  CHECK(board.cycles_at_write == 3);
  CHECK(board.csr(riscv::csr::kMcause) == (std::uint64_t{1} << 63 | 7));
  CHECK(board.csr(riscv::csr::kMepc) == kBase + code.here());
  CHECK(board.hart->save().pc == kHandler + 4);  // the fifth instruction is the handler's first
  CHECK((board.csr(riscv::csr::kMstatus) & riscv::csr::kMieBit) == 0);
}

TEST_CASE("wfi waits until an interrupt is pending, enabled or not") {
  Board board;
  board.put(kBase, 0x10500073);
  board.with_state([](riscv::HartState& s) { s.csrs.mie = 0x80; });
  CHECK(board.hart->run(10) == Stop::kWaiting);
  CHECK(board.hart->cycles() == 1);
  CHECK(board.hart->run(10) == Stop::kWaiting);
  board.hart->idle(100);
  board.hart->set_interrupt(riscv::Interrupt::kMachineTimer, true);
  CHECK(board.hart->run(10) == Stop::kBudget);
  CHECK(board.hart->cycles() == 111);
  CHECK(board.hart->save().pc == kBase + 44);
  CHECK(board.hart->save().retired == 11);
}

TEST_CASE("Sv39: pages are where the tables say, with their rights, and bits A and D are set") {
  constexpr std::uint64_t kV = 1, kR = 2, kW = 4, kX = 8, kU = 16, kA = 64, kD = 128;
  Board board;
  board.put(kData, 0x1122334455667788, 8);
  SECTION("a load sets A, a store D") {
    map(board, kData, kV | kR | kW);
    const auto leaf = [&board] {
      std::uint64_t entry = 0;
      std::memcpy(&entry, &board.ram[kLeaf - kBase], 8);
      return entry & (kA | kD);
    };
    map(board, kBase, kV | kR | kW | kX);
    board.put(kLeaf, kData >> 12 << 10 | kV | kR | kW, 8);
    // Code runs untranslated in M mode with MPRV: data as in S mode.
    board.with_state([](riscv::HartState& s) {
      s.csrs.mstatus |= riscv::csr::kMprv | std::uint64_t{1} << riscv::csr::kMppShift;
    });
    run_one(board, kLoad, kVirtual);
    CHECK(board.hart->save().x[6] == 0x1122334455667788);
    CHECK(leaf() == kA);
    run_one(board, kStore, kVirtual + 8);
    CHECK(leaf() == (kA | kD));
    std::uint64_t stored = 0;
    std::memcpy(&stored, &board.ram[kData + 8 - kBase], 8);
    CHECK(stored == 0x1122334455667788);
  }
  SECTION("code runs where it is mapped; what is not mapped faults") {
    map(board, kData, kV | kR | kX);
    board.put(kData, kLoad);
    board.with_state([](riscv::HartState& s) {
      s.pc = kVirtual;
      s.mode = Privilege::kSupervisor;
      s.x[5] = 0x40001000;
      s.csrs.mtvec = kHandler;
    });
    board.hart->run(1);
    check_trap(board, riscv::Cause::kLoadPage, kVirtual, 0x40001000);
    CHECK((board.csr(riscv::csr::kMstatus) & riscv::csr::kMpp) >> riscv::csr::kMppShift == 1);
  }
  SECTION("delegated faults go to S mode") {
    map(board, kData, kV | kR | kX);
    board.put(kData, kLoad);
    board.with_state([](riscv::HartState& s) {
      s.pc = kVirtual;
      s.mode = Privilege::kSupervisor;
      s.x[5] = 8;
      s.csrs.stvec = kVirtual + 0x100;
      s.csrs.medeleg = 1u << 13;
    });
    board.hart->run(1);
    CHECK(board.hart->save().mode == Privilege::kSupervisor);
    CHECK(board.hart->save().pc == kVirtual + 0x100);
    CHECK(board.csr(riscv::csr::kScause) == 13);
    CHECK(board.csr(riscv::csr::kSepc) == kVirtual);
    CHECK(board.csr(riscv::csr::kStval) == 8);
  }
  SECTION("pages of users are not for S mode without SUM, and never to execute") {
    map(board, kData, kV | kR | kX | kU);
    board.with_state([](riscv::HartState& s) {
      s.pc = kVirtual;
      s.mode = Privilege::kSupervisor;
      s.csrs.mtvec = kHandler;
    });
    board.hart->run(1);
    check_trap(board, riscv::Cause::kInstructionPage, kVirtual, kVirtual);
  }
}

TEST_CASE("PMP: the first entry that matches decides, of M mode only locked ones") {
  Board board;
  const auto entry = [&board](std::uint8_t config) {
    board.with_state([config](riscv::HartState& s) {
      s.csrs.pmp_config[0] = config | 0x18;  // 4 KiB at kData
      s.csrs.pmp_address[0] = kData >> 2 | 0x1ff;
      s.csrs.pmp_config[1] = 0x1f;
      s.csrs.pmp_address[1] = ~std::uint64_t{0} >> 10;
    });
  };
  entry(0x01);
  run_one(board, kLoad, kData, Privilege::kUser);
  CHECK(board.csr(riscv::csr::kMcause) == 0);
  run_one(board, kStore, kData, Privilege::kUser);
  check_trap(board, riscv::Cause::kStoreAccess, kBase, kData);
  run_one(board, kStore, kData + 0x1000, Privilege::kUser);
  CHECK(board.hart->save().pc == kBase + 4);
  run_one(board, kStore, kData);
  CHECK(board.hart->save().pc == kBase + 4);
  entry(0x81);
  run_one(board, kStore, kData);
  check_trap(board, riscv::Cause::kStoreAccess, kBase, kData);
}

TEST_CASE("code that changes itself takes effect at once, also across pages") {
  for (const std::uint64_t at : {kBase + 0x100, kBase + 0xffe, kBase + 0xffc}) {
    Board board;
    board.put(at, 0x00100313);  // li x6, 1
    board.with_state([at](riscv::HartState& s) { s.pc = at; });
    board.hart->run(1);
    CHECK(board.hart->save().x[6] == 1);
    // sw x7, 0(x5) into the instruction that has run.
    board.put(kBase, 0x0072a023);
    board.with_state([at](riscv::HartState& s) {
      s.pc = kBase;
      s.x[5] = at;
      s.x[7] = 0x00200313;
    });
    board.hart->run(1);
    board.with_state([at](riscv::HartState& s) { s.pc = at; });
    board.hart->run(1);
    CHECK(board.hart->save().x[6] == 2);
  }
}

TEST_CASE("a breakpoint stops before its instruction, and the next run goes past it") {
  Board board;
  board.hart->run(3);
  board.hart->add_breakpoint(kBase + 20);
  CHECK(board.hart->run(100) == Stop::kBreakpoint);
  CHECK(board.hart->save().pc == kBase + 20);
  CHECK(board.hart->cycles() == 5);
  CHECK(board.hart->run(2) == Stop::kBudget);
  CHECK(board.hart->save().pc == kBase + 28);
  board.with_state([](riscv::HartState& s) { s.pc = kBase; });
  board.hart->remove_breakpoint(kBase + 20);
  CHECK(board.hart->run(100) == Stop::kBudget);
}

TEST_CASE("a store-conditional succeeds once after its load-reserved") {
  Board board;
  constexpr std::uint32_t kLr = 0x1002a32f, kSc = 0x1862a3af;  // lr.w x6, (x5); sc.w x7, x6, (x5)
  run_one(board, kLr, kData);
  run_one(board, kSc, kData);
  CHECK(board.hart->save().x[7] == 0);
  run_one(board, kSc, kData);
  CHECK(board.hart->save().x[7] == 1);
  run_one(board, kLr, kData);
  board.hart->lose_reservation();
  run_one(board, kSc, kData);
  CHECK(board.hart->save().x[7] == 1);
}

TEST_CASE(
    "RV32: registers wrap at 32 bits, 64-bit instructions are illegal, no fifth bit of shifts") {
  riscv::HartConfig config;
  config.xlen = 32;
  Board board(config);
  run_one(board, 0x00128313, 0xffffffff);  // addi x6, x5, 1
  CHECK(board.hart->save().x[6] == 0);
  run_one(board, 0x4012d313, 0x80000000);  // srai x6, x5, 1
  CHECK(board.hart->save().x[6] == 0xc0000000);
  run_one(board, kLoad, kData);
  CHECK(board.csr(riscv::csr::kMcause) == 2);
  run_one(board, 0x02029313, 1);  // slli x6, x5, 32
  CHECK(board.csr(riscv::csr::kMtval) == 0x02029313);
}
