// SPDX-License-Identifier: Apache-2.0
// Waveforms, and the saved GTKWave layout.
#include <fstream>

#include "tb/common/fst_signals.h"
#include "tb/common/temp_folder.h"
#include "tb/qos/lockstep.h"

using namespace tern;      // NOLINT: a test speaks the language of what it tests
using namespace tern::tb;  // NOLINT

TEST_CASE("qos wave: a waveform holds every signal of the GTKWave layout") {
  const TempFolder folder;
  WaveOptions wave;
  wave.file = folder.path("qos.fst");
  {
    std::mt19937_64 random(1);
    QosTrio trio(wave);
    random_qos_run(trio, random, 100);
  }
  CHECK(folder.files() == std::vector<std::string>{"qos.fst"});
  const std::unique_ptr<void, void (*)(void*)> reader(fstReaderOpen(wave.file.c_str()),
                                                      fstReaderClose);
  REQUIRE(reader != nullptr);
  CHECK(fstReaderGetEndTime(reader.get()) >= 100 * 1000);
  const std::set<std::string> names = fst_signals(reader.get());
  std::ifstream layout(TERN_QOS_GTKW);
  unsigned found = 0;
  for (std::string line; std::getline(layout, line);) {
    if (line.rfind("rtl.", 0) != 0) continue;
    INFO(line);
    CHECK(names.count(line.substr(0, line.find('['))) == 1);
    ++found;
  }
  CHECK(found >= 15);
}
