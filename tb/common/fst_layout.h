// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <fstream>
#include <memory>
#include <set>
#include <string>

#include "tb/common/fst_signals.h"

namespace tern::tb {

// Checks that the waveform lasts at least that long and holds every signal of a saved GTKWave
// layout, which has at least this many.
inline void check_layout(const std::string& fst, const std::string& gtkw, std::uint64_t end_time,
                         unsigned least) {
  const std::unique_ptr<void, void (*)(void*)> reader(fstReaderOpen(fst.c_str()), fstReaderClose);
  REQUIRE(reader != nullptr);
  CHECK(fstReaderGetEndTime(reader.get()) >= end_time);
  const std::set<std::string> names = fst_signals(reader.get());
  std::ifstream layout(gtkw);
  unsigned found = 0;
  for (std::string line; std::getline(layout, line);) {
    if (line.rfind("rtl.", 0) != 0) continue;
    INFO(line);
    // Without its range; an element of an array keeps its index.
    CHECK(names.count(line.substr(0, line.find('['))) + names.count(line) +
              names.count(line.substr(0, line.rfind('['))) >
          0);
    ++found;
  }
  CHECK(found >= least);
}

}  // namespace tern::tb
