// SPDX-License-Identifier: Apache-2.0
// registers.yaml -> register offsets, descriptor fields and the reference page.
#include <fmt/format.h>

#include "output.h"

namespace tern::spec {
namespace {

unsigned number(const YAML::Node& node, const char* key, unsigned otherwise = 0) {
  return node[key] ? node[key].as<unsigned>() : otherwise;
}

// What a value of `bits` bits masks.
unsigned mask(unsigned bits) {
  return bits >= 32 ? 0xffffffffu : (1u << bits) - 1;
}

std::string bit_range(unsigned lsb, unsigned width) {
  return width == 1 ? std::to_string(lsb) : fmt::format("{}..{}", lsb + width - 1, lsb);
}

// Sizes, rules and values of a register beyond its offset.
void add_details(const YAML::Node& r, const std::string& id, std::string* c) {
  const auto define = [&](const std::string& suffix, unsigned value, bool hex = false) {
    *c += fmt::format("#define TERN_REG_{}_{} {}\n", id, suffix,
                      hex ? fmt::format("0x{:x}u", value) : fmt::format("{}u", value));
  };
  if (r["bits"]) {
    define("BITS", number(r, "bits"));
    define("MASK", mask(number(r, "bits")), true);
  }
  if (r["reset"]) define("RESET", number(r, "reset"), true);
  if (r["alignment"]) define("ALIGNMENT", number(r, "alignment"));
  if (r["step"]) {
    define("MIN", number(r, "min"));
    define("STEP", number(r, "step"));
    define("MAX", mask(number(r, "bits")) / number(r, "step") * number(r, "step"));
  }
  for (const auto& v : r["values"]) define(upper(v["name"].as<std::string>()), number(v, "value"));
  for (const auto& f : r["fields"]) {
    const std::string name = upper(f["name"].as<std::string>());
    define(name + "_LSB", number(f, "lsb"));
    define(name + "_WIDTH", number(f, "width"));
    define(name + "_MASK", mask(number(f, "width")) << number(f, "lsb"), true);
  }
}

// The same in words, after the meaning.
std::string details_text(const YAML::Node& r) {
  std::string text;
  const auto say = [&text](const std::string& more) { text += "; " + more; };
  if (r["alignment"]) say(fmt::format("a multiple of {}", number(r, "alignment")));
  if (r["step"]) {
    say(fmt::format("a multiple of {}, {} .. 2^{}-{}", number(r, "step"), number(r, "min"),
                    number(r, "bits"), number(r, "step")));
  }
  if (number(r, "reset") > 0xff) say(fmt::format("0x{:x}", number(r, "reset")));
  if (r["reset"] && number(r, "reset") <= 0xff)
    say(fmt::format("{} after reset", number(r, "reset")));
  for (const auto& v : r["values"]) {
    const std::string doc = v["doc"] ? " (" + v["doc"].as<std::string>() + ")" : "";
    say(fmt::format("{} {}{}", number(v, "value"), v["name"].as<std::string>(), doc));
  }
  for (const auto& f : r["fields"]) {
    say(fmt::format("bit{} {}: {}: {}", number(f, "width") == 1 ? "" : "s",
                    bit_range(number(f, "lsb"), number(f, "width")), f["name"].as<std::string>(),
                    f["doc"].as<std::string>()));
  }
  return text;
}

}  // namespace

void add_block(const YAML::Node& block, std::string* c, std::string* md) {
  const auto name = block["name"].as<std::string>();
  *md += fmt::format(
      "## {}\n\n{}.\n\n| offset | register | access | bits | meaning |\n|---|---|---|---|---|\n",
      name, block["doc"].as<std::string>());
  for (const auto& r : block["registers"]) {
    const std::string id = upper(name) + "_" + upper(r["name"].as<std::string>());
    const unsigned offset = number(r, "offset");
    std::string where = fmt::format("0x{:04x}", offset);
    *c += fmt::format("// {} ({})\n#define TERN_REG_{} 0x{:04x}u\n", r["doc"].as<std::string>(),
                      r["access"].as<std::string>(), id, offset);
    if (r["count"]) {
      *c += fmt::format("#define TERN_REG_{0}_STRIDE 0x{1:x}u\n#define TERN_REG_{0}_COUNT {2}u\n",
                        id, number(r, "stride"), number(r, "count"));
      where += fmt::format(" + 0x{:x}*i, i < {}", number(r, "stride"), number(r, "count"));
    }
    add_details(r, id, c);
    *md += fmt::format("| {} | `{}` | {} | {} | {} |\n", where, r["name"].as<std::string>(),
                       r["access"].as<std::string>(), number(r, "bits", number(r, "width", 32)),
                       r["doc"].as<std::string>() + details_text(r));
  }
  *md += "\n";
}

unsigned unused_bits(const YAML::Node& fields, unsigned word, const std::string& group) {
  unsigned used = 0;
  for (const auto& f : fields) {
    if (number(f, "word") != word || text(f, "group") != group) continue;
    used |= mask(number(f, "width")) << number(f, "lsb");
  }
  return ~used;
}

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
  c += fmt::format(
      "// Bits that are zero: of word 0; of word 1 as an operation\n#define "
      "TERN_DESC_CONTROL_RESERVED 0x{:08x}u\n#define TERN_DESC_OPERATION_RESERVED 0x{:08x}u\n",
      unused_bits(d["fields"], 0, ""), unused_bits(d["fields"], 1, "operation"));
  (*out)["sw/spec/generated/registers.h"] = c + c_header_close();
  (*out)["docs/reference/registers.md"] = md;
}

}  // namespace tern::spec
