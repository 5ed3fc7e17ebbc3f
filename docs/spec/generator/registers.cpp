// SPDX-License-Identifier: Apache-2.0
// registers.yaml -> register offsets, descriptor fields and the reference page.
#include <fmt/format.h>

#include "output.h"

namespace tern::spec {
namespace {

void add_block(const YAML::Node& block, std::string* c, std::string* md) {
  const auto name = block["name"].as<std::string>();
  *md += fmt::format(
      "## {}\n\n{}.\n\n| offset | register | access | width | meaning |\n|---|---|---|---|---|\n",
      name, block["doc"].as<std::string>());
  for (const auto& r : block["registers"]) {
    const std::string id = upper(name) + "_" + upper(r["name"].as<std::string>());
    const auto offset = r["offset"].as<unsigned>();
    const auto width = r["width"] ? r["width"].as<unsigned>() : 32;
    std::string where = fmt::format("0x{:04x}", offset);
    *c += fmt::format("// {} ({})\n#define TERN_REG_{} 0x{:04x}u\n", r["doc"].as<std::string>(),
                      r["access"].as<std::string>(), id, offset);
    if (r["count"]) {
      const auto stride = r["stride"].as<unsigned>();
      const auto count = r["count"].as<unsigned>();
      *c += fmt::format("#define TERN_REG_{0}_STRIDE 0x{1:x}u\n#define TERN_REG_{0}_COUNT {2}u\n",
                        id, stride, count);
      where += fmt::format(" + 0x{:x}*i, i < {}", stride, count);
    }
    *md += fmt::format("| {} | `{}` | {} | {} | {} |\n", where, r["name"].as<std::string>(),
                       r["access"].as<std::string>(), width, r["doc"].as<std::string>());
  }
  *md += "\n";
}

}  // namespace

void generate_registers(const YAML::Node& spec, Outputs* out) {
  std::string c = c_header_open("registers.yaml", "TERN_SPEC_REGISTERS_H");
  std::string md =
      "<!-- Generated from docs/spec/registers.yaml by tern_spec_gen: do not edit. -->\n# "
      "Registers\n\n";
  for (const auto& block : spec["blocks"]) add_block(block, &c, &md);

  const auto& d = spec["descriptor"];
  c += fmt::format(
      "\n// DMA descriptor\n#define TERN_DESCRIPTOR_BYTES {}u\n#define TERN_DESCRIPTOR_MAX_LENGTH "
      "{}u\n",
      d["bytes"].as<unsigned>(), d["max_length"].as<unsigned>());
  md += "## DMA descriptor\n\n| word | bits | field | meaning |\n|---|---|---|---|\n";
  for (const auto& f : d["fields"]) {
    const std::string id = upper(f["name"].as<std::string>());
    const auto lsb = f["lsb"].as<unsigned>();
    const auto width = f["width"].as<unsigned>();
    c += fmt::format(
        "// {}\n#define TERN_DESC_{}_WORD {}u\n#define TERN_DESC_{}_LSB {}u\n#define "
        "TERN_DESC_{}_WIDTH {}u\n",
        f["doc"].as<std::string>(), id, f["word"].as<unsigned>(), id, lsb, id, width);
    md += fmt::format("| {} | {}..{} | `{}` | {} |\n", f["word"].as<unsigned>(), lsb + width - 1,
                      lsb, f["name"].as<std::string>(), f["doc"].as<std::string>());
  }
  (*out)["sw/spec/generated/registers.h"] = c + c_header_close();
  (*out)["docs/reference/registers.md"] = md;
}

}  // namespace tern::spec
