// SPDX-License-Identifier: Apache-2.0
// The tern command line. SystemC owns main() and calls sc_main().
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <optional>
#include <systemc>

#include "sw/app/cli/boot_options.h"
#include "sw/app/cli/check_options.h"
#include "sw/app/cli/checks.h"
#include "sw/app/cli/compile_options.h"
#include "sw/app/cli/gpsimd_options.h"
#include "sw/app/cli/image_options.h"
#include "sw/app/cli/live_options.h"
#include "sw/app/cli/options.h"
#include "sw/app/cli/system_options.h"
#include "sw/app/cli/traffic_options.h"
#include "sw/app/kinds/compare_runs.h"
#include "sw/app/kinds/registry.h"
#include "sw/app/report/text.h"
#include "sw/app/report/version.h"
#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "sw/config/hbm_config.h"
#include "sw/platform/live/live_publisher.h"
#include "sw/spec/memory_access.h"

namespace tern::app {
namespace {

constexpr int kFailure = 1, kUsage = 2;

// A file that is opened while one of them is closed would get its place, and its output. Writes to
// these fail as before.
void keep_standard_files() {
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; ++file) {
    if (fcntl(file, F_GETFD) < 0 && errno == EBADF) static_cast<void>(open("/dev/null", O_RDONLY));
  }
}

void complain(const std::string& message) {
  base::to_stderr("tern: " + message + "\n");
}

// A message repeats what a file says; the file may say much.
std::string shortened(std::string line) {
  constexpr std::size_t kMost = 1000, kEnd = 100;
  if (line.size() <= kMost) return line;
  return tern::app::printable(line.substr(0, kMost - kEnd) + " ... " +
                              line.substr(line.size() - kEnd));
}

auto check_from_1_to(std::uint64_t most) {
  return [most](const std::string& text) -> std::string {
    const auto value = whole_number(text);
    if (value && *value >= 1 && *value <= most) return "";
    return fmt::format("expected a whole number from 1 to {}, got '{}'", most, text);
  };
}

void add_overrides(CLI::App* command, std::vector<std::string>* settings) {
  command
      ->add_option(
          "--set", *settings,
          "Override one setting of the chip, e.g. dma.doorbell_latency_ns=900 (repeatable)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

std::vector<ConfigOverride> parse_overrides(const std::vector<std::string>& settings) {
  std::vector<ConfigOverride> overrides;
  for (const auto& text : settings) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UserError(fmt::format("--set: expected KEY=VALUE, got '{}'", text));
    }
    overrides.push_back({text.substr(0, equals), text.substr(equals + 1), "command line"});
  }
  return overrides;
}

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
  static const std::map<std::string, Backend> backends = {
      {"model", Backend::kModel}, {"rtl", Backend::kRtl}, {"both", Backend::kBoth}};
  const auto add_backend = [run](const std::string& flag, std::optional<Backend>* place,
                                 const std::string& help) {
    const auto set = [flag, place](const std::string& name) {
      const auto found = backends.find(name);
      // Not a check of the parser's own: it would repeat the choices in the help.
      if (found == backends.end()) {
        throw CLI::ValidationError(flag,
                                   fmt::format("expected model, rtl or both, got '{}'", name));
      }
      *place = found->second;
    };
    run->add_option_function<std::string>(flag, set, help)->type_name("model|rtl|both");
  };
  static const std::map<std::string, std::string> of_block = {
      {"tensor", "Tensor engine of the core: fast model, Verilated RTL, or both in lockstep"},
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

void add_hbm(CLI::App* app, HbmOptions* options, std::vector<std::string>* settings) {
  CLI::App* hbm =
      app->add_subcommand("hbm", "Run requests through the HBM model: bandwidth, rows, latencies");
  const auto number = [hbm](const char* name, auto* value, const char* help) {
    return hbm->add_option(name, *value, help)->check(check_count)->type_name("N");
  };
  const char* requests = "Requests (one of)";
  hbm->add_option("--trace", options->trace,
                  "Lines of `time_ns R|W address bytes [class]`, # begins a comment")
      ->check(check_name)
      ->type_name("FILE")
      ->group(requests);
  number("--stream", &options->stream, "This many at consecutive addresses")->group(requests);
  number("--random", &options->random, "This many at random addresses")->group(requests);
  const char* generated = "Of --stream and --random";
  hbm->add_option("--bytes", options->bytes, "Bytes of a request")
      ->capture_default_str()
      ->check(CLI::Range(1u, hbm::kMaxRequestBytes))
      ->type_name("N")
      ->group(generated);
  hbm->add_option("--writes", options->write_percent, "Percentage of writes")
      ->capture_default_str()
      ->check(CLI::Range(0, 100))
      ->type_name("P")
      ->group(generated);
  hbm->add_option("--gap-ns", options->gap_ns,
                  "Time between two requests; 0: as fast as the queues take them")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e6))
      ->type_name("NS")
      ->group(generated);
  hbm->add_option("--class", options->traffic_class, "Class of service, 0 is the most urgent")
      ->capture_default_str()
      ->check(CLI::Range(0u, kTrafficClasses - 1))
      ->type_name("N")
      ->group(generated);
  number("--seed", &options->seed, "Seed of random addresses and writes")
      ->capture_default_str()
      ->group(generated);
  hbm->add_option("--chip", options->chip, "Preset or chip YAML")
      ->capture_default_str()
      ->type_name("NAME|FILE");
  hbm->add_flag("--no-refresh", options->no_refresh, "As if the cells kept their charge");
  add_overrides(hbm, settings);
  hbm->add_flag("--channels", options->channels, "A line per pseudo-channel")->group("Output");
  hbm->add_option("--report", options->report, "Write hbm.html, .md, .json, .csv and .svg there")
      ->check(check_name)
      ->type_name("DIR")
      ->group("Output");
  hbm->add_flag("--json", options->json, "Print the result as JSON instead of text")
      ->group("Output");
  hbm->add_flag("--quiet", options->quiet, "No progress on stderr")->group("Output");
  hbm->footer(
      "Examples:\n"
      "  tern hbm --stream 1000000 --bytes 1024 --no-refresh\n"
      "  tern hbm --random 1000000 --writes 30 --channels\n"
      "  tern hbm --trace requests.txt --chip trn2 --json");
}

