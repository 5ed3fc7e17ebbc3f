// SPDX-License-Identifier: Apache-2.0
#include "sw/app/host/run_options.h"

namespace tern::app {

const char* backend_name(Backend backend) {
  static constexpr const char* kNames[] = {"model", "rtl", "both"};
  return kNames[static_cast<unsigned>(backend)];
}

std::vector<ConfigOverride> RunOptions::all_overrides() const {
  std::vector<ConfigOverride> all = overrides;
  const auto add = [&](const char* key, const std::optional<Backend>& backend, const char* option) {
    if (backend) all.push_back({key, backend_name(*backend), option});
  };
  add("tensor.0", tensor, "--tensor");
  add("exp.0", exp, "--exp");
  add("dma_backend.0", dma, "--dma");
  return all;
}

}  // namespace tern::app
