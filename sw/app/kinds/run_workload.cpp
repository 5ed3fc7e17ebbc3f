// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sw/app/report/report_folder.h"
#include "sw/base/user_error.h"

namespace tern::app {
namespace {

const Kind& kind_of(const config::YamlMap& top) {
  std::vector<std::string> names;
  for (const Kind& kind : kinds()) names.push_back(kind.name);
  const std::string name = top.get("kind").as_choice(names);
  return kinds()[static_cast<std::size_t>(std::find(names.begin(), names.end(), name) -
                                          names.begin())];
}

void refuse_options_of_others(const RunOptions& options, const Kind& kind) {
  for (const std::string& option : options.of_some_kinds()) {
    if (std::find(kind.options.begin(), kind.options.end(), option) != kind.options.end()) continue;
    std::string takers;
    for (const Kind& other : kinds()) {
      const auto& own = other.options;
      if (std::find(own.begin(), own.end(), option) != own.end())
        takers += (takers.empty() ? "" : ", ") + other.name;
    }
    throw UserError(fmt::format("{}: only with kind {}; {} is of kind {}", option, takers,
                                options.workload, kind.name));
  }
}

}  // namespace

int run_workload(const RunOptions& options) {
  const config::YamlMap top = config::YamlMap::from_file(options.workload);
  std::string name = std::filesystem::path(options.workload).stem().string();
  if (auto v = top.find("name")) name = v->as_string();
  const Kind& kind = kind_of(top);
  const std::unique_ptr<Workload> workload = kind.load(top, options.seed);
  workload->path = options.workload;
  workload->name = name;
  top.finish();
  refuse_options_of_others(options, kind);
  prepare_report_folder(options.report);
  return kind.run(options, *workload);
}

}  // namespace tern::app
