// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/datapath_factory.h"

#include "systemc/cosim/tensor_lockstep.h"
#include "systemc/cosim/tensor_rtl.h"

namespace tern {

DatapathFactory make_cosim_factory(const std::shared_ptr<CosimStatistics>& statistics) {
  return [statistics](const DatapathRequest& request) -> std::unique_ptr<TensorDatapath> {
    if (request.backend == Backend::kModel) return make_model_datapath(request);
    TensorRtlOptions options;
    options.sbuf = request.sbuf;
    options.sbuf_bytes = request.shape.sbuf_bytes;
    options.wave = request.wave;
    std::unique_ptr<TensorRtl> rtl = make_tensor_rtl(options);
    statistics->cycles = [engine = rtl.get()] { return engine->cycles_simulated(); };
    if (request.backend == Backend::kRtl) return rtl;
    DatapathRequest model = request;
    model.backend = Backend::kModel;
    return std::make_unique<TensorLockstep>(make_model_datapath(model), std::move(rtl),
                                            request.describe);
  };
}

}  // namespace tern
