// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/search/search_workload.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/app/kinds/format_name.h"
#include "sw/app/kinds/search/search_ranks.h"

namespace tern::app {
namespace {

std::string place_of(const config::YamlValue& value) {
  return fmt::format("{}: key '{}'", value.source(), value.key());
}

}  // namespace

SearchWorkload load_search(const config::YamlMap& top, std::uint64_t /*seed*/) {
  constexpr std::int64_t kMax = kMaxPassages;
  SearchWorkload w;
  w.model = top.get("model").as_path();
  w.text = top.get("text").as_path();
  w.places.model = place_of(top.get("model"));
  w.places.text = place_of(top.get("text"));
  if (auto v = top.find("checksums")) {
    w.checksums = v->as_path();
    w.places.checksums = place_of(*v);
  }
  if (auto v = top.find("queries")) {
    w.places.queries = place_of(*v);
    for (const auto& item : v->as_list()) w.queries.push_back(item.as_string());
  }
  if (auto section = top.find("passages")) {
    const config::YamlMap map = section->as_map();
    const auto number = [&](const char* key, std::int64_t least, std::uint64_t* value) {
      if (auto v = map.find(key)) *value = static_cast<std::uint64_t>(v->as_integer(least, kMax));
    };
    number("first", 0, &w.first);
    if (auto v = map.find("first")) w.places.first = place_of(*v);
    number("count", 1, &w.count);
    number("every", 1, &w.every);
  }
  if (auto v = top.find("best")) w.best = static_cast<unsigned>(v->as_integer(1, kMaxBest));
  if (auto v = top.find("formats")) {
    std::vector<std::string> known;
    for (const auto& format : use::formats()) known.emplace_back(format.name);
    w.formats.clear();
    for (const auto& item : v->as_list()) {
      const std::string name = format_of(item, known);
      for (const auto& format : use::formats()) {
        if (name != format.name) continue;
        if (std::count(w.formats.begin(), w.formats.end(), format.format) > 0)
          item.fail("each format once");
        w.formats.push_back(format.format);
      }
    }
    if (w.formats.empty()) v->fail("at least one format");
  }
  if (auto v = top.find("plan")) {
    w.plan = load_plan(*v);
    check_search_plan(*w.plan);
  }
  w.outputs = load_outputs(top);
  return w;
}

std::string SearchWorkload::describe() const {
  return "passages like a query, by Universal Sentence Encoder Lite";
}

}  // namespace tern::app
