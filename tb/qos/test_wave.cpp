// SPDX-License-Identifier: Apache-2.0
// Waveforms, and the saved GTKWave layout.
#include "tb/common/fst_layout.h"
#include "tb/common/temp_folder.h"
#include "tb/qos/lockstep.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
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
  check_layout(wave.file, TERN_QOS_GTKW, 100 * 1000, 15);
}
