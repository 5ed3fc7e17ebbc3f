// SPDX-License-Identifier: Apache-2.0
// Waveforms, and the saved GTKWave layout.
#include <catch2/catch.hpp>
#include <fstream>

#include "systemc/cosim/dma_rtl.h"
#include "tb/common/fst_signals.h"
#include "tb/common/temp_folder.h"
#include "tb/dma/unit_bench.h"

using namespace tern;      // NOLINT: a test speaks the language of what it tests
using namespace tern::tb;  // NOLINT

TEST_CASE("dma rtl: a waveform holds every signal of the GTKWave layout") {
  const TempFolder folder;
  WaveOptions wave;
  wave.file = folder.path("dma.fst");
  {
    UnitBench bench([&wave](dma::Surroundings& s) {
      return std::make_unique<dma::DmaRtl>(dma::UnitConfig(), s, wave);
    });
    bench.set_up(0, 32);
    bench.put_copy(0, 0x1000, 0x8001, 300);
    bench.release(0, 1);
    bench.run();
  }
  CHECK(folder.files() == std::vector<std::string>{"dma.fst"});
  const std::unique_ptr<void, void (*)(void*)> reader(fstReaderOpen(wave.file.c_str()),
                                                      fstReaderClose);
  REQUIRE(reader != nullptr);
  CHECK(fstReaderGetEndTime(reader.get()) >= 60 * 1000);
  const std::set<std::string> names = fst_signals(reader.get());
  std::ifstream layout(TERN_DMA_GTKW);
  unsigned found = 0;
  for (std::string line; std::getline(layout, line);) {
    if (line.rfind("rtl.", 0) != 0) continue;
    INFO(line);
    CHECK(names.count(line.substr(0, line.find('['))) == 1);
    ++found;
  }
  CHECK(found >= 40);
}
