// SPDX-License-Identifier: Apache-2.0
#include "tb/riscv/float/outcome.h"

#include <fmt/format.h>

namespace tern::tb {

const char* name_of(Operation operation) {
  static const char* const names[] = {"add", "sub", "mul", "div", "sqrt", "fma"};
  return names[static_cast<unsigned>(operation)];
}

const char* name_of(riscv::Rounding rounding) {
  static const char* const names[] = {"RNE", "RTZ", "RDN", "RUP", "RMM"};
  return names[static_cast<unsigned>(rounding)];
}

std::string text_of(const Outcome& outcome, unsigned width) {
  static const char* const flags[] = {"NX", "UF", "OF", "DZ", "NV"};
  std::string text = fmt::format("0x{:0{}X}", outcome.bits, width / 4);
  for (unsigned bit = 0; bit < 5; ++bit) {
    if ((outcome.flags >> bit & 1) != 0) text += fmt::format(" {}", flags[bit]);
  }
  return text;
}

}  // namespace tern::tb
