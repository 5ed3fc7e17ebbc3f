// SPDX-License-Identifier: Apache-2.0
// Element-wise instructions of the builder: a core accepts what it writes; when it needs an
// extend; which waits operands beyond the tiles cause.
#include <catch2/catch.hpp>

#include <functional>

#include "sw/kernels/builder/kernel_builder.h"
#include "systemc/core/instruction_check.h"
#include "tb/kernels/bare_builder.h"
#include "tb/kernels/builder_listing.h"
#include "tb/kernels/random_elements.h"
#include "tb/kernels/test_chip.h"

namespace tern::tb {

namespace {

using kernels::Activation;
using kernels::Alu;
using kernels::Engine;
using kernels::KernelBuilder;
using kernels::Reduce;
using kernels::ReduceCommand;
using kernels::ScalarOperand;
using kernels::Tile;
using kernels::TileView;
using numerics::DType;

constexpr unsigned done(unsigned queue) {
  return KernelBuilder::progress_semaphore(queue);
}
const unsigned kVectorDone = done(TERN_QUEUE_VECTOR), kScalarDone = done(TERN_QUEUE_SCALAR);

// Instructions that a core would refuse, by name.
Lines refused(const Executable& program) {
  Lines lines;
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    tern_instr_extend_t extension{};
    for (std::size_t i = 0; i < program.queues[q].size(); ++i) {
      const tern_instruction_t& instruction = program.queues[q][i];
      if (instruction.header.opcode == TERN_OPCODE_EXTEND) {
        extension = instruction.extend;
        continue;
      }
      const auto fault = check_instruction(Operation{instruction, extension}, q, CoreLimits{});
      extension = {};
      if (!fault) continue;
      lines.push_back(program.origins[q][i] + ": error " + std::to_string(fault->code) +
                      ", detail " + std::to_string(fault->detail));
    }
  }
  return lines;
}

struct Bench {
  BareBuilder kb{"k", test_chip()};
  Tile x = kb.sbuf_tile("x", 128, 64, DType::kFp32);
  Tile y = kb.sbuf_tile("y", 128, 64, DType::kFp32);
  Tile z = kb.sbuf_tile("z", 128, 64, DType::kFp32);
  Tile bits = kb.sbuf_tile("bits", 128, 64, DType::kUint32);
  Tile columns = kb.sbuf_tile("columns", 128, 8, DType::kFp32);
  Tile psum = kb.psum_tile("psum", 128, 64);
  TileView c(unsigned i) const { return columns.column(i); }
};

}  // namespace

