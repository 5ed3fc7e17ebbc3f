// SPDX-License-Identifier: Apache-2.0
// Random programs on the hart and on qemu-system-riscv64: the hashes of all registers, traps and
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

constexpr const char* kQemu = "/usr/bin/qemu-system-riscv64";

// Without the extensions that the hart does not have.
std::string qemu_output(const tb::TempFolder& folder, const std::string& image) {
  const std::string output = folder.path("uart.txt");
  const base::ChildResult result = base::run_child(
      {"/usr/bin/timeout", "60", kQemu, "-M", "virt", "-display", "none", "-monitor", "none",
       "-serial", "file:" + output, "-cpu",
       "rv64,h=false,zba=false,zbb=false,zbc=false,zbs=false,sstc=false", "-bios", image});
  INFO(result.error);
  REQUIRE(result.exit_code == 0);
  return tb::read_bytes(output);
}

}  // namespace

TEST_CASE("random programs end with the hashes that QEMU prints, 10 million instructions") {
  if (!std::filesystem::exists(kQemu)) {
    std::cout << "skipped: no " << kQemu << '\n';
    return;
  }
  const tb::TempFolder folder;
  std::uint64_t retired = 0;
  for (std::uint64_t i = 0; retired < 10000000; ++i) {
    const std::uint64_t seed = tb::test_seed() * 1000 + i;
    CAPTURE(seed);
    const std::vector<std::uint8_t> image = tb::random_program(seed, 4000, 20);
    tb::SmallBoard board({}, 4 << 20);
    board.load(image);
    REQUIRE(board.run(100000000));
    CHECK(board.status == 0x5555);
    const auto file = folder.put("image.bin", std::string(image.begin(), image.end()));
    REQUIRE(board.output == qemu_output(folder, file.string()));
    retired += board.hart->save().retired;
  }
}
