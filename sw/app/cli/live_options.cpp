// SPDX-License-Identifier: Apache-2.0
#include "sw/app/cli/live_options.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <string>

namespace tern::app {

namespace {

template <typename T>
bool parse(const std::string& text, T& value) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end;
}

void add_period(CLI::App* command, double* period) {
  command
      ->add_option_function<std::string>(
          "-d,--delay",
          [period](const std::string& text) {
            if (parse(text, *period) && *period >= kMinPeriodS && *period <= kMaxPeriodS) return;
            throw CLI::ValidationError(
                "--delay", fmt::format("expected seconds from {} to {:g}, got '{}'", kMinPeriodS,
                                       kMaxPeriodS, text));
          },
          fmt::format("Seconds between two looks (default {:g})", *period))
      ->type_name("S");
}

void add_pid(CLI::App* command, std::optional<int>* pid) {
  command
      ->add_option_function<std::string>(
          "--pid",
          [pid](const std::string& text) {
            int value = 0;
            if (!parse(text, value) || value <= 0)
              throw CLI::ValidationError(
                  "--pid", fmt::format("expected the number of a process, got '{}'", text));
            *pid = value;
          },
          "Only the simulation of this process; ends with it")
      ->type_name("N");
}

}  // namespace

void add_live(CLI::App* app, LiveOptions* options) {
  const std::string where =
      "Simulations of this user are found in $TERN_RUN_DIR, else $XDG_RUNTIME_DIR/tern, else "
      "/tmp/tern-UID.\n";
  CLI::App* ls =
      app->add_subcommand("ls", "List the simulations that run, or the chips that could");
  ls->add_flag("--presets", options->ls.presets, "Chips that could run");
  ls->add_flag("-j,--json", options->ls.json, "Print JSON");
  ls->footer(where + "Exit code: 0; 1 if that folder is not this user's alone.");

  CLI::App* top = app->add_subcommand("top", "Watch the simulations that run, core by core");
  add_period(top, &options->top.period_s);
  add_pid(top, &options->top.pid);
  top->add_flag("--once", options->top.once, "One plain view, as where the output is no terminal");
  top->footer(where +
              "Keys: q ends.\n"
              "Exit code: 0; 1 if --once or --pid finds no simulation.");

  CLI::App* monitor =
      app->add_subcommand("monitor", "Print the state of the simulations that run as JSON lines");
  add_period(monitor, &options->monitor.period_s);
  monitor
      ->add_option_function<std::string>(
          "-n,--count",
          [options](const std::string& text) {
            if (parse(text, options->monitor.count) && options->monitor.count != 0) return;
            throw CLI::ValidationError(
                "--count", fmt::format("expected a whole number from 1, got '{}'", text));
          },
          "End after this many lines")
      ->type_name("N");
  add_pid(monitor, &options->monitor.pid);
  monitor->footer(where +
                  "Format: docs/reference/monitor.md.\n"
                  "Exit code: 0; 1 if --pid finds no simulation.");
}

bool got_live(const CLI::App& app) {
  return app.got_subcommand("ls") || app.got_subcommand("top") || app.got_subcommand("monitor");
}

int run_live(const CLI::App& app, const LiveOptions& options) {
  if (app.got_subcommand("ls")) return ls_command(options.ls);
  return app.got_subcommand("top") ? top_command(options.top) : monitor_command(options.monitor);
}

}  // namespace tern::app
