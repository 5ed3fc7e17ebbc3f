// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/datapath_factory.h"

#include <fmt/format.h>

#include <utility>

#include "sw/base/user_error.h"
#include "sw/fpga/serial_port.h"
#include "systemc/cosim/tensor_fpga.h"
#include "systemc/cosim/tensor_lockstep.h"
#include "systemc/cosim/tensor_rtl.h"
#include "systemc/cosim/tensor_team.h"
#include "systemc/engines/tensor/tensor_model.h"

namespace tern {

namespace {

std::shared_ptr<ChainDevice> open_board(const std::string& port) {
  if (port.empty()) throw UserError("tensor: fpga: this program has no board");
  auto link = std::make_unique<fpga::Link>(fpga::open_serial_port(port));
  return std::make_shared<FpgaChains>(std::make_unique<fpga::Board>(std::move(link)));
}

}  // namespace

DatapathFactory make_cosim_factory(const std::shared_ptr<CosimStatistics>& statistics,
                                   std::shared_ptr<base::ThreadTeam> threads,
                                   const WaveOfBlock& wave, const std::string& fpga_port) {
  if (!threads) threads = std::make_shared<base::ThreadTeam>(1);
  const auto team = std::make_shared<TensorTeam>(std::move(threads));
  const auto board = std::make_shared<std::shared_ptr<ChainDevice>>();
  return [statistics, team, wave, fpga_port,
          board](const DatapathRequest& request) -> std::unique_ptr<TensorDatapath> {
    if (request.backend == Backend::kModel) return make_model_datapath(request);
    if (request.backend == Backend::kFpga) {
      if (!*board) *board = open_board(fpga_port);
      return std::make_unique<TensorModel>(request.shape, request.sbuf, *board);
    }
    TensorRtlOptions options;
    options.sbuf = request.sbuf;
    options.sbuf_bytes = request.shape.sbuf_bytes;
    options.ramp_cycles = request.shape.ramp_cycles;
    if (request.shape.stages != TERN_TENSOR_STAGES)
      options.config += fmt::format("_stages{}", request.shape.stages);
    if (wave) options.wave = wave(request.core + ".tensor");
    std::unique_ptr<TensorRtl> rtl = make_tensor_rtl(options);
    statistics->cycles.emplace_back([engine = rtl.get()] { return engine->cycles_simulated(); });
    std::unique_ptr<TensorDatapath> device = team->add(std::move(rtl));
    if (request.backend == Backend::kRtl) return device;
    DatapathRequest model = request;
    model.backend = Backend::kModel;
    return std::make_unique<TensorLockstep>(make_model_datapath(model), std::move(device),
                                            request.describe);
  };
}

}  // namespace tern
