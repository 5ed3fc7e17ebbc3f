// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "systemc/cosim/exp_rtl.h"
#include "tb/common/bench_inputs.h"
#include "tb/common/check_mismatch.h"

namespace tern::tb {

constexpr unsigned kExpWords = kExpPerCycle * kExpPartitions;

struct GroupIn {
  ExpPipeline::Group flags;
  std::vector<std::uint32_t> data = std::vector<std::uint32_t>(kExpWords);
  std::vector<std::uint32_t> m = std::vector<std::uint32_t>(kExpPartitions);
  std::vector<std::uint32_t> sums = std::vector<std::uint32_t>(kExpPartitions);
};

struct GroupOut {
  std::vector<std::uint32_t> data, sums;
  bool last = false;
  std::uint64_t entered = 0, left = 0;  // cycles in which it was taken
};

using Choice = std::function<bool(std::uint64_t cycle)>;
inline bool always(std::uint64_t) {
  return true;
}

// Streams groups through the pipeline. `offer` and `take` select the cycles in which the
// environment offers a group and takes a result. A result must stay at the output until taken,
// and there must be exactly as many results as groups.
inline std::vector<GroupOut> stream(ExpPipeline& rtl, const std::vector<GroupIn>& groups,
                                    const Choice& offer = always, const Choice& take = always) {
  std::vector<GroupOut> out;
  std::vector<std::uint64_t> entered;
  std::vector<std::uint32_t> held;
  const std::uint64_t begin = rtl.cycles_simulated();
  const BenchInputs inputs([&] {
    const std::size_t next = entered.size();
    if (next >= groups.size()) return std::string("no group");
    return "group " + std::to_string(next) + ", data " + hex_list(groups[next].data);
  });
  const auto output = [&] {
    std::vector<std::uint32_t> words(rtl.results(), rtl.results() + kExpWords);
    words.insert(words.end(), rtl.sums(), rtl.sums() + kExpPartitions);
    return words;
  };
  for (std::uint64_t cycle = 0, idle = 0; idle < 12; ++cycle) {
    REQUIRE(cycle < 100000);
    const bool offering = entered.size() < groups.size() && offer(cycle);
    if (offering) {
      const GroupIn& group = groups[entered.size()];
      std::memcpy(rtl.data(), group.data.data(), sizeof(std::uint32_t) * kExpWords);
      std::memcpy(rtl.m(), group.m.data(), sizeof(std::uint32_t) * kExpPartitions);
      std::memcpy(rtl.initial_sums(), group.sums.data(), sizeof(std::uint32_t) * kExpPartitions);
    }
    const auto step = rtl.offer(offering ? &groups[entered.size()].flags : nullptr, take(cycle));
    if (!held.empty()) {
      REQUIRE(step.valid);
      MismatchLog moved;
      const std::vector<std::uint32_t> words = output();
      for (std::size_t i = 0; i < words.size(); ++i) {
        moved.compare(held[i], words[i], 32, [&] {
          const bool sum = i >= kExpWords;
          return Where{std::string(sum ? "port acc_o" : "port data_o") + " while it waits, lane " +
                           std::to_string(i % kExpPartitions),
                       ""};
        });
      }
      CHECK_NO_MISMATCH(moved);
    }
    held.clear();
    if (step.valid && !step.delivered) held = output();
    if (step.delivered) {
      REQUIRE(out.size() < entered.size());
      out.push_back({{rtl.results(), rtl.results() + kExpWords},
                     {rtl.sums(), rtl.sums() + kExpPartitions},
                     step.last,
                     entered[out.size()],
                     rtl.cycles_simulated() - begin});
    }
    if (step.accepted) entered.push_back(rtl.cycles_simulated() - begin);
    idle = out.size() == groups.size() && entered.size() == groups.size() ? idle + 1 : 0;
    rtl.tick();
  }
  return out;
}

}  // namespace tern::tb
