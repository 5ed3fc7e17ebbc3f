// SPDX-License-Identifier: Apache-2.0
#include "sw/train/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <sstream>

#include "sw/base/atomic_file.h"
#include "sw/base/checksum.h"
#include "sw/base/input_file.h"
#include "sw/base/text.h"
#include "sw/base/user_error.h"

namespace tern::train {

namespace {

// docs/reference/checkpoint.md
constexpr const char* kMagic = "tern training checkpoint ";
constexpr unsigned kVersion = 3;
constexpr double kMostScore = 1e18;  // fits an integer

template <typename T>
void append(const std::vector<T>& values, std::string* bytes) {
  if (values.empty()) return;
  const std::size_t before = bytes->size();
  bytes->resize(before + values.size() * sizeof(T));
  std::memcpy(&(*bytes)[before], values.data(), values.size() * sizeof(T));
}

class Reader {
 public:
  Reader(std::filesystem::path path, std::string bytes)
      : path_(std::move(path)), bytes_(std::move(bytes)) {}

  [[noreturn]] void fail(const std::string& message) const {
    throw UserError(path_.string() + ": " + message);
  }
  [[noreturn]] void fail_damaged(const std::string& message) const { fail("damaged: " + message); }

  std::string line() {
    const std::size_t end = bytes_.find('\n', at_);
    if (end == std::string::npos) fail_damaged("its lines of text do not end");
    std::string text = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }

  // Of a line "NAME=VALUE".
  std::string value_of(const std::string& name, const std::string& text) const {
    const std::string begin = name + "=";
    if (text.rfind(begin, 0) != 0)
      fail(fmt::format("expected '{}', got {}", begin, base::printable(text)));
    return text.substr(begin.size());
  }
  std::string value(const std::string& name) { return value_of(name, line()); }

  std::uint64_t number(const std::string& name, const std::string& text) const {
    constexpr std::size_t kDigits = 18;  // fits 64 bits
    if (text.empty() || text.size() > kDigits ||
        text.find_first_not_of("0123456789") != std::string::npos)
      fail_damaged(fmt::format("{}={}", name, base::printable(text)));
    return std::strtoull(text.c_str(), nullptr, 10);
  }
  std::uint64_t number(const std::string& name) { return number(name, value(name)); }

  double decimal(const std::string& name) {
    const std::string text = value(name);
    char* end = nullptr;
    const double x = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !std::isfinite(x))
      fail_damaged(fmt::format("{}={}", name, base::printable(text)));
    return x;
  }

  template <typename T>
  void read(std::uint64_t count, std::vector<T>* values) {
    if (count > (bytes_.size() - at_) / sizeof(T)) fail_damaged("it ends too early");
    values->resize(count);
    if (count > 0) std::memcpy(values->data(), &bytes_[at_], count * sizeof(T));
    at_ += count * sizeof(T);
  }

  bool at_end() const { return at_ == bytes_.size(); }

 private:
  std::filesystem::path path_;
  std::string bytes_;
  std::size_t at_ = 0;
};

// The file without its checksum, which is right.
Reader checked(const std::filesystem::path& path, std::string bytes) {
  std::uint32_t crc = 0;
  if (bytes.rfind(kMagic, 0) != 0) throw UserError(path.string() + ": not a training checkpoint");
  const std::size_t size = bytes.size() - std::min(bytes.size(), sizeof crc);
  std::memcpy(&crc, bytes.data() + size, sizeof crc);
  bytes.resize(size);
  const bool same = base::crc32_of(bytes) == crc;
  Reader in(path, std::move(bytes));
  if (!same) in.fail_damaged("wrong checksum");
  const std::string version = in.line().substr(std::strlen(kMagic));
  if (version != std::to_string(kVersion)) {
    in.fail(fmt::format("a training checkpoint of version {}, expected {}",
                        base::printable(version), kVersion));
  }
  return in;
}

// What steps and evaluations say of one another.
void check_counts(const Checkpoint& c, std::uint64_t steps, const Reader& in) {
  if (steps != c.step)
    in.fail_damaged(fmt::format("losses of {} steps, {} are done", steps, c.step));
  for (const float loss : c.losses) {
    if (!std::isfinite(loss)) in.fail_damaged(fmt::format("a loss of {}", loss));
  }
  std::uint64_t last = 0;
  for (const Checkpoint::Evaluation& evaluation : c.evaluations) {
    if (evaluation.step < last || evaluation.step > c.step)
      in.fail_damaged(fmt::format("an evaluation after step {}", evaluation.step));
    if (!(evaluation.score >= 0 && evaluation.score <= kMostScore))
      in.fail_damaged(fmt::format("an evaluation of {}", evaluation.score));
    last = evaluation.step;
  }
}

// Of a checkpoint with these tensors; one that is much larger is not read.
std::string content_of(const std::filesystem::path& path, const std::vector<std::uint64_t>& sizes) {
  constexpr std::uint64_t kMostElse = std::uint64_t{1} << 28;  // settings, losses, counts
  const std::uint64_t most = std::accumulate(sizes.begin(), sizes.end(), kMostElse);
  std::ifstream stream = base::open_input(path);
  if (std::filesystem::file_size(path) > most)
    throw UserError(path.string() + ": not a checkpoint of this training: it is too large");
  std::ostringstream bytes;
  bytes << stream.rdbuf();
  return bytes.str();
}

// A value as it is, unless that would spoil the line. Of long ones what follows the first part, by
// commas, that another one has as well.
std::string shown(const std::string& value, const std::string& other = {}) {
  std::string safe = base::printable(value);
  if (safe == "'" + value + "'") return value;
  const auto end = std::mismatch(value.begin(), value.end(), other.begin(), other.end()).first;
  const std::size_t comma = std::string(value.begin(), end).rfind(", ");
  if (comma == std::string::npos) return safe;
  return "..., " + shown(value.substr(comma + 2));
}

}  // namespace

