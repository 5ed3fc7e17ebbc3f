// SPDX-License-Identifier: Apache-2.0
// mgmt.yaml -> registers, codes and structs of the management domain, and their reference page.
#include <fmt/format.h>

#include <stdexcept>

#include "output.h"

namespace tern::spec {
namespace {

std::string doc_of(const YAML::Node& node) {
  return node["doc"].as<std::string>();
}

void add_constants(const YAML::Node& constants, std::string* c, std::string* md) {
  *md += "## Constants\n\n| name | value | meaning |\n|---|---|---|\n";
  for (const auto& k : constants) {
    const auto name = k["name"].as<std::string>();
    const auto value = k["value"].as<std::uint32_t>();
    *c += fmt::format("// {}\n#define TERN_MGMT_{} 0x{:x}u\n", doc_of(k), upper(name), value);
    *md += fmt::format("| `{}` | {} | {} |\n", name,
                       value < 10000 ? std::to_string(value) : fmt::format("0x{:x}", value),
                       doc_of(k));
  }
}

void add_enum(const YAML::Node& e, std::string* c, std::string* md) {
  const auto name = e["name"].as<std::string>();
  *c += fmt::format("\n// {}\n", doc_of(e));
  *md += fmt::format("\n## {}\n\nValues {}.\n\n| value | name | meaning |\n|---|---|---|\n", name,
                     doc_of(e));
  for (const auto& v : e["values"]) {
    const auto value = v["value"].as<unsigned>();
    *c += fmt::format("#define TERN_{}_{} {}u  // {}\n", upper(name),
                      upper(v["name"].as<std::string>()), value, doc_of(v));
    *md += fmt::format("| {} | `{}` | {} |\n", value, v["name"].as<std::string>(), doc_of(v));
  }
  *c += fmt::format("#define TERN_{}_COUNT {}u\n", upper(name), e["values"].size());
}

// Bytes of a value, and how C writes it.
std::pair<unsigned, std::string> type_of(const std::string& type) {
  if (type == "bytes" || type == "u8") return {1, "uint8_t"};
  if (type == "u16") return {2, "uint16_t"};
  if (type == "u32") return {4, "uint32_t"};
  if (type == "i32") return {4, "int32_t"};
  if (type == "u64") return {8, "uint64_t"};
  throw std::runtime_error("mgmt.yaml: unknown type " + type);
}

void add_struct(const YAML::Node& s, std::string* c, std::string* md) {
  const auto name = s["name"].as<std::string>();
  const auto bytes = s["bytes"].as<unsigned>();
  *c += fmt::format("\n// {}\n#define TERN_{}_BYTES {}u\nstruct tern_{} {{\n", doc_of(s),
                    upper(name), bytes, name);
  *md += fmt::format("\n### {}\n\nStruct of {} bytes: {}.\n\n", name, bytes, doc_of(s));
  *md += "| offset | bytes | field | meaning |\n|---|---|---|---|\n";
  unsigned offset = 0;
  for (const auto& f : s["fields"]) {
    const auto [unit, type] = type_of(f["type"].as<std::string>());
    const auto field = f["name"].as<std::string>();
    if (offset % unit != 0) throw std::runtime_error("mgmt.yaml: a hole before " + field);
    const unsigned count = f["count"] ? f["count"].as<unsigned>() : 1;
    const std::string array = f["count"] ? fmt::format("[{}]", count) : "";
    *c += fmt::format("  {} {}{};  // {}: {}\n", type, field, array, offset, doc_of(f));
    *md += fmt::format("| {} | {} | `{}` | {} |\n", offset, unit * count, field, doc_of(f));
    offset += unit * count;
  }
  if (offset != bytes) throw std::runtime_error("mgmt.yaml: the size of " + name);
  *c += fmt::format("}};\nstatic_assert(sizeof(struct tern_{}) == TERN_{}_BYTES, \"{}\");\n", name,
                    upper(name), name);
}

}  // namespace

void generate_mgmt(const YAML::Node& spec, Outputs* out) {
  std::string c = c_header_open("mgmt.yaml", "TERN_SPEC_MGMT_H");
  c += "#include <assert.h>\n\n";
  std::string md =
      "<!-- Generated from docs/spec/mgmt.yaml by tern_spec_gen: do not edit. -->\n# Management "
      "domain\n\nWhat its firmware, the host, the BMC and the signing tool agree on.\n"
      "How it works: [devices](../../systemc/mgmt/domain/README.md), "
      "[firmware](../howto/firmware.md), [mailbox and errors](mailbox.md).\n\n";
  add_constants(spec["constants"], &c, &md);
  for (const auto& e : spec["enums"]) add_enum(e, &c, &md);
  md += "\n## Structs\n\nLittle endian unless said, without holes.\n";
  for (const auto& s : spec["structs"]) add_struct(s, &c, &md);
  c += "\n";
  md += "\n";
  for (const auto& block : spec["blocks"]) add_block(block, &c, &md);
  (*out)["sw/spec/generated/mgmt.h"] = c + c_header_close();
  (*out)["docs/reference/mgmt.md"] = md;
}

}  // namespace tern::spec
