// SPDX-License-Identifier: Apache-2.0
// tensor.yaml -> the named sizes of the tensor engine for C++ and for CMake, which hands them to
// the RTL.
#include <fmt/format.h>

#include "output.h"

namespace tern::spec {

void generate_tensor(const YAML::Node& spec, Outputs* out) {
  std::string c = c_header_open("tensor.yaml", "TERN_SPEC_TENSOR_SHAPES_H");
  c += "// X(name, rows, cols, psum_banks, bank_columns, min_interval, max_moving, command_depth)\n"
       "#define TERN_TENSOR_SHAPES(X) \\\n";
  std::string cmake = banner("#", "tensor.yaml") + "# Parameters of rtl/tensor per configuration\n";
  for (const auto& t : spec["configurations"]) {
    const auto get = [&t](const char* key) { return t[key].as<unsigned>(); };
    const auto name = t["name"].as<std::string>();
    c += fmt::format("  X({}, {}, {}, {}, {}, {}, {}, {}) \\\n", name, get("rows"), get("cols"),
                     get("psum_banks"), get("bank_columns"), get("min_interval"), get("max_moving"),
                     get("command_depth"));
    cmake += fmt::format(
        "set(TERN_TENSOR_{}_PARAMS Rows={} Cols={} PsumBanks={} BankColumns={} MinInterval={} "
        "MaxMoving={} "
        "CommandDepth={})\n",
        upper(name), get("rows"), get("cols"), get("psum_banks"), get("bank_columns"),
        get("min_interval"), get("max_moving"), get("command_depth"));
  }
  (*out)["sw/spec/generated/tensor_shapes.h"] = c + c_header_close();
  (*out)["cmake/generated/tensor_shapes.cmake"] = cmake;
}

}  // namespace tern::spec
