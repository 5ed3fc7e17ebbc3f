// SPDX-License-Identifier: Apache-2.0
// Random programs on the hart and on qemu-system-riscv64: the hashes of all registers, traps and
// floating-point flags that they print must be equal.
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "tb/common/seed.h"
#include "tb/riscv/random_program.h"
#include "tb/riscv/small_board.h"

using namespace tern;  // NOLINT

namespace {

// Without the extensions that the hart does not have.
std::string qemu_output(const std::string& image, const std::string& folder) {
  const std::string output = folder + "/qemu.txt";
  const std::string command =
      "timeout 60 qemu-system-riscv64 -M virt -display none -monitor none -serial file:" + output +
      " -cpu rv64,h=false,zba=false,zbb=false,zbc=false,zbs=false,sstc=false -bios " + image +
      " </dev/null >/dev/null 2>&1";
  REQUIRE(std::system(command.c_str()) == 0);  // NOLINT: a test's own words
  std::ifstream file(output, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("random programs end with the hashes that QEMU prints, 10 million instructions") {
  if (std::system("command -v qemu-system-riscv64 >/dev/null") != 0) {  // NOLINT
    std::cout << "skipped: no qemu-system-riscv64\n";
    return;
  }
  char name[] = "/tmp/tern-test-XXXXXX";
  REQUIRE(mkdtemp(name) != nullptr);
  const std::string folder = name;
  std::uint64_t retired = 0;
  for (std::uint64_t i = 0; retired < 10000000; ++i) {
    const std::uint64_t seed = tb::test_seed() * 1000 + i;
    CAPTURE(seed);
    const std::vector<std::uint8_t> image = tb::random_program(seed, 4000, 20);
    tb::SmallBoard board({}, 4 << 20);
    board.load(image);
    REQUIRE(board.run(100000000));
    CHECK(board.status == 0x5555);
    std::ofstream(folder + "/image.bin", std::ios::binary)
        .write(reinterpret_cast<const char*>(image.data()),
               static_cast<std::streamsize>(image.size()));
    REQUIRE(board.output == qemu_output(folder + "/image.bin", folder));
    retired += board.hart->save().retired;
  }
  std::filesystem::remove_all(folder);
}
