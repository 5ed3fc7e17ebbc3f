// SPDX-License-Identifier: Apache-2.0
// Forms for programs.
#include <nlohmann/json.hpp>

#include "sw/app/report/render.h"

namespace tern::app {
namespace {

std::string csv_field(const std::string& text) {
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
  for (const auto& [key, value] : report.data.items()) data[key] = value;
  // File names are bytes, JSON is UTF-8.
  return data.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
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
