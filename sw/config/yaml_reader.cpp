// SPDX-License-Identifier: Apache-2.0
#include "sw/config/yaml_reader.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "sw/base/user_error.h"
#include "sw/config/yaml_document.h"

namespace tern::config {

namespace detail {

struct Node {
  YAML::Node yaml;
  int line = 0;  // of the key if there is one
};

struct MapState {
  std::string path;  // "" at the top
  int line = 0;
  std::vector<std::pair<std::string, Node>> entries;
  std::map<std::string, std::size_t> places;  // of a key among the entries
  std::vector<std::string> known;
  std::set<std::string> is_known;

  std::string key_path(const std::string& key) const {
    return path.empty() ? key : path + "." + key;
  }
};

struct Document {
  std::string shown;
  bool has_lines = true;
  std::vector<std::string> lines;
  std::map<std::string, std::shared_ptr<MapState>> maps;  // by path
  std::vector<std::string> named_files;

  std::string at(int line) const { return has_lines ? fmt::format("{}:{}", shown, line) : shown; }

  std::shared_ptr<MapState> open(const YAML::Node& yaml, int line, const std::string& path);
};

std::shared_ptr<MapState> Document::open(const YAML::Node& yaml, int line,
                                         const std::string& path) {
  auto& state = maps[path];
  if (state) return state;
  auto fresh = std::make_shared<MapState>();
  fresh->path = path;
  fresh->line = line;
  for (const auto& entry : yaml) {
    const int key_line = entry.first.Mark().line + 1;
    if (!entry.first.IsScalar()) {
      throw UserError(fmt::format("{}: expected a plain key", at(key_line)));
    }
    const std::string& key = entry.first.Scalar();
    const auto [earlier, is_new] = fresh->places.emplace(key, fresh->entries.size());
    if (!is_new) {
      throw UserError(fmt::format("{}: key '{}': given twice, first in line {}", at(key_line),
                                  fresh->key_path(key),
                                  fresh->entries[earlier->second].second.line));
    }
    fresh->entries.push_back({key, Node{entry.second, key_line}});
  }
  state = fresh;
  return state;
}

}  // namespace detail

namespace {

// Far more than a workload or a chip needs; the parser takes a hundred times as much memory.
constexpr std::uintmax_t kMostBytes = 4 << 20;

// As short as %g, unless that would round.
std::string exact(double bound) {
  std::string text = fmt::format("{:g}", bound);
  return std::stod(text) == bound ? text : fmt::format("{}", bound);
}

std::string one_line(const YAML::Node& node) {
  if (node.IsScalar()) return node.Scalar();
  if (node.IsNull() || !node.IsDefined()) return "nothing";
  YAML::Emitter out;
  out.SetMapFormat(YAML::Flow);
  out.SetSeqFormat(YAML::Flow);
  out << node;
  std::string text = out.c_str();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// For a message: it is a line to read.
std::string shortened(const std::string& text) {
  constexpr std::size_t kMost = 200;
  if (text.size() <= kMost) return text;
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

bool quoted(const YAML::Node& node) {
  return node.Tag() == "!";
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Plain decimal or scientific notation, without surrounding text.
std::optional<double> parse_number(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789+-.eE") != std::string::npos) return {};
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (*end != '\0' || !std::isfinite(value)) return {};
  return value;
}

std::optional<std::int64_t> parse_integer(const std::string& text) {
  if (text.empty()) return {};
  const bool hex = text.rfind("0x", 0) == 0;
  if (!hex && text.find_first_not_of("0123456789-") != std::string::npos) return {};
  errno = 0;
  char* end = nullptr;
  const long long value = std::strtoll(text.c_str(), &end, hex ? 16 : 10);
  if (*end != '\0' || errno != 0) return {};
  return value;
}

// The parser itself takes a NUL for the end of the file, or blames another line.
// Text in UTF-16 or UTF-32 begins with a mark, and has such bytes rightly.
void refuse_control_characters(const detail::Document& document, const std::string& text) {
  for (const char* mark : {"\xFF\xFE", "\xFE\xFF"}) {
    if (text.rfind(mark, 0) == 0) return;
  }
  if (text.rfind(std::string("\0\0\xFE\xFF", 4), 0) == 0) return;
  int line = 1;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') ++line;
    const bool space = c == '\n' || c == '\r' || c == '\t';
    if (space || (byte >= ' ' && byte != 0x7F)) continue;
    const std::string what = byte == 0 ? "a NUL byte" : fmt::format("the byte 0x{:02x}", byte);
    throw UserError(fmt::format("{}: not YAML: {} is no text", document.at(line), what));
  }
}

bool is_within(const std::string& path, const std::string& outer) {
  if (outer.empty() || path == outer) return true;
  return path.size() > outer.size() && path.compare(0, outer.size(), outer) == 0 &&
         (path[outer.size()] == '.' || path[outer.size()] == '[');
}

// Insertions, deletions, replacements and swaps of adjacent letters.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      const bool same = a[i - 1] == b[j - 1];
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (same ? 0u : 1u)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance && distance < candidate.size()) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

YamlValue::YamlValue(std::shared_ptr<detail::Document> document, std::shared_ptr<detail::Node> node,
                     std::string key)
    : document_(std::move(document)), node_(std::move(node)), key_(std::move(key)) {}

std::string YamlValue::text() const {
  return one_line(node_->yaml);
}
std::string YamlValue::source() const {
  return document_->at(node_->line);
}
bool YamlValue::is_scalar() const {
  return node_->yaml.IsScalar();
}
bool YamlValue::is_map() const {
  return node_->yaml.IsMap();
}
bool YamlValue::is_list() const {
  return node_->yaml.IsSequence();
}

std::string YamlValue::comment() const {
  const auto index = static_cast<std::size_t>(node_->line) - 1;
  if (!document_->has_lines || index >= document_->lines.size()) return "";
  const std::string& line = document_->lines[index];
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quote != 0) {
      if (line[i] == quote) quote = 0;
    } else if (line[i] == '"' || line[i] == '\'') {
      quote = line[i];
    } else if (line[i] == '#' && (i == 0 || line[i - 1] == ' ')) {
      const std::size_t start = line.find_first_not_of(' ', i + 1);
      return start == std::string::npos ? "" : line.substr(start);
    }
  }
  return "";
}

void YamlValue::fail(const std::string& expected) const {
  throw UserError(fmt::format("{}: key '{}': expected {}, got '{}'", source(), key_, expected,
                              shortened(text())));
}

std::string YamlValue::scalar(const std::string& expected) const {
  if (!is_scalar()) fail(expected);
  return node_->yaml.Scalar();
}

double YamlValue::as_number() const {
  const auto value = parse_number(scalar("a number"));
  if (!value || quoted(node_->yaml)) fail("a number");
  return *value;
}

double YamlValue::as_positive() const {
  const auto value = parse_number(scalar("a number > 0"));
  if (!value || quoted(node_->yaml) || *value <= 0) fail("a number > 0");
  return *value;
}

double YamlValue::as_number(double minimum, double maximum) const {
  const std::string expected =
      fmt::format("a number from {} to {}", exact(minimum), exact(maximum));
  const auto value = parse_number(scalar(expected));
  if (!value || quoted(node_->yaml) || *value < minimum || *value > maximum) fail(expected);
  return *value;
}

std::int64_t YamlValue::as_integer(std::int64_t minimum, std::int64_t maximum) const {
  const std::string expected = fmt::format("a whole number from {} to {}", minimum, maximum);
  const auto value = parse_integer(scalar(expected));
  if (!value || quoted(node_->yaml) || *value < minimum || *value > maximum) fail(expected);
  return *value;
}

bool YamlValue::as_bool() const {
  const std::string text = scalar("true or false");
  if (quoted(node_->yaml) || (text != "true" && text != "false")) fail("true or false");
  return text == "true";
}

std::string YamlValue::as_string() const {
  std::string text = scalar("a text");
  if (text.empty()) fail("a text");
  return text;
}

std::string YamlValue::as_choice(const std::vector<std::string>& choices) const {
  return choices[as_index(choices)];
}

std::size_t YamlValue::as_index(const std::vector<std::string>& choices) const {
  const std::string expected = fmt::format("one of {}", fmt::join(choices, ", "));
  const auto found = std::find(choices.begin(), choices.end(), scalar(expected));
  if (found == choices.end()) fail(expected);
  return static_cast<std::size_t>(found - choices.begin());
}

std::string YamlValue::as_path() const {
  const std::string text = scalar("a file name");
  if (text.empty()) fail("a file name");
  std::filesystem::path path(text);
  if (path.is_relative() && document_->has_lines) {
    path = std::filesystem::path(document_->shown).parent_path() / path;
  }
  document_->named_files.push_back(path.string());
  return path.string();
}

YamlMap YamlValue::as_map() const {
  if (!is_map()) fail("a mapping of keys");
  return YamlMap(document_, document_->open(node_->yaml, node_->line, key_));
}

std::vector<YamlValue> YamlValue::as_list() const {
  if (!is_list()) fail("a list");
  std::vector<YamlValue> items;
  for (const auto& item : node_->yaml) {
    auto node = std::make_shared<detail::Node>(detail::Node{item, item.Mark().line + 1});
    items.push_back(YamlValue(document_, node, fmt::format("{}[{}]", key_, items.size())));
  }
  return items;
}

YamlMap::YamlMap(std::shared_ptr<detail::Document> document,
                 std::shared_ptr<detail::MapState> state)
    : document_(std::move(document)), state_(std::move(state)) {}

YamlMap YamlMap::from_file(const std::string& path) {
  std::error_code ignored;  // the open below reports what is wrong
  if (std::filesystem::is_directory(path, ignored)) {
    throw UserError(fmt::format("{}: expected a YAML file, got a folder", path));
  }
  // A pipe would wait for its writer, a device may never end.
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
    throw UserError(fmt::format("{}: not a regular file", path));
  std::ifstream in(path, std::ios::binary);
  if (!in) throw UserError(fmt::format("{}: cannot read: {}", path, std::strerror(errno)));
  if (std::filesystem::file_size(path, ignored) > kMostBytes) {
    throw UserError(
        fmt::format("{}: expected a YAML file of at most {} MiB", path, kMostBytes >> 20));
  }
  std::ostringstream text;
  text << in.rdbuf();
  return from_text(text.str(), path);
}

YamlMap YamlMap::from_text(const std::string& text, const std::string& shown) {
  auto document = std::make_shared<detail::Document>();
  document->shown = shown;
  document->lines = split_lines(text);
  refuse_control_characters(*document, text);
  YAML::Node root;
  try {
    root.reset(only_document(text));
  } catch (const AnotherDocument& other) {
    throw UserError(fmt::format("{}: expected one document, here is another",
                                document->at(other.mark.line + 1)));
  } catch (const YAML::Exception& error) {
    throw UserError(fmt::format("{}: not YAML: {}", document->at(error.mark.line + 1), error.msg));
  }
  if (!root.IsMap())
    throw UserError(fmt::format("{}: expected a mapping of keys", document->at(1)));
  const int line = root.Mark().line + 1;
  return YamlMap(document, document->open(root, line, ""));
}

YamlMap YamlMap::from_assignment(const std::string& key, const std::string& value,
                                 const std::string& shown) {
  auto document = std::make_shared<detail::Document>();
  document->shown = shown;
  document->has_lines = false;
  YAML::Node node;
  try {
    node.reset(only_document(value));
  } catch (const AnotherDocument&) {
    throw UserError(fmt::format("{}: key '{}': expected one value", shown, key));
  } catch (const YAML::Exception& error) {
    throw UserError(fmt::format("{}: key '{}': not YAML: {}", shown, key, error.msg));
  }
  for (std::size_t end = key.size(); end != std::string::npos;) {
    const std::size_t dot = end == 0 ? std::string::npos : key.rfind('.', end - 1);
    const std::size_t start = dot == std::string::npos ? 0 : dot + 1;
    if (start == end) {
      throw UserError(fmt::format("{}: key '{}': expected names joined by dots", shown, key));
    }
    YAML::Node parent(YAML::NodeType::Map);
    parent[key.substr(start, end - start)] = node;
    node.reset(parent);
    end = dot;
  }
  return YamlMap(document, document->open(node, 0, ""));
}

YamlValue YamlMap::get(const std::string& key) const {
  auto value = find(key);
  if (!value) {
    throw UserError(fmt::format("{}: key '{}': missing", source(), state_->key_path(key)));
  }
  return *value;
}

std::optional<YamlValue> YamlMap::find(const std::string& key) const {
  if (state_->is_known.insert(key).second) state_->known.push_back(key);
  const auto place = state_->places.find(key);
  if (place == state_->places.end()) return std::nullopt;
  const detail::Node& node = state_->entries[place->second].second;
  return YamlValue(document_, std::make_shared<detail::Node>(node), state_->key_path(key));
}

std::vector<std::string> YamlMap::keys() const {
  std::vector<std::string> names;
  for (const auto& entry : state_->entries) names.push_back(entry.first);
  return names;
}

void YamlMap::finish() const {
  const detail::MapState* where = nullptr;
  const std::pair<std::string, detail::Node>* unknown = nullptr;
  for (const auto& [path, map] : document_->maps) {
    if (!is_within(path, state_->path)) continue;
    for (const auto& entry : map->entries) {
      if (map->is_known.count(entry.first) != 0) continue;
      if (unknown != nullptr && unknown->second.line <= entry.second.line) continue;
      where = map.get();
      unknown = &entry;
    }
  }
  if (unknown == nullptr) return;
  const std::string near = nearest(unknown->first, where->known);
  const std::string hint = near.empty()
                               ? fmt::format("expected one of {}", fmt::join(where->known, ", "))
                               : fmt::format("did you mean '{}'?", near);
  throw UserError(fmt::format("{}: key '{}': unknown key, {}", document_->at(unknown->second.line),
                              where->key_path(unknown->first), hint));
}

std::string YamlMap::source() const {
  return document_->at(state_->line);
}
const std::string& YamlMap::file() const {
  return document_->shown;
}
const std::vector<std::string>& YamlMap::named_files() const {
  return document_->named_files;
}

}  // namespace tern::config
