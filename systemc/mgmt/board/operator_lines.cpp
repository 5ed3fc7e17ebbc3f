// SPDX-License-Identifier: Apache-2.0
// What an operator types, out of a command line or a file.
#include <algorithm>
#include <filesystem>

#include "sw/base/input_file.h"
#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "systemc/mgmt/board/operator.h"

namespace tern::mgmt {

namespace {

// The characters of an escape, after the backslash.
class Escapes {
 public:
  explicit Escapes(const std::string& text) : text_(text) {}

  std::string all() {
    std::string out;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      out += c == '\\' ? escaped() : c;
    }
    return out;
  }

 private:
  [[noreturn]] void fail() const {
    throw UserError(base::printable(text_) + R"(: expected \n, \r, \t, \e, \\ or \xNN after '\')");
  }
  char escaped() {
    if (at_ == text_.size()) fail();
    switch (text_[at_++]) {
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case 'e':
        return '\x1b';
      case '\\':
        return '\\';
      case 'x':
        return static_cast<char>(16 * digit() + digit());
      default:
        fail();
    }
  }
  unsigned digit() {
    const std::string digits = "0123456789abcdef";
    const std::size_t value = at_ < text_.size()
                                  ? digits.find(static_cast<char>(text_[at_++] | 0x20))
                                  : std::string::npos;
    if (value == std::string::npos) fail();
    return static_cast<unsigned>(value);
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

// Without a last empty one.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    if (!lines.back().empty() && lines.back().back() == '\r') lines.back().pop_back();
    begin = end + 1;
  }
  return lines;
}

}  // namespace

std::string unescaped(const std::string& text) {
  return Escapes(text).all();
}

std::vector<std::string> lines_of_escaped(const std::string& text) {
  return lines_of(unescaped(text));
}

std::vector<std::string> lines_of_file(const std::string& path) {
  constexpr std::uintmax_t kMost = 1 << 20;
  std::error_code error;
  if (std::filesystem::file_size(path, error) > kMost && !error)
    throw UserError(path + ": more than 1 MiB to type");
  return lines_of(base::read_input(path));
}

}  // namespace tern::mgmt
