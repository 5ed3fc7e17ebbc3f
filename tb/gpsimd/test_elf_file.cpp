// SPDX-License-Identifier: Apache-2.0
// Which files are programs, and why others are not.
#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "misbehave_blob.h"
#include "sw/base/elf_file.h"
#include "tb/common/seed.h"

namespace tern::tb {

namespace {

using Bytes = std::vector<std::uint8_t>;
using base::ElfFile;

std::string refusal(const Bytes& file) {
  try {
    const ElfFile elf(file);
  } catch (const base::ElfError& error) {
    return error.what();
  }
  return "";
}

// A good file with a number of `bytes` bytes changed.
Bytes with(std::size_t at, std::uint32_t value, unsigned bytes) {
  Bytes file = gpsimd_blob::misbehave();
  std::memcpy(&file[at], &value, bytes);
  return file;
}

std::uint32_t word(const Bytes& file, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, &file[at], 4);
  return value;
}

// Program header of the code: the first that is executable.
std::size_t code_header(const Bytes& file) {
  std::size_t at = word(file, 28);
  while (word(file, at) != 1 || (word(file, at + 24) & 1) == 0) at += 32;
  return at;
}

}  // namespace

TEST_CASE("gpsimd elf: malformed files are refused with the reason") {
  using Catch::Contains;
  const Bytes good = gpsimd_blob::misbehave();
  CHECK(refusal(good).empty());
  CHECK_THAT(refusal({}), Contains("not an ELF file"));
  CHECK_THAT(refusal(Bytes(good.begin(), good.begin() + 51)), Contains("shorter than its header"));
  CHECK_THAT(refusal(with(0, 0, 1)), Contains("not an ELF file"));
  CHECK_THAT(refusal(with(4, 2, 1)), Contains("not for a 32-bit RISC-V"));
  CHECK_THAT(refusal(with(18, 62, 2)), Contains("not for a 32-bit RISC-V"));
  CHECK_THAT(refusal(with(16, 1, 2)), Contains("not linked"));
  CHECK_THAT(refusal(with(36, 1 | 2, 4)), Contains("compressed"));
  CHECK_THAT(refusal(with(36, 4, 4)), Contains("-mabi=ilp32f"));
  CHECK_THAT(refusal(with(28, 0x7fffffff, 4)), Contains("program headers beyond the end"));
  CHECK_THAT(refusal(with(24, 0x1fff0, 4)), Contains("begins at 0x1fff0, where it has no code"));
  CHECK_THAT(refusal(with(24, 0x10002, 4)), Contains("where it has no code"));
  CHECK_THAT(refusal(with(44, 0, 2)), Contains("where it has no code"));  // no segments

  const std::size_t code = code_header(good);
  CHECK_THAT(refusal(with(code + 8, 0x8000, 4)), Contains("outside of the local memory"));
  CHECK_THAT(refusal(with(code + 20, 0x20000, 4)), Contains("outside of the local memory"));
  CHECK_THAT(refusal(with(code + 16, 0x2000, 4)), Contains("longer than itself"));
  CHECK_THAT(refusal(with(code + 4, 0x7fffffff, 4)), Contains("beyond the end of the file"));
  CHECK_THAT(refusal(with(code + 24, 7, 4)), Contains("both writable and executable"));
  CHECK_THAT(refusal(with(code + 20, 0x4000, 4)), Contains("overlaps another"));
  CHECK_THAT(refusal(Bytes(good.begin(), good.begin() + 4200)), Contains("beyond the end"));
}

TEST_CASE("gpsimd elf: whatever is wrong with a file, it is refused or taken, never read beyond") {
  std::mt19937 random(test_seed());
  INFO("seed " << test_seed());
  for (unsigned round = 0; round < 3000; ++round) {
    Bytes file = gpsimd_blob::misbehave();
    // Headers and tables: the beginning and the end of the file.
    for (unsigned change = 0; change < 1 + round % 4; ++change) {
      const std::size_t span = 200, at = random() % span;
      file[random() % 2 == 0 ? at : file.size() - span + at] = static_cast<std::uint8_t>(random());
    }
    if (round % 5 == 0) file.resize(random() % file.size());
    const std::string reason = refusal(file);
    if (reason.empty()) ElfFile(file).symbol_at(0x10100);
  }
  SUCCEED();
}

TEST_CASE("gpsimd elf: names of addresses") {
  const ElfFile elf(gpsimd_blob::misbehave());
  CHECK(elf.symbol_at(elf.entry()) == "_start");
  CHECK(elf.symbol_at(elf.entry() + 8) == "_start+0x8");
  CHECK(elf.symbol_at(0).empty());
  CHECK(elf.symbol_at(0x1fffc).empty());
}

}  // namespace tern::tb
