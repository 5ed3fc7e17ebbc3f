// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/rtl_chip_options.h"

#include <memory>

#include "systemc/cosim/datapath_factory.h"
#include "systemc/cosim/dma_factory.h"
#include "systemc/cosim/exp_factory.h"
#include "systemc/cosim/mx_factory.h"
#include "systemc/cosim/near_memory_factory.h"

namespace tern {

ChipOptions rtl_chip_options(unsigned threads) {
  if (threads == 0) threads = base::usable_processors();
  ChipOptions options;
  const auto team = std::make_shared<base::ThreadTeam>(threads);
  options.core.make_datapath = make_cosim_factory(std::make_shared<CosimStatistics>(), team);
  options.core.make_exp = make_exp_factory(std::make_shared<ExpStatistics>());
  options.core.make_mx = make_mx_factory(std::make_shared<MxStatistics>());
  options.core.make_near_memory =
      make_near_memory_factory(std::make_shared<NearMemoryStatistics>());
  options.core.make_dma = make_dma_factory(std::make_shared<DmaStatistics>(), team);
  return options;
}

}  // namespace tern
