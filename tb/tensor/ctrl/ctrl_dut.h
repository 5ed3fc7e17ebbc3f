// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "systemc/engines/tensor/tensor_datapath.h"
#include "tb/tensor/ctrl/ctrl_wave.h"

namespace tern::tb {

// What the bench drives in one cycle.
struct CtrlInputs {
  const TensorCommand* command = nullptr;  // offered
  int load_done = -1, mx_load_done = -1;   // slot
  bool load_bad = false;
  std::uint32_t psum_done = 0;  // mask of slots
  bool status_ready = true;
};

// Outputs before the clock edge. Members of a stream that is not valid are empty.
struct CtrlOutputs {
  bool ready = false, busy = false, weight_stall = false;
  bool flight = false, dest = false, status = false;
  std::int64_t flight_slot = 0, dest_slot = 0;
  Members flight_members, dest_members, status_members;
  std::array<Members, kStreams> waves;
};

// The Verilated control (ctrl_probe.sv).
class CtrlDut {
 public:
  virtual ~CtrlDut() = default;
  virtual CtrlOutputs step(const CtrlInputs& inputs) = 0;
  // Between two cycles, with no inputs.
  virtual void reset() = 0;
  virtual Members counters() const = 0;
};

// Configuration "tiny" or "full"; its shape. The partition size is the shape's.
// sbuf_bytes: of a partition; 0: as the chip's.
std::unique_ptr<CtrlDut> make_ctrl_dut(const std::string& name, unsigned ramp_cycles,
                                       TensorShape* shape, unsigned sbuf_bytes = 0);

}  // namespace tern::tb
