// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/train/host_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <optional>
#include <system_error>
#include <tuple>

#include "sw/base/checksum.h"
#include "sw/base/input_file.h"
#include "sw/base/user_error.h"

namespace tern::app {

namespace fs = std::filesystem;

namespace {

constexpr const char* kMagic = "tern checkpoint part 1\n";
constexpr unsigned kMostHosts = 1024;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;  // of a checkpoint

std::uint64_t begin_of(std::uint64_t bytes, unsigned part, unsigned parts) {
  return bytes / parts * part + std::min<std::uint64_t>(part, bytes % parts);
}

struct Part {
  std::uint64_t step = 0, number = 0, parts = 0, bytes = 0;
  std::uint32_t whole = 0;  // its CRC-32
  std::string own;
};

// None: it is damaged, no part, or larger than any.
std::optional<Part> read_part(const fs::path& path, std::uint64_t most_bytes) {
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(path, error)) || error) return std::nullopt;
  if (fs::file_size(path, error) > most_bytes || error) return std::nullopt;
  std::string text;
  try {
    text = base::read_input(path);
  } catch (const UserError&) {
    return std::nullopt;
  }
  if (text.rfind(kMagic, 0) != 0) return std::nullopt;
  const std::size_t end = text.find("\n\n");
  if (end == std::string::npos) return std::nullopt;
  std::map<std::string, std::string> values;
  for (std::size_t at = std::string(kMagic).size(); at < end + 1;) {
    const std::size_t line = text.find('\n', at), equals = text.find('=', at);
    if (equals == std::string::npos || equals > line) return std::nullopt;
    values[text.substr(at, equals - at)] = text.substr(equals + 1, line - equals - 1);
    at = line + 1;
  }
  const auto number = [&](const char* name, int base, std::uint64_t most) {
    const std::string& value = values[name];
    std::uint64_t read = 0;
    const auto [stopped, error] =
        std::from_chars(value.data(), value.data() + value.size(), read, base);
    const bool whole = error == std::errc() && stopped == value.data() + value.size();
    return whole && read <= most ? std::optional(read) : std::nullopt;
  };
  const auto step = number("step", 10, UINT64_MAX), part = number("part", 10, kMostHosts - 1),
             parts = number("parts", 10, kMostHosts), bytes = number("bytes", 10, kMostBytes),
             whole = number("whole", 16, UINT32_MAX), own = number("own", 16, UINT32_MAX);
  if (!step || !part || !parts || !bytes || !whole || !own || *part >= *parts) return std::nullopt;
  Part found{
      *step, *part, *parts, *bytes, static_cast<std::uint32_t>(*whole), text.substr(end + 2)};
  const auto size =
      begin_of(found.bytes, static_cast<unsigned>(*part + 1), static_cast<unsigned>(*parts)) -
      begin_of(found.bytes, static_cast<unsigned>(*part), static_cast<unsigned>(*parts));
  if (found.own.size() != size || base::crc32_of(found.own) != *own) return std::nullopt;
  return found;
}

// Of one checkpoint, in as many parts; files, since there may be many of them.
struct Whole {
  std::uint64_t step = 0, parts = 0;
  std::uint32_t crc = 0;
  bool operator<(const Whole& other) const {
    return std::tie(other.step, crc, parts) < std::tie(step, other.crc, other.parts);
  }
};

// Other files in these folders are none of ours.
bool is_part_name(const std::string& name) {
  unsigned long long step = 0;
  unsigned part = 0;
  int end = 0;
  return std::sscanf(name.c_str(), "step-%20llu.part%4u%n", &step, &part, &end) == 2 &&
         static_cast<std::size_t>(end) == name.size() && name == part_file_name(step, part);
}

}  // namespace

fs::path host_folder(const fs::path& folder, unsigned host) {
  return folder / fmt::format("host{}", host);
}
std::string part_file_name(std::uint64_t step, unsigned part) {
  return fmt::format("step-{}.part{}", step, part);
}

std::vector<fs::path> files_of_hosts(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (unsigned host = 0; host < kMostHosts; ++host) {
    if (fs::is_symlink(host_folder(folder, host), error)) continue;
    for (fs::directory_iterator entry(host_folder(folder, host), error), end;
         !error && entry != end; entry.increment(error)) {
      if (is_part_name(entry->path().filename().string())) files.push_back(entry->path());
    }
  }
  return files;
}

void prepare_host_folder(const fs::path& all, unsigned host) {
  const fs::path own = host_folder(all, host);
  for (const fs::path& folder : {all, own}) {
    std::error_code error;
    if (fs::is_symlink(folder, error))
      throw UserError(fmt::format("{}: leads elsewhere", folder.string()));
    fs::create_directories(folder, error);
    if (error)
      throw UserError(fmt::format("{}: cannot write there: {}", folder.string(), error.message()));
  }
}

std::string part_text(const std::string& whole, std::uint64_t step, unsigned part, unsigned parts) {
  const std::uint64_t first = begin_of(whole.size(), part, parts);
  const std::string own = whole.substr(first, begin_of(whole.size(), part + 1, parts) - first);
  return fmt::format("{}step={}\npart={}\nparts={}\nbytes={}\nwhole={:08x}\nown={:08x}\n\n", kMagic,
                     step, part, parts, whole.size(), base::crc32_of(whole), base::crc32_of(own)) +
         own;
}

void for_each_whole(const fs::path& folder, std::uint64_t most_bytes,
                    const std::function<bool(std::string)>& take) {
  std::map<Whole, std::map<std::uint64_t, fs::path>> found;
  for (const fs::path& path : files_of_hosts(folder)) {
    if (const auto part = read_part(path, most_bytes))
      found[{part->step, part->parts, part->whole}][part->number] = path;
  }
  for (const auto& [whole, files] : found) {
    if (files.size() != whole.parts) continue;
    std::string bytes;
    for (const auto& [number, path] : files) {
      const auto part = read_part(path, most_bytes);
      if (part && bytes.size() + part->own.size() <= most_bytes) bytes += part->own;
    }
    if (base::crc32_of(bytes) == whole.crc && take(std::move(bytes))) return;
  }
}

}  // namespace tern::app
