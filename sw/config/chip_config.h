// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sw/config/energy_config.h"
#include "sw/config/hbm_config.h"
#include "sw/config/qos_settings.h"

namespace tern {

// Implementation behind the socket of the tensor engine, the exponential unit or a DMA engine of a
// core. kFpga: a tensor engine only, whose products a board computes.
enum class Backend { kModel, kRtl, kBoth, kFpga };

// How traffic of the four classes shares a resource (systemc/qos).
struct QosConfig {
  qos::Policy policy = qos::Policy::kRoundRobin;
  std::array<double, qos::kClasses> shares{};  // of the resource's rate, by right; 0: none
  std::uint32_t bucket_bytes = 0;              // how far a class may be ahead of its share
};

// Who makes the descriptors of copies whose kernel leaves it open: the host, the generators, or
// these for long rows (sw/kernels/builder/README.md).
enum class DescriptorChoice { kHost, kHardware, kByLength };

struct DmaConfig {
  double efficiency = 1;           // practical / theoretical
  double clock_ghz = 0.6;          // of an engine: 64 bytes per cycle
  unsigned descriptor_cycles = 5;  // pause of its data path before a contiguous buffer
  double doorbell_latency_ns = 0;  // a sequencer's decision or a posted write to the ring's tail
  // The write that ends a transfer, or any other, to a semaphore, to the queue that waits for it.
  double completion_latency_ns = 0;
  QosConfig qos;      // of the rings of an engine
  bool hwdge = true;  // the Sync and Scalar queues have descriptor generators
  DescriptorChoice descriptors = DescriptorChoice::kByLength;
  double hwdge_latency_ns = 600;      // dma_copy: until its first descriptor, each instruction
  double hwdge_clock_ghz = 1.2;       // its descriptor pairs: one per cycle
  double hwdge_gb_per_s = 0;          // what its copies move at most; 0: no limit
  unsigned swdge_start_cycles = 150;  // dma_indirect, cycles of GpSimd: once
  unsigned swdge_row_cycles = 24;     // for each row on one of its eight processors
  bool near_memory_add = true;        // writes that add to the contents of memory
};

// The network between cores, DMA engines, memory and host (systemc/noc/README.md). Rates in 1e9
// bytes per second.
struct NocConfig {
  unsigned dies = 1;              // 1 or 2
  double hop_ns = 0;              // one crossing; more than 0
  double core_port_gb_per_s = 0;  // per core, reads and writes together
  double die_link_gb_per_s = 0;   // per direction
  double die_link_ns = 0;         // in addition to the hops
  double host_port_gb_per_s = 0;  // per direction
  QosConfig qos;
};

struct EngineConfig {
  double clock_ghz = 0;
  unsigned min_interval = 0;     // minimum cycles between two instructions (MIN_II)
  unsigned latency_cycles = 0;   // added between the end of the interval and the completion
  unsigned overhead_cycles = 0;  // of each interval, besides those of its elements
  // Vector: exponentials per partition and cycle of the exponential instruction; 0: not available.
  unsigned exp_per_cycle = 0;
};

// Programs of the GpSimd processors (custom_op): docs in systemc/gpsimd/README.md. Cycles of the
// GpSimd engine's clock.
struct GpsimdProgramConfig {
  unsigned start_cycles = 0;       // from the instruction to the first one of the program
  unsigned local_load_cycles = 1;  // a load from local memory; all others take one cycle
  unsigned sbuf_load_cycles = 1;   // a load from SBUF
  unsigned limit_cycles = 1;       // a program that takes longer is stopped
};

// What a chip generation's tensor engine offers beyond dense, sparse and double-row products, tiles
// and transposes.
struct TensorFeatures {
  bool mx = true;              // MXFP8 and MXFP4 products
  bool quad = true;            // x4 operands as four products
  bool e4m3fn = true;          // FP8 in double row with the OCP format besides the legacy one
  bool bf16_result = true;     // PSUM in BF16, rounded to nearest or stochastically
  unsigned max_moving = 4096;  // FP32 columns of one product; twice as many in BF16
};

// The same for its Vector engine.
struct VectorFeatures {
  bool fast_modes = true;        // tensor_copy and tensor_scalar: two or four elements a cycle
  bool fast_fp8 = true;          // FP8 there as 16-bit floats
  double reciprocal_cycles = 8;  // of an element
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
  unsigned tensor_ramp_cycles = 0;  // in which an array at rest comes to its full rate; 0: at once
  unsigned tensor_stages = 1;       // of the arrays: cycles from a row or block to the next
  TensorFeatures tensor;
  VectorFeatures vector_features;
  ScalarFeatures scalar_features;
  EngineConfig vector, scalar, gpsimd, sync;
  double table_load_ns = 0;  // Scalar: an activation function of another set of tables
  ControlConfig control;
  GpsimdProgramConfig gpsimd_programs;
  std::uint64_t sbuf_partition_bytes = 0;
  double semaphore_latency_ns = 0;  // an update by one queue, to another that waits for it
  double fetch_latency_ns = 0;  // first instruction block of a queue; later blocks are prefetched
  // What the Neuron runtime's own instructions take on the queues, before and after those of a
  // kernel in Python.
  double kernel_start_ns = 0, kernel_end_ns = 0;
};

struct HostLinkConfig {
  double bandwidth_gb_per_s = 0;  // one direction
  double latency_ns = 0;
};

// One chip, resolved: every value comes from a preset or from a file that overrides it
// (sw/config/presets).
struct ChipConfig {
  std::string name;
  unsigned cores = 0;
  CoreConfig core;
  DmaConfig dma;
  hbm::Config hbm;
  NocConfig noc;
  HostLinkConfig host;
  EnergyConfig energy;
  std::vector<Backend> tensor;       // per core
  std::vector<Backend> exp;          // per core
  std::vector<Backend> mx;           // per core
  std::vector<Backend> near_memory;  // per core
  std::vector<Backend> dma_backend;  // per core, of all its DMA engines
};

// The memory as the chip uses it: without classes in the network it ignores them, too.
inline hbm::Config memory_of(const ChipConfig& config) {
  hbm::Config memory = config.hbm;
  memory.by_class = config.noc.qos.policy != qos::Policy::kRoundRobin;
  return memory;
}

}  // namespace tern
