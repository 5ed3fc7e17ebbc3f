// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/registry.h"
#include "sw/app/report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <regex>

#include "sw/app/report/named_files.h"
#include "sw/app/report/report_folder.h"
#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "sw/platform/live/live_publisher.h"
#include "systemc/mgmt/devices/backend/open_backend.h"

namespace tern::app {
namespace {

const Kind& kind_of(const config::YamlMap& top) {
  std::vector<std::string> names;
  for (const Kind& kind : kinds()) names.push_back(kind.name);
  return kinds()[top.get("kind").as_index(names)];
}

// What people try, and what they could do instead.
void refuse_other_files(const std::string& path) {
  static constexpr struct {
    const char *ending, *what;
  } kOthers[] = {
      {".onnx",
       "an ONNX model: not read yet; write a workload that names its tensors as .npy files"},
      {".npy", "an array, not a workload: write a YAML file that names it"},
      {".elf", "a program of the GpSimd processors: kernels load it (sw/gpsimd/README.md)"},
      {".py", "a Python file: kernels in Python are not read yet"},
  };
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& other : kOthers) {
    if (ending == other.ending)
      throw UserError(fmt::format("{}: {} (docs/workloads.md)", path, other.what));
  }
}

bool takes(const Kind& kind, const std::string& option) {
  return std::find(kind.options.begin(), kind.options.end(), option) != kind.options.end();
}

// The key of kinds that have a result to write. It does not become a known one of others.
void refuse_output(const config::YamlMap& top, const Kind& kind) {
  const std::vector<std::string> keys = top.keys();
  if (takes(kind, "--output") || std::count(keys.begin(), keys.end(), "output") == 0) return;
  throw UserError(fmt::format("{}: key 'output': kind {} has no result to write",
                              top.get("output").source(), kind.name));
}

void refuse_options_of_others(const RunOptions& options, const Kind& kind) {
  for (const std::string& option : options.of_some_kinds()) {
    if (takes(kind, option)) continue;
    std::string takers;
    for (const Kind& other : kinds()) {
      if (takes(other, option)) takers += (takers.empty() ? "" : ", ") + other.name;
    }
    throw UserError(fmt::format("{}: only with kind {}; {} is of kind {}", option, takers,
                                options.workload, kind.name));
  }
}

// OutputFiles checks --output.
NamedFiles named_files(const RunOptions& options, const Workload& workload) {
  const mgmt::UartFiles line = mgmt::uart_files(options.uart).value_or(mgmt::UartFiles{});
  std::vector<std::string> inputs = workload.inputs;
  if (!line.input.empty()) inputs.push_back(line.input);
  if (!options.train.restore_chip.empty()) inputs.push_back(options.train.restore_chip);
  return {inputs,
          {{"compile --output", options.compile.output},
           {"--trace", options.trace},
           {"--flits", options.flit_by_flit.flits},
           {"--uart", line.output},
           {"--wave", options.wave.file},
           {"--checkpoint", options.train.checkpoint},
           {"--save-chip", options.train.save_chip}},
          options.report,
          "report"};
}

// A kernel of the program refuses what the workload asks for: the file comes first, the kernel's
// line last.
std::string with_workload(const Workload& workload, const std::string& text) {
  static const std::regex place("^(sw/[^ :]+:[0-9]+): ");
  std::smatch found;
  if (!std::regex_search(text, found, place)) return text;
  const std::string what = found.suffix();
  std::string keys;  // on which the sizes of its tiles depend
  if (what.rfind("sbuf_tile", 0) == 0) {
    if (workload.kind == "moe") keys = "keys 'tokens', 'width', 'hidden', 'experts': ";
    if (workload.kind == "train") keys = "keys 'network', 'batch', 'plan': ";
  }
  if (!keys.empty()) keys += "together too large for SBUF: ";
  if (what.find("chip '") != std::string::npos && what.find("' has no ") != std::string::npos) {
    if (workload.kind == "matmul") keys = "key 'dtype': ";
    if (workload.kind == "mlp" || workload.kind == "train") keys = "key 'precision': ";
  }
  return fmt::format("{}: {}{} ({})", workload.path, keys, what, found[1].str());
}

}  // namespace

LoadedWorkload load_workload(const RunOptions& options) {
  refuse_other_files(options.workload);
  const config::YamlMap top = config::YamlMap::from_file(options.workload);
  std::string name = std::filesystem::path(options.workload).stem().string();
  if (auto v = top.find("name")) name = v->as_string();
  const Kind& kind = kind_of(top);
  refuse_output(top, kind);
  std::unique_ptr<Workload> workload = kind.load(top, options.seed);
  workload->path = options.workload;
  workload->name = name;
  workload->kind = kind.name;
  workload->inputs = top.named_files();
  workload->inputs.push_back(options.workload);
  std::error_code ignored;
  for (const std::string& file : {options.chip, options.firmware, options.faults}) {
    if (std::filesystem::is_regular_file(file, ignored)) workload->inputs.push_back(file);
  }
  top.finish();
  refuse_options_of_others(options, kind);
  return {kind, std::move(workload)};
}

std::string default_chip(const RunOptions& options) {
  refuse_other_files(options.workload);
  const config::YamlMap top = config::YamlMap::from_file(options.workload);
  const Kind& kind = kind_of(top);
  const std::string chip = kind.chip ? kind.chip(top) : std::string();
  return chip.empty() ? options.chip : chip;
}

int run_workload(const RunOptions& options) {
  const LoadedWorkload loaded = load_workload(options);
  live::description().kind = loaded.kind.name;
  refuse_overwriting(named_files(options, *loaded.workload));
  const auto line = mgmt::uart_files(options.uart);
  if (line && !options.output.empty() &&
      std::filesystem::path(line->output).lexically_normal() ==
          std::filesystem::path(options.output).lexically_normal())
    throw UserError("--output, --uart: the same file");
  for (const std::string& warning : run_header(options, *loaded.workload).warnings)
    base::to_stderr(fmt::format("tern: warning: {}\n", printable(warning)));
  const std::vector<std::filesystem::path> made = prepare_report_folder(options.report, "report");
  try {
    return loaded.kind.run(options, *loaded.workload);
  } catch (const RunError&) {
    remove_empty_folders(made);
    throw;
  } catch (const UserError& error) {
    remove_empty_folders(made);
    throw UserError(with_workload(*loaded.workload, error.what()));
  }
}

}  // namespace tern::app
