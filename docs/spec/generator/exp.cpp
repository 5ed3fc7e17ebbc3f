// SPDX-License-Identifier: Apache-2.0
// exp.yaml -> the exponential's table and constants for C++ and for the RTL.
#include <fmt/format.h>

#include "output.h"

namespace tern::spec {
namespace {

// The RTL keeps a segment in two words, which the simulator's host can gather: c0 with the lower
// bits of c2 above it, and c1 with the rest of c2.
constexpr unsigned kC0Width = 28, kC1Width = 23, kC2Width = 13, kC2Low = 32 - kC0Width;

std::string words(const YAML::Node& segments, bool high) {
  std::string text;
  for (std::size_t i = segments.size(); i-- > 0;) {
    const auto c0 = segments[i][0].as<std::uint32_t>(), c1 = segments[i][1].as<std::uint32_t>();
    const auto c2 = segments[i][2].as<std::uint32_t>();
    if (c0 >> kC0Width != 0 || c1 >> kC1Width != 0 || c2 >> kC2Width != 0) {
      throw std::runtime_error(fmt::format("exp.yaml: segment {} does not fit its words", i));
    }
    const std::uint32_t word = high ? c1 | c2 >> kC2Low << kC1Width : c0 | c2 << kC0Width;
    const char* end = i == 0 ? "\n" : i % 6 == 0 ? ",\n    " : ", ";
    text += fmt::format("32'h{:08X}{}", word, end);
  }
  return text;
}

}  // namespace

void generate_exp(const YAML::Node& spec, Outputs* out) {
  const auto number = [&spec](const char* key) { return spec[key].as<std::uint64_t>(); };
  const YAML::Node segments = spec["segments"];

  std::string c = banner("//", "exp.yaml") +
                  "#pragma once\n\n#include <cstdint>\n\nnamespace tern::numerics::exp_table {\n\n";
  c += fmt::format("constexpr unsigned kFractionBits = {};\n", number("fraction_bits"));
  c += fmt::format("constexpr unsigned kSegmentBits = {};\n", number("segment_bits"));
  c += fmt::format("constexpr unsigned kLog2eBits = {};\n", number("log2e_bits"));
  c += fmt::format("constexpr std::int64_t kLog2e = 0x{:X};\n", number("log2e"));
  c += fmt::format("constexpr unsigned kC0Bits = {};\n", number("c0_bits"));
  c += fmt::format("constexpr unsigned kC1Bits = {};\n", number("c1_bits"));
  c += fmt::format("constexpr unsigned kC2Bits = {};\n", number("c2_bits"));
  c += fmt::format("constexpr std::uint32_t kUnityBelow = 0x{:08X};\n", number("unity_below"));
  c +=
      fmt::format("constexpr std::uint32_t kFirstOverflow = 0x{:08X};\n", number("first_overflow"));
  c += fmt::format("constexpr std::uint32_t kLastNonzero = 0x{:08X};\n\n", number("last_nonzero"));
  c += fmt::format(
      "struct Segment {{\n  std::uint32_t c0, c1, c2;\n}};\n\n"
      "constexpr Segment kSegments[{}] = {{\n",
      segments.size());
  for (const auto& s : segments) {
    c += fmt::format("    {{{}, {}, {}}},\n", s[0].as<unsigned>(), s[1].as<unsigned>(),
                     s[2].as<unsigned>());
  }
  (*out)["sw/numerics/generated/exp_table.h"] =
      c + "};\n\n}  // namespace tern::numerics::exp_table\n";

  std::string sv = banner("//", "exp.yaml") + "package exp_table_pkg;\n";
  sv += fmt::format("  localparam logic [32:0] Log2e = 33'h{:X};  // 32 fraction bits\n",
                    number("log2e"));
  sv += "  // Inputs as binary32\n";
  sv +=
      fmt::format("  localparam logic [31:0] UnityBelow    = 32'h{:08X};\n", number("unity_below"));
  sv += fmt::format("  localparam logic [31:0] FirstOverflow = 32'h{:08X};\n",
                    number("first_overflow"));
  sv += fmt::format("  localparam logic [31:0] LastNonzero   = 32'h{:08X};\n\n",
                    number("last_nonzero"));
  const std::size_t bits = 32 * segments.size();
  sv += fmt::format(
      "  // Segment s at [32s +: 32]: c0 in bits 27:0 and c2[3:0] above; c1 in bits 22:0 and\n"
      "  // c2[12:4] above.\n"
      "  localparam logic [{0}:0] Low = {{\n    {1}  }};\n"
      "  localparam logic [{0}:0] High = {{\n    {2}  }};\nendpackage\n",
      bits - 1, words(segments, false), words(segments, true));
  (*out)["rtl/exp/exp_table_pkg.sv"] = sv;
}

}  // namespace tern::spec
