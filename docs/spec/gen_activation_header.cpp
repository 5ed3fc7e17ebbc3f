// SPDX-License-Identifier: Apache-2.0
// Prints sw/numerics/generated/activation_tables.h from docs/spec/activation.yaml.
// Use: gen_activation_header docs/spec/activation.yaml > .../generated/activation_tables.h
#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

namespace {

void print_ranges(const std::string& name, const YAML::Node& ranges) {
  std::printf("constexpr std::uint32_t k_%s_ranges[] = {", name.c_str());
  std::size_t i = 0;
  for (const YAML::Node& range : ranges) {
    // The segment is first + (significand bits >> shift).
    const unsigned first = range[0].as<unsigned>(), shift = 23 - range[1].as<unsigned>();
    std::printf("%s0x%X,", i++ % 12 == 0 ? "\n    " : " ", first << 5 | shift);
  }
  std::printf("\n};\n");
}

void print_segments(const std::string& name, const YAML::Node& segments) {
  std::printf("alignas(64) constexpr std::uint32_t k_%s_segments[][8] = {\n", name.c_str());
  for (const YAML::Node& segment : segments) {
    std::printf("    {");
    for (const YAML::Node& word : segment) std::printf("0x%X, ", word.as<std::uint32_t>());
    std::printf("0},\n");
  }
  std::printf("};\n\n");
}

void print(const YAML::Node& functions) {
  std::printf(
      "// SPDX-License-Identifier: Apache-2.0\n"
      "// Generated from docs/spec/activation.yaml by docs/spec/gen_activation_header.cpp: do not "
      "edit.\n"
      "#pragma once\n\n"
      "#include \"sw/numerics/piecewise.h\"\n\n"
      "// clang-format off\n"
      "namespace tern::numerics::activation_tables {\n\n");
  for (const YAML::Node& function : functions) {
    const auto name = function["name"].as<std::string>();
    print_ranges(name, function["ranges"]);
    print_segments(name, function["segments"]);
  }
  for (const YAML::Node& function : functions) {
    const auto name = function["name"].as<std::string>();
    const auto word = [&function](const char* key) { return function[key].as<std::uint32_t>(); };
    const bool is_u = function["above"].as<std::string>() == "u";
    const int first_exponent = function["first_exponent"].as<int>();
    std::printf(
        "constexpr PiecewiseTable k_%s = {\n    0x%08X, 0x%08X, 0x%08X, 0x%08X, %d, %u, "
        "k_%s_ranges, k_%s_segments};\n",
        name.c_str(), word("lowest"), word("below"), word("highest"), is_u ? 0u : word("above"),
        first_exponent + 126, function["positive_ranges"].as<unsigned>(), name.c_str(),
        name.c_str());
  }
  std::printf("\n}  // namespace tern::numerics::activation_tables\n// clang-format on\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "use: gen_activation_header activation.yaml\n");
    return 2;
  }
  try {
    print(YAML::LoadFile(argv[1])["activation"]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[1], error.what());
    return 1;
  }
  return 0;
}
