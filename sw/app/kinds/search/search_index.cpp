// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/search/search_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "sw/app/report/chip_values.h"
#include "sw/app/report/text.h"
#include "sw/app/report/version.h"
#include "sw/base/atomic_file.h"
#include "sw/base/checksum.h"
#include "sw/base/child_process.h"
#include "sw/base/input_file.h"
#include "sw/base/sha256.h"
#include "sw/base/user_error.h"

namespace tern::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kMagic = "tern search index 1";
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;  // a larger index is not kept
constexpr std::size_t kWidth = use::Model::kWidth;

fs::path cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && fs::path(cache).is_absolute()) return fs::path(cache) / "tern";
  const char* home = std::getenv("HOME");
  if (home != nullptr && fs::path(home).is_absolute()) return fs::path(home) / ".cache" / "tern";
  return {};
}

// A list of checksums that has been checked stands for the files.
std::string model_sum(const SearchWorkload& w) {
  if (!w.checksums.empty()) return base::file_sha256(w.checksums);
  std::vector<std::string> sums;
  for (const auto& entry : fs::directory_iterator(w.model)) {
    if (entry.is_regular_file())
      sums.push_back(entry.path().filename().string() + " " + base::file_sha256(entry.path()));
  }
  std::sort(sums.begin(), sums.end());
  return fmt::format("{}", fmt::join(sums, "\n"));
}

// A rebuilt program may compute other bits.
std::string program_sum() {
  std::error_code error;
  const fs::path program = base::own_program();
  const auto size = fs::file_size(program, error);
  const auto time = fs::last_write_time(program, error).time_since_epoch().count();
  return fmt::format("{} {} {}", kVersion, size, time);
}

std::string key_of(const RunOptions& options, const SearchWorkload& w) {
  std::string text = fmt::format("{}\n{}\n{}\n{}\n{} {} {}\n", kMagic, program_sum(), model_sum(w),
                                 base::file_sha256(w.text), w.first, w.count, w.every);
  for (const use::Format format : w.formats) text += fmt::format("{}\n", use::name_of(format));
  for (const ChipValue& value : chip_values(options.chip, options.all_overrides()).values)
    text += fmt::format("{}={}\n", value.key, value.value);
  return base::sha256(text.data(), text.size());
}

std::string first_line(const std::string& key, std::uint32_t crc) {
  return fmt::format("{} {} {:08x}\n", kMagic, key, crc);
}

std::string_view bytes_of(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

// Whatever follows the first line.
std::string body_of(const SearchIndex& index) {
  Json header = {{"all_passages", index.all_passages}};
  header["passages"] = Json::array();
  for (const use::Passage& p : index.passages)
    header["passages"].push_back({p.text, p.chapter, p.number, p.line});
  header["formats"] = Json::array();
  for (const auto& format : index.formats)
    header["formats"].push_back({format.name, format.refused, format.us});
  std::string body = header.dump() + "\n";
  body += bytes_of(index.reference);
  for (const auto& format : index.formats) body += bytes_of(format.embeddings);
  return body;
}

std::uint64_t number(const Json& value, std::uint64_t most) {
  const auto n = value.is_number_unsigned() ? value.get<std::uint64_t>() : most + 1;
  if (n > most) throw std::out_of_range("a number of the index");
  return n;
}

// What the workload reads of a text of so many passages.
std::uint64_t wanted_passages(const SearchWorkload& w, std::uint64_t all) {
  const std::uint64_t found = w.first < all ? (all - w.first + w.every - 1) / w.every : 0;
  return w.count == 0 ? found : std::min(found, w.count);
}

bool is_finite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); });
}

bool fits(const SearchIndex& index, const SearchWorkload& w) {
  if (index.passages.empty() || index.formats.size() != w.formats.size() ||
      index.passages.size() != wanted_passages(w, index.all_passages) ||
      !is_finite(index.reference))
    return false;
  for (std::size_t i = 0; i < w.formats.size(); ++i) {
    if (index.formats[i].name != use::name_of(w.formats[i]) ||
        !is_finite(index.formats[i].embeddings))
      return false;
  }
  return true;
}

