// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "systemc/cosim/mx_rtl.h"
#include "systemc/engines/mx/mx_unit.h"
#include "systemc/trace/rtl_work.h"

namespace tern {

// The Verilated pipelines of rtl/mx behind the interface of their model: one per quadrant and
// direction, all clocked together.
class MxUnitRtl : public MxUnit {
 public:
  MxUnitRtl();
  std::uint64_t quantize(const MxQuantizeRequest& request) override;
  std::uint64_t dequantize(const MxDequantizeRequest& request) override;

  const RtlWork& work() const { return work_; }

 private:
  std::vector<MxQuantizeRtl> quantize_;  // by quadrant
  std::vector<MxDequantizeRtl> dequantize_;
  RtlWork work_;
};

}  // namespace tern
