// SPDX-License-Identifier: Apache-2.0
// ports.yaml -> packages of packed structs for SystemVerilog, the same structs for C++ with
// pack() and unpack(), and a table of the block's page.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "output.h"

namespace tern::spec {
namespace {

// The words of a text in lines of at most 100 columns that begin with `head`.
std::string wrapped(const std::string& text, const std::string& head) {
  std::string result, line = head;
  std::istringstream words(text);
  for (std::string word; words >> word; line += " " + word) {
    if (line.size() + 1 + word.size() <= 100) continue;
    result += line + "\n";
    line = head;
  }
  return result + line + "\n";
}

std::string comment(const std::string& text, unsigned indent) {
  return wrapped(text, std::string(indent, ' ') + "//");
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, text.size()), ' ');
}

class Package {
 public:
  explicit Package(const YAML::Node& node) : node_(node) {}

  std::string sv(const std::string& codes) const;
  std::string cpp() const;
  std::string table() const;

 private:
  // "12", "AddrW", "AddrW-2": the number, and the index of the highest bit as SystemVerilog.
  unsigned bits(const YAML::Node& member) const;
  static std::string msb(const YAML::Node& member);
  unsigned total(const YAML::Node& structure) const;
  std::string sv_struct(const YAML::Node& structure) const;
  std::string cpp_struct(const YAML::Node& structure) const;

  YAML::Node node_;
};

bool for_cpp(const YAML::Node& structure) {
  return !structure["cpp"] || structure["cpp"].as<bool>();
}

// "load_wave_t" -> "LoadWave".
std::string cpp_name(const YAML::Node& structure) {
  const auto name = structure["name"].as<std::string>();
  if (name.size() < 3 || name.substr(name.size() - 2) != "_t") {
    throw std::runtime_error("ports.yaml: the name of struct '" + name + "' does not end in _t");
  }
  return camel(name.substr(0, name.size() - 2));
}

unsigned Package::bits(const YAML::Node& member) const {
  const auto text = member["width"].as<std::string>();
  const std::size_t minus = text.find('-');
  const std::string name = text.substr(0, minus);
  unsigned width = 0;
  if (name.find_first_not_of("0123456789") == std::string::npos) {
    width = member["width"].as<unsigned>();
  } else {
    width = named(node_["constants"], name)["value"].as<unsigned>();
    if (minus != std::string::npos) {
      width -= static_cast<unsigned>(std::stoul(text.substr(minus + 1)));
    }
  }
  const unsigned most = member["signed"] ? 32 : 64;
  if (width == 0 || width > most) {
    throw std::runtime_error(fmt::format("ports.yaml: member '{}': expected 1 to {} bits, got {}",
                                         member["name"].as<std::string>(), most, width));
  }
  return width;
}

std::string Package::msb(const YAML::Node& member) {
  const auto text = member["width"].as<std::string>();
  if (text.find_first_not_of("0123456789") == std::string::npos) {
    return std::to_string(member["width"].as<unsigned>() - 1);
  }
  const std::size_t minus = text.find('-');
  const unsigned less =
      minus == std::string::npos ? 0 : static_cast<unsigned>(std::stoul(text.substr(minus + 1)));
  return fmt::format("{}-{}", text.substr(0, minus), less + 1);
}

unsigned Package::total(const YAML::Node& structure) const {
  unsigned sum = 0;
  for (const auto& member : structure["members"]) sum += bits(member);
  return sum;
}

