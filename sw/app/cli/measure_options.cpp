// SPDX-License-Identifier: Apache-2.0
#include "sw/app/cli/measure_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sw/app/cli/checks.h"
#include "sw/app/cli/overrides.h"
#include "sw/base/user_error.h"
#include "sw/config/hbm_config.h"
#include "sw/spec/memory_access.h"

namespace tern::app {

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

void check_together(const CLI::App& hbm, const HbmOptions& options) {
  // The parser's range check accepts NaN.
  if (std::isnan(options.gap_ns)) throw UserError("--gap-ns: expected a number, got nan");
  if (options.trace.empty()) return;
  for (const char* option : {"--bytes", "--writes", "--gap-ns", "--class", "--seed"}) {
    if (hbm.count(option) != 0)
      throw UserError(fmt::format("{}: only of --stream and --random, not of a trace", option));
  }
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

}  // namespace tern::app