void add_config(CLI::App* app, ConfigOptions* options, std::vector<std::string>* settings) {
  CLI::App* config = app->add_subcommand("config", "Show or check chip configurations");
  config->require_subcommand(1);
  CLI::App* show =
      config->add_subcommand("show", "Print every setting with the place it comes from");
  show->add_option("chip", options->chips, "Preset or chip YAML (default trn3)")
      ->expected(0, 1)
      ->type_name("NAME|FILE");
  show->add_flag("--json", options->json, "Print JSON");
  add_overrides(show, settings);
  CLI::App* diff = config->add_subcommand("diff", "Print the settings in which two chips differ");
  diff->add_option("chips", options->chips, "Two presets or chip YAML files")
      ->required()
      ->expected(2)
      ->type_name("NAME|FILE");
  diff->add_flag("--json", options->json, "Print JSON");
  add_overrides(diff, settings);
  CLI::App* validate = config->add_subcommand(
      "validate", "Check chip YAML files, and say the first fault with its line");
  validate->add_option("chips", options->chips, "Presets or chip YAML files")
      ->required()
      ->type_name("FILE...");
}

void add_kernels(CLI::App* app, KernelsOptions* options) {
  CLI::App* kernels =
      app->add_subcommand("kernels", "List the kernels of the catalogue and their parameters");
  kernels->add_option("kernel", options->kernel, "Only this one")->type_name("NAME");
  kernels->add_flag("--json", options->json, "Print JSON");
}

