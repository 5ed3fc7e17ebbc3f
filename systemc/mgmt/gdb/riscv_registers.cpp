// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/gdb/riscv_registers.h"

#include <fmt/format.h>

#include <cstring>

#include "systemc/riscv/csr_numbers.h"
#include "systemc/riscv/register_names.h"

namespace tern::gdb {

namespace {

namespace csr = riscv::csr;
using riscv::kFloatCsrs;
using riscv::kFloatNames;
using riscv::kIntegerNames;
using riscv::kNamedCsrs;
using riscv::NamedCsr;

constexpr unsigned kPc = 32, kFloats = 33, kFloatsEnd = 65, kCsrs = 65, kMode = 4161;

std::string bytes_of(std::uint64_t value, unsigned bytes) {
  return std::string(reinterpret_cast<const char*>(&value), bytes);
}

// Of a register in a state, with its size in bytes; null: none of these.
std::uint64_t* state_register(riscv::HartState& state, const riscv::HartConfig& config,
                              unsigned number, unsigned* bytes) {
  *bytes = config.xlen / 8;
  if (number < kPc) return &state.x[number];
  if (number == kPc) return &state.pc;
  if (number < kFloatsEnd && config.floats) {
    *bytes = config.doubles ? 8 : 4;
    return &state.f[number - kFloats];
  }
  return nullptr;
}

bool is_float_csr(unsigned number) {
  return number <= csr::kFcsr;
}

unsigned csr_bytes(unsigned number, const riscv::HartConfig& config) {
  return is_float_csr(number) ? 4 : config.xlen / 8;
}

class Description {
 public:
  // Without an OS ABI of none GDB would take Linux, and step by breakpoints that run all harts.
  explicit Description(unsigned xlen) {
    text_ = fmt::format(
        "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target version=\"1.0\">"
        "<architecture>riscv:rv{}</architecture><osabi>none</osabi>",
        xlen);
  }
  void begin(const char* feature) {
    text_ += fmt::format("<feature name=\"org.gnu.gdb.riscv.{}\">", feature);
  }
  void end() { text_ += "</feature>"; }
  void add(const std::string& name, unsigned number, unsigned bits, const char* type = "int") {
    text_ += fmt::format("<reg name=\"{}\" bitsize=\"{}\" regnum=\"{}\" type=\"{}\"/>", name, bits,
                         number, type);
  }
  std::string text() const { return text_ + "</target>"; }

 private:
  std::string text_;
};

}  // namespace

std::string target_description(riscv::Hart& hart, const riscv::HartConfig& config) {
  Description description(config.xlen);
  description.begin("cpu");
  for (unsigned i = 0; i < kPc; ++i) {
    const bool data = i == 2 || i == 3 || i == 4 || i == 8;  // sp, gp, tp, fp
    // GDB's standard features call s0 the frame pointer.
    description.add(i == 8 ? "fp" : kIntegerNames[i], i, config.xlen,
                    i == 1 ? "code_ptr"
                    : data ? "data_ptr"
                           : "int");
  }
  description.add("pc", kPc, config.xlen, "code_ptr");
  description.end();
  if (config.floats) {
    description.begin("fpu");
    for (unsigned i = 0; i < kPc; ++i) {
      description.add(kFloatNames[i], kFloats + i, config.doubles ? 64 : 32,
                      config.doubles ? "ieee_double" : "ieee_single");
    }
    for (const NamedCsr& c : kFloatCsrs) description.add(c.name, kCsrs + c.number, 32);
    description.end();
  }
  description.begin("csr");
  const auto add_csr = [&](const std::string& name, unsigned number) {
    std::uint64_t value = 0;
    if (hart.peek_csr(number, value)) description.add(name, kCsrs + number, config.xlen);
  };
  for (const NamedCsr& c : kNamedCsrs) add_csr(c.name, c.number);
  for (unsigned n = csr::kPmpcfg0; n <= csr::kPmpcfg3; ++n)
    add_csr(fmt::format("pmpcfg{}", n - csr::kPmpcfg0), n);
  for (unsigned n = csr::kPmpaddr0; n <= csr::kPmpaddr15; ++n)
    add_csr(fmt::format("pmpaddr{}", n - csr::kPmpaddr0), n);
  description.end();
  description.begin("virtual");
  description.add("priv", kMode, config.xlen);
  description.end();
  return description.text();
}

std::optional<std::string> read_register(riscv::Hart& hart, const riscv::HartConfig& config,
                                         unsigned number) {
  riscv::HartState state = hart.save();
  unsigned bytes = 0;
  const std::uint64_t* found = state_register(state, config, number, &bytes);
  if (found != nullptr) return bytes_of(*found, bytes);
  if (number == kMode) return bytes_of(static_cast<std::uint64_t>(state.mode), config.xlen / 8);
  std::uint64_t value = 0;
  if (number < kCsrs || number >= kMode || !hart.peek_csr(number - kCsrs, value))
    return std::nullopt;
  return bytes_of(value, csr_bytes(number - kCsrs, config));
}

bool write_register(riscv::Hart& hart, const riscv::HartConfig& config, unsigned number,
                    std::string_view bytes) {
  std::uint64_t value = 0;
  if (bytes.size() > sizeof value) return false;
  std::memcpy(&value, bytes.data(), bytes.size());
  riscv::HartState state = hart.save();
  unsigned size = config.xlen / 8;
  std::uint64_t* const found = state_register(state, config, number, &size);
  if (found == nullptr && number >= kCsrs && number < kMode) {
    const unsigned csr = number - kCsrs;
    return bytes.size() == csr_bytes(csr, config) && hart.poke_csr(csr, value);
  }
  if (bytes.size() != size) return false;
  if (number == kPc && value % (config.compressed ? 2 : 4) != 0) return false;
  if (found != nullptr) {
    *found = value;
    if (number == kPc) state.waiting = false;  // it goes on from there
  } else if (number == kMode &&
             (value == 3 || (value == 1 && config.supervisor) || (value == 0 && config.user))) {
    state.mode = static_cast<riscv::Privilege>(value);
  } else {
    return false;
  }
  hart.restore(state);
  return true;
}

}  // namespace tern::gdb
