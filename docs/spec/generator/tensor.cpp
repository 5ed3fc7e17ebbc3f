// SPDX-License-Identifier: Apache-2.0
// tensor.yaml -> the named sizes of the tensor engine for C++ and for CMake, which hands them to
// the RTL.
#include <fmt/format.h>

#include <cstdint>

#include "output.h"

namespace tern::spec {
namespace {

// A set of formats: bit `code` of a word for each.
std::uint32_t format_mask(const YAML::Node& names, const YAML::Node& dtypes) {
  std::uint32_t mask = 0;
  for (const auto& name : names)
    mask |= 1u << named(dtypes, name.as<std::string>())["value"].as<unsigned>();
  return mask;
}

// "bf16, fp16 (2), tf32, fp32 (4)": formats; the last of each size is followed by the bytes of an
// element.
std::string format_list(const YAML::Node& names, const YAML::Node& dtypes) {
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto bytes = [&](std::size_t at) {
      return named(dtypes, names[at].as<std::string>())["bytes"].as<unsigned>();
    };
    list += (i == 0 ? "" : ", ") + names[i].as<std::string>();
    if (i + 1 == names.size() || bytes(i + 1) != bytes(i)) list += fmt::format(" ({})", bytes(i));
  }
  return list;
}

// "bf16, fp16 or fp32".
std::string spoken(const YAML::Node& names) {
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i)
    list += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i].as<std::string>();
  return list;
}

void generate_modes(const YAML::Node& spec, const YAML::Node& isa, const YAML::Node& formats,
                    Outputs* out) {
  const YAML::Node dtypes = formats["dtypes"];
  std::string c = c_header_open("{tensor,isa,formats}.yaml", "TERN_SPEC_TENSOR_MODES_H");
  c += "// Modes: X(number, name, title, formats, names of the formats, row_grain, tile rows,\n// "
       "tile columns); formats: bit `dtype code` for each\n"
       "#define TERN_TENSOR_MODES(X) \\\n";
  std::string table =
      "| mode | K | element formats (size in bytes) | macs per cycle (full) | grain of rows | "
      "tiles of | |\n|---|---|---|---|---|---|---|\n";
  for (const auto& mode : spec["modes"]) {
    const auto name = mode["name"].as<std::string>();
    const auto tiles = mode["tiles"].as<std::string>();
    c += fmt::format("  X({}, {}, \"{}\", 0x{:06x}u, \"{}\", {}u, {}, {}) \\\n",
                     named(isa["enums"]["tensor_mode"], name)["value"].as<unsigned>(), name,
                     mode["title"].as<std::string>(), format_mask(mode["formats"], dtypes),
                     spoken(mode["formats"]), mode["row_grain"].as<unsigned>(), tiles != "none",
                     tiles == "rows and columns");
    table += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", mode["title"].as<std::string>(),
                         mode["k"].as<std::string>(), format_list(mode["formats"], dtypes),
                         grouped(mode["macs"].as<unsigned>()), mode["row_grain"].as<unsigned>(),
                         tiles, mode["doc"].as<std::string>());
  }
  c += fmt::format("\n#define TERN_TENSOR_TRANSPOSE_FORMATS 0x{:06x}u\n",
                   format_mask(spec["transpose_formats"], dtypes));
  for (const auto& a : spec["alignment"]) {
    c += fmt::format("// {}\n#define TERN_TENSOR_ALIGN_{} {}u\n", a["doc"].as<std::string>(),
                     upper(a["name"].as<std::string>()), a["value"].as<unsigned>());
  }
  (*out)["sw/spec/generated/tensor_modes.h"] = c + c_header_close();
  (*out)["rtl/tensor/README.md#modes"] = table;
}

}  // namespace

void generate_tensor(const YAML::Node& spec, const YAML::Node& isa, const YAML::Node& formats,
                     Outputs* out) {
  std::string c = c_header_open("tensor.yaml", "TERN_SPEC_TENSOR_SHAPES_H");
  c += "// X(name, rows, cols, psum_banks, bank_columns, min_interval, max_moving, command_depth, "
       "stages)\n"
       "#define TERN_TENSOR_SHAPES(X) \\\n";
  std::string cmake = banner("#", "tensor.yaml") + "# Parameters of rtl/tensor per configuration\n";
  for (const auto& t : spec["configurations"]) {
    const auto get = [&t](const char* key) { return t[key].as<unsigned>(); };
    const auto name = t["name"].as<std::string>();
    c += fmt::format("  X({}, {}, {}, {}, {}, {}, {}, {}, {}) \\\n", name, get("rows"), get("cols"),
                     get("psum_banks"), get("bank_columns"), get("min_interval"), get("max_moving"),
                     get("command_depth"), get("stages"));
    cmake += fmt::format(
        "set(TERN_TENSOR_{}_PARAMS Rows={} Cols={} PsumBanks={} BankColumns={} MinInterval={} "
        "MaxMoving={} "
        "CommandDepth={} Stages={})\n",
        upper(name), get("rows"), get("cols"), get("psum_banks"), get("bank_columns"),
        get("min_interval"), get("max_moving"), get("command_depth"), get("stages"));
  }
  // The chip's engine.
  const YAML::Node full = named(spec["configurations"], "full");
  const auto chip = [&](const char* name, const char* key) {
    c += fmt::format("#define TERN_TENSOR_{} {}u\n", name, full[key].as<unsigned>());
  };
  c += "\n// The chip's\n";
  chip("ROWS", "rows");
  chip("COLS", "cols");
  chip("PSUM_BANKS", "psum_banks");
  chip("BANK_COLUMNS", "bank_columns");
  chip("MIN_INTERVAL", "min_interval");
  chip("MAX_MOVING", "max_moving");
  chip("COMMAND_DEPTH", "command_depth");
  chip("STAGES", "stages");
  generate_modes(spec, isa, formats, out);
  (*out)["sw/spec/generated/tensor_shapes.h"] = c + c_header_close();
  (*out)["cmake/generated/tensor_shapes.cmake"] = cmake;
}

}  // namespace tern::spec
