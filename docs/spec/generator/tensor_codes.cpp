// SPDX-License-Identifier: Apache-2.0
// tensor.yaml and isa.yaml -> operations, status codes, modes and sparsity patterns of the tensor
// engine, for C and as the first part of tensor_pkg.
#include <fmt/format.h>

#include <functional>
#include <vector>

#include "output.h"

namespace tern::spec {
namespace {

using Value = std::function<unsigned(const YAML::Node& pattern)>;

// NAME(sparsity): a value of each pattern, and the last pattern's for a code that has none.
std::string pattern_function(const YAML::Node& patterns, const char* name, unsigned bits,
                             const Value& value_of) {
  std::vector<unsigned> values;
  for (const auto& pattern : patterns) values.push_back(value_of(pattern));
  std::string chain;
  std::vector<unsigned> done = {values.back()};
  for (const unsigned value : values) {
    bool known = false;
    for (const unsigned other : done) known = known || other == value;
    if (known) continue;
    done.push_back(value);
    std::string codes;
    for (std::size_t code = 0; code < values.size(); ++code) {
      if (values[code] != value) continue;
      codes += fmt::format("{}sparsity == 3'd{}", codes.empty() ? "" : " || ", code);
    }
    chain += fmt::format("({}) ? {}'d{} :\n      ", codes, bits, value);
  }
  return fmt::format(
      "  function automatic logic [{0}:0] {1}(input logic [2:0] sparsity);\n    {1} =\n      "
      "{2}{3}'d{4};\n  endfunction\n",
      bits - 1, name, chain, bits, values.back());
}

std::string sparsity_sv(const YAML::Node& patterns) {
  const auto kept = [](const YAML::Node& p) { return p["kept"].as<unsigned>(); };
  const auto of = [](const YAML::Node& p) { return p["of"].as<unsigned>(); };
  return fmt::format(
             "\n  // Sparsity patterns keep M of every N consecutive k.\n  localparam logic [2:0] "
             "SparsityPatterns = 3'd{};\n",
             patterns.size()) +
         "  // M.\n" + pattern_function(patterns, "kept", 3, kept) + "  // N.\n" +
         pattern_function(patterns, "group_size", 5, of) +
         "  // Planes of a sparse moving operand: N / M.\n" +
         pattern_function(patterns, "plane_count", 3,
                          [&](const YAML::Node& p) { return of(p) / kept(p); });
}

}  // namespace

std::string tensor_codes_sv(const YAML::Node& tensor, const YAML::Node& isa) {
  std::string sv =
      "\n  // Operations and modes. No enums: a command may carry any number, and is refused "
      "then.\n";
  unsigned code = 0;
  for (const auto& op : tensor["ops"]) {
    sv += fmt::format("  localparam logic [3:0] Op{} = 4'd{};\n", camel(op.as<std::string>()),
                      code++);
  }
  for (const auto& mode : isa["enums"]["tensor_mode"]) {
    sv += fmt::format("  localparam logic [2:0] Mode{} = 3'd{};\n",
                      camel(mode["name"].as<std::string>()), mode["value"].as<unsigned>());
  }
  sv +=
      "\n  // Status codes. If several rules are violated, the smallest code is reported.\n  "
      "typedef enum logic [3:0] {\n";
  code = 0;
  for (const auto& status : tensor["statuses"]) {
    sv += fmt::format("    Code{} = 4'd{}{}\n", camel(status["name"].as<std::string>()), code,
                      code + 1 < tensor["statuses"].size() ? "," : "");
    ++code;
  }
  sv +=
      "  } code_e;\n\n  // Sixteenths by which a multiply takes longer, by quarter of the ramp.\n";
  for (std::size_t quarter = 0; quarter < tensor["ramp"].size(); ++quarter) {
    sv += fmt::format("  localparam logic [3:0] Ramp{} = 4'd{};\n", quarter,
                      tensor["ramp"][quarter].as<unsigned>());
  }
  return sv + sparsity_sv(isa["enums"]["sparsity"]);
}

void generate_tensor_codes(const YAML::Node& tensor, Outputs* out) {
  std::string c = c_header_open("tensor.yaml", "TERN_SPEC_TENSOR_CODES_H");
  c += "// Operations of a command\nenum {\n";
  unsigned code = 0;
  for (const auto& op : tensor["ops"])
    c += fmt::format("  TERN_TENSOR_OP_{} = {},\n", upper(op.as<std::string>()), code++);
  c += "};\n\n// Status codes\nenum {\n";
  std::string table = "| code | meaning |\n|---|---|\n";
  code = 0;
  for (const auto& status : tensor["statuses"]) {
    const auto doc = status["doc"].as<std::string>();
    c += fmt::format("  TERN_TENSOR_STATUS_{} = {},  // {}\n",
                     upper(status["name"].as<std::string>()), code, doc);
    table += fmt::format("| {} | {} |\n", code++, doc);
  }
  std::string ramp;
  for (const auto& more : tensor["ramp"])
    ramp += fmt::format("{}{}u", ramp.empty() ? "" : ", ", more.as<unsigned>());
  c += fmt::format(
      "}};\n\n// Sixteenths by which a multiply takes longer, by quarter of the ramp\n"
      "#define TERN_TENSOR_RAMP {{ {} }}\n",
      ramp);
  (*out)["sw/spec/generated/tensor_codes.h"] = c + c_header_close();
  (*out)["rtl/tensor/README.md#statuses"] = table;
}

}  // namespace tern::spec
