// SPDX-License-Identifier: Apache-2.0
#include "sw/base/user_error.h"
#include "systemc/core/core_options.h"
#include "systemc/dma/model/unit_model.h"
#include "systemc/engines/tensor/tensor_model.h"

namespace tern {

namespace {

void require_model(const std::string& unit, Backend backend) {
  if (backend == Backend::kModel) return;
  const char* name = backend == Backend::kRtl ? "rtl" : backend == Backend::kBoth ? "both" : "fpga";
  throw RunError(unit + " back end '" + name +
                 "' asked for, but this program was built with the fast model only");
}

}  // namespace

std::unique_ptr<ExpUnit> make_model_exp(Backend backend, const std::string& /*of*/) {
  require_model("exp", backend);
  return make_exp_model();
}

std::unique_ptr<MxUnit> make_model_mx(Backend backend, const std::string& /*of*/) {
  require_model("mx", backend);
  return make_mx_model();
}

std::unique_ptr<NearMemory> make_model_near_memory(Backend backend, const std::string& /*of*/) {
  require_model("near_memory", backend);
  return make_near_memory_model();
}

dma::UnitFactory make_model_dma(Backend backend, const std::string&) {
  require_model("dma", backend);
  return dma::make_unit_model;
}

std::unique_ptr<TensorDatapath> make_model_datapath(const DatapathRequest& request) {
  require_model("tensor", request.backend);
  return std::make_unique<TensorModel>(request.shape, request.sbuf);
}

}  // namespace tern
