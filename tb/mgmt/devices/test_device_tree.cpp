// SPDX-License-Identifier: Apache-2.0
#include <libfdt.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "sw/base/child_process.h"
#include "sw/base/user_error.h"
#include "systemc/mgmt/devices/device_tree.h"
#include "tb/common/temp_folder.h"

using namespace tern;
using mgmt::DeviceTreeConfig;

namespace {

using Blob = std::vector<std::uint8_t>;
using Cells = std::vector<std::uint32_t>;

// A tree as software reads it.
struct Reader {
  explicit Reader(Blob blob) : tree(std::move(blob)) {
    REQUIRE(fdt_check_full(tree.data(), tree.size()) == 0);
  }
  int node(const std::string& path) const {
    const int offset = fdt_path_offset(tree.data(), path.c_str());
    INFO(path);
    REQUIRE(offset >= 0);
    return offset;
  }
  bool has(const std::string& path) const {
    return fdt_path_offset(tree.data(), path.c_str()) >= 0;
  }
  std::string bytes(const std::string& path, const char* name) const {
    int length = 0;
    const void* value = fdt_getprop(tree.data(), node(path), name, &length);
    INFO(path << " " << name);
    REQUIRE(value != nullptr);
    return {static_cast<const char*>(value), static_cast<std::size_t>(length)};
  }
  bool has(const std::string& path, const char* name) const {
    return fdt_getprop(tree.data(), node(path), name, nullptr) != nullptr;
  }
  std::string text(const std::string& path, const char* name) const {
    const std::string value = bytes(path, name);
    REQUIRE(!value.empty());
    CHECK(value.back() == '\0');
    return value.substr(0, value.size() - 1);
  }
  Cells cells(const std::string& path, const char* name) const {
    const std::string value = bytes(path, name);
    REQUIRE(value.size() % 4 == 0);
    Cells all;
    for (std::size_t i = 0; i < value.size(); i += 4) {
      std::uint32_t cell = 0;
      for (unsigned j = 0; j < 4; ++j) cell = cell << 8 | static_cast<std::uint8_t>(value[i + j]);
      all.push_back(cell);
    }
    return all;
  }
  std::uint32_t cell(const std::string& path, const char* name) const {
    const Cells all = cells(path, name);
    REQUIRE(all.size() == 1);
    return all[0];
  }

  Blob tree;
};

}  // namespace

TEST_CASE("device tree: one hart, as libfdt reads it") {
  const Reader tree(mgmt::device_tree({}));
  CHECK(tree.text("/chosen", "stdout-path") == "/soc/serial@10000000");
  CHECK_FALSE(tree.has("/chosen", "bootargs"));
  CHECK(tree.cells("/memory@80000000", "reg") == Cells{0, 0x80000000, 0, 0x10000000});
  CHECK(tree.text("/memory@80000000", "device_type") == "memory");
  CHECK(tree.cell("/cpus", "timebase-frequency") == 10'000'000);
  CHECK(tree.text("/cpus/cpu@0", "riscv,isa") == "rv64imafdc");
  CHECK(tree.text("/cpus/cpu@0", "mmu-type") == "riscv,sv39");
  CHECK(tree.text("/cpus/cpu@0", "device_type") == "cpu");
  CHECK(tree.cell("/cpus/cpu@0", "reg") == 0);
  CHECK_FALSE(tree.has("/cpus/cpu@1"));

  const std::uint32_t hart = tree.cell("/cpus/cpu@0/interrupt-controller", "phandle");
  const std::uint32_t plic = tree.cell("/soc/plic@c000000", "phandle");
  const std::uint32_t test = tree.cell("/soc/test@100000", "phandle");
  CHECK(tree.text("/cpus/cpu@0/interrupt-controller", "compatible") == "riscv,cpu-intc");
  CHECK(tree.bytes("/soc/clint@2000000", "compatible") ==
        std::string("sifive,clint0\0riscv,clint0\0", 27));
  CHECK(tree.cells("/soc/clint@2000000", "reg") == Cells{0, 0x2000000, 0, 0x10000});
  CHECK(tree.cells("/soc/clint@2000000", "interrupts-extended") == Cells{hart, 3, hart, 7});
  CHECK(tree.bytes("/soc/plic@c000000", "compatible") ==
        std::string("sifive,plic-1.0.0\0riscv,plic0\0", 30));
  CHECK(tree.cells("/soc/plic@c000000", "reg") == Cells{0, 0xC000000, 0, 0x600000});
  CHECK(tree.cells("/soc/plic@c000000", "interrupts-extended") == Cells{hart, 11, hart, 9});
  CHECK(tree.cell("/soc/plic@c000000", "riscv,ndev") == 95);
  CHECK(tree.has("/soc/plic@c000000", "interrupt-controller"));
  CHECK(tree.text("/soc/serial@10000000", "compatible") == "ns16550a");
  CHECK(tree.cells("/soc/serial@10000000", "reg") == Cells{0, 0x10000000, 0, 0x100});
  CHECK(tree.cell("/soc/serial@10000000", "interrupts") == 10);
  CHECK(tree.cell("/soc/serial@10000000", "interrupt-parent") == plic);
  CHECK(tree.cell("/soc/serial@10000000", "clock-frequency") == 3'686'400);
  CHECK(tree.bytes("/soc/test@100000", "compatible") ==
        std::string("sifive,test1\0sifive,test0\0syscon\0", 33));
  CHECK(tree.text("/poweroff", "compatible") == "syscon-poweroff");
  CHECK(tree.cell("/poweroff", "value") == 0x5555);
  CHECK(tree.cell("/poweroff", "regmap") == test);
  CHECK(tree.cell("/poweroff", "offset") == 0);
  CHECK(tree.text("/reboot", "compatible") == "syscon-reboot");
  CHECK(tree.cell("/reboot", "value") == 0x7777);
  CHECK_FALSE(tree.has("/soc/rtc@101000"));
}

