// SPDX-License-Identifier: Apache-2.0
// Random programs on the hart and on QEMU's: the hashes of all registers, traps and
// floating-point flags that they print must be equal.
#include <catch2/catch.hpp>
#include <fstream>
#include <iostream>
#include <string>

#include "sw/base/child_process.h"
#include "tb/common/seed.h"
#include "tb/common/temp_folder.h"
#include "tb/riscv/random_program.h"
#include "tb/riscv/small_board.h"

using namespace tern;  // NOLINT

namespace {

// Without the extensions that the hart does not have.
std::string qemu_output(const tb::TempFolder& folder, const std::string& qemu,
                        const std::string& cpu, const std::string& image) {
  const std::string output = folder.path("uart.txt");
  const base::ChildResult result = base::run_child(
      {"/usr/bin/timeout", "60", qemu, "-M", "virt", "-display", "none", "-monitor", "none",
       "-serial", "file:" + output, "-cpu",
       cpu + ",h=false,zba=false,zbb=false,zbc=false,zbs=false,sstc=false", "-bios", image});
  INFO(result.error);
  REQUIRE(result.exit_code == 0);
  return tb::read_bytes(output);
}

void compare(unsigned xlen) {
  const std::string name = xlen == 32 ? "32" : "64", qemu = "/usr/bin/qemu-system-riscv" + name;
  if (!std::filesystem::exists(qemu)) {
    std::cout << "skipped: no " << qemu << '\n';
    return;
  }
  riscv::HartConfig config;
  config.xlen = xlen;
  const tb::TempFolder folder;
  std::uint64_t retired = 0;
  for (std::uint64_t i = 0; retired < 10000000; ++i) {
    const std::uint64_t seed = tb::test_seed() * 1000 + i;
    CAPTURE(seed);
    const std::vector<std::uint8_t> image = tb::random_program(xlen, seed, 4000, 20);
    tb::SmallBoard board(config, 4 << 20);
    board.load(image);
    REQUIRE(board.run(100000000));
    CHECK(board.status == 0x5555);
    const auto file = folder.put("image.bin", std::string(image.begin(), image.end()));
    REQUIRE(board.output == qemu_output(folder, qemu, "rv" + name, file.string()));
    retired += board.hart->save().retired;
  }
}

}  // namespace

TEST_CASE("random programs end with the hashes that QEMU prints, 10 million instructions") {
  compare(64);
}

TEST_CASE("random programs of 32 bits end with the hashes that QEMU prints, 10 million") {
  compare(32);
}
