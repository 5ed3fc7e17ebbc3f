// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sw/app/kinds/parallel/parallel_record.h"
#include "sw/app/kinds/parallel/parallel_workload.h"
#include "sw/base/state_archive.h"
#include "sw/kernels/catalogue/case_parts.h"
#include "sw/platform/chips/chip_system.h"
#include "sw/platform/chips/rendezvous.h"
#include "sw/platform/chips/system_rest.h"
#include "sw/runtime/runtime.h"

namespace tern::app {

// The hosts of the chips of a parallel run: operands, programs, results.
class ParallelHosts {
 public:
  using Values = std::vector<float>;

  ParallelHosts(const ParallelWorkload& workload, std::uint64_t seed, ChipSystem* chips);

  // Called when all programs have begun, with the time.
  void set_on_begin(std::function<void(std::uint64_t)> on_begin) {
    on_begin_ = std::move(on_begin);
  }
  // What the system knows of the failure of a program, if anything.
  void set_explain(std::function<std::string()> explain) { explain_ = std::move(explain); }
  // Where they wait for each other.
  Rendezvous& meeting() { return meeting_; }
  SystemRest& rest() { return rest_; }

  // In a SystemC thread: the hosts of the chips that are here.
  void run();
  // What other processes have, for rank 0.
  void gather(system::Ranks* ranks);
  // Times and comparisons.
  void judge(ParallelRecord* record) const;
  const Values& result() const { return parts_.front().result; }

 private:
  struct Operands {
    kernels::CaseOperand x, w1, w2;
  };
  // How a part has run.
  struct Part {
    std::uint64_t start_fs = 0, end_fs = 0, alone_fs = 0;
    Values share, result;  // alone; of the sum

    void archive(base::StateArchive& archive);
  };
  struct Loaded {
    std::map<std::string, runtime::Buffer> buffers;
    std::unique_ptr<runtime::Program> program;
  };

  static Operands operands_of(const kernels::ParallelMlpSpec& spec, std::uint64_t seed);
  runtime::Runtime& runtime(unsigned n);
  std::size_t result_values() const { return std::size_t{spec_.model} * spec_.tokens; }
  void run_host(unsigned part);
  void run_alone(unsigned part);
  void run_joined(unsigned part);
  Loaded load(unsigned part, bool joined);
  Values result_of(const Loaded& loaded, unsigned part);
  void compare_all(ParallelRecord* record) const;

  const kernels::ParallelMlpSpec spec_;
  ChipSystem& chips_;
  const Operands operands_;
  Rendezvous meeting_;
  SystemRest rest_;
  std::function<void(std::uint64_t)> on_begin_;
  std::function<std::string()> explain_;
  std::vector<Part> parts_;
  std::vector<std::unique_ptr<runtime::Runtime>> runtimes_;
};

}  // namespace tern::app
