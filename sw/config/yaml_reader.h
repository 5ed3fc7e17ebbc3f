// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tern::config {

// Strict reading of YAML files written by people. Every getter checks the type and the range, and
// every error is one UserError line: "run.yaml:7: key 'chip.tensor': expected one of model,
// rtl, both, got 'rlt'".
//
//   YamlMap top = YamlMap::from_file("run.yaml");
//   auto kind = top.get("kind").as_choice({"mlp", "matmul"});
//   unsigned size = 512;                                  // the default
//   if (auto v = top.find("size")) size = v->as_integer(1, 65536);
//   for (const YamlValue& item : top.get("inputs").as_list()) ...
// top.finish();  // reports the first key of the file that was never read
//
// A key is known once get(), find() or ignore() has named it; finish() suggests the nearest known
// one on a typo.

class YamlMap;

namespace detail {
struct Document;
struct MapState;
struct Node;
}  // namespace detail

// One value of a file and its location.
class YamlValue {
 public:
  double as_number() const;                                // any finite number
  double as_positive() const;                              // > 0
  double as_number(double minimum, double maximum) const;  // inclusive
  std::int64_t as_integer(std::int64_t minimum,
                          std::int64_t maximum) const;  // inclusive; 0x.. allowed
  bool as_bool() const;                                 // true or false
  std::string as_string() const;                        // not empty
  std::string as_choice(const std::vector<std::string>& choices) const;
  std::size_t as_index(const std::vector<std::string>& choices) const;  // of the chosen one
  std::string as_path() const;  // a file name; relative ones start at the folder of this YAML file
  YamlMap as_map() const;
  std::vector<YamlValue> as_list() const;

  bool is_scalar() const;
  bool is_map() const;
  bool is_list() const;

  const std::string& key() const {
    return key_;
  }                             // full path, for example "dma.efficiency" or "inputs[2]"
  std::string text() const;     // the value as written, on one line
  std::string source() const;   // "file:line"
  std::string comment() const;  // the comment that follows '#' on that line
  // For custom checks of the caller: throws "source: key 'k': expected <expected>, got '<text>'".
  [[noreturn]] void fail(const std::string& expected) const;

 private:
  friend class YamlMap;
  YamlValue(std::shared_ptr<detail::Document> document, std::shared_ptr<detail::Node> node,
            std::string key);
  std::string scalar(const std::string& expected) const;

  std::shared_ptr<detail::Document> document_;
  std::shared_ptr<detail::Node> node_;
  std::string key_;
};

// A mapping of keys to values. Copies share the record of which keys were read.
class YamlMap {
 public:
  static YamlMap from_file(const std::string& path);
  // `shown`: the name used in messages.
  static YamlMap from_text(const std::string& text, const std::string& shown);
  // "dma.efficiency" = "0.9" from a source without lines, such as the command line.
  static YamlMap from_assignment(const std::string& key, const std::string& value,
                                 const std::string& shown);

  YamlValue get(const std::string& key) const;                  // required
  std::optional<YamlValue> find(const std::string& key) const;  // optional
  void ignore(const std::string& key) const { (void)find(key); }
  std::vector<std::string> keys() const;  // in file order; does not make them known

  // Checks this map and every map opened inside it.
  void finish() const;

  std::string source() const;  // "file:line" of the map
  const std::string& file() const;
  // What as_path() has returned, for any value of the file.
  const std::vector<std::string>& named_files() const;

 private:
  friend class YamlValue;
  YamlMap(std::shared_ptr<detail::Document> document, std::shared_ptr<detail::MapState> state);

  std::shared_ptr<detail::Document> document_;
  std::shared_ptr<detail::MapState> state_;
};

// The candidate nearest to word by edit distance, or "" when none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace tern::config
