// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/devices/device_tree.h"

#include <fmt/format.h>
#include <libfdt.h>

#include <initializer_list>
#include <limits>
#include <string_view>

#include "sw/base/user_error.h"

namespace tern::mgmt {

namespace {

// Interrupts of a hart by their numbers in mip.
constexpr std::uint32_t kMachineSoftware = 3, kMachineTimer = 7;
constexpr std::uint32_t kSupervisorExternal = 9, kMachineExternal = 11;

constexpr std::uint32_t kPlicPhandle = 1, kTestPhandle = 2, kFirstHartPhandle = 3;
// The part of the PLIC with registers of this board: contexts of 512 harts.
constexpr std::uint64_t kPlicUsedBytes = 0x600000;
constexpr unsigned kMaxHarts = 512;

constexpr std::size_t kRoom = 4096, kMaxTree = std::size_t{1} << 24;

// Raised by the writer; the tree is written again into twice the memory.
struct NoSpace {};

void check(int result) {
  if (result == -FDT_ERR_NOSPACE) throw NoSpace{};
  if (result < 0) throw RunError(fmt::format("device tree: {}", fdt_strerror(result)));
}

// The sequential interface of libfdt with values of C++.
class Writer {
 public:
  explicit Writer(std::size_t bytes) : tree_(bytes) {
    check(fdt_create(tree(), static_cast<int>(bytes)));
    check(fdt_finish_reservemap(tree()));
  }
  template <typename Body>
  void node(const std::string& name, Body body) {
    check(fdt_begin_node(tree(), name.c_str()));
    body();
    check(fdt_end_node(tree()));
  }
  void text(const char* name, const std::string& value) {
    check(fdt_property_string(tree(), name, value.c_str()));
  }
  // Several strings, each with its end.
  void texts(const char* name, std::initializer_list<std::string_view> values) {
    std::string all;
    for (const std::string_view value : values) (all += value) += '\0';
    check(fdt_property(tree(), name, all.data(), static_cast<int>(all.size())));
  }
  void cell(const char* name, std::uint32_t value) { check(fdt_property_u32(tree(), name, value)); }
  void cells(const char* name, const std::vector<std::uint32_t>& values) {
    std::vector<fdt32_t> raw;
    raw.reserve(values.size());
    for (const std::uint32_t value : values) raw.push_back(cpu_to_fdt32(value));
    check(fdt_property(tree(), name, raw.data(), static_cast<int>(raw.size() * sizeof raw[0])));
  }
  void flag(const char* name) { check(fdt_property(tree(), name, nullptr, 0)); }
  void region(std::uint64_t base, std::uint64_t bytes) {
    cells("reg", {high(base), low(base), high(bytes), low(bytes)});
  }
  std::vector<std::uint8_t> finish() {
    check(fdt_finish(tree()));
    tree_.resize(fdt_totalsize(tree()) + kRoom);
    check(fdt_open_into(tree(), tree(), static_cast<int>(tree_.size())));
    return std::move(tree_);
  }

 private:
  void* tree() { return tree_.data(); }
  static std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }
  static std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

