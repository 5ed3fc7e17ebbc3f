// SPDX-License-Identifier: Apache-2.0
// libFuzzer over one loader, TERN_LOADER. Built by the preset `fuzz`:
//   fuzz_npy -max_total_time=600 NEW_FOLDER tb/loaders/corpus_npy
#include "tb/loaders/loaders.h"

// The library of SystemC asks for one, though nothing is simulated.
extern "C" int sc_main(int /*argc*/, char** /*argv*/) {
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tern::tb::Loader& one = tern::tb::loader(TERN_LOADER);
  tern::tb::offer(one, std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
