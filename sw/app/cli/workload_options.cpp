// SPDX-License-Identifier: Apache-2.0
#include "sw/app/cli/workload_options.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "sw/app/cli/checks.h"
#include "sw/app/cli/link_options.h"
#include "sw/app/cli/overrides.h"

namespace tern::app {

namespace {
constexpr unsigned kMostRanks = 1024;
}  // namespace

void add_run(CLI::App* app, RunOptions* options, std::vector<std::string>* chips,
             std::vector<std::string>* settings) {
  CLI::App* run = app->add_subcommand("run", "Run a workload file on a chip and judge its bits");
  run->add_option("workload", options->workload, "Workload YAML (docs/workloads.md)")
      ->required()
      ->type_name("FILE");
  run->add_option("--chip", *chips,
                  "Preset or chip YAML (default trn3); given again, or --set with several values "
                  "(KEY=1,2,4): runs all of them and compares")
      ->type_name("NAME|FILE")
      ->allow_extra_args(false);
  run->add_option("--core", options->core, "Core of the chip that runs it (default 0)")
      ->check(check_count)
      ->type_name("N");
  static const std::map<std::string, Backend> backends = {{"model", Backend::kModel},
                                                          {"rtl", Backend::kRtl},
                                                          {"both", Backend::kBoth},
                                                          {"fpga", Backend::kFpga}};
  const auto add_backend = [run](const std::string& flag, std::optional<Backend>* place,
                                 const std::string& help) {
    const auto set = [flag, place](const std::string& name) {
      const auto found = backends.find(name);
      // Not a check of the parser's own: it would repeat the choices in the help.
      const bool on_fpga = flag == "--tensor";
      if (found == backends.end() || (found->second == Backend::kFpga && !on_fpga)) {
        throw CLI::ValidationError(flag, fmt::format("expected model, rtl{} or both, got '{}'",
                                                     on_fpga ? ", fpga" : "", name));
      }
      *place = found->second;
    };
    run->add_option_function<std::string>(flag, set, help)
        ->type_name(flag == "--tensor" ? "model|rtl|both|fpga" : "model|rtl|both");
  };
  static const std::map<std::string, std::string> of_block = {
      {"tensor",
       "Tensor engine of the core: fast model, Verilated RTL, both in lockstep, or a board"},
      {"exp", "Exponential unit of its Vector engine, likewise"},
      {"mx", "MX converters of its Vector engine, likewise"},
      {"near-memory", "Adders next to its SBUF, and HBM's, likewise"},
      {"dma", "DMA engines of the core, likewise"}};
  std::vector<std::string> names = {"all"};
  for (std::size_t i = 0; i < options->backends.size(); ++i) {
    const std::string name = kRtlBlocks[i].name;
    add_backend("--" + name, &options->backends[i], of_block.at(name));
    names.push_back(name);
  }
  run->add_option(
         "--fpga-port", options->fpga_port,
         fmt::format("Serial device of the board of --tensor fpga (default {})", kDefaultFpgaPort))
      ->check(check_name)
      ->type_name("DEVICE");
  run->add_option("--rtl", options->rtl,
                  "Verilated RTL of these blocks: all, or some of tensor,exp,mx,near-memory,dma")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Validator(
          [names](std::string& name) {
            const bool known = std::find(names.begin(), names.end(), name) != names.end();
            return known ? "" : fmt::format("expected {}, got '{}'", fmt::join(names, ", "), name);
          },
          ""))
      ->type_name("BLOCK,..");
  run->add_option("--rtl-cores", options->rtl_cores,
                  "Of these cores: numbers, or all (default: that of --core)")
      ->needs("--rtl")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("N,..");
  run->add_option("--rtl-threads", options->rtl_threads,
                  "Threads of this machine for RTL of several cores (default: its processors)")
      ->check(check_from_1_to(kMaxRtlThreads))
      ->type_name("N");
  add_overrides(run, settings);
  const char* searching = "Search (kind: search)";
  run->add_option("--query", options->queries, "Look for this text; may be given again")
      ->type_name("TEXT")
      ->allow_extra_args(false)
      ->group(searching);
  const auto number = [&](const char* name, auto* value, std::uint64_t most, const char* help) {
    run->add_option(name, *value, help)
        ->check(check_from_1_to(most))
        ->type_name("N")
        ->group(searching);
  };
  number("--every", &options->search.every, kMaxPassages,
         "Read each N-th passage of the text; 1: all of it");
  number("--count", &options->search.count, kMaxPassages, "Read at most N passages");
  number("--best", &options->search.best, kMaxBest, "Show N passages for each query");
  run->add_flag("--no-index", options->search.no_index,
                "Encode the text again, and keep no index of it")
      ->group(searching);
  run->add_option("--seed", options->seed, "Seed of random tensors")
      ->capture_default_str()
      ->check(check_count)
      ->type_name("N");
  run->add_option("--ranks", options->ranks,
                  "Simulate in N processes, each some of the chips (kind parallel)")
      ->check(check_from_1_to(kMostRanks))
      ->type_name("N");
  add_flit_by_flit(run, &options->flit_by_flit);
  run->add_option("--report", options->report,
                  "Write report.html there, also report.md, report.json and pictures")
      ->check(check_name)
      ->type_name("DIR")
      ->group("Output");
  run->add_option("--output", options->output,
                  "Write the result there, in place of the workload's key 'output': an .npy file; "
                  "of kind train a folder")
      ->check(check_name)
      ->type_name("FILE")
      ->group("Output");
  run->add_option("--trace", options->trace, "Write a timeline for ui.perfetto.dev")
      ->check(check_name)
      ->type_name("FILE")
      ->group("Output");
  run->add_flag("--json", options->json, "Print the result as JSON instead of text")
      ->group("Output");
  run->add_flag("--quiet", options->quiet, "No progress on stderr")->group("Output");
  const char* managed = "Management core, and faults on purpose";
  CLI::Option* firmware =
      run->add_option("--firmware", options->firmware,
                      "Tern's firmware boots first, on this board: tern, or a YAML file "
                      "(kinds kernel, matmul, mlp)")
          ->check(check_name)
          ->type_name("NAME|FILE")
          ->group(managed);
  run->add_option("--uart", options->uart,
                  "Its serial line: none, stdio, pty[:LINK], tcp:PORT, file:OUTPUT[,INPUT]")
      ->capture_default_str()
      ->needs(firmware)
      ->type_name("WHERE")
      ->group(managed);
  run->add_option("--faults", options->faults,
                  "What breaks, where and when: a YAML file (docs/howto/faults.md); not "
                  "with RTL")
      ->check(check_name)
      ->type_name("FILE")
      ->group(managed);
  const char* training = "Training (kind: train)";
  CLI::Option* resume =
      run->add_flag("--resume", options->train.resume, "Continue from the checkpoint")
          ->group(training);
  run->add_option("--checkpoint", options->train.checkpoint,
                  "Training state to continue from (default: NAME.checkpoint in the report's "
                  "folder or in tern-out)")
      ->check(check_name)
      ->type_name("FILE")
      ->group(training);
  run->add_option("--rtl-steps", options->train.rtl_steps,
                  "Repeat these steps on the RTL of core 0, or on that of --rtl, e.g. 0,100")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(check_count)
      ->type_name("N,..")
      ->group(training);
  CLI::Option* save_chip =
      run->add_option("--save-chip", options->train.save_chip,
                      "Save a snapshot of the whole chip at the end of the run, also of an "
                      "interrupted one")
          ->check(check_name)
          ->type_name("FILE")
          ->group(training);
  run->add_option("--save-step", options->train.save_step,
                  "Save it after this many steps of the training instead, and go on")
      ->needs(save_chip)
      ->check(check_count)
      ->type_name("N")
      ->group(training);
  run->add_option("--restore-chip", options->train.restore_chip,
                  "Continue on the chip of a snapshot, at the same simulated time")
      ->excludes(resume)
      ->check(check_name)
      ->type_name("FILE")
      ->group(training);
  run->add_option(
         "--time-plan", options->train.time_plan,
         "Train nothing: print what a step takes with the batch in D parts, its windows in S, the "
         "blocks in P stages, each layer in T parts, experts on E ranks and M micro-batches, in "
         "place of those of the key 'plan'; O 1: they divide the optimiser's state, 0: not. Of a "
         "search what encoding takes; E and M are 1")
      ->delimiter(',')
      ->expected(6, 7)
      ->check(CLI::Range(0U, kMostRanks))
      ->type_name("D,S,P,T,E,M[,O]")
      ->group(training);
  const char* wave = "Waveform: Verilated blocks, queues, semaphores, DMA packets, HBM commands";
  CLI::Option* file = run->add_option("--wave", options->wave.file, "Write an FST waveform")
                          ->check(check_name)
                          ->type_name("FILE.fst")
                          ->group(wave);
  const auto window = [&](const char* name, auto* value, const char* type, const char* help) {
    return run->add_option(name, *value, help)->needs(file)->type_name(type)->group(wave);
  };
  window("--wave-scope", &options->wave.scope, "PATH",
         "Only this, e.g. core0.tensor.u_ctrl or core0.queues (default: all)");
  window("--wave-levels", &options->wave.levels, "N",
         "Levels of hierarchy below the scope, of Verilated blocks");
  window("--wave-on", &options->wave.trigger, "'SIGNAL VALUE'",
         "Begin when a signal of the model gets a value, e.g. 'core0.vector instruction 812'");
  window("--wave-from", &options->wave.from_cycle, "CYCLE",
         "First cycle of the tensor engine's clock that is recorded; 0: the first queue starts, or "
         "--wave-on happens")
      ->check(check_count);
  window("--wave-to", &options->wave.to_cycle, "CYCLE", "Last cycle recorded")->check(check_count);
  window("--wave-last", &options->wave.last_cycles, "CYCLES",
         "Keep only so many before the end, or before an error")
      ->check(check_count);
  run->footer(
      "Examples:\n"
      "  tern run sw/examples/digits/digits.yaml --tensor rtl --report out\n"
      "  tern run sw/examples/matmul/matmul.yaml --tensor both --seed 7\n"
      "  tern run my.yaml --chip trn2 --chip trn3 --set hbm.pin_gbps=4.8,9.6 --report out\n"
      "  tern run my.yaml --rtl all --wave w.fst --wave-scope core0.tensor.u_ctrl --wave-to 2000\n"
      "Exit code: 0 passed, 1 failed or interrupted, 2 bad input.");
}

}  // namespace tern::app
