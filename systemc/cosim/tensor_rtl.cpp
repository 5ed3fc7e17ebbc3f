// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/tensor_rtl.h"

#include "sw/base/user_error.h"
#include "sw/spec/generated/tensor_shapes.h"
#include "systemc/cosim/rtl_plugin.h"
#include "systemc/cosim/tensor_rtl_plugin.h"

namespace tern {

namespace {

struct Config {
  const char* name;
  TensorShape shape;
};

#define TERN_CONFIG(name, rows, cols, banks, columns, interval, moving, depth, stages) \
  {#name, TensorShape{rows, cols, banks, columns, interval, moving, depth, stages}},
const Config kConfigs[] = {TERN_TENSOR_SHAPES(TERN_CONFIG)};
#undef TERN_CONFIG

}  // namespace

std::vector<std::string> tensor_rtl_configs() {
  std::vector<std::string> names;
  for (const Config& config : kConfigs) names.emplace_back(config.name);
  return names;
}

TensorShape tensor_rtl_shape(const std::string& name) {
  std::string known;
  for (const Config& config : kConfigs) {
    if (name == config.name) return config.shape;
    known += std::string(known.empty() ? "" : ", ") + config.name;
  }
  throw UserError("tensor RTL: unknown configuration '" + name + "', expected one of " + known);
}

std::unique_ptr<TensorRtl> make_tensor_rtl(const TensorRtlOptions& options) {
  const TensorShape shape = tensor_rtl_shape(options.config);
  std::string plugin = "tensor_" + options.config;
  if (!options.wave.file.empty()) {
    if (options.config != "full" && shape.rows != tensor_rtl_shape("tiny").rows) {
      throw UserError("tensor RTL: configuration '" + options.config +
                      "' writes no waveforms; those of tiny size and full do");
    }
    // Tracing slows every cycle: the full array has a shared object of its own for it.
    if (options.config == "full") plugin += "_trace";
  }
  const auto make = reinterpret_cast<cosim::TensorRtlEntry*>(
      cosim::load_rtl_plugin(plugin, cosim::kTensorRtlEntry));
  std::unique_ptr<TensorRtl> engine;
  make(options, shape, engine);
  return engine;
}

}  // namespace tern
