// SPDX-License-Identifier: Apache-2.0
// Waveforms, and the saved GTKWave layout.
#include <catch2/catch.hpp>

#include "systemc/cosim/dma_rtl.h"
#include "tb/common/fst_layout.h"
#include "tb/common/temp_folder.h"
#include "tb/dma/model/unit_bench.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT

TEST_CASE("dma rtl: a waveform holds every signal of the GTKWave layout") {
  const TempFolder folder;
  WaveOptions wave;
  wave.file = folder.path("dma.fst");
  {
    UnitBench bench([&wave](dma::Environment& s) {
      return std::make_unique<dma::DmaRtl>(dma::UnitConfig(), s, wave);
    });
    bench.set_up(0, 32);
    bench.put_copy(0, 0x1000, 0x8001, 300);
    bench.release(0, 1);
    bench.run();
  }
  CHECK(folder.files() == std::vector<std::string>{"dma.fst"});
  check_layout(wave.file, TERN_DMA_GTKW, 60 * 1000, 40);
}