TEST_CASE("a core takes every element-wise instruction that the builder writes") {
  Bench b;
  KernelBuilder& kb = b.kb;
  const TileView x4 = b.x.pattern(0, 128, 0, {{2, 32}, {2, 12}, {2, 5}, {2, 2}});
  const TileView y4 = b.y.pattern(0, 128, 63, {{2, -32}, {2, -12}, {2, -5}, {2, -2}});
  const TileView z16 = b.z.view(0, 128, 3, 16);
  for (unsigned f = 0; f <= TERN_ACT_FUNC_RECIPROCAL; ++f) {
    kb.activation(b.psum, static_cast<Activation>(f), b.x);
  }
  kb.activation(x4, Activation::kPrelu, y4, {b.c(0), b.c(1), Reduce{Alu::kMax, b.c(2)}, 0.5f});
  kb.activation(x4, Activation::kExp, y4, {2.0f, b.c(1), Reduce{Alu::kAdd}, 0});
  kb.activation_reduce(b.y, Activation::kSquare, b.x, Alu::kAdd, b.c(3));
  kb.activate2(x4, z16, Alu::kMultiply, b.c(0), Alu::kSubtract, b.c(1),
               {Engine::kScalar, true, true, Reduce{Alu::kAbsMax, b.c(2)}});
  kb.activate2(b.y, b.x, Alu::kBypass, 0.0f);
  kb.exponential(x4, y4, b.c(0), Reduce{Alu::kAdd, b.c(1)});
  kb.exponential(b.y, b.x, 1.0f, Reduce{Alu::kAdd, b.c(1), ReduceCommand::kLoadReduce});
  for (const Engine engine : {Engine::kVector, Engine::kScalar, Engine::kGpsimd}) {
    kb.tensor_copy(x4, y4, engine);
    kernels::ScalarOptions options;
    options.engine = engine;
    kb.tensor_scalar(x4, z16, Alu::kMultiply, b.c(0), Alu::kAdd, b.c(1), options);
    options.reverse0 = options.reverse1 = true;
    kb.tensor_scalar(x4, z16, Alu::kSubtract, 1.0f, Alu::kSubtract, b.c(1), options);
  }
  kb.tensor_copy_predicated(x4, y4, z16, true);
  for (const Engine engine : {Engine::kVector, Engine::kGpsimd}) {
    kb.tensor_tensor(x4, y4, Alu::kLogicalXor, z16, engine);
    kb.memset(x4, b.c(0), engine);
  }
  kb.tensor_tensor(b.x, b.y, Alu::kPower, b.z, Engine::kGpsimd);
  kb.tensor_tensor(b.bits, b.bits, Alu::kBitXor, b.x);
  kb.tensor_scalar(b.bits, b.bits, Alu::kShiftLeft, ScalarOperand::bits(3), Alu::kBitNot);
  kb.tensor_scalar_reduce(b.y, b.x, Alu::kAbs, 0.0f, Alu::kMin, b.c(4));
  kb.scalar_tensor_tensor(x4, y4, Alu::kRsqrt, b.c(0), Alu::kMultiply, z16, false, true);
  for (unsigned d = 1; d <= 4; ++d) {
    kb.tensor_reduce(b.z.view(0, 128, 0, 16u >> d), Alu::kMultiply, x4, true, d);
  }
  kb.tensor_reduce(b.bits.column(0), Alu::kBitOr, b.bits);
  kb.tensor_tensor_scan(x4, y4, Alu::kMultiply, z16, Alu::kAdd, b.c(0), true, true);
  kb.tensor_scalar_cumulative(x4, y4, Alu::kMultiply, b.c(0), Alu::kMax, b.c(1), true);
  for (const ReduceCommand command : {ReduceCommand::kResetReduce, ReduceCommand::kReduce}) {
    kb.tensor_scalar_cumulative(x4, y4, Alu::kMultiply, b.c(0), Alu::kAdd, 0.0f, false, command);
  }
  const Tile words = kb.psum_tile("words", 128, 64);
  TileView integers = words.view();
  integers.dtype = DType::kInt32;
  kb.tensor_copy(integers, b.x);
  kb.select_reduce(x4, y4, z16, b.c(0), b.c(1), true);
  kb.range_select(x4, y4, Alu::kIsGe, b.c(0), Alu::kIsLt, 17.0f, 5.0f, b.c(1));
  for (const ReduceCommand command : {ReduceCommand::kResetReduce, ReduceCommand::kReduce}) {
    kb.select_reduce(x4, y4, z16, 0.0f, {}, false, command);
    kb.range_select(x4, y4, Alu::kIsGe, b.c(0), Alu::kIsLt, 17.0f, 5.0f, b.c(1), command);
  }
  kb.reciprocal(x4, y4);
  CHECK(refused(kb.finish()) == Lines{});
  CHECK(refused(random_element_program(7, 300)) == Lines{});
}

