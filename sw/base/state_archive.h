// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

namespace tern::base {

// The state of a model as bytes, in one order for both directions: a function that names its
// members saves them, or replaces them by saved ones. What it reads is from a file and not trusted:
// a value out of its range is a UserError "damaged: SECTION".
//
//   void Port::archive_state(base::StateArchive& archive) {
//     archive.number(free_at_, now_fs());
//     archive.numbers(reads_, writes_);
//   }
class StateArchive {
 public:
  enum class Mode : std::uint8_t { kSave, kRestore };
  // Takes bytes out of memory, or puts bytes there.
  using Move = std::function<void(void* bytes, std::size_t count)>;

  StateArchive(Mode mode, Move move) : mode_(mode), move_(std::move(move)) {}

  // Of the type of another argument, whatever it is given as.
  template <typename T>
  using Plain = std::common_type_t<T>;

  bool restores() const { return mode_ == Mode::kRestore; }

  void bytes(void* data, std::size_t count) { move_(data, count); }
  // An arithmetic type or an enumeration, as in memory (little endian).
  template <typename T>
  void number(T& value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    if constexpr (std::is_same_v<T, bool>) {
      auto byte = static_cast<std::uint8_t>(value);
      bytes(&byte, sizeof byte);
      if (byte > 1) damaged();
      value = byte != 0;
    } else {
      bytes(&value, sizeof value);
    }
  }
  template <typename T>
  void number(T& value, Plain<T> least, Plain<T> most) {
    T candidate = value;
    number(candidate);
    if (!(candidate >= least && candidate <= most)) damaged();  // NaN too
    value = candidate;
  }
  template <typename T>
  void number(T& value, Plain<T> most) {
    static_assert(std::is_unsigned_v<T> || std::is_enum_v<T>);
    number(value, T{}, most);
  }
  template <typename... T>
  void numbers(T&... values) {
    (number(values), ...);
  }
  template <typename Values>
  void each(Values& values) {
    for (auto& value : values) number(value);
  }
  // Must be the same where it is saved and where it is restored: a count, an option.
  void constant(std::uint64_t value);
  std::size_t size(std::size_t value, std::size_t most);
  void text(std::string& value, std::size_t most);
  // Memory of which large parts are zero: those take a bit, and stay untouched where they are zero.
  void memory(std::uint8_t* data, std::size_t count);

  // What follows, for messages; a file in which something else follows is damaged.
  void section(std::string_view name);
  [[noreturn]] void damaged() const;

 private:
  const Mode mode_;
  const Move move_;
  std::string section_;
};

}  // namespace tern::base
