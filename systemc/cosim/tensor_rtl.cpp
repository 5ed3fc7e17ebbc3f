// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/tensor_rtl.h"

#include <stdexcept>

#include "sw/base/user_error.h"
#include "sw/spec/generated/tensor_shapes.h"
#include "systemc/cosim/tensor_rtl_configs.h"

namespace tern {

namespace {

struct Config {
  const char* name;
  TensorShape shape;
};

#define TERN_CONFIG(name, rows, cols, banks, columns, interval, moving, depth) \
  {#name, TensorShape{rows, cols, banks, columns, interval, moving, depth}},
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
  if (options.config == "tiny") return cosim::make_tensor_rtl_tiny(options, shape);
  if (options.config == "mid") {
    if (!options.wave.file.empty()) {
      throw UserError("tensor RTL: configuration 'mid' writes no waveforms, tiny and full do");
    }
    return cosim::make_tensor_rtl_mid(options, shape);
  }
  if (options.config == "full") {
    return options.wave.file.empty() ? cosim::make_tensor_rtl_full(options, shape)
                                     : cosim::make_tensor_rtl_full_trace(options, shape);
  }
  throw UserError("tensor RTL: configuration '" + options.config + "' is not Verilated");
}

}  // namespace tern