TEST_CASE("a core takes every special instruction that the builder writes") {
  Bench b;
  KernelBuilder& kb = b.kb;
  const Tile bf = kb.sbuf_tile("bf", 128, 64, DType::kBf16);
  const Tile index16 = kb.sbuf_tile("index16", 128, 64, DType::kUint16);
  const Tile integers = kb.sbuf_tile("integers", 128, 65, DType::kInt32);
  const Tile seed = kb.sbuf_tile("seed", 1, 1, DType::kUint32);
  const TileView x4 = b.x.pattern(0, 128, 0, {{2, 32}, {2, 12}, {2, 5}, {2, 2}});
  const TileView eight = b.y.view(0, 128, 0, 8);
  kb.bn_stats(b.y.view(0, 128, 0, 6), x4);
  kb.bn_aggr(b.y.view(0, 128, 0, 2), b.x.view(0, 128, 0, 63));
  kb.max8(eight, x4);
  kb.nc_find_index8(b.bits.view(0, 128, 0, 8), x4, eight);
  kb.nc_find_index8(index16.view(0, 128, 0, 8), b.psum, eight);
  kb.nc_match_replace8(b.z, b.x, eight, -1.0f);
  kb.nc_stream_shuffle(b.y, b.x, {1, 2, 3, 255});
  kb.nc_transpose(b.y.view(32, 8, 0, 16), b.x.view(0, 16, 0, 8), Engine::kVector);
  kb.dropout(b.y, b.x, b.c(0));
  kb.dropout(x4, b.z.view(0, 128, 0, 16), 0.25f);
  for (const Engine engine : {Engine::kVector, Engine::kScalar, Engine::kGpsimd}) {
    const TileView state = b.bits.view(0, 128, 0, engine == Engine::kVector ? 24 : 6);
    if (engine != Engine::kScalar) kb.rng(index16, engine);
    kb.rand_get_state(state, engine);
    kb.rand_set_state(state, engine);
    kb.set_rng_seed(seed, engine);
  }
  kb.rand2(x4, -1.0f, 1.0f);
  kb.rand2(b.x, b.c(0), b.c(1));
  kb.iota(x4.as(DType::kInt32), {-3, 5, {8, 4, 2, 1}});
  kb.iota(b.x, {0, 0, {7, 1}});
  kb.affine_select(b.y.view(0, 128, 0, 16), x4, {0, 1, {-1}}, Alu::kIsGe, -1e30f);
  kb.local_gather(x4, b.y, index16, 4);
  kb.nc_n_gather(b.y, b.x, b.bits);
  kb.nonzero_with_count(integers, b.x, -1, 100);
  kb.sequence_bounds(b.y, b.x.view(0, 128, 0, 32));
  kb.topk(bf.view(0, 64, 0, 2), b.bits.view(0, 64, 0, 2), bf.view(0, 64, 8, 50), 800, 32);
  kb.tensor_partition_reduce(b.y.view(32, 1, 0, 64), Alu::kMax, b.x);
  kb.tensor_partition_reduce(b.bits.view(96, 1, 0, 64), Alu::kBitOr, b.bits);
  CHECK(refused(kb.finish()) == Lines{});
}

TEST_CASE("stochastic rounding is requested where an instruction and its destination allow it") {
  Bench b;
  KernelBuilder& kb = b.kb;
  const Tile bf = kb.sbuf_tile("bf", 128, 64, DType::kBf16);
  kb.element_rounding(kernels::Rounding::kStochastic);
  kb.tensor_copy(bf, b.x);
  kb.tensor_copy(b.x, bf);
  kb.tensor_tensor(bf, b.x, Alu::kAdd, b.y);
  kb.tensor_tensor(bf, bf, Alu::kBitAnd, bf);
  kb.reciprocal(bf, b.x);
  kb.tensor_copy_predicated(bf, b.x, b.y);
  kb.exponential(bf, b.x);
  kb.element_rounding(kernels::Rounding::kNearest);
  kb.tensor_copy(bf, b.x);
  const Executable program = kb.finish();
  Lines rounded;
  const auto& vector = program.queues[TERN_QUEUE_VECTOR];
  for (std::size_t i = 0; i + 1 < vector.size(); ++i) {
    if (vector[i].header.opcode != TERN_OPCODE_EXTEND) continue;
    CHECK(vector[i].extend.flags == 0x20);
    const std::string& origin = program.origins[TERN_QUEUE_VECTOR][i];
    rounded.push_back(origin.substr(origin.rfind(' ') + 1));
  }
  CHECK(refused(program) == Lines{});
  CHECK(rounded == Lines{"tensor_copy", "tensor_tensor", "reciprocal"});
}

