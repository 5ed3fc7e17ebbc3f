// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace tern::tb {

// RFC 6979, A.2.5: curve P-256, SHA-256, message "sample".
struct P256Example {
  std::array<std::uint8_t, 32> secret =
      bytes<32>("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721");
  std::array<std::uint8_t, 64> key = bytes<64>(
      "60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"
      "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299");
  std::string message = "sample";
  std::array<std::uint8_t, 32> digest =
      bytes<32>("AF2BDBE1AA9B6EC1E2ADE1D694F41FC71A831D0268E9891562113D8A62ADD1BF");
  std::array<std::uint8_t, 64> signature = bytes<64>(
      "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716"
      "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8");

  template <std::size_t N>
  static std::array<std::uint8_t, N> bytes(const char* hex) {
    std::array<std::uint8_t, N> out = {};
    for (std::size_t i = 0; i < N; ++i)
      out[i] = static_cast<std::uint8_t>(std::stoul(std::string(hex + 2 * i, 2), nullptr, 16));
    return out;
  }
};

}  // namespace tern::tb
