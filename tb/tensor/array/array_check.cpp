// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/array/array_check.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <tuple>

#include "tb/common/check_mismatch.h"
#include "tb/tensor/array/array_reference.h"

namespace tern::tb {

namespace {

constexpr unsigned kRows = ArrayBench::kRows;

std::string text(const ArrayResult& result) {
  return "slot " + hex(result.slot, 4) + " in cycle " + std::to_string(result.cycle) +
         ", column groups " + hex(result.groups, 4);
}

// What left the array, column by column and lane by lane.
MismatchLog differences(const std::vector<ArrayResult>& expected,
                        const std::vector<ArrayResult>& got, const ArrayReference& reference) {
  MismatchLog log;
  for (std::size_t i = 0; i < std::min(expected.size(), got.size()); ++i) {
    const ArrayResult& want = expected[i];
    const std::string port =
        want.port < 4 ? "port sum_o " + std::to_string(want.port) : "port raw_o";
    if (text(want) != text(got[i]) || want.port != got[i].port) {
      log.add([&] {
        return Mismatch{{port, reference.input_of(want, want.first), want.cycle},
                        text(want),
                        text(got[i]) + " at port " + std::to_string(got[i].port)};
      });
      break;  // from here on all are others
    }
    for (unsigned m = want.first; m < want.first + want.count; ++m) {
      log.compare(want.lanes[m], got[i].lanes[m], 32, [&] {
        return Where{port + ", lane " + std::to_string(m), reference.input_of(want, m), want.cycle};
      });
    }
  }
  return log;
}

MismatchLog differences(const std::vector<ArrayCommand>& commands,
                        const std::vector<LoadDone>& loads, const ArrayReference& reference) {
  MismatchLog log;
  std::size_t done = 0;
  for (const ArrayCommand& command : commands) {
    if (command.kind != ArrayCommand::Kind::kLoad || done >= loads.size()) continue;
    const LoadDone& got = loads[done++];
    const LoadDone want = {command.issue + command.load_cycles() + kRows, command.slot,
                           reference.bad(command)};
    if (std::tie(want.cycle, want.slot, want.bad) == std::tie(got.cycle, got.slot, got.bad)) {
      continue;
    }
    const auto text = [](const LoadDone& load) {
      return "slot " + hex(load.slot, 4) + " in cycle " + std::to_string(load.cycle) +
             (load.bad ? ", load_bad_o" : "");
    };
    log.add([&] {
      return Mismatch{{"port load_done_o",
                       "load issued in cycle " + std::to_string(command.issue) + ", tags at " +
                           hex(command.tag_address, 16),
                       want.cycle},
                      text(want),
                      text(got)};
    });
  }
  return log;
}

}  // namespace

void check(ArrayBench* bench, const std::vector<ArrayCommand>& commands,
           void (*spoil)(std::vector<ArrayResult>*)) {
  bench->run(commands);
  ArrayReference reference(*bench);
  std::vector<ArrayResult> expected = reference.results(commands);
  const auto before = [](const ArrayResult& a, const ArrayResult& b) {
    return std::tie(a.cycle, a.slot, a.port) < std::tie(b.cycle, b.slot, b.port);
  };
  std::sort(expected.begin(), expected.end(), before);
  std::sort(bench->results.begin(), bench->results.end(), before);
  if (spoil != nullptr) spoil(&expected);
  CHECK_NO_MISMATCH(differences(expected, bench->results, reference));
  CHECK_NO_MISMATCH(differences(commands, bench->loads, reference));
  REQUIRE(bench->results.size() == expected.size());
  const auto loads = std::count_if(commands.begin(), commands.end(), [](const ArrayCommand& c) {
    return c.kind == ArrayCommand::Kind::kLoad;
  });
  REQUIRE(bench->loads.size() == static_cast<std::size_t>(loads));
}

}  // namespace tern::tb
