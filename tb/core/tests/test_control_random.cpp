// SPDX-License-Identifier: Apache-2.0
// Random structured programs (registers, memory, branches, loops). The reference does not read the
// instructions: it walks the tree they were made from, with the host's own ifs and loops.
#include <array>
#include <catch2/catch.hpp>
#include <random>

#include "tb/common/seed.h"
#include "tb/core/bench/core_bench.h"

using namespace tern;
using namespace tern::tb;

namespace {

constexpr unsigned kScratch = 16;  // registers 1 .. 16 hold data
constexpr unsigned kCount = 20;    // + depth: counts of loops
constexpr unsigned kLog = 63;      // byte of the next word of the log
constexpr std::uint32_t kDataWords = 64, kLogByte = 4096, kFinalByte = 2048;
constexpr unsigned kDataPartition = 5, kLogPartition = 77;

struct Node {
  enum class Kind { kAlu, kLoad, kLog, kIf, kRepeat, kLoop, kNop } kind = Kind::kNop;
  unsigned op = 0, dst = 0, a = 0, b = 0;
  std::uint32_t imm = 0;
  std::uint32_t iterations = 0, start = 0;
  std::int32_t step = 0;
  bool turns_in_register = false;
  unsigned depth = 0;
  std::vector<Node> body;
};
using Block = std::vector<Node>;

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  Block block(unsigned depth) {
    Block nodes;
    const unsigned count = 1 + below(5);
    for (unsigned i = 0; i < count; ++i) nodes.push_back(node(depth));
    return nodes;
  }
  std::uint32_t word() { return static_cast<std::uint32_t>(random_()); }
  std::uint32_t below(std::uint32_t n) { return word() % n; }

 private:
  unsigned scratch() { return 1 + below(kScratch); }
  Node node(unsigned depth) {
    Node n;
    n.kind = static_cast<Node::Kind>(below(depth < 3 ? 7 : 3));
    n.op = below(TERN_REGISTER_OP_MAX + 1);
    n.dst = scratch();
    n.a = below(kScratch + 1);  // sometimes register 0
    n.b = below(kScratch + 1);
    n.imm = below(3) == 0 ? 0 : below(2) == 0 ? below(40) : word();
    n.depth = depth;
    switch (n.kind) {
      case Node::Kind::kLoad:
        n.imm = below(kDataWords);
        break;
      case Node::Kind::kIf:
        n.op = below(TERN_BRANCH_COND_GEU + 1);
        if (below(2) == 0) n.b = n.a;  // equal more often
        n.body = block(depth + 1);
        break;
      case Node::Kind::kRepeat:
      case Node::Kind::kLoop:
        n.iterations = below(4) + (n.kind == Node::Kind::kRepeat ? 1 : 0);
        n.turns_in_register = below(2) == 0;
        n.start = word();
        n.step = static_cast<std::int32_t>(below(9)) - 4;
        if (below(4) == 0) n.dst = 0;
        n.body = block(depth + 1);
        break;
      default:
        break;
    }
    return n;
  }
  std::mt19937_64 random_;
};

void emit(const Block& block, Program& out);

void emit(const Node& n, Program& out) {
  switch (n.kind) {
    case Node::Kind::kAlu:
      out.push_back(register_alu(n.op, n.dst, n.a, n.b, n.imm));
      break;
    case Node::Kind::kLoad:
      out.push_back(
          register_memory(TERN_OPCODE_REGISTER_LOAD, n.dst, place(kDataPartition, 4 * n.imm)));
      break;
    case Node::Kind::kLog:
      out.push_back(
          register_memory(TERN_OPCODE_REGISTER_STORE, n.a, place(kLogPartition, kLogByte), kLog));
      out.push_back(register_alu(TERN_REGISTER_OP_ADD, kLog, kLog, 0, 4));
      break;
    case Node::Kind::kIf: {  // over the body, onto an instruction that is always there
      Program body;
      emit(n.body, body);
      out.push_back(
          branch(n.op, static_cast<int>(body.size()) + 1, n.a, n.b, n.b == n.a ? 0 : n.imm));
      out.insert(out.end(), body.begin(), body.end());
      out.push_back(nop());
      break;
    }
    case Node::Kind::kRepeat: {  // at least once, backwards
      Program body;
      emit(n.body, body);
      out.push_back(set_register(kCount + n.depth, n.iterations));
      out.insert(out.end(), body.begin(), body.end());
      out.push_back(
          register_alu(TERN_REGISTER_OP_SUBTRACT, kCount + n.depth, kCount + n.depth, 0, 1));
      out.push_back(
          branch(TERN_BRANCH_COND_NE, -static_cast<int>(body.size()) - 1, kCount + n.depth, 0));
      break;
    }
    case Node::Kind::kLoop: {
      Program body;
      emit(n.body, body);
      tern_instruction_t in =
          loop(static_cast<std::uint32_t>(body.size()), n.iterations, n.dst, n.start, n.step);
      if (n.turns_in_register) {
        // 5 in the register, the rest wraps around.
        out.push_back(set_register(kCount + n.depth, 5));
        in.loop.count = n.iterations - 5;
        in.loop.count_reg = static_cast<std::uint8_t>(kCount + n.depth);
        in.loop.start_reg = static_cast<std::uint8_t>(kCount + n.depth);
        in.loop.start -= 5;
      }
      out.push_back(in);
      out.insert(out.end(), body.begin(), body.end());
      break;
    }
    case Node::Kind::kNop:
      out.push_back(nop());
      break;
  }
}

