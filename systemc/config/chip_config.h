// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tern {

// What stands behind the socket of the tensor engine, or of the exponential unit, on a core.
enum class TensorBackend { kModel, kRtl, kBoth };

struct HbmConfig {
  unsigned stacks = 0;
  std::uint64_t stack_bytes = 0;
  double bandwidth_gb_per_s = 0;  // all stacks together, 1e9 bytes per second
  double latency_ns = 0;          // unloaded read latency at the stack
};

struct DmaConfig {
  double engine_gb_per_s = 0;         // theoretical rate of one engine
  double efficiency = 1;              // practical / theoretical
  double start_latency_ns = 0;        // doorbell to first byte
  double descriptor_overhead_ns = 0;  // engine time per descriptor pair beside its bytes
};

struct EngineConfig {
  double clock_ghz = 0;
  unsigned min_interval = 0;    // cycles between two instructions at least (MIN_II)
  unsigned latency_cycles = 0;  // added between the end of the interval and the completion
  // Vector: exponentials per partition and cycle of the exponential instruction; 0: there is none.
  unsigned exp_per_cycle = 0;
};

// Programs of the GpSimd processors (custom_op): docs in systemc/gpsimd/README.md. Cycles of the
// GpSimd engine's clock.
struct GpsimdProgramConfig {
  unsigned start_cycles = 0;       // from the instruction to the first one of the program
  unsigned local_load_cycles = 1;  // a load from local memory; all else takes one cycle
  unsigned sbuf_load_cycles = 1;   // a load from SBUF
  unsigned limit_cycles = 1;       // a program that takes longer is stopped
};

// What a chip generation's tensor engine offers beyond dense, sparse and double-row products, tiles
// and transposes.
struct TensorFeatures {
  bool mx = true;              // MXFP8 and MXFP4 products
  bool quad = true;            // x4 operands as four products
  bool e4m3fn = true;          // FP8 in double row with the OCP format beside the legacy one
  bool bf16_result = true;     // PSUM in BF16, rounded to nearest or stochastically
  unsigned max_moving = 4096;  // FP32 columns of one product; twice as many in BF16
};

// The same for its Scalar engine.
struct ScalarFeatures {
  bool double_rate = true;  // tensor_copy and tensor_scalar of 16-bit floats: two elements a cycle
  bool all_operators = true;  // activate2, and tensor_scalar beyond multiply, add and both
};

// Instructions that a sequencer executes itself, in cycles of its engine's clock.
struct ControlConfig {
  unsigned cycles = 16;       // each
  unsigned sbuf_cycles = 64;  // more for register_load and register_store
};

struct CoreConfig {
  double tensor_clock_ghz = 0;
  TensorFeatures tensor;
  ScalarFeatures scalar_features;
  EngineConfig vector, scalar, gpsimd, sync;
  ControlConfig control;
  GpsimdProgramConfig gpsimd_programs;
  std::uint64_t sbuf_partition_bytes = 0;
  double fetch_latency_ns = 0;  // first instruction block of a queue; later blocks are prefetched
};

struct HostLinkConfig {
  double bandwidth_gb_per_s = 0;  // one direction
  double latency_ns = 0;
};

// One chip, resolved: every value comes from a preset or from a file that overrides it
// (systemc/presets).
struct ChipConfig {
  std::string name;
  unsigned cores = 0;
  CoreConfig core;
  DmaConfig dma;
  HbmConfig hbm;
  HostLinkConfig host;
  std::vector<TensorBackend> tensor;  // per core
  std::vector<TensorBackend> exp;     // per core
};

}  // namespace tern
