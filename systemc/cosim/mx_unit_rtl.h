// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>

#include "systemc/cosim/mx_rtl.h"
#include "systemc/engines/mx/mx_unit.h"
#include "systemc/trace/rtl_work.h"

namespace tern {

// The Verilated pipelines of rtl/mx behind the interface of their model: one per quadrant and
// direction, all clocked together.
class MxUnitRtl : public MxUnit {
 public:
  // `wave`: of PLACE.mx_quantize0 and so on, by quadrant.
  explicit MxUnitRtl(const WaveOfBlock& wave = nullptr, const std::string& place = "");
  std::uint64_t quantize(const MxQuantizeRequest& request) override;
  std::uint64_t dequantize(const MxDequantizeRequest& request) override;

  const RtlWork& work() const { return work_; }

 private:
  std::deque<MxQuantizeRtl> quantize_;  // by quadrant
  std::deque<MxDequantizeRtl> dequantize_;
  RtlWork work_;
};

}  // namespace tern
