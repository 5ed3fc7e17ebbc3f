// SPDX-License-Identifier: Apache-2.0
#include "tb/riscv/random_program.h"

#include <cstring>
#include <random>

#include "systemc/riscv/decode.h"
#include "tb/riscv/assembler.h"

namespace tern::tb {

namespace {

// Registers that random instructions do not write.
constexpr unsigned kSp = 2, kFactor = 26, kHash = 27, kRounds = 28, kScratch = 29, kScratch2 = 30,
                   kData = 31;
constexpr std::uint32_t kDataOffset = 0x100000, kDataBytes = 0x10000;

struct Encoding {
  const char* name;
  std::uint32_t match, mask;
};
constexpr Encoding kEncodings[] = {
#define RISCV_INSTRUCTION(name, match, mask, operands, needs) {#name, match, mask},
#include "systemc/riscv/instructions.def"
#undef RISCV_INSTRUCTION
};

class Generator {
 public:
  Generator(unsigned xlen, std::uint64_t seed) : random_(seed) { out_.xlen = xlen; }

  std::vector<std::uint8_t> image(unsigned instructions, unsigned rounds);

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  unsigned any_register() { return below(26); }
  unsigned free_register() {
    const unsigned r = below(26);
    return r == kSp ? 1 : r;
  }

  void mix(unsigned reg) {  // hash = hash * factor + reg
    out_.r(0x02000033, kHash, kHash, kFactor);
    out_.r(0x33, kHash, kHash, reg);
  }
  bool wide() const { return out_.xlen == 64; }
  void mix_float(unsigned reg);
  void handler();
  void print_hash();
  void unit();
  void encoded();
  void compressed();
  void csr();
  void memory();
  void pair();

