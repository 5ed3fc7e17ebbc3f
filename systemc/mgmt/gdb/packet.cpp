// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/gdb/packet.h"

namespace tern::gdb {

namespace {

constexpr char kInterruptByte = 3;
constexpr char kEscape = '}';
constexpr char kEscapeBit = 0x20;

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::uint8_t sum_of(std::string_view text) {
  std::uint8_t sum = 0;
  for (const char c : text) sum = static_cast<std::uint8_t>(sum + static_cast<std::uint8_t>(c));
  return sum;
}

}  // namespace

std::optional<PacketReader::Item> PacketReader::next() {
  // Acknowledgements and noise between packets mean nothing: the connection loses no bytes.
  const std::size_t begin = input_.find_first_of("$\x03");
  input_.erase(0, begin == std::string::npos ? input_.size() : begin);
  if (input_.empty()) return std::nullopt;
  if (input_[0] == kInterruptByte) {
    input_.erase(0, 1);
    return Item{Item::Kind::kInterrupt, {}};
  }
  const std::size_t end = input_.find('#');
  if (end == std::string::npos || end + 3 > input_.size()) {
    if (input_.size() <= kPacketBytes + 4) return std::nullopt;
    input_.clear();
    return Item{Item::Kind::kDamaged, {}};
  }
  const std::string_view raw = std::string_view(input_).substr(1, end - 1);
  const int high = digit(input_[end + 1]), low = digit(input_[end + 2]);
  Item item{Item::Kind::kPacket, {}};
  if (high < 0 || low < 0 || sum_of(raw) != high * 16 + low || raw.size() > kPacketBytes) {
    item.kind = Item::Kind::kDamaged;
  } else {
    for (std::size_t i = 0; i < raw.size(); ++i) {
      const bool escaped = raw[i] == kEscape && i + 1 < raw.size();
      item.text += escaped ? static_cast<char>(raw[++i] ^ kEscapeBit) : raw[i];
    }
  }
  input_.erase(0, end + 3);
  return item;
}

std::string framed(std::string_view text) {
  std::string body;
  for (const char c : text) {
    const bool special = c == '$' || c == '#' || c == '*' || c == kEscape;
    if (special) body += kEscape;
    body += special ? static_cast<char>(c ^ kEscapeBit) : c;
  }
  const std::uint8_t sum = sum_of(body);
  return "$" + body + "#" + hex_of(&sum, 1);
}

std::string hex_of(const void* data, std::size_t bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (std::size_t i = 0; i < bytes; ++i) {
    const std::uint8_t byte = static_cast<const std::uint8_t*>(data)[i];
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

std::string hex_of(std::string_view bytes) {
  return hex_of(bytes.data(), bytes.size());
}

std::optional<std::string> bytes_of_hex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const int high = digit(hex[i]), low = digit(hex[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high << 4 | low);
  }
  return bytes;
}

std::optional<std::uint64_t> take_number(std::string_view* text) {
  std::uint64_t value = 0;
  std::size_t digits = 0;
  while (digits < text->size() && digit((*text)[digits]) >= 0) {
    if (digits == 16) return std::nullopt;
    value = value << 4 | static_cast<unsigned>(digit((*text)[digits++]));
  }
  if (digits == 0) return std::nullopt;
  text->remove_prefix(digits);
  return value;
}

bool take(std::string_view* text, std::string_view prefix) {
  if (text->substr(0, prefix.size()) != prefix) return false;
  text->remove_prefix(prefix.size());
  return true;
}

}  // namespace tern::gdb