void add_fidelity(CLI::App* app, FidelityOptions* options) {
  CLI::App* fidelity = app->add_subcommand(
      "fidelity", "Measure what is published about real chips, and say how far off Tern is");
  fidelity->add_option("--only", options->only, "Figures whose names begin so (default: all)")
      ->check(check_name)
      ->type_name("NAME ...");
  fidelity->add_flag("--list", options->list, "Print the figures' names, measure nothing");
  fidelity->add_flag("--check", options->check, "Exit code 1 if an aim is missed");
  fidelity->add_option("--report", options->report, "Write fidelity.html, .md and .json there")
      ->type_name("DIR")
      ->group("Output");
  fidelity->add_flag("--markdown", options->markdown, "Print the table of docs/fidelity.md")
      ->group("Output");
  fidelity->add_flag("--json", options->json, "Print the result as JSON instead of text")
      ->group("Output");
  fidelity->add_flag("--quiet", options->quiet, "No progress on stderr")->group("Output");
  fidelity->footer(
      "Examples:\n"
      "  tern fidelity                       all figures, about a minute\n"
      "  tern fidelity --only dma-engine scalar");
}

void add_dma(CLI::App* app, DmaOptions* options, std::vector<std::string>* settings) {
  CLI::App* dma = app->add_subcommand("dma", "Measure transfers on a chip: rates, times, causes");
  dma->add_flag("--sweep", options->sweep, "A table over the size instead of one transfer");
  dma->add_option(
         "--chip", options->chips,
         "Preset or chip YAML (repeatable; default trn3, with --sweep trn1, trn2 and trn3)")
      ->type_name("NAME|FILE")
      ->allow_extra_args(false);
  const auto choice = [dma](const char* name, const std::vector<std::string>& words, auto place,
                            const char* help) {
    const auto set = [name, words, place](const std::string& word) {
      const auto found = std::find(words.begin(), words.end(), word);
      if (found == words.end()) {
        throw CLI::ValidationError(
            name, fmt::format("expected {}, got '{}'", fmt::join(words, " or "), word));
      }
      place(static_cast<unsigned>(found - words.begin()));
    };
    dma->add_option_function<std::string>(name, set, help)
        ->type_name(fmt::format("{}", fmt::join(words, "|")));
  };
  choice(
      "--path", {"hbm-sbuf", "sbuf-hbm", "sbuf-sbuf"},
      [options](unsigned i) { options->path = static_cast<TransferPath>(i); },
      "From where to where, inside one core's share of the chip (default hbm-sbuf)");
  choice(
      "--over", {"bytes", "element"}, [options](unsigned i) { options->over_element = i == 1; },
      "Sweep bytes per partition, 32 B to 32 KiB (default), or the size of contiguous elements, "
      "2 to 512 B");
  const auto number = [dma](const char* name, auto* value, unsigned least, unsigned most,
                            const char* help) {
    return dma->add_option(name, *value, help)
        ->capture_default_str()
        ->check(CLI::Range(least, most))
        ->type_name("N");
  };
  choice(
      "--descriptors", {"host", "hardware", "software"},
      [options](unsigned i) { options->descriptors = static_cast<DescriptorMaker>(i); },
      "Who makes the descriptors: the host before the run; during it the generators of the Sync "
      "and "
      "Scalar queues (default where the chip has them), or GpSimd");
  number("--generators", &options->generators, 1, 2,
         "Generators that take transfers in turns in a sweep: Sync's, or Scalar's, too");
  number("--engines", &options->engines, 1, 16,
         "Engines that move data, 8 partitions each; less than 16: descriptors by the host");
  number("--bytes", &options->bytes, 4, kMaxTransferBytes,
         "Bytes per partition where they are not swept, at most a quarter of the chip's partition");
  number("--element", &options->element, 0, kMaxTransferBytes,
         "Bytes contiguous at the source, as many left out between them; 0: all");
  number("--in-flight", &options->in_flight, 1, 64, "Transfers in flight at a time in a sweep");
  number("--cores", &options->cores, 1, 64, "Cores that do the same at the same time in a sweep");
  add_overrides(dma, settings);
  dma->add_option("--report", options->report, "Write dma.html, .md, .json, .csv and .svg there")
      ->check(check_name)
      ->type_name("DIR")
      ->group("Output");
  dma->add_option("--trace", options->trace, "Write a timeline of the transfer for ui.perfetto.dev")
      ->check(check_name)
      ->type_name("FILE")
      ->group("Output");
  dma->add_flag("--json", options->json, "Print the result as JSON instead of text")
      ->group("Output");
  dma->add_flag("--quiet", options->quiet, "No progress on stderr")->group("Output");
  dma->footer(
      "Examples:\n"
      "  tern dma --bytes 4096                     one transfer, moment by moment\n"
      "  tern dma --sweep --report out             trn1 to trn3, 32 B to 32 KiB per partition\n"
      "  tern dma --chip trn2 --engines 1 --bytes 4096   32 KiB on one engine\n"
      "  tern dma --sweep --chip trn2 --generators 2\n"
      "  tern dma --sweep --over element --chip trn3\n"
      "  tern dma --sweep --cores 8 --path sbuf-sbuf");
}

