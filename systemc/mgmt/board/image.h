// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "systemc/mgmt/board/board_config.h"

namespace tern::mgmt {

// A program for the board's memory. Its file is hostile until read_image() has returned.
struct Image {
  struct Segment {
    std::uint64_t address = 0;               // physical
    std::uint64_t bytes = 0;                 // in memory; zeros after the contents
    std::uint64_t offset = 0, contents = 0;  // in the file
    std::uint64_t end() const { return address + bytes; }
  };

  std::string name;               // of the file, for messages
  std::string file;               // its bytes
  std::uint64_t entry = 0;        // physical
  std::uint64_t shift = 0;        // bytes behind where it was linked to
  std::vector<Segment> segments;  // inside memory, by address, apart from each other

  std::string_view contents(const Segment& segment) const {
    return std::string_view(file).substr(segment.offset, segment.contents);
  }
};

// An ELF file, or else a raw image that is loaded and started at raw_address. Throws UserError
// "FILE: ...", also for a file that has no room in memory.
Image read_image(const std::string& path, const BoardConfig& config, std::uint64_t raw_address);
// The same of bytes.
Image parse_image(const std::string& name, std::string file, const BoardConfig& config,
                  std::uint64_t raw_address);

// Where a raw program after the firmware begins: where OpenSBI's fw_jump jumps.
std::uint64_t kernel_address(const BoardConfig& config);

// Throws UserError if two images overlap.
void check_apart(const Image& one, const Image& other);
// A range that no image uses, a multiple of 2 MiB, for the device tree: in the middle of memory if
// possible. Throws UserError.
std::uint64_t free_range(const std::vector<Image>& images, const BoardConfig& config,
                         std::uint64_t bytes);

}  // namespace tern::mgmt
