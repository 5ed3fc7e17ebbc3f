// SPDX-License-Identifier: Apache-2.0
// libFuzzer over the contents of a chip's snapshot: tb/runtime/edited_snapshots.h.
#include <string>

#include "tb/runtime/edited_snapshots.h"

// The library of SystemC asks for one; the simulation is started from here.
extern "C" int sc_main(int /*argc*/, char** /*argv*/) {
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static tern::tb::EditedSnapshots snapshots;
  snapshots.offer(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
