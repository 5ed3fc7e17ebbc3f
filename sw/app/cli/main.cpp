// SPDX-License-Identifier: Apache-2.0
// The tern command line. SystemC owns main() and calls sc_main().
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <systemc>

#include "sw/app/cli/boot_options.h"
#include "sw/app/cli/cc_options.h"
#include "sw/app/cli/check_options.h"
#include "sw/app/cli/checks.h"
#include "sw/app/cli/compile_options.h"
#include "sw/app/cli/gpsimd_options.h"
#include "sw/app/cli/image_options.h"
#include "sw/app/cli/live_options.h"
#include "sw/app/cli/measure_options.h"
#include "sw/app/cli/options.h"
#include "sw/app/cli/overrides.h"
#include "sw/app/cli/processes.h"
#include "sw/app/cli/system_options.h"
#include "sw/app/cli/traffic_options.h"
#include "sw/app/cli/workload_options.h"
#include "sw/app/host/process_ranks.h"
#include "sw/app/kinds/compare_runs.h"
#include "sw/app/kinds/registry.h"
#include "sw/app/nki/nki_command.h"
#include "sw/app/report/text.h"
#include "sw/app/report/version.h"
#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "sw/platform/live/live_publisher.h"

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
  CcOptions cc;
  LiveOptions live;
  CheckOptions check;
  std::vector<std::string> settings, chips;
  run.command = dma.command = hbm.command = gpsimd.command = traffic.command = fidelity.command =
      cc.command = boot.command = check.command = joined(argc, argv);
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
  add_cc(&app, &cc);
  add_check(&app, &check, &settings);
  add_live(&app, &live);
  add_fidelity(&app, &fidelity);
  // Its arguments are Python's: they are not parsed here.
  app.add_subcommand("nki", "Run kernels in Python (NKI) on a simulated chip");
  if (argc > 1 && std::string(argv[1]) == "nki") return nki_command({argv + 2, argv + argc});
  add_kernels(&app, &kernels);
  add_config(&app, &config, &settings);
  // The parser would only say that a subcommand is required.
  if (argc > 1 && argv[1][0] != '-' &&
      app.get_subcommands([&](CLI::App* c) { return c->check_name(argv[1]); }).empty()) {
    throw UserError(fmt::format(
        "unknown command '{}': expected run, compile, dma, hbm, gpsimd, boot, image, "
        "system, traffic, cc, check, ls, top, monitor, fidelity, nki, kernels or config",
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
    if (chips.empty()) chips.push_back(default_chip(run));
    const std::vector<Variant> variants = variants_of(chips, run.overrides);
    if (const system::Ranks* ranks = process_ranks()) {
      if (run.ranks > 1 && run.ranks != ranks->size())
        throw UserError(fmt::format("--ranks {}: there are {}", run.ranks, ranks->size()));
      run.ranks = ranks->size();
    } else if (run.ranks > 1 && variants.size() == 1) {
      launch_processes(run.ranks, argc, argv);
    }
    if (run.ranks > 1 && variants.size() > 1)
      throw UserError("--ranks: of one run, not of several");
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
  if (app.got_subcommand("cc")) return cc_command(cc);
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

namespace {

int complaint(int code, const std::string& message) {
  tern::app::complain(message);
  if (tern::system::Ranks* ranks = tern::app::process_ranks()) ranks->end(message);
  return code;
}

}  // namespace

int sc_main(int argc, char** argv) {
  tern::app::keep_standard_files();
  std::unique_ptr<tern::system::Ranks> ranks;
  try {
    ranks = tern::app::start_processes(&argc, &argv);
    tern::app::set_process_ranks(ranks.get());
    const int code = tern::app::run_cli(argc, argv);
    // A full disk of stdout is detected here at the latest.
    if (!std::cout.flush() || std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw tern::RunError(fmt::format("cannot write the output: {}", std::strerror(errno)));
    if (ranks) ranks->end("");
    return code;
  } catch (const tern::UserError& e) {
    return complaint(tern::app::kUsage, tern::app::shortened(tern::app::printable(e.what())));
  } catch (const std::bad_alloc&) {
    return complaint(tern::app::kFailure, "not enough memory");
  } catch (const std::exception& e) {
    return complaint(tern::app::kFailure, tern::app::printable_lines(e.what()));
  }
}
