// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/board/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "sw/base/input_file.h"
#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "systemc/mgmt/board/elf_image.h"

namespace tern::mgmt {

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

std::string range_text(std::uint64_t begin, std::uint64_t end) {
  return base::hex(begin) + " .. " + base::hex(end);
}

// Segments sorted, inside memory and apart.
void check_segments(Image& image, const BoardConfig& config) {
  auto& segments = image.segments;
  std::sort(segments.begin(), segments.end(),
            [](const auto& a, const auto& b) { return a.address < b.address; });
  const Image::Segment* before = nullptr;
  for (const Image::Segment& segment : segments) {
    if (segment.address < kMemoryBase || segment.end() > config.ram_end()) {
      throw UserError(fmt::format("{}: segment {} is outside of memory, {}", image.name,
                                  range_text(segment.address, segment.end()),
                                  range_text(kMemoryBase, config.ram_end())));
    }
    if (before != nullptr && before->end() > segment.address) {
      throw UserError(fmt::format("{}: segments {} and {} overlap", image.name,
                                  range_text(before->address, before->end()),
                                  range_text(segment.address, segment.end())));
    }
    before = &segment;
  }
}

void add_raw(Image& image, const BoardConfig& config, std::uint64_t address) {
  const std::uint64_t room = address < config.ram_end() ? config.ram_end() - address : 0;
  if (image.file.size() > room) {
    throw UserError(fmt::format("{}: an image of {} bytes, memory has room for {} from {}",
                                image.name, image.file.size(), room, base::hex(address)));
  }
  image.entry = address;
  image.segments.push_back({address, image.file.size(), 0, image.file.size()});
}

bool is_free(const std::vector<Image>& images, std::uint64_t begin, std::uint64_t end) {
  for (const Image& image : images) {
    for (const Image::Segment& s : image.segments) {
      if (s.address < end && begin < s.end()) return false;
    }
  }
  return true;
}

}  // namespace

Image parse_image(const std::string& name, std::string file, const BoardConfig& config,
                  std::uint64_t raw_address) {
  Image image;
  image.name = name;
  image.file = std::move(file);
  if (image.file.empty()) throw UserError(name + ": the file is empty");
  if (is_elf(image.file)) {
    read_elf(image, config);
  } else {
    add_raw(image, config, raw_address);
  }
  check_segments(image, config);
  return image;
}

Image read_image(const std::string& path, const BoardConfig& config, std::uint64_t raw_address) {
  // More than symbols and debug information of what fits into memory.
  const std::uint64_t most = std::max(config.ram_bytes, 1024 * kMiB);
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (!error && bytes > most) {
    throw UserError(
        fmt::format("{}: a file of {} MiB, expected at most {}", path, bytes / kMiB, most / kMiB));
  }
  return parse_image(path, base::read_input(path), config, raw_address);
}

std::uint64_t kernel_address(const BoardConfig& config) {
  return kMemoryBase + (config.hart().xlen == 64 ? 2 * kMiB : 4 * kMiB);
}

void check_apart(const Image& one, const Image& other) {
  for (const Image::Segment& a : one.segments) {
    for (const Image::Segment& b : other.segments) {
      if (a.address >= b.end() || b.address >= a.end()) continue;
      throw UserError(fmt::format("{}: {} overlaps {} of {}", other.name,
                                  range_text(b.address, b.end()), range_text(a.address, a.end()),
                                  one.name));
    }
  }
}

std::uint64_t free_range(const std::vector<Image>& images, const BoardConfig& config,
                         std::uint64_t bytes) {
  constexpr std::uint64_t kStep = 2 * kMiB;
  const std::uint64_t middle = kMemoryBase + config.ram_bytes / 2 / kStep * kStep;
  const auto fits = [&](std::uint64_t at) {
    return at + bytes <= config.ram_end() && is_free(images, at, at + bytes);
  };
  for (std::uint64_t at = middle; at < config.ram_end(); at += kStep) {
    if (fits(at)) return at;
  }
  for (std::uint64_t at = middle; at > kMemoryBase;) {
    at -= kStep;
    if (fits(at)) return at;
  }
  throw UserError(fmt::format("{} MiB of memory: no room for the device tree next to the images",
                              config.ram_bytes / kMiB));
}

}  // namespace tern::mgmt
