// SPDX-License-Identifier: Apache-2.0
// Waveforms of blocks and states of models become one file: nothing lost, added, or at another
// time.
#include "systemc/wave/fst_file.h"

#include <gtkwave/fstapi.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sw/base/user_error.h"
#include "tb/common/fst_contents.h"
#include "tb/common/seed.h"
#include "tb/common/temp_folder.h"

using namespace tern;  // NOLINT: a test uses the names of what it tests
using wave::StateLog;

namespace {

using tb::Changes;
using tb::Contents;

// The recording of a block "rtl.top" with three signals: clk (also a port of rtl), a, and sub.b of
// an enum type. Its files follow each other; each begins with all values.
class Block {
 public:
  Block(tb::TempFolder* folder, const std::string& name, std::mt19937_64* random) {
    std::uint64_t ps = (*random)() % 1000;
    std::string clk = "0", a = "00000000", b = "00";
    for (unsigned f = 0; f < 3; ++f) {
      files.push_back(folder->path(name + std::to_string(f)));
      void* fst = fstWriterCreate(files.back().c_str(), 1);
      fstWriterSetTimescale(fst, -12);
      fstWriterSetScope(fst, FST_ST_VCD_MODULE, "rtl", nullptr);
      const char* names[] = {"Idle", "Busy"};
      const char* values[] = {"00", "01"};
      const fstEnumHandle table = fstWriterCreateEnumTable(fst, name.c_str(), 2, 2, names, values);
      const fstHandle clock = fstWriterCreateVar(fst, FST_VT_VCD_WIRE, FST_VD_INPUT, 1, "clk", 0);
      fstWriterSetScope(fst, FST_ST_VCD_MODULE, "top", nullptr);
      fstWriterCreateVar(fst, FST_VT_VCD_WIRE, FST_VD_INPUT, 1, "clk", clock);
      const fstHandle of_a = fstWriterCreateVar(fst, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, 8, "a", 0);
      fstWriterSetScope(fst, FST_ST_VCD_MODULE, "sub", nullptr);
      fstWriterEmitEnumTableRef(fst, table);
      const fstHandle of_b = fstWriterCreateVar(fst, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, 2, "b", 0);
      for (unsigned scope = 0; scope < 3; ++scope) fstWriterSetUpscope(fst);
      for (unsigned step = 0; step < 200; ++step) {
        ps += 1 + (*random)() % 700;
        fstWriterEmitTimeChange(fst, ps);
        clk = clk == "0" ? "1" : "0";
        if ((*random)() % 4 == 0) a[(*random)() % 8] ^= 1;
        if ((*random)() % 9 == 0) b[1] ^= 1;
        if (step > 0 && (*random)() % 5 == 0) continue;
        fstWriterEmitValueChange(fst, clock, clk.data());
        fstWriterEmitValueChange(fst, of_a, a.data());
        fstWriterEmitValueChange(fst, of_b, b.data());
        tb::add_change(&expected["clk"], ps, clk);
        tb::add_change(&expected["a"], ps, a);
        tb::add_change(&expected["sub.b"], ps, b);
      }
      fstWriterClose(fst);
    }
    end = ps;
  }

  std::vector<std::string> files;
  Contents expected;
  std::uint64_t end = 0;
};

StateLog::Limits unlimited() {
  StateLog::Limits limits;
  limits.place = [](std::uint64_t) { return StateLog::Place::kRecorded; };
  return limits;
}

// What is left of changes from a time on: the value then, and what follows.
Changes since(const Changes& all, std::uint64_t ps) {
  Changes rest;
  for (const auto& [time, value] : all) {
    if (time <= ps) rest.clear();
    rest.emplace_back(std::max(time, ps), value);
  }
  return rest;
}

}  // namespace

TEST_CASE("wave file: all changes of blocks and states, at their times") {
  std::mt19937_64 random(tb::test_seed());
  for (int round = 0; round < 10; ++round) {
    CAPTURE(round);
    tb::TempFolder folder;
    const Block first(&folder, "first", &random), second(&folder, "second", &random);
    StateLog log(unlimited());
    log.track(0, "core0", "vector");
    log.track(1, "hbm3", "pc10");
    Contents expected;
    // In no order of time: a memory decides ahead.
    std::map<std::uint64_t, std::uint64_t> pcs;
    for (int i = 0; i < 50; ++i) pcs[random() % 200000] = random() % 100;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> shuffled(pcs.begin(), pcs.end());
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    for (const auto& [ps, value] : shuffled) log.state(0, "pc", ps * 1000, value);
    log.state(1, "row", 70'000'000, std::string_view("ACT bank 3"));
    log.counter(1, "load", 90'000'000, 0.25);

    const bool cut = round % 2 == 1;
    const std::uint64_t from = cut ? random() % first.end : 0;
    const std::string file = folder.path("all.fst");
    wave::write_fst(file, {{"core0.tensor", first.files}, {"core0.dma3", second.files}}, log, from);
    std::map<std::string, unsigned> enums;
    const Contents found = tb::read_fst(file, &enums);

    for (const auto& [block, scope] :
         {std::pair(&first, "core0.tensor."), std::pair(&second, "core0.dma3.")}) {
      for (const auto& [name, changes] : block->expected) {
        CAPTURE(scope, name, from);
        CHECK(found.at(scope + name) == since(changes, from));
      }
    }
    CHECK(enums.size() == 2);
    CHECK(enums.at("core0.tensor.sub.b") != enums.at("core0.dma3.sub.b"));

    Changes pc;
    const std::string zeros(32, '0');
    std::uint64_t begin = from;
    if (!cut) {
      begin = std::min({first.expected.at("clk").front().first,
                        second.expected.at("clk").front().first, pcs.begin()->first});
    }
    tb::add_change(&pc, begin, zeros);
    for (const auto& [ps, value] : pcs) {
      std::string bits = zeros;
      for (unsigned bit = 0; bit < 32; ++bit) bits[31 - bit] = "01"[value >> bit & 1];
      tb::add_change(&pc, std::max(begin, ps), bits);
    }
    CHECK(found.at("core0.queues.vector.pc") == since(pc, begin));
    CHECK(found.at("hbm3.pc10.row").back().second == "ACT bank 3");
    CHECK(found.at("hbm3.pc10.load").back().second == "0.25");
    CHECK(found.size() == 2 * 3 + 3);
  }
}

TEST_CASE("wave file: a file that is none is named") {
  tb::TempFolder folder;
  StateLog log(unlimited());
  const std::string broken = folder.put("broken.fst", "not a waveform");
  CHECK_THROWS_WITH(wave::write_fst(folder.path("all.fst"), {{"core0.tensor", {broken}}}, log, 0),
                    Catch::Contains("broken.fst: the recording of a block cannot be read"));
}
