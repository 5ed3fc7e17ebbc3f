// SPDX-License-Identifier: Apache-2.0
// formats.yaml -> codes of the number formats for C, SystemVerilog and the reference page.
#include <fmt/format.h>

#include "output.h"

namespace tern::spec {

void generate_formats(const YAML::Node& spec, Outputs* out) {
  std::string c = c_header_open("formats.yaml", "TERN_SPEC_FORMATS_H") + "enum {\n";
  std::string sv =
      banner("//", "formats.yaml") + "package tern_spec_pkg;\n  // Codes of the number formats\n";
  std::string md =
      "<!-- Generated from docs/spec/formats.yaml by tern_spec_gen: do not edit. -->\n# Number "
      "formats\n\n"
      "| code | name | bytes | exponent bits | mantissa bits | bias | notes "
      "|\n|---|---|---|---|---|---|---|\n";
  std::string info;
  for (const auto& d : spec["dtypes"]) {
    const auto name = d["name"].as<std::string>();
    const auto value = d["value"].as<unsigned>();
    c += fmt::format("  TERN_DTYPE_{} = {},\n", upper(name), value);
    sv += fmt::format("  localparam logic [4:0] Dtype{}{} = 5'd{};\n", upper(name.substr(0, 1)),
                      name.substr(1), value);
    info += fmt::format("  X({}, {}, {}) \\\n", value, name, d["bytes"].as<unsigned>());
    md += fmt::format("| {} | `{}` | {} | {} | {} | {} | {} |\n", value, name,
                      d["bytes"].as<unsigned>(), text(d, "exponent"), text(d, "mantissa"),
                      text(d, "bias"), text(d, "doc"));
  }
  c += "};\n\n// All formats: X(code, name, bytes)\n#define TERN_DTYPES(X) \\\n" + info;
  (*out)["sw/spec/generated/formats.h"] = c + c_header_close();
  (*out)["rtl/common/tern_spec_pkg.sv"] = sv + "endpackage\n";
  (*out)["docs/reference/formats.md"] = md;
}

}  // namespace tern::spec