TEST_CASE("limits of special instructions are checked") {
  Bench b;
  KernelBuilder& kb = b.kb;
  const auto check = [&](const std::function<void()>& body, const std::string& expected) {
    CHECK_THAT(message_of(body),
               Catch::Contains("tb/kernels/test_elementwise.cpp:") && Catch::Contains(expected));
  };
  const Tile wide = kb.sbuf_tile("wide", 128, 20000, DType::kBf16);
  const Tile index16 = kb.sbuf_tile("index16", 128, 64, DType::kUint16);
  const TileView eight = b.y.view(0, 128, 0, 8), six = b.y.view(0, 128, 0, 6);
  check([&] { kb.bn_stats(six, wide.view(0, 128, 0, 513)); }, "at most 512 elements");
  check([&] { kb.bn_stats(eight, b.x); }, "expected 6 elements per partition");
  check([&] { kb.bn_stats(b.bits.view(0, 128, 0, 6), b.x); }, "expected fp32, bf16 or fp16");
  check([&] { kb.bn_aggr(b.y.view(0, 128, 0, 2), b.x); }, "groups of count, mean and sum");
  check([&] { kb.max8(eight, b.x.view(0, 128, 0, 7)); }, "expected 8..16384 elements");
  check([&] { kb.max8(eight, wide); }, "expected 8..16384 elements");
  check([&] { kb.max8(six, b.x); }, "expected 8 elements");
  check([&] { kb.nc_find_index8(eight, b.x, eight); }, "expected uint32 or uint16, got fp32");
  check([&] { kb.nc_match_replace8(b.x, b.z, six, 0); }, "values [128, 6]: expected 8 elements");
  check([&] { kb.nc_stream_shuffle(b.x, b.y, {40}); }, "mask[0]: expected 0..31, or 255");
  check([&] { kb.nc_stream_shuffle(b.x.view(0, 16, 0, 8), b.y.view(0, 16, 0, 8), {}); },
        "expected 32, 64, 96 or 128 partitions");
  check([&] { kb.nc_stream_shuffle(b.x, b.y.view(0, 128, 0, 8), {}); }, "the same shape");
  check([&] { kb.dropout(b.x, b.y, 1.5f); }, "expected a probability of 0..1");
  check([&] { kb.rng(b.x); }, "expected an integer format, got fp32");
  check([&] { kb.rng(b.bits, Engine::kScalar); }, "runs on Vector or GpSimd, not on Scalar");
  check([&] { kb.set_rng_seed(b.bits); }, "expected one word, [1, 1]");
  check([&] { kb.rand_set_state(b.bits); }, "expected 24 elements");
  check([&] { kb.rand_get_state(b.bits, Engine::kGpsimd); }, "expected 6 elements");
  check([&] { kb.rand_get_state(b.bits, Engine::kScalar); }, "expected 6 elements");
  check([&] { kb.rand2(b.x, 1.0f, 1.0f); }, "expected finite limits, the lower one first");
  check([&] { kb.rand2(b.bits, 0.0f, 1.0f); }, "expected fp32, got uint32");
  check([&] { kb.local_gather(b.x, b.y, index16, 3); }, "1, 2, 4, 8, 16 or 32 elements per index");
  check([&] { kb.local_gather(b.x, b.y, b.bits); }, "expected uint16, got uint32");
  check(
      [&] {
        kb.local_gather(b.x.view(0, 8, 0, 8), b.y.view(0, 8, 0, 8), index16.view(0, 8, 0, 8));
      },
      "a multiple of 16 partitions");
  check(
      [&] {
        kb.local_gather(b.x.view(0, 16, 0, 8), b.y.view(32, 16, 0, 8), index16.view(0, 16, 0, 8));
      },
      "on partition 32: the destination is on 0");
  check([&] { kb.local_gather(b.x, b.y, index16.view(0, 128, 0, 3)); }, "for each of 48 indices");
  check([&] { kb.nc_n_gather(b.x, b.y, index16); }, "expected uint32, got uint16");
  check([&] { kb.nonzero_with_count(b.bits, b.x.view(0, 128, 0, 63)); }, "expected int32");
  const Tile integers = kb.sbuf_tile("integers", 128, 64, DType::kInt32);
  check([&] { kb.nonzero_with_count(integers, b.x); }, "gives 65 elements");
  check([&] { kb.nonzero_with_count(integers, b.x.view(0, 128, 0, 63), 16777217); },
        "integers that FP32 holds");
  check([&] { kb.sequence_bounds(b.y, b.x); }, "gives 128 elements");
  check([&] { kb.sequence_bounds(b.bits, b.x.view(0, 128, 0, 32)); }, "expected fp32 or int32");
  const TileView bf = wide.view(0, 128, 0, 4), found = b.bits.view(0, 128, 0, 4);
  check([&] { kb.topk(bf, found, wide, 7, 4); }, "expected 8..65535 elements, got 7");
  check([&] { kb.topk(bf, found, wide, 64, 65); }, "at most 32767, got 65");
  check([&] { kb.topk(bf, found, wide, 1000, 65); }, "a column for every 16 elements");
  check([&] { kb.topk(eight, found, wide, 64, 8); }, "destination: expected bf16");
  check([&] { kb.tensor_partition_reduce(b.y.view(0, 1, 0, 8), Alu::kMin, b.x); },
        "expected add, max, bit_and or bit_or");
  check([&] { kb.tensor_partition_reduce(b.y.view(0, 1, 0, 8), Alu::kAdd, b.x); },
        "destination [1, 8]: expected [1, 64]");
}

