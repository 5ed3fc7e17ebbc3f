// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tern::app {

constexpr unsigned kMaxBootHarts = 8;

// The options of `tern boot`.
struct BootOptions {
  std::string firmware, kernel;   // files; no kernel: empty. No firmware: Tern's own
  std::string slot_a, slot_b;     // images in the flash: file, "none", or empty: Tern's own
  std::string board = "mgmt";     // preset or YAML file
  std::optional<unsigned> harts;  // in place of the board's
  std::string ram, isa;           // likewise: "256MiB", "rv32" or "rv64"; empty: the board's
  std::string uart = "stdio";
  std::vector<std::string> type;  // with escapes; each ends with a line
  std::string type_file;
  bool types = false;  // one of the two is given
  std::string prompt = "=> ";
  std::string until;          // with escapes
  std::string max_time;       // "10s"; empty: kAwaitedTime if something is awaited, else none
  std::string dtb_out;        // file
  std::string save, restore;  // snapshot files
  std::optional<std::uint16_t> gdb;         // port for a debugger; 0: any
  std::string trace, trace_from, trace_to;  // file of instructions, and its simulated times
  std::string profile;                      // file: .svg a flame graph, otherwise folded stacks
  std::vector<std::string> symbols;         // FILE or FILE@SHIFT, besides the images
  bool json = false;
  std::string report;   // folder
  std::string command;  // as typed, for the report
};

// The exit code: 0 if the awaited text has come or, without one, the software has powered off with
// success, a snapshot was saved, or Tern's own firmware is ready; otherwise 1.
int boot_command(const BootOptions& options);

}  // namespace tern::app