// Options that require each other.
void complete(const CLI::App& dma, DmaOptions* options) {
  if (options->chips.empty()) {
    options->chips = {"trn3"};
    if (options->sweep) options->chips = {"trn1", "trn2", "trn3"};
  }
  for (const char* option : {"--over", "--in-flight", "--cores", "--generators"}) {
    if (!options->sweep && dma.count(option) != 0)
      throw UserError(fmt::format("{}: only with --sweep", option));
  }
  if (options->sweep && !options->over_element && dma.count("--bytes") != 0)
    throw UserError("--bytes: not with --sweep, which sweeps it, unless over the element");
  if (options->over_element && options->element != 0)
    throw UserError("--element: not with --over element, which sweeps it");
  if (options->sweep && !options->trace.empty())
    throw UserError("--trace: of one transfer, not with --sweep");
  if (!options->trace.empty() && options->chips.size() > 1)
    throw UserError("--trace: of one chip, not of several");
}

void check_together(const CLI::App& hbm, const HbmOptions& options) {
  // The parser's range check accepts NaN.
  if (std::isnan(options.gap_ns)) throw UserError("--gap-ns: expected a number, got nan");
  if (options.trace.empty()) return;
  for (const char* option : {"--bytes", "--writes", "--gap-ns", "--class", "--seed"}) {
    if (hbm.count(option) != 0)
      throw UserError(fmt::format("{}: only of --stream and --random, not of a trace", option));
  }
}

