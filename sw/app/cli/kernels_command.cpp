// SPDX-License-Identifier: Apache-2.0
// tern kernels: the kernels that `kind: kernel` of a workload can name.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sw/app/cli/options.h"
#include "sw/app/report/json_text.h"
#include "sw/kernels/catalogue/kernel.h"

namespace tern::app {
namespace {

std::string as_text(const kernels::Kernel& kernel) {
  std::string text = fmt::format("{}: {}\n", kernel.name, kernel.summary);
  for (const kernels::Parameter& p : kernel.parameters)
    text += fmt::format("  {:<12} {:<10} {}\n", p.name, p.value, p.doc);
  return text;
}

nlohmann::ordered_json as_json(const kernels::Kernel& kernel) {
  nlohmann::ordered_json json = {{"name", kernel.name}, {"summary", kernel.summary}};
  json["parameters"] = nlohmann::ordered_json::array();
  for (const kernels::Parameter& p : kernel.parameters)
    json["parameters"].push_back({{"name", p.name}, {"default", p.value}, {"meaning", p.doc}});
  return json;
}

}  // namespace

int kernels_command(const KernelsOptions& options) {
  std::vector<kernels::Kernel> list = kernels::catalogue();
  if (!options.kernel.empty()) list = {kernels::find_kernel(options.kernel)};
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  std::string text = "Parameters with their defaults, for a workload of `kind: kernel`:\n";
  for (const kernels::Kernel& kernel : list) {
    text += "\n" + as_text(kernel);
    json.push_back(as_json(kernel));
  }
  fmt::print("{}", options.json ? json_text(json) : text);
  return 0;
}

}  // namespace tern::app
