// SPDX-License-Identifier: Apache-2.0
// When operands may be overwritten. The RTL reads SBUF itself, cycle by cycle: overwriting the
// operands of a command in the cycle that TensorReadTimes gives must not change a bit of any
// result. Overwriting them a little earlier must.
#include "tb/tensor/top/bench/read_times.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <tuple>

#include "systemc/engines/tensor/tensor_geometry.h"
#include "systemc/engines/tensor/tensor_read_times.h"
#include "tb/common/check_mismatch.h"
#include "tb/common/seed.h"
#include "tb/tensor/top/bench/operands.h"
#include "tb/tensor/top/bench/tensor_bench.h"

namespace tern::tb {
namespace {

using Type = TensorType;
constexpr unsigned kRegion = 8192, kAux = 6144, kSbufBytes = 256 * 1024;  // a region per command

struct Kind {
  const char* name;
  TensorMode mode;
  Type weights, moving;
};
const Kind kKinds[] = {
    {"bf16", TensorMode::kDense, Type::kBf16, Type::kBf16},
    {"fp32", TensorMode::kDense, Type::kFp32, Type::kTf32},
    {"sparse", TensorMode::kSparse, Type::kBf16, Type::kFp16},
    {"double row", TensorMode::kDoubleRow, Type::kE5m2, Type::kE4m3fn},
    {"mx", TensorMode::kMx, Type::kE4m3fnX4, Type::kE2m1X4},
    {"quad", TensorMode::kQuad, Type::kE5m2X4, Type::kE4m3fnX4},
};

// Every PSUM word written, by command, column, slot and lane; and the statuses.
class Results : public PsumObserver {
 public:
  void psum_written(const PsumWrite& write) override {
    for (unsigned lane = 0; lane < write.lanes; ++lane) {
      words[{write.tag, write.index, write.slot, write.partition + lane}] = write.data[lane];
    }
  }
  bool operator==(const Results& other) const {
    return words == other.words && codes == other.codes;
  }
  MismatchLog differences(const Results& expected) const {
    MismatchLog log;
    for (const auto& [place, word] : expected.words) {
      const auto [tag, column, slot, lane] = place;
      const auto found = words.find(place);
      const auto where = [&, tag = tag, column = column, slot = slot, lane = lane] {
        return Where{"port retire_o, command " + std::to_string(tag) + ", column " +
                         std::to_string(column) + " of slot " + std::to_string(slot) + ", lane " +
                         std::to_string(lane),
                     "operands overwritten from the named cycle on"};
      };
      if (found != words.end()) {
        log.compare(word, found->second, 32, where);
      } else {
        log.add([&, &word = word] { return Mismatch{where(), hex(word), "no write"}; });
      }
    }
    return log;
  }
  std::map<std::tuple<unsigned, unsigned, unsigned, unsigned>, std::uint32_t> words;
  std::vector<TensorStatusCode> codes;
};

void fill(TestSbuf& sbuf, unsigned rows, unsigned region, const Kind& kind, bool moving,
          Random& random) {
  const Type type = moving ? kind.moving : kind.weights;
  const unsigned bytes = element_bytes(type);
  for (unsigned p = 0; p < rows; ++p) {
    for (unsigned at = 0; at < kAux; at += bytes) {
      sbuf.write(p, region * kRegion + at, bytes, random_element(random, type, Spread::kNearOne));
    }
    for (unsigned at = kAux; at < kRegion; ++at) {  // scales around 1; tags 0 and 1
      sbuf.write(
          p, region * kRegion + at, 1,
          kind.mode == TensorMode::kSparse ? below(random, 2) * 17 : between(random, 125, 129));
    }
  }
}

TensorCommand common(const Kind& kind, unsigned region, bool moving) {
  TensorCommand c;
  c.mode = kind.mode;
  c.type = moving ? kind.moving : kind.weights;
  c.sbuf_address = region * kRegion;
  c.sparsity = TensorSparsity::k1of2;
  const bool planes =
      kind.mode == TensorMode::kDoubleRow || (kind.mode == TensorMode::kSparse && moving);
  c.plane = planes ? 2048 : 0;
  if (uses_scales(c) || (kind.mode == TensorMode::kSparse && !moving))
    c.aux_address = region * kRegion + kAux;
  return c;
}

// Loads and multiplies of random kinds, each with separate operands, and transposes between them.
std::vector<TensorCommand> random_commands(const TensorShape& shape, TestSbuf& sbuf,
                                           Random& random) {
  std::vector<TensorCommand> program;
  unsigned column = 0;
  while (program.size() < 12) {
    const Kind& kind = kKinds[below(random, std::size(kKinds))];
    const bool dense = kind.mode == TensorMode::kDense;
    TensorCommand load = common(kind, static_cast<unsigned>(program.size()), false);
    load.rows = dense ? between(random, 1, shape.rows) : shape.rows;
    load.cols = load.num0 = between(random, 1, shape.cols);
    if (dense && below(random, 2) == 0) load.step0 = 3;
    if (dense && below(random, 2) == 0) {
      load.tile_rows = TensorTileSize::kQuarter;
      load.row_start = shape.rows / 4 * below(random, 4);
      load.rows = between(random, 1, shape.rows / 4);
    }
    if (kind.mode == TensorMode::kDoubleRow && below(random, 2) == 0) {
      load.tile_rows = TensorTileSize::kQuarter;
      load.row_start = shape.rows / 4 * below(random, 4);
      load.rows = shape.rows / 4;
    }
    fill(sbuf, shape.rows, static_cast<unsigned>(program.size()), kind, false, random);
    program.push_back(load);
    for (unsigned n = below(random, 3); n > 0; --n) {
      const auto region = static_cast<unsigned>(program.size());
      TensorCommand move = load;
      const TensorCommand own = common(kind, region, true);
      move.op = TensorOp::kMultiplyMoving;
      move.type = own.type;
      move.sbuf_address = own.sbuf_address;
      move.plane = own.plane;
      move.aux_address = own.aux_address;
      move.num0 = between(random, 1, 12);
      move.step0 = 1;
      move.psum_bank = below(random, shape.psum_banks / 4);
      move.psum_column = column++ % (shape.bank_columns - 12);
      fill(sbuf, shape.rows, region, kind, true, random);
      program.push_back(move);
    }
    if (below(random, 3) == 0) {
      TensorCommand transpose = common(kKinds[0], static_cast<unsigned>(program.size()), false);
      transpose.op = TensorOp::kTranspose;
      transpose.mode = TensorMode::kDense;
      transpose.rows = between(random, 1, shape.bank_columns);
      transpose.cols = transpose.num0 = between(random, 1, shape.cols);
      if (below(random, 2) == 0) transpose.sbuf_address += 2;
      transpose.psum_bank = shape.psum_banks - 1;
      fill(sbuf, shape.rows, transpose.sbuf_address / kRegion, kKinds[0], false, random);
      program.push_back(transpose);
    }
  }
  return program;
}

struct Run {
  Results results;
  std::vector<bool> rejected;
};

// Overwrites the region of command `victim` (all of them: -1) `early` cycles before it may be.
Run run(const std::string& config, std::vector<TensorCommand> program, const TestSbuf& operands,
        int victim, unsigned early) {
  TestSbuf sbuf = operands;
  const Engine engine = default_engine(config, sbuf.view(), kSbufBytes);
  TensorDatapath& datapath = *engine.datapath;
  TensorReadTimes times(datapath.shape());
  Run run;
  datapath.set_observer(&run.results);
  std::multimap<std::uint64_t, unsigned> due;
  std::size_t next = 0, done = 0;
  while (done < program.size() || !due.empty()) {
    const std::uint64_t now = datapath.cycle();
    while (!due.empty() && due.begin()->first <= now) {
      for (unsigned p = 0; p < datapath.shape().rows; ++p) {
        for (unsigned at = 0; at < kRegion; at += 4)
          sbuf.write(p, due.begin()->second * kRegion + at, 4, 0x55555555 ^ (at * 0x01010101));
      }
      due.erase(due.begin());
    }
    if (next < program.size() && datapath.ready()) {
      program[next].tag = static_cast<std::uint32_t>(next);
      const auto read = times.pushed(now, program[next]);
      run.rejected.push_back(!read);
      if (read && early < 1000 && (victim < 0 || victim == static_cast<int>(next)))
        due.emplace(*read - early, static_cast<unsigned>(next));
      datapath.push(program[next++]);
    }
    datapath.advance_to(now + 1);
    TensorStatus status;
    while (datapath.pop_status(&status)) {
      run.results.codes.push_back(status.code);
      ++done;
    }
  }
  datapath.set_observer(nullptr);
  return run;
}

}  // namespace

void compare_read_times(const std::string& config, unsigned rounds) {
  constexpr unsigned kNever = 1000;
  const TensorShape shape = config_shape(config);
  for (unsigned round = 0; round < rounds; ++round) {
    Random random(test_seed() * 1000 + round);
    INFO("round " << round);
    TestSbuf sbuf(shape.rows, kSbufBytes);
    const auto program = random_commands(shape, sbuf, random);
    const Run clean = run(config, program, sbuf, -1, kNever);
    for (unsigned i = 0; i < program.size(); ++i) {
      REQUIRE((clean.results.codes[i] != TensorStatusCode::kOk) == clean.rejected[i]);
    }
    const Run in_time = run(config, program, sbuf, -1, 0);
    CHECK_NO_MISMATCH(in_time.results.differences(clean.results));
    REQUIRE(in_time.results == clean.results);
    // A cycle earlier the last of the requests finds other data. A load counts when a multiply
    // uses it.
    for (unsigned i = 0; i < program.size(); ++i) {
      const bool load = program[i].op == TensorOp::kLoadStationary;
      const bool used = i + 1 < program.size() && program[i + 1].op == TensorOp::kMultiplyMoving;
      if (load && !used) continue;
      INFO("command " << i << ", operation " << static_cast<int>(program[i].op) << ", mode "
                      << static_cast<int>(program[i].mode) << ", rows " << program[i].rows);
      CHECK_FALSE(run(config, program, sbuf, static_cast<int>(i), 1).results == clean.results);
    }
  }
}

}  // namespace tern::tb
