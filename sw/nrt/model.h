// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sw/nrt/engine.h"
#include "sw/nrt/tensor.h"
#include "sw/runtime/program_file.h"

namespace tern::nrt {

// Where a logical core is.
struct CoreSet {
  unsigned number = 0;  // visible
  unsigned device = 0, first = 0, count = 1;
};

// A program on a logical core.
class Model {
 public:
  using Tensors = std::map<std::string, TensorPtr>;
  using Views = std::map<std::string, View>;

  // Throws StatusError: kInvalid, kNotEnoughCores, kResource.
  Model(runtime::ProgramFile file, const CoreSet& cores, System& system, double limit_seconds);

  const CoreSet& cores() const { return cores_; }
  const std::string& name() const { return parts_.front().name; }
  // Of all parts, by name, without scratch.
  const std::vector<TensorInfo>& tensors() const { return tensors_; }
  static bool is_output(const TensorInfo& tensor) {
    return tensor.kind == TensorInfo::Kind::kOutput;
  }
  // The tensor of every name, of its size. StatusError kInvalid.
  Views bind(const Tensors& inputs, const Tensors& outputs) const;

  // In the simulation's thread. After an error the cores have been reset.
  void execute(System& system, const Views& tensors);
  std::uint64_t newest_ns() const { return newest_ns_.load(); }

 private:
  using Addresses = std::map<std::string, runtime::Runtime::Binding>;

  void load(System& system, const Views& tensors);
  void run_parts(runtime::Runtime& runtime);
  void recover(runtime::Runtime& runtime);

  const std::vector<Executable> parts_;
  const CoreSet cores_;
  const double limit_seconds_;
  std::vector<TensorInfo> tensors_;
  std::map<std::string, runtime::Buffer> scratch_;
  std::vector<runtime::Program> programs_;  // of the parts, as loaded for these addresses
  std::vector<std::uint64_t> addresses_;
  std::atomic<std::uint64_t> newest_ns_ = 0;
};
using ModelPtr = std::shared_ptr<Model>;

}  // namespace tern::nrt