TEST_CASE("an extend is written only where an instruction needs one, and after its waits") {
  Bench b;
  KernelBuilder& kb = b.kb;
  const TileView rows = b.x.pattern(0, 128, 0, {{2, 32}, {4, 8}, {8, 1}});  // one dimension really
  kb.activation(b.y, Activation::kExp, rows, 2.0f, b.c(0));
  kb.tensor_scalar(b.y, b.x, Alu::kMultiply, b.c(0), Alu::kAdd, 3.0f);
  kb.activation(b.z, Activation::kExp, b.y, {b.c(0), b.c(1)});
  kb.tensor_scalar(b.y.view(0, 128, 0, 8), b.z.pattern(0, 128, 0, {{2, 32}, {2, 8}, {2, 2}}),
                   Alu::kAdd, 1.0f);
  const Executable program = kb.finish();
  CHECK(listing(program, TERN_QUEUE_SCALAR) == Lines{"activation", "extend",
                                                     "activation" + ge(kVectorDone, 1),
                                                     "halt" + ge(kScalarDone, 2)});
  CHECK(listing(program, TERN_QUEUE_VECTOR) == Lines{"tensor_scalar" + ge(kScalarDone, 1), "extend",
                                                     "tensor_scalar" + ge(kScalarDone, 2),
                                                     "halt" + ge(kVectorDone, 2)});
}

