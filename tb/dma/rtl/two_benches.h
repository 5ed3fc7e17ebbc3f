// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tb/common/check_mismatch.h"
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
  return "address " + hex(r.address, 48) + " bytes " + hex(r.bytes, 12) + " tag " + hex(r.tag, 8) +
         " class " + hex(r.traffic_class, 4) + " op " + hex(r.write_op, 4) + " in cycle " +
         std::to_string(UnitBench::wave_cycle(r.cycle));
}
inline std::string text(const SeenStop& s) {
  return "ring " + hex(s.ring, 4) + " fault " + hex(s.fault, 8) + " index " + hex(s.index, 16) +
         " address " + hex(s.address, 48) + " in cycle " +
         std::to_string(UnitBench::wave_cycle(s.cycle));
}
inline std::string text(const SeenDone& d) {
  return "ring " + hex(d.ring, 4) + " bytes " + hex(d.bytes, 24) + " pairs " + hex(d.pairs, 8) +
         " in cycles " + std::to_string(UnitBench::wave_cycle(d.begin)) + " to " +
         std::to_string(UnitBench::wave_cycle(d.cycle));
}

// Events with their cycles.
using Record = std::vector<std::pair<std::uint64_t, std::string>>;

template <typename Seen>
Record sorted(const std::vector<Seen>& seen) {
  // Of one cycle in any order: two rings may stop at once.
  Record record;
  for (const Seen& s : seen) record.emplace_back(s.cycle, text(s));
  std::sort(record.begin(), record.end());
  return record;
}

inline Record of_port(const UnitBench& bench, dma::Port port) {
  std::vector<SeenRequest> seen;
  for (const auto& r : bench.requests) {
    if (r.port == port) seen.push_back(r);
  }
  return sorted(seen);
}

// The first event that differs: those after it are others anyway.
inline MismatchLog differences(const std::string& port, const Record& rtl, const Record& model) {
  MismatchLog log;
  const std::size_t n = std::max(rtl.size(), model.size());
  for (std::size_t i = 0; i < n && log.empty(); ++i) {
    const bool in_rtl = i < rtl.size(), in_model = i < model.size();
    if (in_rtl && in_model && rtl[i].second == model[i].second) continue;
    log.add([&] {
      const std::uint64_t cycle =
          std::min(in_rtl ? rtl[i].first : UINT64_MAX, in_model ? model[i].first : UINT64_MAX);
      return Mismatch{
          {"port " + port + ", event " + std::to_string(i), "", UnitBench::wave_cycle(cycle)},
          in_model ? model[i].second : "none",
          in_rtl ? rtl[i].second : "none"};
    });
  }
  return log;
}

// Every request, packet and stop of two benches, in their cycles.
inline void check_same_record(const UnitBench& rtl, const UnitBench& model) {
  for (const auto& [name, port] : {std::pair{"fetch_request_o", dma::Port::kDescriptors},
                                   std::pair{"read_request_o", dma::Port::kRead},
                                   std::pair{"write_request_o", dma::Port::kWrite}}) {
    CHECK_NO_MISMATCH(differences(name, of_port(rtl, port), of_port(model, port)));
  }
  CHECK_NO_MISMATCH(differences("done_o", sorted(rtl.done), sorted(model.done)));
  CHECK_NO_MISMATCH(differences("stopping_o", sorted(rtl.stops), sorted(model.stops)));
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
