// SPDX-License-Identifier: Apache-2.0
// tern boot: firmware on the board of the management core.
#include "sw/app/boot/boot_command.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "sw/app/boot/boot_profile.h"
#include "sw/app/boot/boot_record.h"
#include "sw/app/boot/boot_values.h"
#include "sw/app/boot/gdb_run.h"
#include "sw/app/host/interrupt.h"
#include "sw/app/report/named_files.h"
#include "sw/app/report/report_folder.h"
#include "sw/app/report/text.h"
#include "sw/app/report/version.h"
#include "sw/app/report/write_report.h"
#include "sw/base/atomic_file.h"
#include "sw/base/seconds_since.h"
#include "sw/base/stop.h"
#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "sw/platform/live/live_publisher.h"
#include "sw/platform/managed/own_firmware.h"
#include "systemc/mgmt/board/board.h"
#include "systemc/mgmt/board/operator.h"
#include "systemc/mgmt/board/snapshot_file.h"
#include "systemc/mgmt/devices/backend/open_backend.h"

namespace tern::app {

namespace {

using mgmt::Board;
using mgmt::BoardConfig;
using mgmt::BoardStop;

static_assert(kMaxBootHarts == BoardConfig::kMaxHarts);

constexpr std::size_t kMostPhases = 1000;

// Where something is awaited and no limit is given.
constexpr const char* kAwaitedTime = "10s";

BoardConfig board_of(const BootOptions& options) {
  BoardConfig board = mgmt::load_board_config(options.board);
  if (options.harts) board.harts = *options.harts;
  if (!options.ram.empty()) board.ram_bytes = parse_memory("--ram", options.ram);
  if (!options.isa.empty()) board.isa.replace(0, options.isa.size(), options.isa);
  check_board(board, "board");
  return board;
}

mgmt::BoardImages images_of(const BootOptions& options, const BoardConfig& board) {
  if (options.firmware.empty() && !board.management)
    throw UserError(
        fmt::format("firmware is required: the board {} has none of its own, as tern has",
                    printable(board.name)));
  if (!board.management && !(options.slot_a.empty() && options.slot_b.empty()))
    throw UserError("--slot-a, --slot-b: only on a board with a flash, such as tern");
  if (options.firmware.empty()) {
    if (!options.kernel.empty()) throw UserError("--kernel: only with firmware that starts it");
    check_runs_own_firmware(board);
    return own_firmware(options.slot_a, options.slot_b);
  }
  mgmt::BoardImages images;
  if (board.management) fill_slots(images, options.slot_a, options.slot_b);
  images.images.push_back(mgmt::read_image(options.firmware, board, mgmt::kMemoryBase));
  if (options.kernel.empty()) return images;
  images.images.push_back(mgmt::read_image(options.kernel, board, mgmt::kernel_address(board)));
  images.next = images.images.back().entry;
  return images;
}

mgmt::Operator::Script script_of(const BootOptions& options) {
  mgmt::Operator::Script script;
  script.types = options.types;
  script.prompt = mgmt::unescaped(options.prompt);
  script.until = mgmt::unescaped(options.until);
  for (const std::string& text : options.type) {
    for (std::string& line : mgmt::lines_of_escaped(text)) script.lines.push_back(std::move(line));
  }
  if (!options.type_file.empty()) script.lines = mgmt::lines_of_file(options.type_file);
  return script;
}

std::string board_text(const BoardConfig& board) {
  return fmt::format("{}: {} {} at {:g} GHz, {} MiB", printable(board.name),
                     base::counted(board.harts, "hart"), board.isa, board.clock_ghz,
                     board.ram_bytes >> 20);
}

// A text or prompts.
bool awaits(const BootOptions& options) {
  return !options.until.empty() || options.types;
}

// The other end of the line is a person or a program.
bool is_live(const std::string& uart) {
  return uart == "stdio" || uart.rfind("pty", 0) == 0 || uart.rfind("tcp:", 0) == 0;
}

// Tern's own firmware, and nothing else is awaited: its last phase ends the run.
bool ends_when_ready(const BootOptions& options) {
  return options.firmware.empty() && !awaits(options) && options.max_time.empty();
}

std::string ended_text(const BoardStop& stop, const BootOptions& options, bool found,
                       const std::vector<BootPhase>& phases) {
  if (found) return "the awaited text";
  const bool last = !phases.empty() && is_last(phases.back().phase);
  switch (stop.kind) {
    case BoardStop::Kind::kRequest:
      if (ends_when_ready(options) && last)
        return "the firmware: " + phase_name(phases.back().phase);
      return "the debugger";
    case BoardStop::Kind::kPass:
      return "power off, pass";
    case BoardStop::Kind::kFail:
      if (!phases.empty() && phases.back().phase == TERN_PHASE_SHUTDOWN)
        return fmt::format("the boot ROM: no image boots, code {:04x}", stop.code);
      return fmt::format("power off, failure {}", stop.code);
    case BoardStop::Kind::kTimeLimit:
      if (options.max_time.empty() && !awaits(options))
        return "the end of simulated time, about five hours";
      return "the limit of simulated time, " +
             (options.max_time.empty() ? kAwaitedTime : options.max_time);
    case BoardStop::Kind::kAsleep:
      return "all harts wait, and nothing can wake them";
    case BoardStop::Kind::kInterrupted:
      return "interruption";
    case BoardStop::Kind::kBreakpoint:
    case BoardStop::Kind::kWatchpoint:
    case BoardStop::Kind::kStep:
    case BoardStop::Kind::kReached:
    case BoardStop::Kind::kBegin:
    case BoardStop::Kind::kNone:
      break;
  }
  return "";
}

sc_core::sc_time limit_of(const BootOptions& options) {
  const std::string text =
      options.max_time.empty() && awaits(options) ? kAwaitedTime : options.max_time;
  if (text.empty()) return sc_core::sc_max_time();
  return sc_core::sc_time::from_value(parse_time_fs("--max-time", text));
}

BootRecord record_of(const BootOptions& options, const Board& board, const BoardStop& stop,
                     const mgmt::Operator& line, std::vector<BootPhase> phases) {
  BootRecord record;
  record.firmware = options.firmware.empty()
                        ? "tern firmware"
                        : std::filesystem::path(options.firmware).filename().string();
  record.kernel = std::filesystem::path(options.kernel).filename().string();
  record.board = board_text(board.config());
  record.ended = ended_text(stop, options, line.found(), phases);
  const bool is_ready = options.firmware.empty() && !phases.empty() &&
                        phases.back().phase == TERN_PHASE_READY &&
                        (stop.kind == BoardStop::Kind::kRequest ||
                         (stop.kind == BoardStop::Kind::kTimeLimit && !options.max_time.empty()));
  record.good =
      options.until.empty() ? stop.kind == BoardStop::Kind::kPass || is_ready : line.found();
  record.phases = std::move(phases);
  record.until = mgmt::unescaped(options.until);
  record.end = {stop.at.value(), board.instructions()};
  for (unsigned h = 0; h < board.harts(); ++h) record.instructions.push_back(board.instructions(h));
  record.resets = board.resets();
  record.characters = line.transmitted();
  record.lines_left = line.lines_left();
  return record;
}

NamedFiles named_files(const BootOptions& options) {
  const mgmt::UartFiles line = mgmt::uart_files(options.uart).value_or(mgmt::UartFiles{});
  const auto file = [](const std::string& slot) { return slot == kNoImage ? "" : slot; };
  NamedFiles files{{options.firmware, options.kernel, options.board, options.restore,
                    options.type_file, file(options.slot_a), file(options.slot_b), line.input},
                   {{"--save", options.save},
                    {"--dtb-out", options.dtb_out},
                    {"--trace", options.trace},
                    {"--profile", options.profile},
                    {"--uart", line.output}},
                   options.report,
                   "boot"};
  for (const std::string& text : options.symbols) files.inputs.push_back(symbols_path(text));
  return files;
}

// What is read and checked before anything is written.
struct Inputs {
  explicit Inputs(const BootOptions& options)
      : config(board_of(options)),
        images(images_of(options, config)),
        identity(mgmt::identity(config, images)),
        script(script_of(options)),
        profile(std::make_unique<BootProfile>(options, images)) {
    refuse_overwriting(named_files(options));
    Board::prepare_simulation();  // before the first time
    limit = limit_of(options);
    if (!options.restore.empty()) snapshot = mgmt::read_snapshot(options.restore, config, identity);
  }

