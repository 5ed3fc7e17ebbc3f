// SPDX-License-Identifier: Apache-2.0
// Prints systemc/numerics/generated/exp_table.h from docs/spec/exp.yaml.
// Use: gen_exp_header docs/spec/exp.yaml > systemc/numerics/generated/exp_table.h
#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <cstdio>
#include <exception>

namespace {

void print(const YAML::Node& spec) {
  const auto number = [&spec](const char* key) {
    return static_cast<unsigned long long>(spec[key].as<std::uint64_t>());
  };
  std::printf(
      "// SPDX-License-Identifier: Apache-2.0\n"
      "// Generated from docs/spec/exp.yaml by docs/spec/gen_exp_header.cpp: do not edit.\n"
      "#pragma once\n\n"
      "#include <cstdint>\n\n"
      "namespace tern::numerics::exp_table {\n\n");
  std::printf("constexpr unsigned kFractionBits = %llu;\n", number("fraction_bits"));
  std::printf("constexpr unsigned kSegmentBits = %llu;\n", number("segment_bits"));
  std::printf("constexpr unsigned kLog2eBits = %llu;\n", number("log2e_bits"));
  std::printf("constexpr std::int64_t kLog2e = 0x%llX;\n", number("log2e"));
  std::printf("constexpr unsigned kC0Bits = %llu;\n", number("c0_bits"));
  std::printf("constexpr unsigned kC1Bits = %llu;\n", number("c1_bits"));
  std::printf("constexpr unsigned kC2Bits = %llu;\n", number("c2_bits"));
  std::printf("constexpr std::uint32_t kUnityBelow = 0x%08llX;\n", number("unity_below"));
  std::printf("constexpr std::uint32_t kFirstOverflow = 0x%08llX;\n", number("first_overflow"));
  std::printf("constexpr std::uint32_t kLastNonzero = 0x%08llX;\n\n", number("last_nonzero"));
  std::printf("struct Segment {\n  std::uint32_t c0, c1, c2;\n};\n\n");
  const YAML::Node segments = spec["segments"];
  std::printf("constexpr Segment kSegments[%zu] = {\n", segments.size());
  for (const YAML::Node& segment : segments) {
    std::printf("    {%u, %u, %u},\n", segment[0].as<unsigned>(), segment[1].as<unsigned>(),
                segment[2].as<unsigned>());
  }
  std::printf("};\n\n}  // namespace tern::numerics::exp_table\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "use: gen_exp_header exp.yaml\n");
    return 2;
  }
  try {
    print(YAML::LoadFile(argv[1])["exponential"]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[1], error.what());
    return 1;
  }
  return 0;
}