// Quoted for a shell: reports repeat the command.
std::string quoted(const std::string& word) {
  constexpr const char* kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=./:,@%^";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

std::string joined(int argc, char** argv) {
  std::string text = "tern";
  for (int i = 1; i < argc; ++i) text += " " + quoted(argv[i]);
  return text;
}

int run_cli(int argc, char** argv) {
  CLI::App app{"Tern: a Trainium3-class accelerator in RTL and as a virtual platform.", "tern"};
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("tern ") + kVersion);
  app.footer("'tern COMMAND --help' describes a command.");
  RunOptions run;
  ConfigOptions config;
  KernelsOptions kernels;
  DmaOptions dma;
  HbmOptions hbm;
  GpsimdOptions gpsimd;
  FidelityOptions fidelity;
  BootOptions boot;
  ImageOptions image;
  SystemOptions system;
  TrafficOptions traffic;
  LiveOptions live;
  CheckOptions check;
  std::vector<std::string> settings, chips;
  run.command = dma.command = hbm.command = gpsimd.command = traffic.command = fidelity.command =
      boot.command = check.command = joined(argc, argv);
  live::description() = {"", run.command, kVersion};
  add_run(&app, &run, &chips, &settings);
  RunOptions compile;
  add_compile(&app, &compile);
  add_dma(&app, &dma, &settings);
  add_hbm(&app, &hbm, &settings);
  add_overrides(add_gpsimd(&app, &gpsimd), &settings);
  add_boot(&app, &boot);
  add_image(&app, &image);
  add_system(&app, &system);
  add_traffic(&app, &traffic);
  add_check(&app, &check, &settings);
  add_live(&app, &live);
  add_fidelity(&app, &fidelity);
  add_kernels(&app, &kernels);
  add_config(&app, &config, &settings);
  // The parser would only say that a subcommand is required.
  if (argc > 1 && argv[1][0] != '-' &&
      app.get_subcommands([&](CLI::App* c) { return c->check_name(argv[1]); }).empty()) {
    throw UserError(
        fmt::format("unknown command '{}': expected run, compile, dma, hbm, gpsimd, boot, image, "
                    "system, traffic, check, ls, top, monitor, fidelity, kernels or config",
                    argv[1]));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    complain(fmt::format("{} (see 'tern --help')", shortened(printable(e.what()))));
    return kUsage;
  }
  run.overrides = dma.overrides = hbm.overrides = gpsimd.overrides = config.overrides =
      check.overrides = parse_overrides(settings);
  if (app.got_subcommand("run")) {
    if (chips.empty()) chips.push_back(run.chip);
    const std::vector<Variant> variants = variants_of(chips, run.overrides);
    run.chip = chips.front();
    try {
      return variants.size() > 1 ? compare_runs(run, variants) : run_workload(run);
    } catch (const std::bad_alloc&) {
      throw RunError(run.workload + ": not enough memory");
    }
  }
  if (app.got_subcommand("compile")) return run_workload(compile);
  if (app.got_subcommand("hbm")) {
    check_together(*app.get_subcommand("hbm"), hbm);
    return hbm_command(hbm);
  }
  if (app.got_subcommand("dma")) {
    complete(*app.get_subcommand("dma"), &dma);
    return dma_command(dma);
  }
  if (app.got_subcommand("gpsimd")) return gpsimd_command(gpsimd);
  if (app.got_subcommand("boot")) return boot_command(boot);
  if (app.got_subcommand("image")) return run_image(app, image);
  if (app.got_subcommand("system")) return run_system(app, system);
  if (app.got_subcommand("traffic")) return traffic_command(traffic);
  if (app.got_subcommand("check")) return check_command(check);
  if (got_live(app)) return run_live(app, live);
  if (app.got_subcommand("fidelity")) return fidelity_command(fidelity);
  if (app.got_subcommand("kernels")) return kernels_command(kernels);
  if (config.chips.empty()) config.chips = {"trn3"};
  const CLI::App* command = app.get_subcommand("config");
  if (command->got_subcommand("show")) return config_show(config);
  return command->got_subcommand("diff") ? config_diff(config) : config_validate(config);
}

}  // namespace
}  // namespace tern::app

int sc_main(int argc, char** argv) {
  tern::app::keep_standard_files();
  try {
    const int code = tern::app::run_cli(argc, argv);
    // A full disk of stdout is detected here at the latest.
    if (!std::cout.flush() || std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw tern::RunError(fmt::format("cannot write the output: {}", std::strerror(errno)));
    return code;
  } catch (const tern::UserError& e) {
    tern::app::complain(tern::app::shortened(tern::app::printable(e.what())));
    return tern::app::kUsage;
  } catch (const std::bad_alloc&) {
    tern::app::complain("not enough memory");
    return tern::app::kFailure;
  } catch (const std::exception& e) {
    tern::app::complain(tern::app::printable_lines(e.what()));
    return tern::app::kFailure;
  }
}