bool is_checkpoint(const std::filesystem::path& path) {
  std::string begin(std::strlen(kMagic), '\0');
  base::open_input(path).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == kMagic;
}

std::string head_of(const std::filesystem::path& path) {
  std::string text(kMostHead, '\0');
  auto file = base::open_input(path);
  file.read(text.data(), kMostHead);
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

std::string setting_of(const std::string& head, const std::string& name) {
  const std::string begin = "\n" + name + "=";
  const std::size_t end = head.rfind(kMagic, 0) == 0 ? head.find("\n\n") : 0;
  const std::size_t found = head.find(begin);
  if (found >= end) return {};
  const std::size_t first = found + begin.size();
  return head.substr(first, head.find('\n', first) - first);
}

std::string checkpoint_bytes(const Checkpoint& c) {
  std::string bytes = fmt::format("{}{}\n", kMagic, kVersion);
  for (const auto& [name, value] : c.settings) bytes += fmt::format("{}={}\n", name, value);
  bytes += fmt::format("step={}\nchanged={}\nsteps={}\nevaluations={}\n", c.step, c.changed_score,
                       c.losses.size(), c.evaluations.size());
  for (const auto& tensor : c.state) bytes += fmt::format("tensor={}\n", tensor.size());
  bytes += "\n";
  for (const auto& tensor : c.state) append(tensor, &bytes);
  append(c.losses, &bytes);
  append(c.correct, &bytes);
  append(c.evaluations, &bytes);
  append(std::vector<std::uint32_t>{base::crc32_of(bytes)}, &bytes);
  return bytes;
}

void write_checkpoint(const std::filesystem::path& path, const Checkpoint& c,
                      base::NamedBy named_by) {
  base::write_file(path, checkpoint_bytes(c), named_by, base::Survives::kPower);
}

Checkpoint read_checkpoint(const std::filesystem::path& path,
                           const std::vector<std::pair<std::string, std::string>>& settings,
                           const std::vector<std::uint64_t>& sizes) {
  return checkpoint_of(content_of(path, sizes), path, settings, sizes);
}

Checkpoint checkpoint_of(std::string bytes, const std::filesystem::path& path,
                         const std::vector<std::pair<std::string, std::string>>& settings,
                         const std::vector<std::uint64_t>& sizes) {
  Reader in = checked(path, std::move(bytes));
  Checkpoint c;
  for (const auto& [name, value] : settings) {
    const std::string line = in.line();
    if (line.rfind(name + "=", 0) != 0) {
      in.fail(fmt::format("of another training: this one has {} {}, and it has {} there", name,
                          shown(value), base::printable(line)));
    }
    const std::string got = in.value_of(name, line);
    if (got != value) {
      in.fail(fmt::format("of another training: {} was {}, now it is {}", name, shown(got, value),
                          shown(value, got)));
    }
  }
  c.settings = settings;
  c.step = in.number("step");
  c.changed_score = in.decimal("changed");
  const std::uint64_t steps = in.number("steps"), evaluations = in.number("evaluations");
  std::vector<std::uint64_t> found;
  for (std::string text = in.line(); !text.empty(); text = in.line())
    found.push_back(in.number("tensor", in.value_of("tensor", text)));
  if (found != sizes) in.fail_damaged("its tensors are not those of this training");
  for (const std::uint64_t size : found) in.read(size, &c.state.emplace_back());
  in.read(steps, &c.losses);
  in.read(steps, &c.correct);
  in.read(evaluations, &c.evaluations);
  if (!in.at_end()) in.fail_damaged("bytes after its end");
  check_counts(c, steps, in);
  return c;
}

}  // namespace tern::train
