// SPDX-License-Identifier: Apache-2.0
#include "systemc/config/user_error.h"
#include "systemc/core/core_options.h"
#include "systemc/engines/tensor_model.h"

namespace tern {

std::unique_ptr<TensorDatapath> make_model_datapath(const DatapathRequest& request) {
  if (request.backend != TensorBackend::kModel) {
    throw RunError(std::string("tensor back end '") +
                   (request.backend == TensorBackend::kRtl ? "rtl" : "both") +
                   "' asked for, but this program was built with the fast model only");
  }
  return std::make_unique<TensorModel>(request.shape, request.sbuf);
}

}  // namespace tern
