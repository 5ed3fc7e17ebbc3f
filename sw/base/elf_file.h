// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace tern::base {

// Why a file is not a program of a GpSimd processor.
class ElfError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A program of a GpSimd processor: an ELF file for RV32IMF whose segments are in local memory
// (docs/reference/address_map.md), on separate pages where their access permissions
// differ.
class ElfFile {
 public:
  static constexpr std::uint32_t kPage = 4096;
  struct Segment {
    std::uint32_t address = 0;
    std::uint32_t bytes = 0;             // in memory; zeros after the contents
    std::vector<std::uint8_t> contents;  // at most `bytes`
    bool writable = false;
    bool executable = false;
  };

  // ElfError.
  explicit ElfFile(const std::vector<std::uint8_t>& file);

  std::uint32_t entry() const { return entry_; }
  const std::vector<Segment>& segments() const { return segments_; }
  // "row_topk(float const*)+0x1c" without its arguments: the function that contains an address,
  // or
  // "" if none does.
  std::string symbol_at(std::uint32_t address) const;

 private:
  struct Symbol {
    std::uint32_t address, bytes;
    std::string name;
  };
  void read_segments(const std::vector<std::uint8_t>& file);
  void read_symbols(const std::vector<std::uint8_t>& file);

  std::uint32_t entry_ = 0;
  std::vector<Segment> segments_;
  std::vector<Symbol> symbols_;  // functions
};

}  // namespace tern::base
