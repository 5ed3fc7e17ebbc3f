// SPDX-License-Identifier: Apache-2.0
// dma.yaml, with the DMA engine's registers and enums -> its sizes for C, its SystemVerilog package
// and the table of its page.
#include <fmt/format.h>

#include "output.h"

namespace tern::spec {
namespace {

// 65536 -> "65,536".
std::string grouped(unsigned value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string constant(const std::string& name, unsigned value) {
  return fmt::format("  localparam int unsigned {} = {};\n", name, value);
}

std::string registers_sv(const YAML::Node& block) {
  std::string sv = "  // Offsets of the registers; those of a ring: of ring 0\n";
  for (const auto& r : block["registers"]) {
    sv += fmt::format("  localparam logic [11:0] Reg{} = 12'h{:03x};\n",
                      camel(r["name"].as<std::string>()), r["offset"].as<unsigned>());
  }
  return sv;
}

std::string descriptor_sv(const YAML::Node& descriptor) {
  std::string sv = "  // Fields of a descriptor: the lowest bit of 128\n";
  for (const auto& f : descriptor["fields"]) {
    const std::string name = "Desc" + camel(f["name"].as<std::string>());
    sv += constant(name + "Lsb", 32 * f["word"].as<unsigned>() + f["lsb"].as<unsigned>());
    sv += constant(name + "Width", f["width"].as<unsigned>());
  }
  return sv;
}

std::string enum_sv(const YAML::Node& enums, const char* name, const char* prefix, unsigned bits) {
  std::string sv = fmt::format("  // {}\n", name);
  for (const auto& v : enums[name]) {
    sv += fmt::format("  localparam logic [{}:0] {}{} = {}'d{};\n", bits - 1, prefix,
                      camel(v["name"].as<std::string>()), bits, v["value"].as<unsigned>());
  }
  return sv;
}

void add_sizes(const YAML::Node& sizes, std::string* c) {
  for (const auto& s : sizes) {
    *c += fmt::format("// {}\n#define TERN_DMA_{} {}u\n", s["doc"].as<std::string>(),
                      upper(s["name"].as<std::string>()), s["value"].as<unsigned>());
  }
}

}  // namespace

void generate_dma(const YAML::Node& dma, const YAML::Node& registers, const YAML::Node& isa,
                  Outputs* out) {
  const YAML::Node block = named(registers["blocks"], "dma");
  const auto rings = named(block["registers"], "ring_size")["count"].as<unsigned>();

  std::string sv = banner("//", "{dma,registers,isa}.yaml") +
                   "package dma_spec_pkg;\n  // Sizes (README.md)\n" + constant("Rings", rings);
  std::string table = "| name | value | in RTL | |\n|---|---|---|---|\n";
  const auto row = [&table](const std::string& name, unsigned value, bool parameter,
                            const std::string& doc) {
    table += fmt::format("| {} | {} | {} | {} |\n", name, grouped(value),
                         parameter ? "parameter" : "constant", doc);
  };
  row("Rings", rings, true, "rings of descriptors");
  for (const auto& s : dma["engine"]) {
    const std::string name = camel(s["name"].as<std::string>());
    const auto value = s["value"].as<unsigned>();
    sv += constant(name, value);
    row(name, value, bool(s["parameter"]), s["doc"].as<std::string>());
  }
  sv += constant("PairBytes", registers["descriptor"]["max_length"].as<unsigned>());
  sv += registers_sv(block) + descriptor_sv(registers["descriptor"]);
  sv += enum_sv(isa["enums"], "dma_op", "Op", 4);
  sv += enum_sv(isa["enums"], "dma_dtype", "Dtype", 4);
  sv += enum_sv(isa["enums"], "dma_write_op", "Write", 2);
  sv += enum_sv(isa["enums"], "dma_fault", "Fault", 5);
  (*out)["rtl/dma/dma_spec_pkg.sv"] = sv + "endpackage\n";
  (*out)["rtl/dma/README.md#dma.yaml"] = table;

  std::string c = c_header_open("dma.yaml", "TERN_SPEC_DMA_H");
  add_sizes(dma["engine"], &c);
  c += "\n// What software chooses\n";
  add_sizes(dma["software"], &c);
  (*out)["sw/spec/generated/dma.h"] = c + c_header_close();
}

}  // namespace tern::spec
