// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "systemc/cosim/datapath_factory.h"
#include "systemc/cosim/dma_factory.h"
#include "systemc/cosim/exp_factory.h"
#include "systemc/cosim/mx_factory.h"
#include "systemc/cosim/near_memory_factory.h"
#include "systemc/cosim/rtl_chip_options.h"
#include "systemc/wave/chip_wave.h"

namespace tern {

// What the Verilated blocks of one chip, or of several, have done so far.
struct RtlStatistics {
  std::shared_ptr<CosimStatistics> tensor = std::make_shared<CosimStatistics>();
  std::shared_ptr<ExpStatistics> exp = std::make_shared<ExpStatistics>();
  std::shared_ptr<MxStatistics> mx = std::make_shared<MxStatistics>();
  std::shared_ptr<NearMemoryStatistics> near_memory = std::make_shared<NearMemoryStatistics>();
  std::shared_ptr<DmaStatistics> dma = std::make_shared<DmaStatistics>();
};

// rtl_chip_options() that fills in the statistics. `wave`, unless null, records the blocks and
// outlives the chip. `fpga_port`: the serial device of the board of `tensor: fpga`.
ChipOptions rtl_chip_options(unsigned threads, const RtlStatistics& statistics,
                             wave::ChipWave* wave, const std::string& fpga_port = {});

}  // namespace tern
