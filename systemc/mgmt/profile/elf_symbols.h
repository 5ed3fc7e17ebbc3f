// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tern::mgmt {

// A function of a program in memory.
struct Symbol {
  std::uint64_t begin = 0, end = 0;
  std::string name;
};

// The functions of programs, by address.
class Symbols {
 public:
  // Of an ELF file of RISC-V, `shift` bytes behind where it was linked to; labels of its code
  // without a size reach to the next one. A file without symbols adds none; other files throw
  // UserError "NAME: ...".
  void add(const std::string& name, std::string_view file, std::uint64_t shift = 0);
  // The function at an address, or null.
  const Symbol* find(std::uint64_t address) const;
  bool empty() const { return symbols_.empty(); }

 private:
  std::vector<Symbol> symbols_;  // sorted, apart
};

}  // namespace tern::mgmt
