// SPDX-License-Identifier: Apache-2.0
// isa.yaml -> C structures and constants of the instruction set, and its reference page.
#include <fmt/format.h>

#include "output.h"

namespace tern::spec {
namespace {

struct CType {
  const char* name;
  unsigned bytes, align;
};

CType c_type(const std::string& type) {
  if (type == "u8") return {"uint8_t", 1, 1};
  if (type == "u16") return {"uint16_t", 2, 2};
  if (type == "i16") return {"int16_t", 2, 2};
  if (type == "u32") return {"uint32_t", 4, 4};
  if (type == "i32") return {"int32_t", 4, 4};
  if (type == "f32") return {"float", 4, 4};
  if (type == "ap") return {"tern_ap_t", 12, 4};
  if (type == "outer") return {"tern_outer_t", 8, 2};
  throw std::runtime_error("isa.yaml: unknown field type '" + type + "'");
}

struct Layout {
  std::string members;  // C
  std::string rows;     // Markdown
  unsigned size = 0;
};

Layout lay_out(const YAML::Node& fields, unsigned offset) {
  Layout result;
  for (const auto& field : fields) {
    const auto name = field["name"].as<std::string>();
    const auto type = field["type"].as<std::string>();
    const CType c = c_type(type);
    const unsigned count = field["array"] ? field["array"].as<unsigned>() : 1;
    if (offset % c.align != 0) {
      throw std::runtime_error(
          fmt::format("isa.yaml: field '{}' at byte {} is not aligned", name, offset));
    }
    const std::string suffix = count > 1 ? fmt::format("[{}]", count) : "";
    result.members += fmt::format("  {} {}{};  // byte {}: {}\n", c.name, name, suffix, offset,
                                  field["doc"].as<std::string>());
    result.rows += fmt::format("| {} | `{}{}` | {} | {} |\n", offset, name, suffix, type,
                               field["doc"].as<std::string>());
    offset += c.bytes * count;
  }
  result.size = offset;
  return result;
}

void add_enum(const std::string& prefix, const YAML::Node& values, std::string* c,
              std::string* md) {
  *c += "enum {\n";
  *md += "| value | name | meaning |\n|---|---|---|\n";
  for (const auto& v : values) {
    *c += fmt::format("  TERN_{}_{} = {},\n", prefix, upper(v["name"].as<std::string>()),
                      v["value"].as<int>());
    *md += fmt::format("| {} | `{}` | {} |\n", v["value"].as<int>(), v["name"].as<std::string>(),
                       v["kept"] ? fmt::format("{} of {}", v["kept"].as<int>(), v["of"].as<int>())
                                 : text(v, "doc"));
  }
  *c += fmt::format("}};\n#define TERN_{}_COUNT {}\n\n", prefix, values.size());
  *md += "\n";
}

std::string queue_list(const YAML::Node& instruction) {
  std::string list;
  for (const auto& q : instruction["queues"])
    list += (list.empty() ? "" : " ") + q.as<std::string>();
  return list;
}

}  // namespace

void generate_isa(const YAML::Node& spec, Outputs* out) {
  const auto bytes = spec["instruction_bytes"].as<unsigned>();
  std::string c = c_header_open("isa.yaml", "TERN_SPEC_ISA_H");
  std::string md =
      "<!-- Generated from docs/spec/isa.yaml by tern_spec_gen: do not edit. -->\n# Instruction "
      "set\n\n";
  md += fmt::format(
      "Every instruction is {} bytes, little endian. Semantics of the arithmetic: "
      "[numerics](../numerics.md).\n\n",
      bytes);
  c += fmt::format("#define TERN_INSTRUCTION_BYTES {}\n\n", bytes);

  md += "## Queues\n\n";
  add_enum("QUEUE", spec["queues"], &c, &md);
  c += "// All queues: X(number, name)\n#define TERN_QUEUE_NAMES(X) \\\n";
  for (const auto& q : spec["queues"])
    c += fmt::format("  X({}, {}) \\\n", q["value"].as<unsigned>(), q["name"].as<std::string>());
  c += "\n";
  for (const auto& entry : spec["enums"]) {
    const auto name = entry.first.as<std::string>();
    md += fmt::format("## {}\n\n", name);
    add_enum(upper(name), entry.second, &c, &md);
  }
  c += "// Sparsity patterns: X(number, name, kept, of): `kept` of every `of` consecutive "
       "k\n#define "
       "TERN_SPARSITY_PATTERNS(X) \\\n";
  for (const auto& s : spec["enums"]["sparsity"]) {
    c += fmt::format("  X({}, {}, {}, {}) \\\n", s["value"].as<unsigned>(),
                     s["name"].as<std::string>(), s["kept"].as<unsigned>(), s["of"].as<unsigned>());
  }
  c += "\n";
  md += "## Limits of single instructions\n\n| limit | value | meaning |\n|---|---|---|\n";
  for (const auto& l : spec["limits"]) {
    c += fmt::format("// {}\n#define TERN_LIMIT_{} {}u\n", l["doc"].as<std::string>(),
                     upper(l["name"].as<std::string>()), l["value"].as<unsigned>());
    md += fmt::format("| `{}` | {} | {} |\n", l["name"].as<std::string>(),
                      l["value"].as<unsigned>(), l["doc"].as<std::string>());
  }
  c += "\n";
  md += "\n## Errors\n\n";
  add_enum("ERROR", spec["errors"], &c, &md);

  const Layout ap = lay_out(spec["structs"]["ap"], 0);
  const Layout outer = lay_out(spec["structs"]["outer"], 0);
  const Layout header = lay_out(spec["structs"]["header"], 0);
  c += "typedef struct tern_ap {\n" + ap.members + "} tern_ap_t;\n\n";
  c += "typedef struct tern_outer {\n" + outer.members + "} tern_outer_t;\n\n";
  c += "typedef struct tern_header {\n" + header.members + "} tern_header_t;\n\n";
  md += "## Header\n\n| byte | field | type | meaning |\n|---|---|---|---|\n" + header.rows;
  md += "\n## Access pattern `ap`\n\n| byte | field | type | meaning |\n|---|---|---|---|\n" +
        ap.rows;
  md += "\n## Outer dimensions `outer`\n\n| byte | field | type | meaning |\n|---|---|---|---|\n" +
        outer.rows;

  std::string members;
  for (const auto& entry : spec["formats"]) {
    const auto name = entry.first.as<std::string>();
    const Layout body = lay_out(entry.second, header.size);
    if (body.size > bytes) throw std::runtime_error("isa.yaml: format '" + name + "' is too long");
    const std::string pad =
        body.size < bytes ? fmt::format("  uint8_t pad[{}];\n", bytes - body.size) : "";
    c += fmt::format(
        "typedef struct tern_instr_{0} {{\n  tern_header_t header;\n{1}{2}}} tern_instr_{0}_t;\n\n",
        name, body.members, pad);
    members += fmt::format("  tern_instr_{0}_t {0};\n", name);
    md += fmt::format("\n## Format {}\n\n| byte | field | type | meaning |\n|---|---|---|---|\n{}",
                      name, body.rows);
  }
  c += fmt::format(
      // The bytes first: an initialiser {} sets the first member, and so all of it.
      "typedef union tern_instruction {{\n  uint8_t bytes[{1}];\n  tern_header_t header;\n{0}}} "
      "tern_instruction_t;\n\n",
      members, bytes);

  std::string opcodes = "enum {\n";
  std::string info;
  md +=
      "\n## Instructions\n\n| opcode | name | queues | format | meaning |\n|---|---|---|---|---|\n";
  for (const auto& i : spec["instructions"]) {
    const auto name = i["name"].as<std::string>();
    const auto opcode = i["opcode"].as<unsigned>();
    unsigned mask = 0;
    for (const auto& q : i["queues"]) {
      for (const auto& known : spec["queues"]) {
        if (known["name"].as<std::string>() == q.as<std::string>())
          mask |= 1u << known["value"].as<unsigned>();
      }
    }
    opcodes += fmt::format("  TERN_OPCODE_{} = 0x{:02x},  // {}\n", upper(name), opcode,
                           i["doc"].as<std::string>());
    info += fmt::format("  X(0x{:02x}, {}, 0x{:02x}, {}) \\\n", opcode, name, mask,
                        i["format"].as<std::string>());
    md += fmt::format("| 0x{:02x} | `{}` | {} | {} | {} |\n", opcode, name, queue_list(i),
                      i["format"].as<std::string>(), i["doc"].as<std::string>());
  }
  c += opcodes +
       "};\n\n// All instructions: X(opcode, name, queue mask, format)\n#define "
       "TERN_INSTRUCTIONS(X) \\\n" +
       info;
  c += fmt::format(
      "\n#ifdef __cplusplus\nstatic_assert(sizeof(tern_instruction_t) == {0}, \"instruction "
      "size\");\n#else\n"
      "_Static_assert(sizeof(tern_instruction_t) == {0}, \"instruction size\");\n#endif\n",
      bytes);
  (*out)["sw/spec/generated/isa.h"] = c + c_header_close();
  (*out)["docs/reference/isa.md"] = md;
}

}  // namespace tern::spec