void emit(const Block& block, Program& out) {
  for (const Node& n : block) emit(n, out);
}

// The second implementation: 64-bit arithmetic, reduced at the end.
class Reference {
 public:
  explicit Reference(const std::vector<std::uint32_t>& data) : data_(data) {}
  void run(const Block& block) {
    for (const Node& n : block) run(n);
  }
  std::array<std::uint32_t, kScratch + 1> registers{};
  std::vector<std::uint32_t> log;

 private:
  static std::int64_t wide(std::uint32_t v) {
    return v < 0x80000000u ? std::int64_t{v} : std::int64_t{v} - (std::int64_t{1} << 32);
  }
  void set(unsigned dst, std::uint64_t value) {
    if (dst != 0) registers[dst] = static_cast<std::uint32_t>(value & 0xFFFFFFFF);
  }
  void run(const Node& n) {
    const std::uint64_t a = registers[n.a];
    const std::uint64_t sum = (std::uint64_t{registers[n.b]} + n.imm) & 0xFFFFFFFF;
    const auto sa = wide(static_cast<std::uint32_t>(a)), sb = wide(static_cast<std::uint32_t>(sum));
    switch (n.kind) {
      case Node::Kind::kAlu: {
        const std::uint64_t results[] = {sum,
                                         a + sum,
                                         a + (std::uint64_t{1} << 32) - sum,
                                         a * sum,
                                         a & sum,
                                         a | sum,
                                         a ^ sum,
                                         a << (sum & 31),
                                         a >> (sum & 31),
                                         sa <= sb ? a : sum,
                                         sa >= sb ? a : sum};
        set(n.dst, results[n.op]);
        break;
      }
      case Node::Kind::kLoad:
        set(n.dst, data_[n.imm]);
        break;
      case Node::Kind::kLog:
        log.push_back(registers[n.a]);
        break;
      case Node::Kind::kIf: {
        const std::uint64_t b = n.b == n.a ? a : sum;
        const auto signed_b = wide(static_cast<std::uint32_t>(b));
        const bool taken[] = {true, a == b, a != b, sa < signed_b, sa >= signed_b, a < b, a >= b};
        if (!taken[n.op]) run(n.body);
        break;
      }
      case Node::Kind::kRepeat:
        for (std::uint32_t i = 0; i < n.iterations; ++i) run(n.body);
        break;
      case Node::Kind::kLoop:
        set(n.dst, n.start);
        for (std::uint32_t i = 0; i < n.iterations; ++i) {
          run(n.body);
          set(n.dst, std::uint64_t{registers[n.dst]} + static_cast<std::uint32_t>(n.step));
        }
        break;
      case Node::Kind::kNop:
        break;
    }
  }
  const std::vector<std::uint32_t>& data_;
};

}  // namespace

TEST_CASE("control: random programs of registers, branches and loops") {
  CoreConfig config = test_core_config();
  for (EngineConfig* engine : {&config.vector, &config.scalar, &config.gpsimd, &config.sync})
    engine->min_interval = 1;
  CoreBench bench(config);
  CoreBench::run(bench, [&] {
    for (unsigned round = 0; round < 400; ++round) {
      const std::uint64_t seed = test_seed() * 1000 + round;
      INFO("seed " << seed);
      Generator generator(seed);
      std::vector<std::uint32_t> data(kDataWords);
      for (auto& word : data)
        word = generator.below(4) == 0 ? generator.below(8) : generator.word();
      bench.poke(kDataPartition, 0, data);

      const Block block = generator.block(0);
      Program program;
      emit(block, program);
      for (unsigned r = 1; r <= kScratch; ++r) {
        program.push_back(register_memory(TERN_OPCODE_REGISTER_STORE, r,
                                          place(kLogPartition, kFinalByte + 4 * r)));
      }
      Reference reference(data);
      reference.run(block);
      REQUIRE(program.size() < 4000);
      REQUIRE(kLogByte + 4 * reference.log.size() < 256 * 1024);

      bench.execute(generator.below(TERN_QUEUE_COUNT), program);
      CHECK(bench.peek<std::uint32_t>(kLogPartition, kLogByte, reference.log.size()) ==
            reference.log);
      CHECK(bench.peek<std::uint32_t>(kLogPartition, kFinalByte + 4, kScratch) ==
            std::vector<std::uint32_t>(reference.registers.begin() + 1, reference.registers.end()));
    }
  });
}