  BoardConfig config;
  mgmt::BoardImages images;
  std::string identity;
  mgmt::Operator::Script script;
  std::unique_ptr<BootProfile> profile;
  sc_core::sc_time limit;
  std::optional<mgmt::Snapshot> snapshot;
};

BootRecord run_board(const BootOptions& options, Inputs inputs) {
  std::optional<base::AtomicFile> snapshot_file;  // open from the start: no run for a bad path
  if (!options.save.empty()) snapshot_file.emplace(options.save);
  catch_interrupts();
  std::unique_ptr<mgmt::UartBackend> terminal = mgmt::open_backend(options.uart);
  std::optional<BootRecord::Moment> found;
  Board* board_found = nullptr;
  mgmt::Operator line(terminal.get(), inputs.script, [&] {
    found = {board_found->now().value(), board_found->instructions()};
    board_found->request_stop();
  });
  Board board("board", inputs.config, std::move(inputs.images), &line);
  board_found = &board;
  board.set_live_input(is_live(options.uart));
  std::vector<BootPhase> phases;
  const auto report_phase = [&](std::uint32_t phase, const sc_core::sc_time& at) {
    if (board.replaying()) return;  // it was reported the first time
    // Of software that reports without end, the first ones and the newest.
    if (phases.size() == kMostPhases) phases.pop_back();
    phases.push_back({phase, (at - board.late()).value()});
    if (ends_when_ready(options) && is_last(phase)) board.request_stop();
  };
  if (board.domain() != nullptr) board.domain()->control().set_phase_handler(report_phase);
  if (inputs.snapshot) {
    line.follow(inputs.snapshot->line);  // first: the UART looks for input if somebody types
    board.restore(inputs.snapshot->board);
    inputs.snapshot.reset();
    if (board.domain() != nullptr) report_phase(board.domain()->control().phase(), board.now());
  }
  inputs.profile->attach(board);
  live::description().kind = "boot";
  live::Publisher live;
  live.add(board);
  const auto show = [&live] {
    live.tick();
    return false;
  };
  board.set_poll(show);
  if (!options.dtb_out.empty()) {
    const auto& tree = board.device_tree();
    base::write_file(options.dtb_out, {reinterpret_cast<const char*>(tree.data()), tree.size()});
  }
  const std::uint64_t restored = board.instructions();
  const auto begin = std::chrono::steady_clock::now();
  // A snapshot may be of a chip that is ready.
  const bool over = ends_when_ready(options) && !phases.empty() && is_last(phases.back().phase);
  BoardStop stop;
  if (options.gdb) {
    stop = run_with_gdb(
        board, *options.gdb, inputs.limit, [&found] { return found.has_value(); },
        [&live] { live.tick(); });
  } else if (over) {
    stop = {BoardStop::Kind::kRequest, 0, 0, board.now()};
  } else {
    stop = board.run(inputs.limit);
  }
  const double seconds = base::seconds_since(begin);
  const bool continues = found || stop.kind == BoardStop::Kind::kTimeLimit;
  const bool saves = snapshot_file && continues;
  if (saves)
    mgmt::write_snapshot(*snapshot_file, {board.save(), line.save().line}, inputs.identity);
  inputs.profile->finish();
  terminal.reset();  // a terminal has its mode again
  if (options.uart == "stdio" && line.last() != '\n') fmt::print("\n");
  BootRecord record = record_of(options, board, stop, line, std::move(phases));
  record.found = found;
  record.restored = restored;
  if (saves) record.saved = options.save;
  record.traced = options.trace;
  record.traced_lines = inputs.profile->traced();
  record.profiled = options.profile;
  // Without a text to wait for, the time was for the snapshot.
  if (saves && options.until.empty()) record.good = true;
  record.host_seconds = seconds;
  return record;
}

}  // namespace

int boot_command(const BootOptions& options) {
  if (!options.save.empty() && !awaits(options) && options.max_time.empty())
    throw UserError("--save: needs --until or --max-time, which say when");
  if (options.json && options.uart == "stdio")
    throw UserError("--json: not with --uart stdio, which has the standard output");
  Inputs inputs(options);
  const std::vector<std::filesystem::path> made = prepare_report_folder(options.report, "boot");
  try {
    Report report = report_of(run_board(options, std::move(inputs)));
    report.how = {options.command, options.firmware, "", kVersion, "", {}};
    return write_report(report, options.report, options.json);
  } catch (const UserError&) {
    remove_empty_folders(made);
    throw;
  }
}

}  // namespace tern::app
