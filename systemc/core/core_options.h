// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "sw/config/chip_config.h"
#include "systemc/core/sequencer.h"
#include "systemc/dma/model/unit.h"
#include "systemc/engines/exp/exp_unit.h"
#include "systemc/engines/mx/mx_unit.h"
#include "systemc/engines/tensor/tensor_datapath.h"
#include "systemc/gpsimd/program_runner.h"
#include "systemc/memory/near_memory.h"

namespace tern {

// The inputs of a tensor datapath's factory.
struct DatapathRequest {
  Backend backend = Backend::kModel;
  TensorShape shape;
  SbufView sbuf;
  std::string core;  // "core0"
  std::function<std::string(std::uint32_t tag)>
      describe;  // the instruction that carries a tag, in words
};

using DatapathFactory = std::function<std::unique_ptr<TensorDatapath>(const DatapathRequest&)>;

// The fast model; RunError for the back ends that need Verilated RTL.
std::unique_ptr<TensorDatapath> make_model_datapath(const DatapathRequest& request);

// Exponential units of the Vector engine of a core ("core0") for a back end.
using ExpFactory = std::function<std::unique_ptr<ExpUnit>(Backend, const std::string& core)>;

// The fast model; RunError for the back ends that need Verilated RTL.
std::unique_ptr<ExpUnit> make_model_exp(Backend backend, const std::string& core);

// MX converters of the Vector engine, likewise.
using MxFactory = std::function<std::unique_ptr<MxUnit>(Backend, const std::string& core)>;
std::unique_ptr<MxUnit> make_model_mx(Backend backend, const std::string& core);

// Adders next to a memory ("core0", "hbm"), likewise.
using NearMemoryFactory =
    std::function<std::unique_ptr<NearMemory>(Backend, const std::string& memory)>;
std::unique_ptr<NearMemory> make_model_near_memory(Backend backend, const std::string& memory);

// What implements a core's DMA engines; name: "core0 dma3".
using DmaFactory = std::function<dma::UnitFactory(Backend, const std::string& name)>;

// The model; RunError for the back ends that need Verilated RTL.
dma::UnitFactory make_model_dma(Backend backend, const std::string& name);

struct CoreOptions {
  DescribeInstruction describe;
  DatapathFactory make_datapath = make_model_datapath;
  Backend exp = Backend::kModel;
  ExpFactory make_exp = make_model_exp;
  Backend mx = Backend::kModel;
  MxFactory make_mx = make_model_mx;
  Backend near_memory = Backend::kModel;  // of SBUF
  NearMemoryFactory make_near_memory = make_model_near_memory;
  Backend dma = Backend::kModel;
  DmaFactory make_dma = make_model_dma;
  // Receives lines that GpSimd programs log; without it they go to standard error.
  std::function<void(const std::string& line)> program_log;
  // Runs the harts of GpSimd programs, as a debugger does (systemc/gpsimd/debug); null: nobody.
  gpsimd::ProgramRunner* program_runner = nullptr;
};

}  // namespace tern
