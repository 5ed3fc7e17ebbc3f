// SPDX-License-Identifier: Apache-2.0
#include "sw/data/npy_header.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>

#include "sw/base/text.h"
#include "sw/base/user_error.h"

namespace tern::data {

namespace {

constexpr std::size_t kMaxDimensions = 32;  // NumPy's own limit

// Reads the one Python literal that NumPy writes here: a flat dictionary of a string, a bool and a
// tuple.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  NpyHeader parse() {
    std::optional<std::string> descr;
    std::optional<bool> fortran_order;
    std::optional<Shape> shape;
    expect('{');
    while (!accept('}')) {
      const std::string key = read_string();
      expect(':');
      if (key == "descr" && !descr) {
        if (peek() == '[') fail("structured dtypes are not supported");
        descr = read_string();
      } else if (key == "fortran_order" && !fortran_order) {
        fortran_order = read_bool();
      } else if (key == "shape" && !shape) {
        shape = read_tuple();
      } else {
        fail("unexpected or repeated key " + base::printable(key));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ < text_.size()) fail_expected("the end of the header");
    if (!descr) fail("key 'descr' is missing");
    if (!fortran_order) fail("key 'fortran_order' is missing");
    if (!shape) fail("key 'shape' is missing");
    return {*descr, *fortran_order, *shape};
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw UserError(file_ + ": .npy header: " + what);
  }

  [[noreturn]] void fail_expected(const std::string& what) const {
    const std::string found =
        at_ < text_.size() ? base::printable(text_.substr(at_, 1)) : "its end";
    fail(fmt::format("expected {} at character {}, found {}", what, at_, found));
  }

  void skip_space() {
    constexpr std::string_view kSpace = " \t\r\n";
    while (at_ < text_.size() && kSpace.find(text_[at_]) != std::string_view::npos) ++at_;
  }

  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool accept(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail_expected(base::printable(std::string(1, c)));
  }

  std::string read_string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail_expected("a quoted string");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("a quoted string does not end");
    std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return value;
  }

  bool read_bool() {
    skip_space();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return value;
      }
    }
    fail_expected("True or False");
  }

  std::size_t read_extent() {
    const char first = peek();
    if (first < '0' || first > '9') fail_expected("a dimension (a whole number, not negative)");
    std::size_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      const auto digit = static_cast<std::size_t>(text_[at_] - '0');
      if (value > (static_cast<std::size_t>(INT64_MAX) - digit) / 10) {
        fail("a dimension is too large");
      }
      value = value * 10 + digit;
    }
    accept('L');  // files written by Python 2
    return value;
  }

  Shape read_tuple() {
    Shape shape;
    expect('(');
    while (!accept(')')) {
      if (shape.size() == kMaxDimensions) {
        fail(fmt::format("more than {} dimensions", kMaxDimensions));
      }
      shape.push_back(read_extent());
      if (accept(',')) continue;
      // "(3)" is a number in Python, not a tuple.
      if (shape.size() == 1) fail_expected("','");
      expect(')');
      break;
    }
    return shape;
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::string& file) {
  return HeaderParser(text, file).parse();
}

std::string format_npy_header(const NpyHeader& header) {
  std::string shape;
  for (const std::size_t extent : header.shape) shape += fmt::format("{}, ", extent);
  // One dimension keeps its comma, "(3,)"; more lose the last one, "(2, 3)".
  if (!shape.empty()) shape.resize(shape.size() - (header.shape.size() == 1 ? 1 : 2));
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}), }}", header.descr,
                     header.fortran_order ? "True" : "False", shape);
}

}  // namespace tern::data
