// SPDX-License-Identifier: Apache-2.0
// address_map.yaml -> base addresses for C and the reference page.
#include <fmt/format.h>

#include "output.h"

namespace tern::spec {
namespace {

void add_regions(const std::string& prefix, const YAML::Node& regions, std::string* c,
                 std::string* md) {
  *md += "| region | base | stride | count | meaning |\n|---|---|---|---|---|\n";
  for (const auto& r : regions) {
    const auto name = r["name"].as<std::string>();
    const auto base = r["base"].as<std::uint64_t>();
    const auto stride = r["stride"].as<std::uint64_t>();
    const auto count = r["count"].as<unsigned>();
    const std::string id = prefix + upper(name);
    *c += fmt::format(
        "// {}\n#define TERN_{}_BASE UINT64_C(0x{:x})\n#define TERN_{}_STRIDE UINT64_C(0x{:x})\n"
        "#define TERN_{}_COUNT {}\n",
        r["doc"].as<std::string>(), id, base, id, stride, id, count);
    *md += fmt::format("| `{}` | 0x{:x} | 0x{:x} | {} | {} |\n", name, base, stride, count,
                       r["doc"].as<std::string>());
  }
}

}  // namespace

void generate_address_map(const YAML::Node& spec, Outputs* out) {
  std::string c = c_header_open("address_map.yaml", "TERN_SPEC_ADDRESS_MAP_H");
  std::string md =
      "<!-- Generated from docs/spec/address_map.yaml by tern_spec_gen: do not edit. -->\n# "
      "Address map\n\n"
      "64-bit addresses; the address is the route.\n\n| field | bits |\n|---|---|\n";
  for (const auto& f : spec["fields"]) {
    const auto name = f["name"].as<std::string>();
    const auto lsb = f["lsb"].as<unsigned>();
    const auto width = f["width"].as<unsigned>();
    c += fmt::format("#define TERN_ADDR_{0}_LSB {1}\n#define TERN_ADDR_{0}_WIDTH {2}\n",
                     upper(name), lsb, width);
    md += fmt::format("| {} | {}..{} |\n", name, lsb + width - 1, lsb);
  }
  md += "\n## Inside a chip\n\n";
  add_regions("", spec["regions"], &c, &md);
  md += "\n## Inside a NeuronCore's window\n\n";
  add_regions("CORE_", spec["core_regions"], &c, &md);
  md += "\n## As a processor of GpSimd sees it\n\n";
  add_regions("GPSIMD_", spec["gpsimd_regions"], &c, &md);
  md += "\n## As the management core sees it\n\n";
  add_regions("MGMT_", spec["mgmt_regions"], &c, &md);
  (*out)["sw/spec/generated/address_map.h"] = c + c_header_close();
  (*out)["docs/reference/address_map.md"] = md;
}

}  // namespace tern::spec