TEST_CASE("device tree: every setting arrives, and no phandle is used twice") {
  DeviceTreeConfig config;
  config.harts = 64;
  config.isa = "rv32imac";
  config.mmu_type.clear();
  config.memory_bytes = 0x123456000;
  config.timebase_hz = 1'000'000;
  config.uart_clock_hz = 1'843'200;
  config.plic_sources = 1023;
  config.rtc = true;
  config.bootargs = "console=ttyS0 \"quoted\"";
  const Reader tree(mgmt::device_tree(config));
  CHECK(tree.text("/chosen", "bootargs") == config.bootargs);
  CHECK(tree.cells("/memory@80000000", "reg") == Cells{0, 0x80000000, 1, 0x23456000});
  CHECK(tree.cell("/cpus", "timebase-frequency") == 1'000'000);
  CHECK(tree.cell("/soc/serial@10000000", "clock-frequency") == 1'843'200);
  CHECK(tree.cell("/soc/plic@c000000", "riscv,ndev") == 1023);
  CHECK(tree.text("/soc/rtc@101000", "compatible") == "google,goldfish-rtc");
  CHECK(tree.cell("/soc/rtc@101000", "interrupts") == 11);
  Cells phandles = {tree.cell("/soc/plic@c000000", "phandle"),
                    tree.cell("/soc/test@100000", "phandle")};
  const Cells timers = tree.cells("/soc/clint@2000000", "interrupts-extended");
  const Cells external = tree.cells("/soc/plic@c000000", "interrupts-extended");
  REQUIRE(timers.size() == 64 * 4);
  REQUIRE(external.size() == 64 * 4);
  char name[32];
  for (unsigned hart = 0; hart < 64; ++hart) {
    std::snprintf(name, sizeof name, "/cpus/cpu@%x", hart);
    const std::string cpu = name;
    CHECK(tree.cell(cpu, "reg") == hart);
    CHECK(tree.text(cpu, "riscv,isa") == "rv32imac");
    CHECK_FALSE(tree.has(cpu, "mmu-type"));
    phandles.push_back(tree.cell(cpu + "/interrupt-controller", "phandle"));
    CHECK(Cells(timers.begin() + 4 * hart, timers.begin() + 4 * hart + 4) ==
          Cells{phandles.back(), 3, phandles.back(), 7});
    CHECK(Cells(external.begin() + 4 * hart, external.begin() + 4 * hart + 4) ==
          Cells{phandles.back(), 11, phandles.back(), 9});
  }
  std::sort(phandles.begin(), phandles.end());
  CHECK(std::adjacent_find(phandles.begin(), phandles.end()) == phandles.end());
}

TEST_CASE("device tree: firmware has room to change it") {
  Reader tree(mgmt::device_tree({}));
  const std::string value(3500, 'x');
  CHECK(fdt_setprop_string(tree.tree.data(), tree.node("/chosen"), "bootargs", value.c_str()) == 0);
  CHECK(tree.text("/chosen", "bootargs") == value);
}

TEST_CASE("device tree: dtc reads it without a warning") {
  const tb::TempFolder folder;
  const std::string dtc = "/usr/bin/dtc";
  if (!std::filesystem::exists(dtc)) {
    WARN("no dtc here: run scripts/setup");
    return;
  }
  DeviceTreeConfig config;
  config.harts = 17;
  config.rtc = true;
  config.bootargs = "quiet";
  const Blob blob = mgmt::device_tree(config);
  const auto file = folder.put("tern.dtb", std::string(blob.begin(), blob.end()));
  const base::ChildResult result = base::run_child({dtc, "-I", "dtb", "-O", "dts", file.string()});
  INFO(result.error);
  CHECK(result.exit_code == 0);
  CHECK(result.error.empty());
  CHECK(result.out.find("serial@10000000") != std::string::npos);
  CHECK(result.out.find("cpu@10 {") != std::string::npos);
}

TEST_CASE("device tree: what it cannot say is refused in one line") {
  DeviceTreeConfig config;
  config.harts = 0;
  CHECK_THROWS_AS(mgmt::device_tree(config), UserError);
  config.harts = 513;
  CHECK_THROWS_WITH(mgmt::device_tree(config), "device tree: 513 harts, 1 to 512 are possible");
  config.harts = 512;
  CHECK(mgmt::device_tree(config).size() > 100'000);
  config.harts = 1;
  config.bootargs = std::string("a\0b", 3);
  CHECK_THROWS_AS(mgmt::device_tree(config), UserError);
  config.bootargs = std::string(std::size_t{2} << 20, 'a');
  CHECK_THROWS_AS(mgmt::device_tree(config), UserError);
  config.bootargs.clear();
  config.timebase_hz = std::uint64_t{1} << 32;
  CHECK_THROWS_AS(mgmt::device_tree(config), UserError);
}