// Throws exceptions where the header is not as body_of() writes it.
std::optional<SearchIndex> index_of(std::string_view body) {
  const std::size_t end = body.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const Json header = Json::parse(body.substr(0, end));
  body.remove_prefix(end + 1);
  SearchIndex index;
  index.all_passages = number(header.at("all_passages"), kMaxPassages);
  for (const Json& p : header.at("passages")) {
    index.passages.push_back({p.at(0).get<std::string>(),
                              {},
                              p.at(1).get<std::string>(),
                              static_cast<unsigned>(number(p.at(2), UINT32_MAX)),
                              static_cast<unsigned>(number(p.at(3), UINT32_MAX))});
  }
  const std::size_t floats = index.passages.size() * kWidth;
  const auto take = [&](std::vector<float>* values) {
    if (body.size() < floats * sizeof(float)) return false;
    values->resize(floats);
    if (floats > 0) std::memcpy(values->data(), body.data(), floats * sizeof(float));
    body.remove_prefix(floats * sizeof(float));
    return true;
  };
  if (!take(&index.reference)) return std::nullopt;
  for (const Json& f : header.at("formats")) {
    SearchIndex::Format format{
        f.at(0).get<std::string>(), f.at(1).get<std::string>(), f.at(2).get<double>(), {}};
    if (format.refused.empty() && !take(&format.embeddings)) return std::nullopt;
    index.formats.push_back(std::move(format));
  }
  if (!body.empty()) return std::nullopt;
  return index;
}

}  // namespace

const SearchIndex::Format* SearchIndex::find(const std::string& format) const {
  const auto found = std::find_if(formats.begin(), formats.end(),
                                  [&](const Format& f) { return f.name == format; });
  return found == formats.end() ? nullptr : &*found;
}

IndexFile::IndexFile(const RunOptions& options, const SearchWorkload& workload)
    : workload_(workload) {
  const fs::path folder = cache_folder();
  if (folder.empty()) return;
  key_ = key_of(options, workload);
  path_ = folder / fmt::format("search-{}.index", key_.substr(0, 16));
}

std::optional<SearchIndex> IndexFile::read(std::vector<std::string>* warnings) const {
  std::error_code error;
  if (path_.empty() || !fs::is_regular_file(path_, error)) return std::nullopt;
  std::optional<SearchIndex> index;
  try {
    const std::uint64_t size = fs::file_size(path_);
    std::ifstream stream = base::open_input(path_);
    std::string line = first_line(key_, 0);
    if (size > line.size() && size <= kMaxBytes) {
      std::string body(size - line.size(), '\0');
      stream.read(line.data(), static_cast<std::streamsize>(line.size()));
      stream.read(body.data(), static_cast<std::streamsize>(body.size()));
      if (stream && line == first_line(key_, base::crc32_of(body))) index = index_of(body);
      if (index && !fits(*index, workload_)) index.reset();
    }
  } catch (const std::exception&) {
    index.reset();
  }
  if (!index) {
    warnings->push_back(printable(
        fmt::format("{}: not an index of this search: the text is encoded again", path_.string())));
  }
  return index;
}

void IndexFile::remove(std::vector<std::string>* warnings) const {
  std::error_code error;
  fs::remove(path_, error);
  warnings->push_back(
      printable(fmt::format("{}: removed: the next run encodes the text again", path_.string())));
}

void IndexFile::write(const SearchIndex& index, std::vector<std::string>* warnings) const {
  if (path_.empty()) return;
  try {
    std::error_code error;
    fs::create_directories(path_.parent_path(), error);
    const std::string body = body_of(index);
    if (body.size() >= kMaxBytes) throw RunError("it is larger than 1 GiB");
    base::write_file(path_, first_line(key_, base::crc32_of(body)) + body, base::NamedBy::kProgram);
  } catch (const std::exception& error) {
    warnings->push_back(printable(fmt::format("the index is not kept: {}", error.what())));
  }
}

}  // namespace tern::app