std::string Package::sv_struct(const YAML::Node& structure) const {
  const auto type_of = [&](const YAML::Node& m) -> std::string {
    if (m["type"]) return m["type"].as<std::string>();
    const std::string sign = m["signed"] ? "signed " : "";
    return bits(m) == 1 ? "logic" : fmt::format("logic {}[{}:0]", sign, msb(m));
  };
  std::size_t types = 0, names = 0;
  for (const auto& m : structure["members"]) {
    types = std::max(types, type_of(m).size());
    names = std::max(names, m["name"].as<std::string>().size() + 1);
  }
  std::string sv = "\n";
  if (structure["doc"]) sv += comment(structure["doc"].as<std::string>(), 2);
  sv += "  typedef struct packed {\n";
  for (const auto& m : structure["members"]) {
    if (m["part"]) sv += "    // " + m["part"].as<std::string>() + "\n";
    const std::string name = m["name"].as<std::string>() + ";";
    sv += "    " + padded(type_of(m), types) + " ";
    sv += m["doc"] ? padded(name, names) + "  // " + m["doc"].as<std::string>() : name;
    sv += "\n";
  }
  sv += fmt::format("  }} {};\n", structure["name"].as<std::string>());
  if (structure["width_name"]) {
    sv += fmt::format("  localparam int unsigned {} = {};\n",
                      structure["width_name"].as<std::string>(), total(structure));
  }
  return sv;
}

// codes: what other files of docs/spec add before the structs.
std::string Package::sv(const std::string& codes) const {
  std::string sv = banner("//", codes.empty() ? "ports.yaml" : "{ports,tensor,isa}.yaml");
  sv += comment(node_["doc"].as<std::string>(), 0);
  sv += fmt::format("package {};\n", node_["name"].as<std::string>());
  for (const auto& c : node_["constants"]) {
    const auto value = c["value"].as<unsigned>();
    const auto name = c["name"].as<std::string>();
    sv += comment(c["doc"].as<std::string>(), 2);
    if (c["width"]) {
      const auto width = c["width"].as<unsigned>();
      sv += fmt::format("  localparam logic [{}:0] {} = {}'d{};\n", width - 1, name, width, value);
    } else {
      sv += fmt::format("  localparam int unsigned {} = {};\n", name, value);
    }
  }
  sv += codes;
  for (const auto& list : node_["codes"]) {
    sv += "\n" + comment(list["doc"].as<std::string>(), 2);
    unsigned code = 0;
    for (const auto& value : list["values"]) {
      const std::string name = list["prefix"].as<std::string>() + value.as<std::string>();
      if (list["width"]) {
        const auto width = list["width"].as<unsigned>();
        sv += fmt::format("  localparam logic [{}:0] {} = {}'d{};\n", width - 1, name, width, code);
      } else {
        sv += fmt::format("  localparam int unsigned {} = {};\n", name, code);
      }
      ++code;
    }
    if (list["count"]) {
      sv += fmt::format("  localparam int unsigned {} = {};\n", list["count"].as<std::string>(),
                        code);
    }
  }
  for (const auto& structure : node_["structs"]) sv += sv_struct(structure);
  return sv + "\nendpackage\n";
}

