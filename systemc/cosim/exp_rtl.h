// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "sw/config/wave_options.h"
#include "systemc/engines/exp/exp_unit.h"
#include "systemc/trace/rtl_work.h"

namespace tern {

// The Verilated exponential unit of rtl/exp at its ports, one clock cycle at a time:
//   fill the input ports; step = offer(group, take); use the results if step.delivered; tick().
class ExpPipeline {
 public:
  struct Group {
    unsigned count = kExpPerCycle;  // elements present of every partition
    bool first = true, last = true;
    bool sum = false;
    bool load = false;  // sums start from the input port; with first and sum
    numerics::DType source_type = numerics::DType::kFp32, result_type = numerics::DType::kFp32;
  };
  struct Step {
    bool accepted = false;   // the offered group enters at the end of this cycle
    bool valid = false;      // results are at the output
    bool delivered = false;  // they are taken at the end of this cycle
    bool last = false;       // they are those of an instruction's last group
  };

  explicit ExpPipeline(const WaveOptions& wave = {});
  ~ExpPipeline();

  // Input ports. Element q of partition p is word q * kExpPartitions + p, raw, 16-bit formats in
  // its lower half; m and the sums are one word per partition.
  std::uint32_t* data();
  std::uint32_t* m();
  std::uint32_t* initial_sums();
  // Output ports, in the same order.
  const std::uint32_t* results() const;
  const std::uint32_t* sums() const;

  // Offers a group (null: none) and takes what is at the output (or holds it).
  Step offer(const Group* group, bool take);
  void tick();

  std::uint64_t cycles_simulated() const { return cycles_; }

 private:
  struct Dut;
  std::unique_ptr<Dut> dut_;
  std::uint64_t cycles_ = 0;
};

// The Verilated unit behind the interface of its model, one instruction at a time.
class ExpRtl : public ExpUnit {
 public:
  explicit ExpRtl(const WaveOptions& wave = {}) : pipeline_(wave) {}

  std::uint64_t run(const ExpRequest& request) override;

  std::uint64_t cycles_simulated() const { return pipeline_.cycles_simulated(); }
  const RtlWork& work() const { return work_; }

 private:
  // Elements of a block of groups in transit between rows and ports: four cache lines of each row.
  // Rows a power of two apart share few places of a cache, so lines must be used up at once.
  static constexpr unsigned kBlockGroups = 16;
  static constexpr std::size_t kBlockElements = kBlockGroups * kExpPerCycle;
  static constexpr unsigned kWords = kExpPerCycle * kExpPartitions;
  using Block = std::uint32_t[kBlockGroups][kWords];

  void gather(const ExpRequest& request, std::size_t first);
  void scatter(const ExpRequest& request, std::size_t first) const;

  ExpPipeline pipeline_;
  alignas(64) Block input_{}, output_{};
  RtlWork work_;
};

}  // namespace tern