  std::mt19937_64 random_;
  Assembler out_;
};

void Generator::mix_float(unsigned reg) {
  if (wide()) {
    out_.r(0xe2000053, kScratch, reg, 0);  // fmv.x.d
    return mix(kScratch);
  }
  out_.s(0x3027, kData, reg, 0);
  for (const int offset : {0, 4}) {
    out_.i(0x2003, kScratch, kData, offset);
    mix(kScratch);
  }
}

// From mtvec: the hash takes mcause, mtval and mepc, and the next instruction follows.
void Generator::handler() {
  for (const int csr : {0x342, 0x343, 0x341}) {
    out_.i(0x2073, kScratch, 0, csr);
    mix(kScratch);
  }
  out_.i(0x5003, kScratch2, kScratch, 0);  // lhu: its length
  out_.i(0x7013, kScratch2, kScratch2, 3);
  out_.i(0x13, kScratch, kScratch, 2);
  out_.i(0x13, kScratch2, kScratch2, -3);
  out_.branch(0x1063, kScratch2, 0, 8);
  out_.i(0x13, kScratch, kScratch, 2);
  out_.i(0x1073, 0, kScratch, 0x341);
  out_.word(0x30200073);
}

void Generator::print_hash() {
  out_.li32(kScratch2, 0x10000000);
  for (int shift = wide() ? 60 : 28; shift >= 0; shift -= 4) {
    out_.i(0x5013, kScratch, kHash, shift);
    out_.i(0x7013, kScratch, kScratch, 15);
    out_.i(0x13, kScratch, kScratch, 'a');
    out_.s(0x23, kScratch2, kScratch, 0);
  }
  out_.i(0x13, kScratch, 0, '\n');
  out_.s(0x23, kScratch2, kScratch, 0);
}

// Any instruction of the table that neither jumps nor uses memory, with random other bits.
void Generator::encoded() {
  const Encoding& e = kEncodings[below(sizeof kEncodings / sizeof *kEncodings)];
  const unsigned opcode = e.match & 0x7f;
  const bool elsewhere = opcode == 0x6f || opcode == 0x67 || opcode == 0x63 || opcode == 0x03 ||
                         opcode == 0x07 || opcode == 0x23 || opcode == 0x27 || opcode == 0x2f ||
                         opcode == 0x73 || opcode == 0x0f;
  if (elsewhere) return;
  std::uint32_t word = e.match | (static_cast<std::uint32_t>(random_()) & ~e.mask);
  word &= ~(31u << 7 | 31u << 15 | (e.mask == 0x0000707f ? 0 : 31u << 20 & ~e.mask));
  word |= free_register() << 7 | any_register() << 15;
  if (opcode != 0x13 && opcode != 0x1b) word |= (any_register() << 20) & ~e.mask;
  if (opcode == 0x53 && below(4) != 0) word = (word & ~(~e.mask & 0x7000)) | (~e.mask & 0x7000);
  if (opcode >= 0x43 && opcode <= 0x4f && below(4) != 0) word |= 0x7000;
  out_.word(word);
}

void Generator::compressed() {
  const unsigned rd = free_register(), full = static_cast<unsigned>(random_());
  const unsigned imm = (full & 0x107c), small = (full & 0x1c00);
  constexpr unsigned kHalves[] = {0x0001, 0x2001, 0x4001, 0x6001, 0x0002, 0x8002, 0x9002};
  switch (below(4)) {
    case 0: {  // addi, addiw, li, lui, slli, mv, add: not jr, jalr, ebreak
      unsigned half = kHalves[below(7)] | imm | rd << 7;
      if ((half & 0xe003) == 0x2001 && !wide()) half ^= 0x2000;  // there it would be jal
      if ((half & 0xe003) == 0x8002 && (half & 0x7c) == 0) half |= 4;
      if ((half & 0xe003) == 0x8002) {
        if (((half >> 2) & 31) > 25) half &= ~0x60u;
        if ((half & 0x7c) == 0) half |= 4;
      }
      out_.half(half);
      break;
    }
    case 1:  // arithmetic of x8 to x15, also reserved encodings
      out_.half(0x8001 | imm | small | (full & 0x380));
      break;
    case 2:  // addi4spn
      out_.half((full & 0x1ffc) | 0);
      break;
    default: {  // lwsp, ldsp, fldsp and the stores
      constexpr unsigned kLoads[] = {0x4002, 0x6002, 0x2002};
      constexpr unsigned kStores[] = {0xc002, 0xe002, 0xa002};
      if (below(2) != 0)
        out_.half(kLoads[below(3)] | imm | rd << 7);
      else
        out_.half(kStores[below(3)] | (full & 0x1f80) | any_register() << 2);
    }
  }
}

// Registers whose legal values no implementation chooses; read-only ones are only read, and two do
// not exist.
void Generator::csr() {
  constexpr int kNumbers[] = {0x001, 0x002, 0x003, 0x140, 0x142, 0x143, 0x340, 0x123, 0x7ff};
  constexpr int kReadOnly[] = {0x301, 0xf14};
  const unsigned function = 1 + below(7);
  if (function == 4) return;
  if (below(8) == 0) return out_.i(0x2073, free_register(), 0, kReadOnly[below(2)]);
  out_.i(0x73 | function << 12, free_register(), any_register(),
         kNumbers[below(sizeof kNumbers / sizeof *kNumbers)]);
}

void Generator::memory() {
  constexpr std::uint32_t kLoads[] = {0x0003, 0x1003, 0x2003, 0x3003, 0x4003, 0x5003, 0x6003};
  const int offset = static_cast<int>(below(4096)) - 2048;
  switch (below(5)) {
    case 0:
    case 1:
      return out_.i(kLoads[below(7)], free_register(), kData, offset);
    case 2:
      return out_.s(0x23 | below(4) << 12, kData, any_register(), offset);
    case 3:
      return out_.i(below(2) != 0 ? 0x2007 : 0x3007, below(32), kData, offset);
    default:
      return out_.s(below(2) != 0 ? 0x2027 : 0x3027, kData, below(32), offset);
  }
}

// An atomic operation, or load-reserved and store-conditional.
void Generator::pair() {
  constexpr std::uint32_t kOps[] = {0x08, 0x00, 0x20, 0x60, 0x40, 0x80, 0xa0, 0xc0, 0xe0};
  const std::uint32_t width = below(2) != 0 ? 0x202f : 0x302f;
  if (below(3) != 0)
    return out_.r(kOps[below(9)] << 24 | width, free_register(), kData, any_register());
  out_.r(0x10000000 | width, free_register(), kData, 0);
  // Between them only what cannot trap: whether a trap ends the reservation is free.
  out_.i(0x13, free_register(), any_register(), 5);
  out_.r(0x18000000 | width, free_register(), kData, any_register());
}

void Generator::unit() {
  switch (below(16)) {
    case 0:
    case 1:
      return memory();
    case 2:
      return pair();
    case 3:
    case 4:
      return compressed();
    case 5:
      return csr();
    case 6: {  // a branch over some instructions
      constexpr std::uint32_t kBranches[] = {0x0063, 0x1063, 0x4063, 0x5063, 0x6063, 0x7063};
      const std::size_t at = out_.here();
      out_.branch(kBranches[below(6)], any_register(), any_register(), 0);
      for (unsigned n = below(3); n > 0; --n) encoded();
      return out_.patch(at, Assembler::branch_bits(static_cast<int>(out_.here() - at)));
    }
    case 7:
      if (below(8) == 0) out_.word(below(2) != 0 ? 0x73 : 0x0000000f);  // ecall, fence
      return;
    default:
      return encoded();
  }
}

std::vector<std::uint8_t> Generator::image(unsigned instructions, unsigned rounds) {
  out_.jump(256);
  while (out_.here() < 16) out_.word(0x13);
  handler();
  while (out_.here() < 256) out_.word(0x13);
  // mtvec = base + 16; floating point on; registers.
  out_.word(0x00000297);  // auipc x5
  out_.i(0x13, 5, 5, 16 - 256);
  out_.i(0x1073, 0, 5, 0x305);
  out_.li32(5, 0x6000);
  out_.i(0x2073, 0, 5, 0x300);
  out_.word(0x00000f97 + (kDataOffset + kDataBytes / 2));  // auipc x31
  out_.i(0x13, kSp, kData, 0);
  out_.i(0x7013, kSp, kSp, -16);
  out_.i(0x7013, kData, kData, -16);
  out_.li32(kFactor, 0x9e3779b1);
  out_.li32(kHash, 1);
  out_.li32(kRounds, rounds);
  for (unsigned r = 1; r < 26; ++r) {
    if (r != kSp) out_.i(wide() ? 0x3003 : 0x2003, r, kData, static_cast<int>(8 * r));
  }
  for (unsigned r = 0; r < 32; ++r) out_.i(0x3007, r, kData, -static_cast<int>(8 * r));
  const std::size_t loop = out_.here();
  for (unsigned n = 0; n < instructions; ++n) unit();
  for (unsigned r = 1; r < 26; ++r) mix(r);
  for (unsigned r = 0; r < 32; ++r) mix_float(r);
  out_.i(0x2073, kScratch, 0, 3);
  mix(kScratch);
  print_hash();
  out_.i(0x13, kRounds, kRounds, -1);
  out_.branch(0x0063, kRounds, 0, 8);
  out_.jump(static_cast<int>(loop) - static_cast<int>(out_.here()));
  out_.li32(kScratch, 0x100000);
  out_.li32(kScratch2, 0x5555);
  out_.s(0x2023, kScratch, kScratch2, 0);
  out_.jump(0);
  out_.bytes.resize(kDataOffset + kDataBytes);
  for (std::size_t at = kDataOffset; at < out_.bytes.size(); at += 8) {
    std::uint64_t value = random_();
    if (below(4) == 0)
      value = (value & 0x800fffffffffffffu) | std::uint64_t{0x3fe + below(4)} << 52;
    if (below(4) == 0) value = 0xffffffff00000000u | (value & 0x807fffffu) | (126 + below(4)) << 23;
    if (below(8) == 0)
      value = (value & 0x8000000000000000u) | std::uint64_t{below(2)} * 0x7ff0000000000000u;
    std::memcpy(&out_.bytes[at], &value, sizeof value);
  }
  return out_.bytes;
}

}  // namespace

std::vector<std::uint8_t> random_program(unsigned xlen, std::uint64_t seed, unsigned instructions,
                                         unsigned rounds) {
  return Generator(xlen, seed).image(instructions, rounds);
}

}  // namespace tern::tb
