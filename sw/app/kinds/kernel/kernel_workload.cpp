// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/kernel/kernel_workload.h"

namespace tern::app {

using config::YamlMap;

KernelWorkload load_kernel(const YamlMap& top, std::uint64_t /*seed*/) {
  std::vector<std::string> known;
  for (const kernels::Kernel& kernel : kernels::catalogue()) known.push_back(kernel.name);
  KernelWorkload workload;
  workload.kernel = top.get("kernel").as_choice(known);
  const kernels::Kernel& kernel = kernels::find_kernel(workload.kernel);
  workload.parameters = kernels::Parameters(kernel.parameters);
  workload.outputs = load_outputs(top);
  const auto section = top.find("parameters");
  if (!section) return workload;
  const YamlMap parameters = section->as_map();
  for (const kernels::Parameter& parameter : kernel.parameters) {
    if (auto v = parameters.find(parameter.name)) {
      workload.parameters.set(parameter.name, v->text(), v->source());
    }
  }
  return workload;
}

}  // namespace tern::app
