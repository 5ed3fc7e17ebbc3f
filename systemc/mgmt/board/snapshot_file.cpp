// SPDX-License-Identifier: Apache-2.0
// "TERNSNAP", a version, the size, and a zlib stream of: configuration, line, board
// (board_archive.h).
#include "systemc/mgmt/board/snapshot_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <utility>

#include "sw/base/checksum.h"
#include "sw/base/input_file.h"
#include "sw/base/text.h"
#include "systemc/mgmt/board/board_archive.h"

namespace tern::mgmt {

namespace {

constexpr std::string_view kMagic = "TERNSNAP";
constexpr std::uint32_t kVersion = 2;
constexpr std::size_t kMostLine = 4096, kMostConfig = 4096;
constexpr std::size_t kMostBesidesMemory = 16 << 20;
constexpr std::size_t kHeader = 8 + sizeof(std::uint32_t) + sizeof(std::uint64_t);

bool is_sane(const BoardState& state, const BoardConfig& config) {
  const std::size_t words = config.plic_sources / 32 + 1;
  const auto fits = [words](const Plic::Sources& sources) { return sources.size() == words; };
  const auto level = [](std::uint8_t bit) { return bit <= 1; };
  const Plic::State& plic = state.plic;
  const auto hart_is_sane = [](const HartRunner::State& hart) {
    const auto mode = static_cast<unsigned>(hart.hart.mode);
    const auto line_is_sane = [](const HartRunner::Change& change) {
      return static_cast<unsigned>(change.line) < 12;
    };
    return (mode <= 1 || mode == 3) && hart.hart.x[0] == 0 &&
           hart.hart.retired <= hart.hart.cycles && hart.hart.pc % 2 == 0 &&
           std::all_of(hart.changes.begin(), hart.changes.end(), line_is_sane);
  };
  const auto page_is_sane = [&config](const BoardState::Page& page) {
    return page.address % BoardState::kPageBytes == 0 && page.address >= kMemoryBase &&
           page.address < config.ram_end();
  };
  return state.ram_bytes == config.ram_bytes && state.harts.size() == config.harts &&
         std::all_of(state.pages.begin(), state.pages.end(), page_is_sane) &&
         std::all_of(state.harts.begin(), state.harts.end(), hart_is_sane) &&
         state.turn <= config.harts && state.last_hart < config.harts &&
         state.round_end_fs <= config.quantum_fs() &&
         static_cast<unsigned>(state.finisher.last.kind) <= 3 &&
         state.clint.mtimecmp.size() == config.harts && state.clint.msip.size() == config.harts &&
         std::all_of(state.clint.msip.begin(), state.clint.msip.end(), level) &&
         plic.priorities.size() == config.plic_sources + 1 && fits(plic.inputs) &&
         fits(plic.pending) && fits(plic.in_service) && plic.contexts.size() == 2 * config.harts &&
         std::all_of(plic.contexts.begin(), plic.contexts.end(),
                     [&](const Plic::Context& context) { return fits(context.enabled); }) &&
         state.uart.received.count <= UartFifo::kDepth &&
         state.uart.waiting.count <= UartFifo::kDepth &&
         state.reset_cause < TERN_RESET_CAUSE_COUNT &&
         state.domain.has_value() == config.management.has_value() &&
         (!state.domain || is_sane(*state.domain, *config.management));
}

// A device's times are from now on.
bool times_are_sane(const BoardState& state) {
  const sc_core::sc_time never = sc_core::sc_max_time(), most(1000, sc_core::SC_SEC);
  const auto sane = [&](const sc_core::sc_time& time) { return time <= most || time == never; };
  return sane(state.uart.shift_end) && sane(state.uart.timeout) && sane(state.uart.poll) &&
         state.clint.in_tick <= most && state.rtc.in_ns <= most &&
         (!state.domain || times_are_sane(*state.domain));
}

template <typename Archive>
void visit(Archive& archive, std::string& config, Snapshot& snapshot) {
  archive.text(config, kMostConfig);
  archive.text(snapshot.line, kMostLine);
  visit(archive, snapshot.board);
}

std::string unpacked(const std::string& file, std::size_t most) {
  std::uint32_t version = 0;
  std::uint64_t bytes = 0;
  if (file.size() < kHeader || file.compare(0, kMagic.size(), kMagic) != 0)
    throw UserError("no snapshot of tern boot");
  std::memcpy(&version, &file[kMagic.size()], sizeof version);
  std::memcpy(&bytes, &file[kMagic.size() + sizeof version], sizeof bytes);
  if (version != kVersion)
    throw UserError(
        fmt::format("a snapshot of version {}, this program reads {}", version, kVersion));
  if (bytes > most) throw UserError("damaged");
  std::string plain(bytes, '\0');
  uLongf size = plain.size();
  const int result =
      uncompress(reinterpret_cast<Bytef*>(plain.data()), &size,
                 reinterpret_cast<const Bytef*>(&file[kHeader]), file.size() - kHeader);
  if (result != Z_OK || size != plain.size()) throw UserError("damaged");
  return plain;
}

}  // namespace

std::string identity(const BoardConfig& c, const BoardImages& images) {
  std::string text = fmt::format(
      "harts {} isa {} modes {} instruction {} quantum {} timebase {} ram {} plic {} uart {} {} {}",
      c.harts, c.isa, c.modes, c.instruction_fs(), c.quantum_fs(), c.timebase_hz, c.ram_bytes,
      c.plic_sources, c.uart_clock_hz, c.baud_timing, c.poll_us);
  if (c.management) text += " management " + fingerprint(*c.management);
  for (const Image& image : images.images)
    text += fmt::format(" image {:08x}", base::crc32_of(image.file));
  const std::string rom(images.rom.begin(), images.rom.end());
  if (!rom.empty()) text += fmt::format(" image {:08x}", base::crc32_of(rom));
  for (const std::string& slot : images.slots) {
    if (c.management) text += fmt::format(" image {:08x}", base::crc32_of(slot));
  }
  return text;
}

std::size_t most_packed_bytes(const BoardConfig& config) {
  return kMostBesidesMemory + config.ram_bytes + config.ram_bytes / 256;
}

std::string pack(BoardState state) {
  ArchiveWriter archive;
  visit(archive, state);
  return std::move(archive.bytes);
}

BoardState unpack(const std::string& bytes, const BoardConfig& config) {
  ArchiveReader archive(bytes);
  BoardState state;
  visit(archive, state);
  if (!archive.at_end() || !is_sane(state, config) || !times_are_sane(state))
    throw UserError("damaged: board");
  return state;
}

void write_snapshot(base::AtomicFile& file, Snapshot snapshot, const std::string& identity) {
  snapshot.line.resize(std::min(snapshot.line.size(), kMostLine));
  std::string text = identity;
  ArchiveWriter archive;
  visit(archive, text, snapshot);
  uLongf size = compressBound(archive.bytes.size());
  std::string packed(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                reinterpret_cast<const Bytef*>(archive.bytes.data()), archive.bytes.size(),
                Z_BEST_SPEED) != Z_OK)
    throw RunError("the snapshot cannot be compressed");
  packed.resize(size);
  const std::uint64_t bytes = archive.bytes.size();
  file.stream() << kMagic;
  file.stream().write(reinterpret_cast<const char*>(&kVersion), sizeof kVersion);
  file.stream().write(reinterpret_cast<const char*>(&bytes), sizeof bytes);
  file.stream() << packed;
  file.commit();
}

Snapshot read_snapshot(const std::string& path, const BoardConfig& config,
                       const std::string& identity) {
  const std::size_t most = most_packed_bytes(config);
  std::error_code error;
  if (std::filesystem::file_size(path, error) > most && !error)
    throw UserError(path + ": too large");
  const std::string file = base::read_input(path);
  try {
    const std::string plain = unpacked(file, most);
    ArchiveReader archive(plain);
    std::string text;
    Snapshot snapshot;
    archive.text(text, kMostConfig);
    if (text != identity) {
      const bool same_board =
          text.substr(0, text.find(" image")) == identity.substr(0, identity.find(" image"));
      throw UserError(same_board ? "a snapshot of other firmware"
                                 : "a snapshot of another board: " + base::printable(text));
    }
    archive.text(snapshot.line, kMostLine);
    visit(archive, snapshot.board);
    if (!archive.at_end() || !is_sane(snapshot.board, config) || !times_are_sane(snapshot.board))
      throw UserError("damaged");
    return snapshot;
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: {}", path, error.what()));
  }
}

}  // namespace tern::mgmt
