// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <random>

#include "sw/base/user_error.h"
#include "systemc/mgmt/profile/elf_symbols.h"
#include "tb/common/seed.h"
#include "tb/mgmt/profile/small_elf.h"

using namespace tern;  // NOLINT
using Catch::Contains;
using mgmt::Symbols;

TEST_CASE("elf symbols: functions, labels up to the next one, shifted, demangled") {
  Symbols symbols;
  symbols.add("a.elf", tb::small_elf({{"first", 0x1000, 0x10, true},
                                      {"label", 0x1010, 0, true},
                                      {"_ZN4tern4bootEi", 0x1040, 0x20, true},
                                      {"table", 0x1080, 0x40, false},
                                      {".L1", 0x1044, 0, true}}));
  CHECK(symbols.find(0xfff) == nullptr);
  CHECK(symbols.find(0x1000)->name == "first");
  CHECK(symbols.find(0x100f)->name == "first");
  CHECK(symbols.find(0x1010)->name == "label");
  CHECK(symbols.find(0x103f)->name == "label");
  CHECK(symbols.find(0x1045)->name == "tern::boot(int)");
  CHECK(symbols.find(0x1060) == nullptr);
  CHECK(symbols.find(0x1081) == nullptr);
  symbols.add("b.elf", tb::small_elf({{"moved", 0x1000, 0x10, true}}), 0x8000);
  CHECK(symbols.find(0x9008)->name == "moved");
}

TEST_CASE("elf symbols: what is none is refused in one line, and control characters are shown") {
  Symbols symbols;
  CHECK_THROWS_WITH(symbols.add("x", "text"), "x: no ELF file, so it has no symbols");
  std::string file = tb::small_elf({{"f\x1b[31m", 0x1000, 0x10, true}});
  symbols.add("x", file);
  CHECK_THAT(symbols.find(0x1000)->name, !Contains("\x1b"));
  file.resize(file.size() - 20);
  CHECK_THROWS_AS(symbols.add("x", file), UserError);
}

TEST_CASE("elf symbols: damaged files are taken or refused") {
  const std::string good =
      tb::small_elf({{"first", 0x1000, 0x10, true}, {"second", 0x1010, 0, true}});
  std::mt19937_64 random(tb::test_seed());
  for (unsigned i = 0; i < 20000; ++i) {
    std::string file = good;
    for (unsigned n = 1 + random() % 3; n > 0; --n)
      file[random() % file.size()] = static_cast<char>(random());
    if (random() % 8 == 0) file.resize(random() % file.size());
    Symbols symbols;
    try {
      symbols.add("x", file);
    } catch (const UserError&) {
    }
    symbols.find(random());
  }
}
