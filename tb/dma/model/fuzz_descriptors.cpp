// SPDX-License-Identifier: Apache-2.0
// libFuzzer over rings of descriptors: model and RTL must report the same for every pair
// (tb/dma/model/descriptor_stream.h defines the bytes). Built by the preset `fuzz`:
//   fuzz_descriptors -max_total_time=300 NEW_FOLDER tb/dma/model/corpus_descriptors
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tb/dma/model/scan_sides.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static tern::tb::ScanSides sides;
  const tern::tb::ScanOutcome outcome = sides.run(data, size);
  if (!outcome.difference.empty()) {
    std::fprintf(stderr, "%s\n", outcome.difference.text().c_str());
    std::abort();
  }
  return 0;
}

// Half of the time a mutation that respects records and fields.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  std::mt19937_64 random(seed);
  tern::tb::Bytes records(data, data + size);
  tern::tb::mutate_stream(records, random);
  const std::size_t kept = std::min(records.size(), max_size);
  std::memcpy(data, records.data(), kept);
  return kept;
}
