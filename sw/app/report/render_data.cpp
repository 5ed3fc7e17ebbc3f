// SPDX-License-Identifier: Apache-2.0
// Forms for programs.
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "sw/app/report/json_text.h"
#include "sw/app/report/render.h"
#include "sw/app/report/text.h"

namespace tern::app {
namespace {

bool is_number(const std::string& text) {
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}

// A spreadsheet takes a text that begins like this for a formula, and would run it; behind an
// apostrophe it is a text.
bool is_formula(const std::string& text) {
  return !text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos &&
         !is_number(text);
}

std::string csv_field(const std::string& raw) {
  std::string text = printable_lines(is_formula(raw) ? "'" + raw : raw);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

}  // namespace

std::string json_of(const Report& report) {
  using Json = nlohmann::ordered_json;
  Json data = Json::object();
  const auto version = report.data.find("tern");
  if (version != report.data.end()) data["tern"] = *version;
  data["schema"] = kReportSchema;
  data["kind"] = report.kind;
  data["command"] = report.how.command;
  data["overrides"] = json_of(report.how.overrides);
  for (const auto& [key, value] : report.data.items()) data[key] = value;
  add_chips(report, &data);
  return json_text(data);
}

std::string csv_of(const Table& table) {
  std::string out;
  const auto add = [&](std::size_t column, const std::string& text) {
    out += (column == 0 ? "" : ",") + csv_field(text);
  };
  for (std::size_t c = 0; c < table.columns.size(); ++c) add(c, table.columns[c].title);
  out += "\n";
  for (const Row& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) add(c, row[c].text);
    out += "\n";
  }
  return out;
}

}  // namespace tern::app
