// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "sw/app/host/link_choice.h"
#include "sw/config/load_chip_config.h"
#include "sw/config/rtl_blocks.h"
#include "sw/config/wave_options.h"

namespace tern::app {

// "model", "rtl", "both"
const char* backend_name(Backend backend);

// Limits of a search: passages that it reads, passages that it shows for a query.
constexpr std::uint64_t kMaxPassages = 1 << 24, kMaxBest = 100;

constexpr unsigned kMaxRtlThreads = 256;
constexpr const char* kDefaultFpgaPort = "/dev/ttyUSB1";

// The options of `tern run`.
struct RunOptions {
  std::string workload;
  std::string chip = "trn3";     // preset or YAML file
  std::optional<unsigned> core;  // that the programs run on; 0 unless given
  // Back ends, by kRtlBlocks, of that core; the configuration's own unless given.
  std::array<std::optional<Backend>, std::size(kRtlBlocks)> backends;
  // --rtl: names of blocks, or "all" that the chip has; --rtl-cores: of these cores, or "all", and
  // of the core of the programs unless given.
  std::vector<std::string> rtl, rtl_cores;
  std::optional<std::string> fpga_port;  // serial device of the board of --tensor fpga
  unsigned rtl_threads = 0;  // of the host, for RTL of several cores; 0: one for each processor
  std::vector<ConfigOverride> overrides;
  ChipWaveOptions wave;
  std::string firmware;       // board of the management core, preset or file; empty: there is none
  std::string uart = "none";  // the other end of its serial line
  std::string faults;         // file of a plan
  std::string trace;          // file
  std::string report;         // folder
  struct {
    std::string output;  // program file; empty: the workload is run
    std::string data;    // folder for the bytes of its inputs
  } compile;
  std::string output;  // file for the result, in place of the workload's key `output`
  std::uint64_t seed = 0;
  unsigned ranks = 1;  // processes
  LinkChoice flit_by_flit;
  bool json = false;
  bool quiet = false;
  std::string command;  // as typed, for the report
  struct {
    std::string checkpoint;  // file; by default in the report's folder or tern-out
    bool resume = false;
    std::vector<std::uint64_t> rtl_steps;
    std::string save_chip, restore_chip;     // files: snapshots of the chip
    std::optional<std::uint64_t> save_step;  // after so many steps; otherwise at the end of the run
    std::vector<unsigned> time_plan;         // parts of batch and layers; nothing is trained
  } train;                                   // kind: train
  std::vector<std::string> queries;          // kind: search; instead of those of the workload
  struct {
    std::optional<std::uint64_t> every, count, best;  // likewise; from 1 to the limits above
    bool no_index = false;                            // encode the text again, keep nothing
  } search;                                           // kind: search

  bool asks_for_backends() const;  // with options
  // Of --set and of the back ends.
  std::vector<ConfigOverride> all_overrides() const;

  // The given ones that only some kinds accept, by name (app/kinds/kind.h).
  std::vector<std::string> of_some_kinds() const {
    std::vector<std::string> given;
    if (core) given.emplace_back("--core");
    if (train.resume) given.emplace_back("--resume");
    if (!train.checkpoint.empty()) given.emplace_back("--checkpoint");
    if (!train.rtl_steps.empty()) given.emplace_back("--rtl-steps");
    if (!train.save_chip.empty()) given.emplace_back("--save-chip");
    if (!train.restore_chip.empty()) given.emplace_back("--restore-chip");
    if (!train.time_plan.empty()) given.emplace_back("--time-plan");
    if (!output.empty()) given.emplace_back("--output");
    if (ranks > 1) given.emplace_back("--ranks");
    if (flit_by_flit.any()) given.emplace_back("--link");
    if (!compile.output.empty()) given.emplace_back("compile");
    if (!firmware.empty()) given.emplace_back("--firmware");
    if (!faults.empty()) given.emplace_back("--faults");
    if (!queries.empty()) given.emplace_back("--query");
    if (search.every) given.emplace_back("--every");
    if (search.count) given.emplace_back("--count");
    if (search.best) given.emplace_back("--best");
    if (search.no_index) given.emplace_back("--no-index");
    return given;
  }
};

// The chip of a run with its back ends. UserError if it lacks a block that is to be RTL.
ChipConfig chip_of(const RunOptions& options);

}  // namespace tern::app