TEST_CASE("columns, reduce columns and kept elements are waited for") {
  // One instruction of Vector writes or reads the operand in question, Scalar's follows.
  const auto wait_of = [](const std::function<void(Bench&)>& first,
                          const std::function<void(Bench&)>& then) {
    Bench b;
    first(b);
    then(b);
    const Lines lines = listing(b.kb.finish(), TERN_QUEUE_SCALAR);
    return lines[lines.size() - 2];
  };
  const std::string waits = "activation" + ge(kVectorDone, 1);
  const auto write = [](unsigned column) {
    return [column](Bench& b) { b.kb.memset(b.c(column), 1.0f); };
  };
  const auto scalar0 = [](Bench& b) {
    b.kb.activation(b.y, Activation::kExp, b.x, {b.c(1), b.c(2)});
  };
  CHECK(wait_of(write(1), scalar0) == waits);
  CHECK(wait_of(write(2), scalar0) == waits);
  CHECK(wait_of(write(3), scalar0) == "activation");
  const auto reduce = [](ReduceCommand command, bool store) {
    return [=](Bench& b) {
      b.kb.activation(b.y, Activation::kExp, b.x,
                      {1.0f, 0.0f, Reduce{Alu::kAdd, b.c(1), command, store}});
    };
  };
  CHECK(wait_of(write(1), reduce(ReduceCommand::kResetReduce, true)) == waits);
  CHECK(wait_of(write(1), reduce(ReduceCommand::kLoadReduce, false)) == waits);
  CHECK(wait_of(write(1), reduce(ReduceCommand::kResetReduce, false)) == "activation");
  // What Vector reads must not be overwritten.
  const auto reads_column = [](Bench& b) {
    b.kb.tensor_scalar(b.y, b.x, Alu::kAdd, 0.0f, Alu::kMax, b.c(1));
  };
  const auto overwrites = [](Bench& b) { b.kb.activation(b.c(1), Activation::kExp, b.c(5)); };
  CHECK(wait_of(reads_column, overwrites) == waits);
  const auto writes_column = [](Bench& b) {
    b.kb.tensor_scalar_reduce(b.y, b.x, Alu::kAdd, 0.0f, Alu::kMax, b.c(1));
  };
  const auto reads = [](Bench& b) { b.kb.activation(b.c(6), Activation::kExp, b.c(1)); };
  CHECK(wait_of(writes_column, reads) == waits);

  // Elements that a predicated copy keeps: read too, so that the queue's own write must be there.
  Bench b;
  b.kb.memset(b.y, 1.0f);
  b.kb.tensor_copy_predicated(b.y, b.x, b.z);
  CHECK(listing(b.kb.finish(), TERN_QUEUE_VECTOR)[1] ==
        "tensor_copy_predicated" + ge(kVectorDone, 1));
}

TEST_CASE("instructions and transfers wait for what the author wants, until told otherwise") {
  Bench b;
  std::vector<kernels::Event> done;
  b.kb.order({}, &done);
  b.kb.memset(b.c(1), 1.0f);
  b.kb.order(done, nullptr);
  REQUIRE(done.size() == 1);
  b.kb.activation(b.y, Activation::kExp, b.x);
  b.kb.tensor_copy(b.z, b.x);  // its own queue keeps the order
  b.kb.order({}, nullptr);
  b.kb.memset(b.c(2), 1.0f, Engine::kGpsimd);
  const Executable program = b.kb.finish();
  CHECK(listing(program, TERN_QUEUE_SCALAR)[0] == "activation" + ge(kVectorDone, 1));
  CHECK(listing(program, TERN_QUEUE_VECTOR)[1] == "tensor_copy");
  CHECK(listing(program, TERN_QUEUE_GPSIMD)[0] == "memset");
}

