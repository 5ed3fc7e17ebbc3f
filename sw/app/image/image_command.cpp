// SPDX-License-Identifier: Apache-2.0
// tern image: signs images of the management firmware and shows them.
#include "sw/app/image/image_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sw/app/report/named_files.h"
#include "sw/app/report/report.h"
#include "sw/app/report/text.h"
#include "sw/app/report/write_report.h"
#include "sw/base/atomic_file.h"
#include "sw/base/input_file.h"
#include "sw/base/user_error.h"
#include "sw/image/firmware_image.h"
#include "systemc/mgmt/board/elf_image.h"
#include "systemc/mgmt/board/image.h"

namespace tern::app {

namespace {

constexpr const char* kBoard = "tern";  // whose memory images are for

// One run of bytes from the first segment to the end of the last one that has contents.
std::string payload_of(const mgmt::Image& program, std::uint64_t& address) {
  std::string payload;
  address = 0;
  for (const mgmt::Image::Segment& segment : program.segments) {
    if (segment.contents == 0) continue;
    if (payload.empty()) address = segment.address;
    const std::uint64_t at = segment.address - address;
    if (at > image::kMostPayload || segment.contents > image::kMostPayload - at)
      throw UserError(fmt::format("from {:#x} to {:#x}: a slot of the flash has room for {} bytes",
                                  address, segment.address + segment.contents,
                                  image::kMostPayload));
    payload.resize(at);
    payload += program.contents(segment);
  }
  return payload;
}

std::string hex_of(const std::uint8_t* bytes, std::size_t count) {
  return fmt::format("{:02x}", fmt::join(bytes, bytes + count, ""));
}

std::string read_image_file(const std::string& path) {
  constexpr std::uintmax_t kMost = 16 << 20;
  std::error_code error;
  if (std::filesystem::file_size(path, error) > kMost && !error)
    throw UserError(path + ": too large for an image");
  return base::read_input(path);
}

}  // namespace

int image_sign(const ImageOptions& options) {
  refuse_overwriting({{options.input, options.key}, {{"--output", options.output}}, "", ""});
  image::Description description;
  description.name = options.name;
  description.version = image::packed_version(options.version);
  description.security_version = options.security_version;
  const std::uint64_t raw =
      options.load_address.value_or(mgmt::kMemoryBase + TERN_MGMT_ROM_SCRATCH);
  const mgmt::Image program = mgmt::read_image(options.input, mgmt::load_board_config(kBoard), raw);
  if (options.load_address && mgmt::is_elf(program.file))
    throw UserError("--load: " + options.input + " is an ELF file, which has its own addresses");
  const crypto::KeyPair key = crypto::KeyPair::from_file(options.key);
  std::string bytes;
  try {
    const std::string payload = payload_of(program, description.load_address);
    description.entry = program.entry;
    bytes = image::make_image(payload, description, key);
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: {}", options.input, error.what()));
  }
  base::write_file(options.output, bytes);
  return 0;
}

int image_show(const ImageOptions& options) {
  const std::string file = read_image_file(options.input);
  image::Inspection found;
  try {
    found = image::inspect(file);
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: {}", options.input, error.what()));
  }
  const tern_manifest& m = found.manifest;
  const auto* name_bytes = reinterpret_cast<const char*>(m.name);
  const std::string name(name_bytes, strnlen(name_bytes, sizeof m.name));
  Report report;
  report.name = report.kind = report.title = "image";
  report.subtitle = printable(std::filesystem::path(options.input).filename().string());
  report.verdict = Report::Verdict{found.good(), found.good() ? "PASSED" : "FAILED"};
  const mgmt::BoardConfig board = mgmt::load_board_config(kBoard);
  const bool fits = m.load_address >= mgmt::kMemoryBase && m.load_address < board.ram_end() &&
                    m.length <= board.ram_end() - m.load_address;
  if (found.format_error.empty() && !fits)
    found.format_error =
        fmt::format("outside of the {} MiB of board {}", board.ram_bytes >> 20, board.name);
  const std::string format =
      found.format_error.empty() ? "as the boot ROM expects" : found.format_error;
  report.add(Lines{
      {"name", printable(name)},
      {"version", image::version_text(m.version)},
      {"security version", std::to_string(m.security_version)},
      {"payload", fmt::format("{} bytes to {:#x}, entry {:#x}", m.length, m.load_address, m.entry)},
      {"format", format, found.format_error.empty()},
      {"digest", hex_of(m.digest, sizeof m.digest), found.digest_matches},
      {"key hash", hex_of(found.key_hash.data(), found.key_hash.size())},
      {"signature", found.signature_matches ? "of this key" : "not of this key",
       found.signature_matches}});
  report.data = {{"image", report.subtitle},
                 {"name", name},
                 {"version", image::version_text(m.version)},
                 {"security_version", m.security_version},
                 {"length", m.length},
                 {"load_address", m.load_address},
                 {"entry", m.entry},
                 {"format_error", found.format_error},
                 {"key_hash", hex_of(found.key_hash.data(), found.key_hash.size())},
                 {"digest_matches", found.digest_matches},
                 {"signature_matches", found.signature_matches},
                 {"passed", found.good()}};
  return write_report(report, "", options.json);
}

}  // namespace tern::app
