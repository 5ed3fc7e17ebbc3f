// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "tb/dma/model/unit_bench.h"

namespace tern::tb {

// Memories that two benches share: what a request waits for and whether it fails follow from the
// request alone.
inline std::uint64_t scattered(const dma::Request& request) {
  const std::uint64_t mix = (request.address / 64 + request.cycle * 7) * 0x9e3779b97f4a7c15ull;
  return 5 + (mix >> 60 == 0 ? 600 : mix >> 58);
}

// One request in `one_of` fails.
inline std::function<dma::Answer(const dma::Request&)> failing(std::uint64_t one_of) {
  return [one_of](const dma::Request& request) {
    const std::uint64_t mix =
        (request.address + static_cast<std::uint64_t>(request.port)) * 0xbf58476d1ce4e5b9ull >> 20;
    if (mix % one_of != 0) return dma::Answer::kGood;
    return mix / one_of % 2 == 0 ? dma::Answer::kBadAddress : dma::Answer::kUncorrectable;
  };
}

inline std::string text(const SeenRequest& r) {
  char line[160];
  std::snprintf(line, sizeof line, "cycle %llu port %d address %llx bytes %u tag %u class %u op %u",
                static_cast<unsigned long long>(r.cycle), static_cast<int>(r.port),
                static_cast<unsigned long long>(r.address), r.bytes, r.tag, r.traffic_class,
                r.write_op);
  return line;
}
inline std::string text(const SeenStop& s) {
  char line[160];
  std::snprintf(line, sizeof line, "cycle %llu ring %u fault %u index %u address %llx",
                static_cast<unsigned long long>(s.cycle), s.ring, s.fault, s.index,
                static_cast<unsigned long long>(s.address));
  return line;
}
inline std::string text(const SeenDone& d) {
  char line[160];
  std::snprintf(line, sizeof line, "begin %llu cycle %llu ring %u bytes %u pairs %u",
                static_cast<unsigned long long>(d.begin), static_cast<unsigned long long>(d.cycle),
                d.ring, d.bytes, d.pairs);
  return line;
}

template <typename Seen>
std::vector<std::string> sorted(const std::vector<Seen>& seen) {
  // Of one cycle in any order: two rings may stop at once.
  std::vector<std::pair<std::uint64_t, std::string>> lines;
  for (const Seen& s : seen) lines.emplace_back(s.cycle, text(s));
  std::sort(lines.begin(), lines.end());
  std::vector<std::string> result;
  for (auto& line : lines) result.push_back(std::move(line.second));
  return result;
}

inline std::vector<std::string> of_port(const UnitBench& bench, dma::Port port) {
  std::vector<SeenRequest> seen;
  for (const auto& r : bench.requests) {
    if (r.port == port) seen.push_back(r);
  }
  return sorted(seen);
}

inline void check_equal(const char* what, const std::vector<std::string>& rtl,
                        const std::vector<std::string>& model) {
  const std::size_t n = std::min(rtl.size(), model.size());
  for (std::size_t i = 0; i < n; ++i) {
    if (rtl[i] != model[i]) {
      FAIL_CHECK(what << " " << i << ": RTL " << rtl[i] << " | model " << model[i]);
      return;
    }
  }
  if (rtl.size() != model.size()) {
    FAIL_CHECK(what << ": RTL has " << rtl.size() << ", model " << model.size()
                    << "; next: " << (rtl.size() > n ? rtl[n] : model[n]));
  }
}

// Every request, packet and stop of two benches, in their cycles.
inline void check_same_record(const UnitBench& rtl, const UnitBench& model) {
  for (const auto& [name, port] :
       {std::pair{"descriptor request", dma::Port::kDescriptors},
        std::pair{"read", dma::Port::kRead}, std::pair{"write", dma::Port::kWrite}}) {
    check_equal(name, of_port(rtl, port), of_port(model, port));
  }
  check_equal("packet", sorted(rtl.done), sorted(model.done));
  check_equal("stop", sorted(rtl.stops), sorted(model.stops));
}

// The registers of a ring that can be read.
inline std::vector<std::uint32_t> ring_registers(UnitBench& bench, unsigned ring) {
  std::vector<std::uint32_t> values;
  for (std::uint32_t offset = 0; offset < TERN_REG_DMA_RING_SIZE_STRIDE; offset += 4) {
    if (offset == TERN_REG_DMA_RING_TAIL || offset == TERN_REG_DMA_RING_ABORT) continue;
    values.push_back(bench.ring_register(ring, offset));
  }
  return values;
}

}  // namespace tern::tb