  std::vector<std::uint8_t> tree_;
};

std::string named(const char* name, std::uint64_t base) {
  return fmt::format("{}@{:x}", name, base);
}

void write_harts(Writer& to, const DeviceTreeConfig& config) {
  to.node("cpus", [&] {
    to.cell("#address-cells", 1);
    to.cell("#size-cells", 0);
    to.cell("timebase-frequency", static_cast<std::uint32_t>(config.timebase_hz));
    for (unsigned hart = 0; hart < config.harts; ++hart) {
      to.node(named("cpu", hart), [&] {
        to.text("device_type", "cpu");
        to.cell("reg", hart);
        to.text("status", "okay");
        to.text("compatible", "riscv");
        to.text("riscv,isa", config.isa);
        if (!config.mmu_type.empty()) to.text("mmu-type", config.mmu_type);
        to.node("interrupt-controller", [&] {
          to.cell("#address-cells", 0);
          to.cell("#interrupt-cells", 1);
          to.flag("interrupt-controller");
          to.text("compatible", "riscv,cpu-intc");
          to.cell("phandle", kFirstHartPhandle + hart);
        });
      });
    }
  });
}

// Two interrupts of every hart, which a controller drives.
std::vector<std::uint32_t> lines(unsigned harts, std::uint32_t first, std::uint32_t second) {
  std::vector<std::uint32_t> cells;
  for (unsigned hart = 0; hart < harts; ++hart) {
    const std::uint32_t phandle = kFirstHartPhandle + hart;
    cells.insert(cells.end(), {phandle, first, phandle, second});
  }
  return cells;
}

void write_interrupt_controllers(Writer& to, const DeviceTreeConfig& config) {
  to.node(named("clint", kClintBase), [&] {
    to.texts("compatible", {"sifive,clint0", "riscv,clint0"});
    to.region(kClintBase, kClintBytes);
    to.cells("interrupts-extended", lines(config.harts, kMachineSoftware, kMachineTimer));
  });
  to.node(named("plic", kPlicBase), [&] {
    to.texts("compatible", {"sifive,plic-1.0.0", "riscv,plic0"});
    to.region(kPlicBase, kPlicUsedBytes);
    to.cell("#address-cells", 0);
    to.cell("#interrupt-cells", 1);
    to.flag("interrupt-controller");
    to.cells("interrupts-extended", lines(config.harts, kMachineExternal, kSupervisorExternal));
    to.cell("riscv,ndev", config.plic_sources);
    to.cell("phandle", kPlicPhandle);
  });
}

void write_devices(Writer& to, const DeviceTreeConfig& config) {
  to.node("soc", [&] {
    to.cell("#address-cells", 2);
    to.cell("#size-cells", 2);
    to.text("compatible", "simple-bus");
    to.flag("ranges");
    write_interrupt_controllers(to, config);
    to.node(named("serial", kUartBase), [&] {
      to.text("compatible", "ns16550a");
      to.region(kUartBase, kUartBytes);
      to.cell("clock-frequency", static_cast<std::uint32_t>(config.uart_clock_hz));
      to.cell("interrupts", kUartSource);
      to.cell("interrupt-parent", kPlicPhandle);
    });
    if (config.rtc) {
      to.node(named("rtc", kRtcBase), [&] {
        to.text("compatible", "google,goldfish-rtc");
        to.region(kRtcBase, kRtcBytes);
        to.cell("interrupts", kRtcSource);
        to.cell("interrupt-parent", kPlicPhandle);
      });
    }
    to.node(named("test", kFinisherBase), [&] {
      to.texts("compatible", {"sifive,test1", "sifive,test0", "syscon"});
      to.region(kFinisherBase, kFinisherBytes);
      to.cell("phandle", kTestPhandle);
    });
  });
}

void write_syscon(Writer& to, const char* name, const char* compatible, std::uint32_t value) {
  to.node(name, [&] {
    to.text("compatible", compatible);
    to.cell("regmap", kTestPhandle);
    to.cell("offset", 0);
    to.cell("value", value);
  });
}

std::vector<std::uint8_t> written(const DeviceTreeConfig& config, std::size_t bytes) {
  Writer to(bytes);
  to.node("", [&] {
    to.cell("#address-cells", 2);
    to.cell("#size-cells", 2);
    to.texts("compatible", {"tern,management-core", "riscv-virtio"});
    to.text("model", config.model);
    to.node("chosen", [&] {
      if (!config.bootargs.empty()) to.text("bootargs", config.bootargs);
      to.text("stdout-path", "/soc/" + named("serial", kUartBase));
    });
    to.node(named("memory", kMemoryBase), [&] {
      to.text("device_type", "memory");
      to.region(kMemoryBase, config.memory_bytes);
    });
    write_harts(to, config);
    write_devices(to, config);
    write_syscon(to, "poweroff", "syscon-poweroff", 0x5555);
    write_syscon(to, "reboot", "syscon-reboot", 0x7777);
  });
  return to.finish();
}

void check_config(const DeviceTreeConfig& config) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint32_t>::max();
  if (config.harts == 0 || config.harts > kMaxHarts) {
    throw UserError(
        fmt::format("device tree: {} harts, 1 to {} are possible", config.harts, kMaxHarts));
  }
  if (config.timebase_hz > kMax || config.uart_clock_hz > kMax) {
    throw UserError("device tree: a frequency of more than 32 bits");
  }
  for (const std::string& text : {config.isa, config.mmu_type, config.model, config.bootargs}) {
    if (text.find('\0') != std::string::npos) {
      throw UserError("device tree: a text contains a zero byte");
    }
    if (text.size() > kMaxTree / 16) throw UserError("device tree: a text is too long");
  }
}

}  // namespace

std::vector<std::uint8_t> device_tree(const DeviceTreeConfig& config) {
  check_config(config);
  for (std::size_t bytes = 2 * kRoom; bytes <= kMaxTree; bytes *= 2) {
    try {
      return written(config, bytes);
    } catch (const NoSpace&) {
    }
  }
  throw RunError("device tree: too large");
}

}  // namespace tern::mgmt