std::string Package::cpp_struct(const YAML::Node& structure) const {
  const std::string name = cpp_name(structure);
  std::string members, widths, pack, unpack;
  unsigned lsb = total(structure);
  for (const auto& m : structure["members"]) {
    const unsigned width = bits(m);
    const auto field = m["name"].as<std::string>();
    const bool is_signed = bool(m["signed"]);
    lsb -= width;
    const std::string type = width == 1   ? "bool"
                             : width > 32 ? "std::uint64_t"
                             : is_signed  ? "std::int32_t"
                                          : "std::uint32_t";
    const std::string at = lsb == 0 ? "lsb" : fmt::format("lsb + {}", lsb);
    members += fmt::format("  {} {} = {};{}\n", type, field, width == 1 ? "false" : "0",
                           m["doc"] ? "  // " + m["doc"].as<std::string>() : "");
    widths += fmt::format("{}, ", width);
    const std::string value =
        is_signed ? fmt::format("static_cast<std::uint32_t>({})", field) : field;
    pack += fmt::format("    cosim::set_bits(port, {}, {}, {});\n", at, width, value);
    const std::string get =
        fmt::format("cosim::{}(port, {}, {})", is_signed ? "get_signed" : "get_bits", at, width);
    unpack += width == 1 ? fmt::format("    s.{} = {} != 0;\n", field, get)
              : width > 32 || is_signed
                  ? fmt::format("    s.{} = {};\n", field, get)
                  : fmt::format("    s.{} = static_cast<{}>({});\n", field, type, get);
  }
  std::string cpp = "\n";
  if (structure["doc"]) cpp += comment(structure["doc"].as<std::string>(), 0);
  cpp += fmt::format("struct {} {{\n{}\n", name, members);
  cpp += fmt::format("  static constexpr unsigned kBits = {};\n", total(structure));
  cpp += fmt::format("  static constexpr std::array<unsigned, {}> kWidths = {{\n{}  }};\n",
                     structure["members"].size(), wrapped(widths, "     "));
  cpp += fmt::format(
      "\n  template <typename Port>\n  void pack(Port& port, std::size_t lsb = 0) const {{\n{}  "
      "}}\n",
      pack);
  cpp += fmt::format(
      "  template <typename Port>\n  static {0} unpack(const Port& port, std::size_t lsb = 0) {{\n "
      "   {0} s;\n{1}    return s;\n  }}\n}};\n",
      name, unpack);
  return cpp;
}

std::string Package::cpp() const {
  std::string cpp = banner("//", "ports.yaml");
  cpp +=
      "#pragma once\n\n#include <array>\n#include <cstddef>\n#include <cstdint>\n\n"
      "#include \"systemc/cosim/port_bits.h\"\n\n";
  cpp += fmt::format(
      "// Packed structs of {} at the ports of a Verilated block, from bit `lsb` on. pack() keeps "
      "the\n// lower bits of a member that is too large. kWidths: of the members, the first one "
      "uppermost.\nnamespace tern::{} {{\n",
      node_["name"].as<std::string>(), node_["namespace"].as<std::string>());
  for (const auto& list : node_["codes"]) {
    if (!list["cpp"]) continue;
    cpp += "\n" + comment(list["doc"].as<std::string>(), 0);
    cpp += fmt::format("enum class {} : std::uint8_t {{\n", list["cpp"].as<std::string>());
    unsigned code = 0;
    for (const auto& value : list["values"])
      cpp += fmt::format("  k{} = {},\n", value.as<std::string>(), code++);
    cpp += "};\n";
  }
  for (const auto& structure : node_["structs"]) {
    if (for_cpp(structure)) cpp += cpp_struct(structure);
  }
  return cpp + fmt::format("\n}}  // namespace tern::{}\n", node_["namespace"].as<std::string>());
}

std::string Package::table() const {
  std::string table =
      "| struct | bits | members with their widths, the first one uppermost |\n|---|---|---|\n";
  for (const auto& structure : node_["structs"]) {
    if (!for_cpp(structure)) continue;
    std::string members;
    for (const auto& m : structure["members"]) {
      members +=
          fmt::format("{}{} {}", members.empty() ? "" : ", ", m["name"].as<std::string>(), bits(m));
    }
    table += fmt::format("| `{}` | {} | {} |\n", structure["name"].as<std::string>(),
                         total(structure), members);
  }
  return table;
}

}  // namespace

void generate_ports(const YAML::Node& ports, const YAML::Node& tensor, const YAML::Node& isa,
                    Outputs* out) {
  for (const auto& node : ports["packages"]) {
    const Package package(node);
    const bool is_tensor = node["name"].as<std::string>() == "tensor_pkg";
    (*out)[node["file"].as<std::string>()] =
        package.sv(is_tensor ? tensor_codes_sv(tensor, isa) : "");
    (*out)[node["header"].as<std::string>()] = package.cpp();
    (*out)[node["page"].as<std::string>() + "#ports"] = package.table();
  }
}

}  // namespace tern::spec
