// SPDX-License-Identifier: Apache-2.0
#include "sw/app/measure/hbm/hbm_trace.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "sw/base/input_file.h"
#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "sw/spec/generated/address_map.h"

namespace tern::app {

namespace {

class Trace : public HbmSource {
 public:
  explicit Trace(const std::string& path) : path_(path), file_(base::open_input(path)) {
    file_.seekg(0, std::ios::end);
    size_ = std::max<std::streamoff>(file_.tellg(), 1);
    file_.clear();
    file_.seekg(0);
  }
  std::optional<HbmLine> next() override {
    std::string text;
    while (read_line(&text)) {
      ++number_;
      read_ += static_cast<std::streamoff>(text.size()) + 1;
      text = text.substr(0, text.find('#'));
      std::istringstream words(text);
      std::string time;
      if (words >> time) return parse(time, words);
    }
    return {};
  }
  double progress() const override {
    return static_cast<double>(read_) / static_cast<double>(size_);
  }
  std::string place() const override { return fmt::format("{}:{}", path_, number_); }

 private:
  // A binary file may have no line ends: not all of it is read to detect that.
  bool read_line(std::string* text) {
    constexpr std::size_t kLongest = 4096;
    std::array<char, kLongest + 1> line;
    file_.getline(line.data(), line.size());
    text->assign(line.data(), static_cast<std::size_t>(file_.gcount()));
    if (file_.fail() && !file_.eof() && file_.gcount() == kLongest) {
      ++number_;
      fail(fmt::format("a line longer than {} bytes, {}", kLongest, base::printable(*text)));
    }
    // The line's end counts, but is not stored.
    if (!file_.eof() && !text->empty()) text->pop_back();
    return !file_.fail();
  }
  [[noreturn]] void fail(const std::string& message) const {
    throw UserError(fmt::format("{}: {}", place(), message));
  }
  std::uint64_t whole(const std::string& word, const char* what, std::uint64_t most) const {
    errno = 0;
    char* end = nullptr;
    const std::uint64_t value = std::strtoull(word.c_str(), &end, 0);
    if (word.empty() || word[0] < '0' || word[0] > '9' || end != word.c_str() + word.size() ||
        errno != 0 || value > most) {
      fail(fmt::format("{}: expected a whole number up to {}, got {}", what, most,
                       base::printable(word)));
    }
    return value;
  }
  HbmLine parse(const std::string& time, std::istringstream& words) {
    constexpr double kMaxNs = 1e12;
    HbmLine line;
    char* end = nullptr;
    const double ns = std::strtod(time.c_str(), &end);
    if (end != time.c_str() + time.size() || !(ns >= 0 && ns <= kMaxNs))
      fail("time: expected nanoseconds from 0 to 1e12, got " + base::printable(time));
    line.time_fs = static_cast<std::uint64_t>(std::llround(ns * 1e6));
    if (line.time_fs < last_fs_) fail("time: earlier than the line before");
    last_fs_ = line.time_fs;
    std::string kind, address, bytes, traffic_class, rest;
    words >> kind >> address >> bytes;
    line.write = kind == "W" || kind == "w";
    if (!line.write && kind != "R" && kind != "r")
      fail("expected R or W, got " + base::printable(kind));
    line.address = whole(address, "address", ~std::uint64_t{0} >> 1);
    line.bytes = static_cast<std::uint32_t>(whole(bytes, "bytes", hbm::kMaxRequestBytes));
    if (line.bytes == 0) fail("bytes: expected at least 1");
    if (words >> traffic_class)
      line.traffic_class =
          static_cast<unsigned>(whole(traffic_class, "class", kTrafficClasses - 1));
    if (words >> rest) fail(fmt::format("unexpected {} at the end", base::printable(rest)));
    return line;
  }

  std::string path_;
  std::ifstream file_;
  std::streamoff size_ = 1, read_ = 0;
  std::uint64_t number_ = 0, last_fs_ = 0;
};

class Pattern : public HbmSource {
 public:
  Pattern(const HbmPattern& pattern, const hbm::Config& config)
      : pattern_(pattern), config_(config), random_(pattern.seed) {}

  std::optional<HbmLine> next() override {
    if (number_ == pattern_.requests) return {};
    // Sequential traffic wraps around at the stacks' ends.
    const std::uint64_t places = config_.stack_bytes / pattern_.bytes * config_.stacks;
    const std::uint64_t per_chunk = std::max(kChunkBytes / pattern_.bytes, std::uint64_t{1});
    std::uint64_t stack, index;
    if (pattern_.random) {
      const std::uint64_t place = random_() % places;
      stack = place % config_.stacks;
      index = place / config_.stacks;
    } else {
      const std::uint64_t chunk = number_ / per_chunk;
      stack = chunk % config_.stacks;
      index = (chunk / config_.stacks * per_chunk + number_ % per_chunk) %
              (config_.stack_bytes / pattern_.bytes);
    }
    HbmLine line;
    line.time_fs = static_cast<std::uint64_t>(
        std::llround(static_cast<double>(number_) * pattern_.gap_ns * 1e6));
    line.eager = pattern_.gap_ns == 0;
    line.address = TERN_HBM_BASE + stack * TERN_HBM_STRIDE + index * pattern_.bytes;
    line.bytes = pattern_.bytes;
    line.write = random_() % 100 < pattern_.write_percent;
    line.traffic_class = pattern_.traffic_class;
    ++number_;
    return line;
  }
  double progress() const override {
    return static_cast<double>(number_) / static_cast<double>(pattern_.requests);
  }
  std::string place() const override { return fmt::format("request {}", number_); }

 private:
  static constexpr std::uint64_t kChunkBytes = 65536;

  HbmPattern pattern_;
  hbm::Config config_;
  std::mt19937_64 random_;
  std::uint64_t number_ = 0;
};

}  // namespace

std::unique_ptr<HbmSource> open_hbm_trace(const std::string& path) {
  return std::make_unique<Trace>(path);
}
std::unique_ptr<HbmSource> make_hbm_pattern(const HbmPattern& pattern, const hbm::Config& config) {
  return std::make_unique<Pattern>(pattern, config);
}

}  // namespace tern::app
