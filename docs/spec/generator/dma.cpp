// SPDX-License-Identifier: Apache-2.0
// dma.yaml, with the DMA engine's registers and enums -> its sizes for C, its SystemVerilog package
// and the table of its page.
#include <fmt/format.h>

#include <cctype>
#include <cstdint>

#include "output.h"

namespace tern::spec {
namespace {

// "RateBits" -> "RATE_BITS".
std::string snake(const std::string& name) {
  std::string result;
  for (const char c : name) {
    if (!result.empty() && std::isupper(static_cast<unsigned char>(c)) != 0) result += '_';
    result += c;
  }
  return upper(result);
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
  sv += "  // Their sizes, rules and values\n";
  for (const auto& r : block["registers"]) {
    const std::string name = camel(r["name"].as<std::string>());
    for (const char* key : {"bits", "alignment", "min", "step"}) {
      if (r[key]) sv += constant(name + camel(key), r[key].as<unsigned>());
    }
    if (r["reset"]) {
      sv += fmt::format("  localparam logic [{0}:0] {1}Reset = {2}'d{3};\n",
                        r["bits"].as<unsigned>() - 1, name, r["bits"].as<unsigned>(),
                        r["reset"].as<unsigned>());
    }
    for (const auto& v : r["values"]) {
      sv += fmt::format("  localparam logic [31:0] {}{} = 32'd{};\n", name,
                        camel(v["name"].as<std::string>()), v["value"].as<unsigned>());
    }
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
  sv += fmt::format(
      "  // Bits that are zero: of word 0; of word 1 as an operation\n  localparam logic [31:0] "
      "DescControlReserved = 32'h{:08x};\n  localparam logic [31:0] DescOperationReserved = "
      "32'h{:08x};\n",
      unused_bits(descriptor["fields"], 0, ""), unused_bits(descriptor["fields"], 1, "operation"));
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

// The QoS arbiter's numbers: the registers that hold its settings, and the largest packet.
void generate_qos(const YAML::Node& dma, const YAML::Node& registers, const YAML::Node& isa,
                  Outputs* out) {
  const YAML::Node block = named(registers["blocks"], "dma")["registers"];
  const auto bits = [&block](const char* name) {
    return named(block, name)["bits"].as<unsigned>();
  };
  const std::uint64_t packet =
      named(dma["engine"], "max_packet_pairs")["value"].as<std::uint64_t>() *
      registers["descriptor"]["max_length"].as<std::uint64_t>();
  unsigned charge = 0;
  while (packet >> charge != 0) ++charge;
  struct Number {
    const char* name;
    unsigned value;
    const char* doc;
  };
  const Number numbers[] = {
      {"Classes", named(block, "qos_rate")["count"].as<unsigned>(),
       "traffic classes; 0 is the most urgent"},
      {"RateBits", bits("qos_rate"), "of a share"},
      {"DepthBits", bits("qos_depth"), "of the depth of a bucket in bytes"},
      {"FractionBits", dma["qos"]["fraction_bits"].as<unsigned>(),
       "a share counts 2^-FractionBits byte per cycle"},
      {"ChargeBits", charge, "a packet is charged by fewer than 2^ChargeBits bytes"},
  };
  std::string sv = banner("//", "{dma,registers,isa}.yaml") +
                   "// Numbers of the QoS arbiter.\npackage qos_pkg;\n";
  std::string c = c_header_open("{dma,registers}.yaml", "TERN_SPEC_QOS_H");
  for (const Number& n : numbers) {
    sv += fmt::format("  localparam int unsigned {} = {};  // {}\n", n.name, n.value, n.doc);
    c += fmt::format("// {}\n#define TERN_QOS_{} {}u\n", n.doc, snake(n.name), n.value);
  }
  sv +=
      "  // Of all classes together, class 0 lowest\n  localparam int unsigned RatesW = Classes * "
      "RateBits;\n  localparam int unsigned DepthsW = Classes * DepthBits;\n";
  sv += "\n  // qos_policy; any other value: round robin.\n";
  for (const auto& v : isa["enums"]["qos_policy"]) {
    if (v["value"].as<unsigned>() == 0) continue;
    sv += fmt::format("  localparam logic [{}:0] Policy{} = {}'d{};\n", bits("qos_policy") - 1,
                      camel(v["name"].as<std::string>()), bits("qos_policy"),
                      v["value"].as<unsigned>());
  }
  (*out)["rtl/qos/qos_pkg.sv"] = sv + "endpackage\n";
  (*out)["sw/spec/generated/qos.h"] = c + c_header_close();
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
  generate_qos(dma, registers, isa, out);
}

}  // namespace tern::spec
