// SPDX-License-Identifier: Apache-2.0
// Text of instructions against binutils, an independent disassembler.
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <random>
#include <regex>
#include <sstream>

#include "sw/base/child_process.h"
#include "systemc/riscv/disassemble.h"
#include "tb/common/seed.h"
#include "tb/common/temp_folder.h"

using namespace tern;  // NOLINT

namespace {

constexpr const char* kObjdump = "/usr/bin/riscv64-unknown-elf-objdump";
constexpr std::uint64_t kBase = 0x80000000;

struct Encoding {
  std::uint32_t match, mask;
};
constexpr Encoding kEncodings[] = {
#define RISCV_INSTRUCTION(name, match, mask, operands, needs) {match, mask},
#include "systemc/riscv/instructions.def"
#undef RISCV_INSTRUCTION
};

// As "addi sp,sp,-16", by address.
std::vector<std::string> objdump(const std::vector<std::uint32_t>& words, unsigned xlen) {
  const tb::TempFolder folder;
  const std::string bytes(reinterpret_cast<const char*>(words.data()), 4 * words.size());
  const auto result = base::run_child(
      {kObjdump, "-D", "-b", "binary", "-m", "riscv:rv" + std::to_string(xlen), "-M", "no-aliases",
       "--adjust-vma=0x80000000", folder.put("words", bytes).string()});
  REQUIRE(result.exit_code == 0);
  std::vector<std::string> lines;
  std::istringstream text(result.out);
  const std::regex line("^ *[0-9a-f]+:\\s+[0-9a-f]{8}\\s+(\\S+)\\s*([^#<]*).*$");
  for (std::string each; std::getline(text, each);) {
    std::smatch found;
    if (!std::regex_match(each, found, line)) continue;
    std::string rest = std::regex_replace(found[2].str(), std::regex("\\s+$"), "");
    lines.push_back(found[1].str() + (rest.empty() ? "" : " " + rest));
  }
  return lines;
}

void compare(unsigned xlen) {
  if (!std::filesystem::exists(kObjdump)) {
    std::cout << "skipped: no " << kObjdump << '\n';
    return;
  }
  riscv::HartConfig config;
  config.xlen = xlen;
  std::mt19937_64 random(tb::test_seed() + xlen);
  std::vector<std::uint32_t> words;
  std::vector<std::string> ours;
  for (const Encoding& e : kEncodings) {
    for (unsigned n = 0; n < 50; ++n) {
      std::uint32_t word = e.match | (static_cast<std::uint32_t>(random()) & ~e.mask);
      const unsigned opcode = word & 0x7f, mode = word >> 12 & 7;
      // Numbered registers have names in binutils alone; reserved rounding modes differ.
      if (opcode == 0x73 && mode != 0) word = (word & 0xfffff) | 0x34000000 | (random() % 5) << 20;
      if (opcode >= 0x43 && opcode <= 0x53 && (mode == 5 || mode == 6)) word |= 0x7000;
      if (opcode == 0x0f) word = e.match | 0x0ff00000 * (mode == 0);
      words.push_back(word);
      ours.push_back(riscv::disassemble(word, kBase + 4 * (words.size() - 1), config));
    }
  }
  const std::vector<std::string> theirs = objdump(words, xlen);
  REQUIRE(theirs.size() == ours.size());
  unsigned compared = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (ours[i] == "illegal" || ours[i].rfind("fence", 0) == 0) continue;
    // binutils wants rounding mode 0 of an exact conversion.
    if (ours[i].rfind("fcvt.d.", 0) == 0 && theirs[i][0] == '.') continue;
    CAPTURE(words[i]);
    CHECK(ours[i] == theirs[i]);
    ++compared;
  }
  CHECK(compared > 5000);
}

}  // namespace

TEST_CASE("disassemble: 64 bits, as binutils writes it") {
  compare(64);
}

TEST_CASE("disassemble: 32 bits, as binutils writes it") {
  compare(32);
}

TEST_CASE("disassemble: compressed instructions as what they stand for, and what is none") {
  riscv::HartConfig config;
  CHECK(riscv::disassemble(0x8082, 0, config) == "jalr zero,0(ra)");
  CHECK(riscv::disassemble(0x1141, 0, config) == "addi sp,sp,-16");
  CHECK(riscv::disassemble(0, 0, config) == "illegal");
  CHECK(riscv::disassemble(0xffffffff, 0, config) == "illegal");
  config.compressed = false;
  CHECK(riscv::disassemble(0x8082, 0, config) == "illegal");
}
