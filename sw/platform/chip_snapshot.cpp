// SPDX-License-Identifier: Apache-2.0
// "TERNCHIP", a version, a zlib stream of: settings of the chip, kind, time, state of the owner,
// state of the chip; the CRC-32 of that stream.
#include "sw/platform/chip_snapshot.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <limits>

#include "sw/base/input_file.h"
#include "sw/base/state_archive.h"
#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "sw/config/chip_settings.h"
#include "sw/platform/compressed_stream.h"
#include "systemc/trace/sim_time.h"

namespace tern {

namespace {

using base::StateArchive;

constexpr std::string_view kMagic = "TERNCHIP";
constexpr std::uint32_t kVersion = 4;
constexpr std::size_t kHeader = kMagic.size() + sizeof kVersion;
constexpr std::size_t kMostSettings = 65536;
constexpr std::uint64_t kMostFs = std::numeric_limits<std::uint64_t>::max() / 2;

std::string text_of(const ChipConfig& config) {
  std::string text;
  for (const ChipSetting& setting : chip_settings(config))
    text += fmt::format("{} {}\n", setting.key, setting.value);
  return text;
}

// The first line that differs, for a message.
std::string difference(const std::string& saved, const std::string& here) {
  std::size_t line = 0;
  for (std::size_t i = 0; i < std::min(saved.size(), here.size()) && saved[i] == here[i]; ++i) {
    if (saved[i] == '\n') line = i + 1;
  }
  const auto line_of = [line](const std::string& text) {
    return text.substr(std::min(line, text.size()), text.find('\n', line) - line);
  };
  return fmt::format("{}, here {}", base::printable(line_of(saved)), line_of(here));
}

void check_checksum(std::istream& stream, std::uint64_t bytes) {
  uLong crc = ::crc32(0, nullptr, 0);
  std::array<char, 1 << 16> piece{};
  while (bytes > 0) {
    const auto count = std::min<std::uint64_t>(bytes, piece.size());
    if (!stream.read(piece.data(), static_cast<std::streamsize>(count)))
      throw UserError("cannot read");
    crc = ::crc32(crc, reinterpret_cast<const Bytef*>(piece.data()), static_cast<uInt>(count));
    bytes -= count;
  }
  std::uint32_t saved = 0;
  stream.read(reinterpret_cast<char*>(&saved), sizeof saved);
  if (!stream || saved != crc) throw UserError("damaged: its checksum is another one");
}

void check_header(std::istream& stream, std::uint64_t bytes) {
  std::array<char, kHeader> header{};
  stream.read(header.data(), header.size());
  if (bytes < kHeader + sizeof(std::uint32_t) ||
      std::string_view(header.data(), kMagic.size()) != kMagic)
    throw UserError("no snapshot of a chip");
  std::uint32_t version = 0;
  std::memcpy(&version, &header[kMagic.size()], sizeof version);
  if (version != kVersion)
    throw UserError(
        fmt::format("a snapshot of version {}, this program reads {}", version, kVersion));
}

void archive_head(StateArchive& archive, std::string& settings, SnapshotOwner& owner,
                  std::uint64_t& time) {
  archive.section("head");
  archive.text(settings, kMostSettings);
  archive.text(owner.kind, SnapshotOwner::kMostKind);
  archive.number(time, kMostFs);
  archive.text(owner.state, SnapshotOwner::kMostState);
}

void check_at_rest(HostedChip& chip) {
  const std::string what = chip.in_flight();
  if (!what.empty()) throw RunError(fmt::format("a snapshot needs a chip at rest: {}", what));
}

}  // namespace

void save_chip(HostedChip& chip, const SnapshotOwner& owner, base::AtomicFile& file) {
  chip.settle();
  check_at_rest(chip);
  const auto put = [&](const void* bytes, std::size_t count) {
    file.stream().write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
  };
  put(kMagic.data(), kMagic.size());
  put(&kVersion, sizeof kVersion);
  CompressedWriter stream(file.stream());
  StateArchive archive(StateArchive::Mode::kSave,
                       [&](void* bytes, std::size_t count) { stream.write(bytes, count); });
  std::string settings = text_of(chip.config());
  SnapshotOwner saved = owner;
  std::uint64_t time = now_fs();
  archive_head(archive, settings, saved, time);
  chip.archive_state(archive);
  archive.section("end");
  const std::uint32_t crc = stream.finish();
  put(&crc, sizeof crc);
  file.commit();
}

template <typename Visit>
void ChipSnapshot::read(Visit visit) const {
  try {
    std::ifstream file = base::open_input(path_);
    file.seekg(kHeader);
    CompressedReader stream(file);
    StateArchive archive(StateArchive::Mode::kRestore,
                         [&](void* bytes, std::size_t count) { stream.read(bytes, count); });
    visit(archive, stream);
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: {}", path_, error.what()));
  }
}

ChipSnapshot::ChipSnapshot(const std::string& path, const std::string& kind,
                           const ChipConfig& config)
    : path_(path) {
  std::ifstream file = base::open_input(path);
  std::error_code error;
  const std::uint64_t bytes = std::filesystem::file_size(path, error);
  if (error) throw UserError(fmt::format("{}: cannot read: {}", path, error.message()));
  try {
    check_header(file, bytes);
    check_checksum(file, bytes - kHeader - sizeof(std::uint32_t));
  } catch (const UserError& refused) {
    throw UserError(fmt::format("{}: {}", path, refused.what()));
  }
  read([&](StateArchive& archive, CompressedReader&) {
    archive_head(archive, settings_, owner_, time_fs_);
    const std::string here = text_of(config);
    if (settings_ != here)
      throw UserError("a snapshot of another chip: " + difference(settings_, here));
    if (owner_.kind != kind)
      throw UserError(
          fmt::format("a snapshot of kind {}, expected '{}'", base::printable(owner_.kind), kind));
  });
}

void ChipSnapshot::restore(HostedChip& chip) const {
  if (now_fs() > time_fs_)
    throw UserError(
        fmt::format("{}: saved at {:.3f} us of simulated time, which is over: {:.3f} us", path_,
                    static_cast<double>(time_fs_) * 1e-9, static_cast<double>(now_fs()) * 1e-9));
  sc_core::wait(from_fs(time_fs_ - now_fs()));
  check_at_rest(chip);
  read([&](StateArchive& archive, CompressedReader& stream) {
    std::string settings;
    SnapshotOwner owner;
    std::uint64_t time = 0;
    archive_head(archive, settings, owner, time);
    if (settings != settings_ || time != time_fs_) throw UserError("has changed");
    chip.archive_state(archive);
    archive.section("end");
    if (!stream.at_end()) throw UserError("damaged: longer than its contents");
  });
}

}  // namespace tern
