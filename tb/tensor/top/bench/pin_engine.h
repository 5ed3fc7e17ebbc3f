// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <VTensorTiny.h>

#include <cstdint>
#include <string>
#include <vector>

#include "systemc/cosim/rtl_block.h"
#include "tb/common/mismatch.h"
#include "tb/tensor/top/bench/test_sbuf.h"

namespace tern::tb {

// The tiny engine at its pins, with an SBUF on the read ports. Inputs set between two edges are
// taken at the next one.
class PinEngine {
 public:
  PinEngine(const TestSbuf& sbuf, unsigned sbuf_bytes, const WaveOptions& wave);

  VTensorTiny& pins() { return pins_; }
  const VTensorTiny& pins() const { return pins_; }

  void settle();
  void edge();
  // Between two edges: state that only a clocked reset would clear stays.
  void reset(unsigned ramp_cycles);

 private:
  struct Answer {
    std::uint8_t* port;
    unsigned bytes, row;
    std::uint32_t address;
  };
  void request();
  template <typename Port>
  void answer(Port& port, unsigned index, unsigned bytes, unsigned row, std::uint64_t address);

  const TestSbuf& sbuf_;
  const unsigned sbuf_bytes_;
  std::vector<Answer> answers_;
  cosim::RtlBlock<VTensorTiny> block_;
  VTensorTiny& pins_ = block_.model;
};

// Every output that means something in this cycle: payloads with their valid bit only. Returns
// the PSUM writes among them.
unsigned compare_pins(const PinEngine& expected, const PinEngine& actual, const std::string& input,
                      MismatchLog* log);

}  // namespace tern::tb
