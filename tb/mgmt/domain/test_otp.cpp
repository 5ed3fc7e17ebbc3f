// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "systemc/mgmt/domain/otp.h"
#include "tb/mgmt/domain/word_bench.h"

using namespace tern;
using namespace tern::tb;

namespace {

// docs/reference/mgmt.md, otp.
enum : unsigned { kWord = 0x80, kValue = 0x84, kCommand = 0x88, kStatus = 0x8C, kLock = 0x90 };
constexpr std::uint32_t kBurn = 0x0F5E0001;
constexpr std::uint32_t kBusy = 1, kError = 2, kLocked = 4;

struct Bench : WordBench {
  void run(std::function<void()> body) { WordBench::run(otp, std::move(body)); }
  void burn(unsigned word, std::uint32_t bits, std::uint32_t command = kBurn) {
    put(kWord, word);
    put(kValue, bits);
    put(kCommand, command);
  }
  mgmt::Otp otp{"otp", {0x11, 0, 0, 0x8000}, us(50)};
};

}  // namespace

TEST_CASE("otp: bits become 1 and never 0, one command at a time") {
  Bench bench;
  bench.run([&] {
    CHECK(bench.get(0) == 0x11);
    CHECK(bench.get(12) == 0x8000);
    bench.put(0, 0xFFFF);  // fuses are not registers to write
    CHECK(bench.get(0) == 0x11);
    bench.burn(3, 0x0F);
    CHECK(bench.get(kStatus) == kBusy);
    CHECK(bench.get(kStatus, us(50) - moment()) == kBusy);
    CHECK(bench.get(kStatus, us(50)) == 0);
    bench.burn(4, 1);  // too early
    CHECK(bench.get(kStatus) == (kBusy | kError));
    CHECK(bench.get(16) == 0);
    wait(us(50));
    CHECK(bench.get(12) == 0x800F);
    bench.burn(3, 0);
    CHECK(bench.get(12) == 0x800F);
    wait(us(50));
    bench.burn(15, 0x80000000);
    CHECK(bench.get(60) == 0x80000000);
    CHECK(bench.get(64) == 0);
  });
}

TEST_CASE("otp: commands without the key, and after the lock, are refused") {
  Bench bench;
  bench.run([&] {
    for (const std::uint32_t command : {1u, 0x0F5E0000u, 0x0F5E0002u, 0x0F5F0001u}) {
      bench.burn(1, 1, command);
      CHECK(bench.get(kStatus) == kError);
      CHECK(bench.get(4) == 0);
    }
    bench.put(kLock, 2);
    bench.burn(1, 2);
    CHECK(bench.get(4) == 2);
    wait(us(50));
    bench.put(kLock, 1);
    bench.put(kLock, 0);
    bench.burn(1, 4);
    CHECK(bench.get(kStatus) == (kError | kLocked));
    CHECK(bench.get(4) == 2);
    // Reset ends the lock, not the fuses.
    bench.otp.reset();
    CHECK(bench.get(kStatus) == 0);
    CHECK(bench.get(4) == 2);
    bench.burn(1, 4);
    CHECK(bench.get(4) == 6);
  });
}

TEST_CASE("otp: a snapshot continues at another time") {
  Bench bench;
  bench.run([&] {
    bench.burn(2, 8);
    wait(us(20));
    const auto state = bench.otp.save();
    wait(us(1000));
    bench.otp.restore(state);
    CHECK(bench.get(8) == 8);
    CHECK(bench.get(kStatus, us(30) - moment()) == kBusy);
    CHECK(bench.get(kStatus, us(30)) == 0);
  });
}
