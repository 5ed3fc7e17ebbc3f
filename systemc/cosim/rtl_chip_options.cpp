// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/rtl_chip_options.h"

#include "systemc/cosim/rtl_statistics.h"

namespace tern {

ChipOptions rtl_chip_options(unsigned threads) {
  return rtl_chip_options(threads, {}, nullptr);
}

ChipOptions rtl_chip_options(unsigned threads, const RtlStatistics& statistics,
                             wave::ChipWave* wave, const std::string& fpga_port) {
  using Block = wave::ChipWave::Block;
  if (threads == 0) threads = base::usable_processors();
  const auto team = std::make_shared<base::ThreadTeam>(threads);
  const auto of = [wave](Block block) -> WaveOfBlock {
    if (wave == nullptr) return nullptr;
    return [wave, block](const std::string& place) { return wave->part(place, block); };
  };
  ChipOptions options;
  options.core.make_datapath =
      make_cosim_factory(statistics.tensor, team, of(Block::kTensor), fpga_port);
  options.core.make_exp = make_exp_factory(statistics.exp, team, of(Block::kVector));
  options.core.make_mx = make_mx_factory(statistics.mx, of(Block::kVector));
  options.core.make_near_memory =
      make_near_memory_factory(statistics.near_memory, of(Block::kNearMemory));
  options.core.make_dma = make_dma_factory(statistics.dma, team, of(Block::kDma));
  return options;
}

}  // namespace tern