TEST_CASE("limits of element-wise instructions are checked") {
  Bench b;
  KernelBuilder& kb = b.kb;
  const auto check = [&](const std::function<void()>& body, const std::string& expected) {
    CHECK_THAT(message_of(body),
               Catch::Contains("tb/kernels/test_elementwise.cpp:") && Catch::Contains(expected));
  };
  const TileView five = b.x.view(0, 128, 0, 5);
  check([&] { kb.tensor_copy(b.y, five); }, "source [128, 5] gives 5 elements");
  check([&] { kb.tensor_copy(b.y, b.psum, Engine::kGpsimd); }, "GpSimd cannot reach PSUM");
  check([&] { kb.memset(b.psum, 0.0f, Engine::kGpsimd); }, "GpSimd cannot reach PSUM");
  check([&] { kb.tensor_tensor(b.x, b.y, Alu::kAdd, b.z, Engine::kScalar); },
        "runs on Vector or GpSimd, not on Scalar");
  check([&] { kb.tensor_copy(b.x, b.y, Engine::kTensor); }, "not on Tensor");
  check([&] { kb.tensor_tensor(b.x, b.y, Alu::kAbs, b.z); }, "an operation of two operands");
  check([&] { kb.tensor_tensor(b.x, b.y, Alu::kPower, b.z); }, "power runs on GpSimd only");
  check([&] { kb.tensor_tensor(b.bits, b.bits, Alu::kBitAnd, b.x, Engine::kGpsimd); },
        "bit operations run on Vector only");
  const Tile half = kb.sbuf_tile("half", 128, 64, DType::kBf16);
  check([&] { kb.tensor_tensor(b.bits, b.bits, Alu::kBitAnd, half); },
        "bit operations take elements of one size, got bf16 and uint32");
  check([&] { kb.tensor_scalar(b.x, b.y, Alu::kBitNot, 0.0f, Alu::kAdd, 1.0f); },
        "bit operations do not mix with arithmetic");
  kernels::ScalarOptions options;
  options.reverse1 = true;
  check([&] { kb.tensor_scalar(b.x, b.y, Alu::kAdd, 0.0f, Alu::kBypass, 0.0f, options); },
        "op1 takes one operand: nothing to reverse");
  options = {};
  options.engine = Engine::kScalar;
  options.reduce = Reduce{};
  check([&] { kb.tensor_scalar(b.x, b.y, Alu::kAdd, 0.0f, Alu::kBypass, 0.0f, options); },
        "reductions need Vector");
  check([&] { kb.tensor_scalar_reduce(b.x, b.y, Alu::kAdd, 0.0f, Alu::kMultiply, b.c(0)); },
        "reduction: expected add, max, min");
  check(
      [&] {
        kb.exponential(b.x, b.y, 0.0f, Reduce{Alu::kMax, b.c(0)});
      },
      "reduction: expected add");
  check([&] { kb.exponential(b.bits, b.y); }, "expected fp32, bf16 or fp16, got uint32");
  check(
      [&] {
        kb.activation(b.x, Activation::kExp, b.y,
                      {1.0f, 0.0f, Reduce{Alu::kAdd, {}, ReduceCommand::kLoadReduce}});
      },
      "load_reduce needs a column");
  check(
      [&] {
        kb.activation(b.x, Activation::kExp, b.y, {1.0f, 0.0f, {}, 0.5f});
      },
      "a slope belongs to prelu");
  check(
      [&] {
        kb.activation(b.x, Activation::kExp, b.y, {b.columns, 0.0f});
      },
      "per-partition scalar [128, 8]: expected [128, 1] of fp32");
  check(
      [&] {
        kb.activation(b.x, Activation::kExp, b.y, {1.0f, b.columns.view(0, 32, 0, 1)});
      },
      "the destination has 128 partitions");
  check([&] { kb.activate2(b.x, b.y, Alu::kAdd, 1.0f, Alu::kMultiply, 1.0f); },
        "expected multiply then add or subtract");
  check([&] { kb.tensor_reduce(b.c(0), Alu::kAdd, b.x, false, 5); }, "expected 1..4 dimensions");
  check([&] { kb.tensor_reduce(b.columns, Alu::kAdd, b.x); }, "the source gives 1 elements");
  check([&] { kb.tensor_tensor_scan(b.x, b.psum, Alu::kAdd, b.psum, Alu::kAdd); },
        "both sources in PSUM");
  check([&] { kb.tensor_scalar_cumulative(b.x, b.y, Alu::kAdd, 0.0f, Alu::kIsEq); },
        "op1: expected add, subtract, multiply, max or min");
  check([&] { kb.tensor_scalar_cumulative(b.bits, b.y, Alu::kAdd, 0.0f, Alu::kAdd); },
        "does not take 32-bit integers");
  check(
      [&] {
        kb.tensor_scalar_cumulative(b.x, b.y, Alu::kAdd, 0.0f, Alu::kAdd, 0.0f, false,
                                    ReduceCommand::kLoadReduce);
      },
      "expected idle, reset_reduce or reduce");
  TileView short_words = b.psum.view();
  short_words.dtype = DType::kBf16;
  check([&] { kb.tensor_copy(short_words, b.x); }, "PSUM is written in words of 4 bytes");
  check([&] { kb.range_select(b.x, b.y, Alu::kAdd, 0.0f, Alu::kIsLt, 1.0f); },
        "expected two of is_eq .. is_lt");
  check([&] { kb.range_select(b.x, b.y, Alu::kIsGe, 0.0f, Alu::kIsLt, 1.0f, 16777200.0f); },
        "indices beyond 2^24");
  check([&] { kb.nc_transpose(b.x.view(0, 32, 0, 64), b.y.view(0, 64, 0, 32), Engine::kVector); },
        "Vector transposes up to [32, 32]");
  check([&] { kb.nc_transpose(b.x.view(0, 32, 0, 8), b.y.view(0, 32, 0, 8), Engine::kVector); },
        "expected [8, 32]");
  check([&] { kb.iota(b.x, {0, 1, {1, 1, 1, 1, 1}}); }, "expected a step for each dimension");
  check([&] { kb.iota(b.x, {0, 1, {40000}}); }, "expected 16 bits");
  check([&] { kb.affine_select(b.x, b.y, {}, Alu::kAdd, 0.0f); }, "expected is_eq .. is_lt");
  check([&] { kb.affine_select(b.x, b.psum, {}, Alu::kIsEq, 0.0f); }, "GpSimd cannot reach PSUM");
  check(
      [&] {
        kb.tensor_copy(b.x.view(0, 128, 0, 1).dims({{2, 40000}}), b.y.view(0, 128, 0, 2));
      },
      "a step beyond 16 bits");
  check(
      [&] {
        kb.dma_load(b.x.pattern(0, 128, 0, {{2, 32}, {2, 8}, {4, 1}}),
                    kb.input("in", DType::kFp32, {128, 16}).view(0, 128, 0, 16));
      },
      "more than 2 free dimensions");
}

TEST_CASE("what a chip does not have is refused with the chip's name") {
  ChipConfig chip = test_chip();
  chip.name = "old";
  chip.core.vector.exp_per_cycle = 0;
  chip.core.scalar_features.all_operators = false;
  BareBuilder kb("k", chip);
  const Tile x = kb.sbuf_tile("x", 128, 8, DType::kFp32);
  CHECK_THAT(message_of([&] { kb.exponential(x, x); }),
             Catch::Contains("chip 'old' has no exponential instruction"));
  CHECK_THAT(message_of([&] { kb.activate2(x, x, Alu::kAdd, 1.0f); }),
             Catch::Contains("chip 'old' has no activate2"));
  kernels::ScalarOptions scalar;
  scalar.engine = Engine::kScalar;
  CHECK_THAT(message_of([&] { kb.tensor_scalar(x, x, Alu::kMax, 1.0f, Alu::kBypass, 0, scalar); }),
             Catch::Contains("takes multiply, add, or both only"));
  kb.tensor_scalar(x, x, Alu::kMultiply, 1.0f, Alu::kAdd, 0.0f, scalar);
}

}  // namespace tern::tb
