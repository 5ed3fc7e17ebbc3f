// SPDX-License-Identifier: Apache-2.0
// fpga.yaml -> the package of the FPGA engine's RTL, a C header for its host, tables of its page.
#include <fmt/format.h>

#include "output.h"

namespace tern::spec {
namespace {

std::string doc_of(const YAML::Node& node) {
  const std::string doc = text(node, "doc");
  return doc.empty() ? "" : "  // " + doc;
}

// prefix: of the names, such as "op_".
std::string codes_sv(const YAML::Node& codes, const std::string& prefix) {
  std::string sv;
  for (const auto& code : codes) {
    sv += fmt::format("  localparam logic [7:0] {} = 8'd{};{}\n",
                      camel(prefix + code["name"].as<std::string>()), code["value"].as<unsigned>(),
                      doc_of(code));
  }
  return sv;
}

std::string values_c(const YAML::Node& values, const std::string& prefix) {
  std::string c;
  for (const auto& value : values) {
    c +=
        fmt::format("#define TERN_FPGA_{} {}u{}\n", upper(prefix + value["name"].as<std::string>()),
                    value["value"].as<unsigned>(), doc_of(value));
  }
  return c;
}

std::string requests_md(const YAML::Node& requests) {
  std::string md =
      "| request | bytes after the code and a number | answer after the code with bit 7 set, and "
      "the number |\n|---|---|---|\n";
  for (const auto& r : requests) {
    md +=
        fmt::format("| {} {} | {} | {} |\n", r["value"].as<unsigned>(), r["name"].as<std::string>(),
                    r["request"].as<std::string>(), r["answer"].as<std::string>());
  }
  return md;
}

std::string operations_md(const YAML::Node& operations) {
  std::string md = "| operation | word 0 | word 1 | word 2 | word 3 |\n|---|---|---|---|---|\n";
  for (const auto& o : operations) {
    md += fmt::format("| {} {} |", o["value"].as<unsigned>(), o["doc"].as<std::string>());
    for (const auto& word : o["words"]) md += fmt::format(" {} |", word.as<std::string>());
    md += "\n";
  }
  return md;
}

std::string reasons_md(const YAML::Node& spec) {
  std::string md = "| code | a refusal | a stop of the ring |\n|---|---|---|\n";
  for (std::size_t i = 0; i < spec["nak"].size(); ++i) {
    md += fmt::format("| {} | {} | {} |\n", spec["nak"][i]["value"].as<unsigned>(),
                      spec["nak"][i]["doc"].as<std::string>(),
                      i < spec["stop"].size() ? spec["stop"][i]["doc"].as<std::string>() : "");
  }
  return md;
}

}  // namespace

void generate_fpga(const YAML::Node& spec, Outputs* out) {
  std::string sv = banner("//", "fpga.yaml") +
                   "// Codes of the link and of the descriptors: fpga/README.md.\npackage "
                   "fpga_pkg;\n\n";
  for (const auto& n : spec["numbers"]) {
    sv += fmt::format("  localparam int unsigned {} = {};{}\n", camel(n["name"].as<std::string>()),
                      n["value"].as<unsigned>(), doc_of(n));
  }
  sv += "  localparam int unsigned MaxBytes = 5 + 4 * MaxWords + 4;  // Header, data, CRC\n\n" +
        codes_sv(spec["framing"], "") + "\n  // Requests\n" + codes_sv(spec["req"], "req_") +
        "\n  // Why a request is refused\n" + codes_sv(spec["nak"], "nak_") +
        "\n  // Operations of a descriptor\n" + codes_sv(spec["op"], "op_") +
        "\n  // Why the ring has stopped\n" + codes_sv(spec["stop"], "stop_");
  sv += R"(
  // After the entries: {stop, 8 bits of 0, completed}
  localparam logic [15:0] RingStatus = 16'(4 * RingEntries);

  // Four words in the ring.
  typedef struct packed {
    logic [31:0] word3;
    logic [31:0] word2;
    logic [31:0] word1;
    logic [15:0] count;
    logic  [7:0] flags;
    logic  [7:0] op;
  } descriptor_t;

  // One port of a memory; the answer of a read is there in the next cycle.
  typedef struct packed {
    logic        valid;
    logic        write;
    logic [15:0] address;
    logic [31:0] data;
  } access_t;

endpackage
)";
  (*out)["fpga/rtl/fpga_pkg.sv"] = sv;
  (*out)["sw/spec/generated/fpga.h"] =
      c_header_open("fpga.yaml", "TERN_SPEC_FPGA_H") + values_c(spec["numbers"], "") +
      values_c(spec["board"], "") + "\n" + values_c(spec["framing"], "") + "\n" +
      values_c(spec["req"], "req_") + "\n" + values_c(spec["nak"], "nak_") + "\n" +
      values_c(spec["op"], "op_") + "\n" + values_c(spec["stop"], "stop_") + c_header_close();
  (*out)["fpga/README.md#fpga.yaml, requests"] = requests_md(spec["req"]);
  (*out)["fpga/README.md#fpga.yaml, operations"] = operations_md(spec["op"]);
  (*out)["fpga/README.md#fpga.yaml, reasons"] = reasons_md(spec);
}

}  // namespace tern::spec
