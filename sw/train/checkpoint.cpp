// SPDX-License-Identifier: Apache-2.0
#include "sw/train/checkpoint.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cstring>
#include <limits>
#include <sstream>

#include "sw/base/atomic_file.h"
#include "sw/base/input_file.h"
#include "sw/base/user_error.h"

namespace tern::train {

namespace {

// Lines of text up to an empty one, then the arrays they count, then the CRC-32 of all of it.
constexpr const char* kMagic = "tern training checkpoint 2";

std::uint32_t crc_of(const std::string& bytes) {
  uLong crc = ::crc32(0, nullptr, 0);
  constexpr std::size_t kPiece = 1u << 30;
  for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
    const std::size_t count = std::min(kPiece, bytes.size() - at);
    crc = ::crc32(crc, reinterpret_cast<const Bytef*>(bytes.data() + at), static_cast<uInt>(count));
  }
  return static_cast<std::uint32_t>(crc);
}

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

  std::string line() {
    const std::size_t end = bytes_.find('\n', at_);
    if (end == std::string::npos) fail("not a training checkpoint");
    std::string text = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }

  template <typename T>
  void read(std::uint64_t count, std::vector<T>* values) {
    if (count > (bytes_.size() - at_) / sizeof(T)) fail("damaged: it ends too early");
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

std::string content_of(const std::filesystem::path& path) {
  std::ifstream stream = base::open_input(path);
  std::ostringstream bytes;
  bytes << stream.rdbuf();
  return bytes.str();
}

}  // namespace

void write_checkpoint(const std::filesystem::path& path, const Checkpoint& c) {
  std::string bytes = fmt::format("{}\n", kMagic);
  for (const auto& [name, value] : c.settings) bytes += fmt::format("{}={}\n", name, value);
  bytes += fmt::format("step={}\nchanged={}\nsteps={}\nevaluations={}\n", c.step, c.changed_score,
                       c.losses.size(), c.evaluations.size());
  for (const auto& tensor : c.state) bytes += fmt::format("tensor={}\n", tensor.size());
  bytes += "\n";
  for (const auto& tensor : c.state) append(tensor, &bytes);
  append(c.losses, &bytes);
  append(c.correct, &bytes);
  append(c.evaluations, &bytes);
  append(std::vector<std::uint32_t>{crc_of(bytes)}, &bytes);
  base::write_file(path, bytes);
}

Checkpoint read_checkpoint(const std::filesystem::path& path,
                           const std::vector<std::pair<std::string, std::string>>& settings) {
  std::string bytes = content_of(path);
  std::uint32_t crc = 0;
  if (bytes.rfind(kMagic, 0) != 0 || bytes.size() < sizeof crc)
    throw UserError(path.string() + ": not a training checkpoint");
  std::memcpy(&crc, bytes.data() + bytes.size() - sizeof crc, sizeof crc);
  bytes.resize(bytes.size() - sizeof crc);
  if (crc_of(bytes) != crc) throw UserError(path.string() + ": damaged: wrong checksum");

  Reader in(path, std::move(bytes));
  in.line();
  Checkpoint c;
  for (const auto& [name, value] : settings) {
    const std::string got = in.line(), begin = name + "=";
    if (got.rfind(begin, 0) != 0) in.fail("expected the setting '" + name + "', got '" + got + "'");
    if (got.substr(begin.size()) != value) {
      in.fail(fmt::format("of another training: {} was {}, now it is {}", name,
                          got.substr(begin.size()), value));
    }
  }
  c.settings = settings;
  const auto value = [&](const char* name) {
    const std::string got = in.line(), begin = std::string(name) + "=";
    if (got.rfind(begin, 0) != 0) in.fail("expected '" + begin + "', got '" + got + "'");
    return got.substr(begin.size());
  };
  const auto number = [&](const char* name) {
    return std::strtoull(value(name).c_str(), nullptr, 10);
  };
  c.step = number("step");
  c.changed_score = std::strtod(value("changed").c_str(), nullptr);
  const std::uint64_t steps = number("steps"), evaluations = number("evaluations");
  std::vector<std::uint64_t> sizes;
  for (std::string text = in.line(); !text.empty(); text = in.line())
    sizes.push_back(std::strtoull(text.c_str() + std::strlen("tensor="), nullptr, 10));
  for (const std::uint64_t size : sizes) in.read(size, &c.state.emplace_back());
  in.read(steps, &c.losses);
  in.read(steps, &c.correct);
  in.read(evaluations, &c.evaluations);
  if (!in.at_end()) in.fail("damaged: bytes after its end");
  return c;
}

}  // namespace tern::train
