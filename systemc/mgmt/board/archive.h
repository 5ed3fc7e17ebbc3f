// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <systemc>
#include <type_traits>
#include <vector>

#include "sw/base/user_error.h"

// State as bytes: little endian, members in the order in which visit() names them, once for writing
// and for reading.
namespace tern::mgmt {

class ArchiveWriter {
 public:
  template <typename T>
  void number(T& value) {
    const auto wide = static_cast<std::uint64_t>(value);
    bytes.append(reinterpret_cast<const char*>(&wide), sizeof(T));
  }
  void size(std::size_t value, std::size_t /*most*/) {
    std::uint64_t wide = value;
    number(wide);
  }
  template <typename Vector>
  void resize(Vector& vector, std::size_t most) {
    size(vector.size(), most);
  }
  void text(std::string& value, std::size_t most) {
    size(value.size(), most);
    bytes += value;
  }
  void block(std::vector<std::uint8_t>& value) {
    bytes.append(reinterpret_cast<const char*>(value.data()), value.size());
  }

  std::string bytes;
};

// Of bytes from a file: nothing in them is trusted. Throws UserError.
class ArchiveReader {
 public:
  explicit ArchiveReader(const std::string& bytes) : bytes_(bytes) {}

  template <typename T>
  void number(T& value) {
    std::uint64_t wide = 0;
    std::memcpy(&wide, take(sizeof(T)), sizeof(T));
    if (std::is_same_v<T, bool> && wide > 1) throw UserError("damaged");
    value = static_cast<T>(wide);
  }
  std::size_t size(std::size_t /*value*/, std::size_t most) {
    std::uint64_t wide = 0;
    number(wide);
    if (wide > most || wide > bytes_.size()) throw UserError("damaged");  // a byte each, at least
    return wide;
  }
  template <typename Vector>
  void resize(Vector& vector, std::size_t most) {
    vector.resize(size(0, most));
  }
  void text(std::string& value, std::size_t most) {
    const std::size_t count = size(0, most);
    value.assign(take(count), count);
  }
  void block(std::vector<std::uint8_t>& value) {
    std::memcpy(value.data(), take(value.size()), value.size());
  }
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  const char* take(std::size_t count) {
    if (count > bytes_.size() - at_) throw UserError("truncated");
    at_ += count;
    return bytes_.data() + (at_ - count);
  }

  const std::string& bytes_;
  std::size_t at_ = 0;
};

inline constexpr std::size_t kMostInVector = 4096;  // of anything but pages

template <typename Archive, typename... T>
void numbers(Archive& archive, T&... values) {
  (archive.number(values), ...);
}
template <typename Archive>
void visit(Archive& archive, sc_core::sc_time& time) {
  std::uint64_t value = time.value();
  archive.number(value);
  time = sc_core::sc_time::from_value(value);
}
template <typename Archive, typename Values>
void each_number(Archive& archive, Values& values) {
  for (auto& value : values) archive.number(value);
}
template <typename Archive, typename T>
void number_vector(Archive& archive, std::vector<T>& values) {
  archive.resize(values, kMostInVector);
  each_number(archive, values);
}

}  // namespace tern::mgmt
