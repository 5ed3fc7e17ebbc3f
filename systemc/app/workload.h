// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/kernels/catalogue/kernel.h"
#include "systemc/app/moe_workload.h"
#include "systemc/app/qos_workload.h"
#include "systemc/app/search_workload.h"
#include "systemc/app/train_workload.h"
#include "systemc/numerics/dtype.h"

namespace tern::app {

// What `tern run FILE.yaml` runs (schema: docs/workloads.md), with every tensor loaded and checked.

struct MlpLayer {
  std::size_t in = 0, out = 0;
  std::vector<float> weight;  // [in, out], rounded to BF16
  std::vector<float> bias;    // [out]
};

struct MlpWorkload {
  std::size_t batch = 0, features = 0;
  std::vector<float> input;          // [batch, features], rounded to BF16
  std::vector<std::uint8_t> labels;  // [batch], empty if none were given
  std::vector<MlpLayer> layers;      // ReLU between, softmax at the end
  std::optional<double> accuracy;    // least accuracy expected
  std::size_t classes() const { return layers.back().out; }
};

struct MatmulWorkload {
  std::size_t k = 0, m = 0, n = 0;
  std::vector<float> a;  // [K, M], rounded to dtype
  std::vector<float> b;  // [K, N]
  numerics::DType dtype = numerics::DType::kBf16;
};

// One product in many formats (sw/kernels/matmul_format.h), with normal random operands: four
// matrices each, one below the other, of which all but quad formats take the first.
struct SweepWorkload {
  std::size_t m = 0, k = 0, n = 0;
  std::vector<std::string> formats;
  numerics::DType psum = numerics::DType::kFp32;
  std::vector<float> a, b;
};

// A kernel of the catalogue (sw/kernels/catalogue) with its parameters as written.
struct KernelWorkload {
  std::string kernel;
  kernels::Parameters parameters;
};

// A result the user expects, from a .npy file.
struct ExpectedOutput {
  std::string path;
  std::vector<float> values;
  double tolerance = 0;  // largest |difference| / max(1, |expected|)
};

struct Workload {
  std::string path, name;
  std::optional<MlpWorkload> mlp;  // exactly one of these
  std::optional<MatmulWorkload> matmul;
  std::optional<SweepWorkload> sweep;
  std::optional<KernelWorkload> kernel;
  std::optional<QosWorkload> qos;
  std::optional<TrainWorkload> train;
  std::optional<SearchWorkload> search;
  std::optional<MoeWorkload> moe;
  std::optional<ExpectedOutput> expected;
  std::string describe() const;  // "mlp 784-128-10, 1,000 inputs"
};

// Faults of the file, or of a tensor it names, are UserErrors "FILE:LINE: ...". `seed` feeds random
// tensors.
Workload load_workload(const std::string& path, std::uint64_t seed);

}  // namespace tern::app
