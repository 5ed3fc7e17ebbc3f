// SPDX-License-Identifier: Apache-2.0
// link.yaml -> the package of the link's RTL, a C header with the same numbers, tables of its page.
#include <fmt/format.h>

#include "output.h"

namespace tern::spec {
namespace {

unsigned width_of(const YAML::Node& fields, const char* name) {
  return named(fields, name)["width"].as<unsigned>();
}

std::string constants_sv(const YAML::Node& numbers) {
  std::string sv;
  for (const auto& n : numbers) {
    sv += fmt::format("  localparam int unsigned {} = {};  // {}\n",
                      camel(n["name"].as<std::string>()), n["value"].as<unsigned>(),
                      n["doc"].as<std::string>());
  }
  return sv;
}

std::string enum_sv(const YAML::Node& spec, const char* name) {
  std::string values;
  for (const auto& v : spec[name]) {
    values += fmt::format("{}    {}{} = 2'd{}", values.empty() ? "" : ",\n", camel(name),
                          camel(v["name"].as<std::string>()), v["value"].as<unsigned>());
  }
  return fmt::format("\n  typedef enum logic [1:0] {{\n{}\n  }} {}_e;\n", values, name);
}

std::string struct_sv(const YAML::Node& fields, const char* name) {
  std::string members;
  for (const auto& f : fields) {  // the first member is the highest
    const auto width = f["width"].as<unsigned>();
    const std::string type = width == 1 ? "logic" : fmt::format("logic [{}:0]", width - 1);
    members.insert(0, fmt::format("    {:<12} {};  // {}\n", type, f["name"].as<std::string>(),
                                  f["doc"].as<std::string>()));
  }
  return fmt::format("\n  typedef struct packed {{\n{}  }} {}_t;\n", members, name);
}

std::string define(const std::string& name, const std::string& value) {
  return fmt::format("#define TERN_LINK_{} {}\n", upper(name), value);
}

std::string numbers_c(const YAML::Node& numbers) {
  std::string c;
  for (const auto& n : numbers) {
    c += "// " + n["doc"].as<std::string>() + "\n" +
         define(n["name"].as<std::string>(), std::to_string(n["value"].as<unsigned>()) + "u");
  }
  return c;
}

std::string fields_c(const YAML::Node& fields, const std::string& prefix) {
  std::string c;
  unsigned lsb = 0;
  for (const auto& f : fields) {
    const std::string name = prefix + "_" + f["name"].as<std::string>();
    const auto width = f["width"].as<unsigned>();
    c += define(name + "_lsb", std::to_string(lsb) + "u");
    c += define(name + "_width", std::to_string(width) + "u");
    lsb += width;
  }
  return c;
}

std::string values_c(const YAML::Node& spec, const std::string& name) {
  std::string c;
  for (const auto& v : spec[name]) {
    c += define(name + "_" + v["name"].as<std::string>(),
                std::to_string(v["value"].as<unsigned>()) + "u");
  }
  return c;
}

std::string fields_md(const YAML::Node& fields) {
  std::string md = "| bits | |\n|---|---|\n";
  unsigned lsb = 0;
  for (const auto& f : fields) {
    const auto width = f["width"].as<unsigned>();
    const std::string bits =
        width == 1 ? std::to_string(lsb) : fmt::format("{}:{}", lsb + width - 1, lsb);
    md += fmt::format("| {} | {} |\n", bits, f["doc"].as<std::string>());
    lsb += width;
  }
  return md;
}

std::string values_md(const YAML::Node& spec) {
  std::string md = "| field | value | | |\n|---|---|---|---|\n";
  for (const char* field : {"usage", "command", "kind"}) {
    for (const auto& v : spec[field]) {
      md += fmt::format("| {} | {} | {} | {} |\n", field, v["value"].as<unsigned>(),
                        v["name"].as<std::string>(), v["doc"].as<std::string>());
    }
  }
  return md;
}

std::string parameters_md(const YAML::Node& parameters) {
  std::string md = "| parameter | value | |\n|---|---|---|\n";
  for (const auto& p : parameters) {
    md += fmt::format("| `{}` | {} | {} |\n", camel(p["name"].as<std::string>()),
                      grouped(p["value"].as<unsigned>()), p["doc"].as<std::string>());
  }
  return md;
}

}  // namespace

void generate_link(const YAML::Node& spec, Outputs* out) {
  std::string sv = banner("//", "link.yaml") +
                   "// Numbers and layout of the link's flits.\npackage link_pkg;\n" +
                   constants_sv(spec["numbers"]);
  sv += R"(  localparam int unsigned TlpBits = 32 * TlpDwords;
  localparam int unsigned DlpBits = 8 * DlpBytes;
  localparam int unsigned BodyBits = TlpBits + DlpBits;  // what the CRC covers
  localparam int unsigned CrcBits = 8 * CrcBytes;
  localparam int unsigned FecBits = 8 * FecBytes;
  localparam int unsigned FlitBits = BodyBits + CrcBits + FecBits;
  localparam int unsigned HeadBits = 32 * (HeadDwords - 1);  // of a packet, without the link's part
  localparam int unsigned DataBits = 32 * MaxData;
)";
  sv += fmt::format("  localparam int unsigned CountBits = {};  // of double words of a packet\n",
                    width_of(spec["start"], "dwords"));
  sv += fmt::format("  localparam int unsigned SeqBits = {};\n",
                    width_of(spec["dlp"], "sequence_number"));
  sv += fmt::format("  localparam int unsigned HeadCreditBits = {};\n",
                    width_of(spec["dlp"], "head_credits"));
  sv += fmt::format("  localparam int unsigned DataCreditBits = {};\n",
                    width_of(spec["dlp"], "data_credits"));
  sv += fmt::format("  localparam logic [63:0] CrcPolynomial = 64'h{};\n",
                    spec["crc_polynomial"].as<std::string>());
  sv += "\n  // Parameters of link_port\n" + constants_sv(spec["parameters"]);
  sv += enum_sv(spec, "usage") + enum_sv(spec, "command");
  sv += "\n  // Upper bits of the type of a link-layer packet; the lower two are the class.\n";
  for (const auto& v : spec["kind"]) {
    sv += fmt::format("  localparam logic [{0}:0] {1} = {2}'d{3};\n",
                      width_of(spec["dlp"], "kind") - 1, camel(v["name"].as<std::string>()),
                      width_of(spec["dlp"], "kind"), v["value"].as<unsigned>());
  }
  sv += "\n  // Link-layer field" + struct_sv(spec["dlp"], "dlp");
  sv += "\n  // First double word of a packet" + struct_sv(spec["start"], "start");
  (*out)["rtl/link/link_pkg.sv"] = sv + "endpackage\n";

  std::string c = c_header_open("link.yaml", "TERN_SPEC_LINK_H") + numbers_c(spec["numbers"]) +
                  "\n" + numbers_c(spec["parameters"]) + "\n";
  c += define("crc_polynomial", "0x" + spec["crc_polynomial"].as<std::string>() + "u");
  c += "\n// Link-layer field, first double word of a packet\n" + fields_c(spec["dlp"], "dlp") +
       fields_c(spec["start"], "start") + "\n";
  for (const char* field : {"usage", "command", "kind"}) c += values_c(spec, field);
  (*out)["sw/spec/generated/link.h"] = c + c_header_close();

  (*out)["rtl/link/README.md#link.yaml, field"] = fields_md(spec["dlp"]);
  (*out)["rtl/link/README.md#link.yaml, values"] = values_md(spec);
  (*out)["rtl/link/README.md#link.yaml, start"] = fields_md(spec["start"]);
  (*out)["rtl/link/README.md#link.yaml, parameters"] = parameters_md(spec["parameters"]);
}

}  // namespace tern::spec
