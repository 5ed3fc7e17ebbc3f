// SPDX-License-Identifier: Apache-2.0
#include "sw/app/report/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace tern::app {
namespace {

using Json = nlohmann::ordered_json;
using Fields = std::vector<std::pair<std::string, Json>>;

// "routings" -> "routing", "passes" -> "pass", "queries" -> "query"
std::string singular(const std::string& name) {
  const auto ends = [&](const std::string& end) {
    return name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
  };
  if (ends("ies")) return name.substr(0, name.size() - 3) + "y";
  if (ends("sses")) return name.substr(0, name.size() - 2);
  return ends("s") ? name.substr(0, name.size() - 1) : name;
}

std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_null() ? "" : value.dump();
}

class RecordWalk {
 public:
  explicit RecordWalk(const std::vector<std::string>& path) : path_(path) {}

  void walk(const Json& node, std::size_t level, const Fields& outer) {
    if (level == path_.size() || !node.is_object() || !node.contains(path_[level])) {
      if (level > 0) rows_.push_back(outer);
      return;
    }
    for (const auto& [key, entry] : node[path_[level]].items()) {
      Fields row = outer;
      const std::string what = singular(path_[level]);
      if (node[path_[level]].is_object()) add(what, key, &row);
      if (entry.is_object()) {
        for (const auto& [name, value] : entry.items()) {
          const bool next = level + 1 < path_.size() && name == path_[level + 1];
          if (next) continue;
          const bool taken = std::any_of(outer.begin(), outer.end(),
                                         [&n = name](const auto& f) { return f.first == n; });
          add(name == "name" ? what : taken ? fmt::format("{}_{}", what, name) : name, value, &row);
        }
      } else {
        add(what, entry, &row);
      }
      walk(entry, level + 1, row);
    }
  }

  Table table() const {
    Table table;
    std::map<std::string, std::size_t> column_of;
    for (const Fields& row : rows_) {
      for (const auto& [title, value] : row) {
        if (column_of.try_emplace(title, table.columns.size()).second)
          table.columns.push_back({title, Column::kNumber});
        if (value.is_string()) table.columns[column_of[title]].kind = Column::kText;
      }
    }
    for (const Fields& fields : rows_) {
      Row row(table.columns.size(), "");
      for (const auto& [title, value] : fields) row[column_of[title]].text = text_of(value);
      table.rows.push_back(row);
    }
    return table;
  }

 private:
  static void add(const std::string& title, const Json& value, Fields* row) {
    if (value.is_array()) return;
    if (value.is_object()) {
      for (const auto& [name, inner] : value.items())
        add(fmt::format("{}.{}", title, name), inner, row);
    } else {
      row->emplace_back(title, value);
    }
  }

  const std::vector<std::string>& path_;
  std::vector<Fields> rows_;
};

}  // namespace

DataFile records(const std::string& file, const Json& data, const std::vector<std::string>& path) {
  RecordWalk walk(path);
  walk.walk(data, 0, {});
  return {file, walk.table()};
}

DataFile side_by_side(const std::string& file, const Json& data, const std::string& index,
                      const std::vector<std::string>& keys) {
  Table table{{{index, Column::kNumber}}, {}};
  std::size_t count = 0;
  for (const std::string& key : keys) {
    table.columns.push_back({key, Column::kNumber});
    count = std::max(count, data.at(key).size());
  }
  for (std::size_t i = 0; i < count; ++i) {
    Row row = {std::to_string(i + 1)};
    for (const std::string& key : keys)
      row.emplace_back(i < data.at(key).size() ? text_of(data.at(key)[i]) : "");
    table.rows.push_back(row);
  }
  return {file, table};
}

}  // namespace tern::app
