// SPDX-License-Identifier: Apache-2.0
// The runtime itself: memory, copies, errors that name instruction and source line, programs on
// several cores.
#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

#include "sw/base/user_error.h"
#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/matmul.h"
#include "tb/runtime/platform.h"

namespace tern::tb {

namespace {

using Catch::Contains;
using kernels::KernelBuilder;
using numerics::DType;

template <typename Error, typename Body>
std::string message_of(Body body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("runtime: copies of any size, to any stack, at the host link's rate") {
  Platform platform;
  platform.run([&] {
    runtime::Runtime& runtime = platform.runtime;
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{4097}, std::size_t{5} << 20}) {
      std::vector<std::uint8_t> data(bytes), back(bytes);
      for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::uint8_t>(i * 7 + i / 255);
      const runtime::Buffer buffer = runtime.allocate("data", bytes, 7);
      CHECK(buffer.address() >= (std::uint64_t{3} << 36));  // core 7 is next to the last stack
      const sc_core::sc_time start = sc_core::sc_time_stamp();
      runtime.copy_to_device(buffer, data.data(), bytes);
      const double seconds = (sc_core::sc_time_stamp() - start).to_seconds();
      const double rate = platform.config.host.bandwidth_gb_per_s * 1e9;
      CHECK(seconds >= static_cast<double>(bytes) / rate);
      CHECK(seconds < static_cast<double>(bytes) / rate * 1.1 + 5e-6);
      runtime.copy_from_device(buffer, back.data(), bytes);
      CHECK(back == data);
    }
  });
}

TEST_CASE("runtime: out of device memory names tensor, size and what is left") {
  Platform platform;
  platform.run([&] {
    runtime::Runtime& runtime = platform.runtime;
    const std::uint64_t gib = std::uint64_t{1} << 30;
    runtime::Buffer keep = runtime.allocate("keep", 30 * gib);
    CHECK(message_of<UserError>([&] { runtime.allocate("weights", 40 * gib); }) ==
          "HBM: 'weights': 40960 MiB requested, 116736 MiB of 147456 MiB free, largest block "
          "36864 MiB");
    CHECK(runtime.free_bytes() == 114 * gib);
    runtime.free(keep);
    CHECK(runtime.free_bytes() == 144 * gib);
    CHECK_THAT(message_of<UserError>([&] {
                 const runtime::Buffer b = runtime.allocate("b", 10);
                 runtime.copy_to_device(b, "0123456789", 8, 4);
               }),
               Contains("copy to 'b': 8 bytes at offset 4: it has 10"));
  });
}

TEST_CASE("runtime: tensors must be bound, and be large enough") {
  Platform platform;
  platform.run([&] {
    runtime::Runtime& runtime = platform.runtime;
    kernels::MatmulSpec spec;
    spec.m = spec.k = spec.n = 8;
    const Executable program = kernels::build_matmul(spec, platform.config);
    const runtime::Buffer small = runtime.allocate("small", 10);
    CHECK_THAT(message_of<UserError>([&] { runtime.load(program, {}); }),
               Contains("program 'matmul': no buffer for tensor 'a'"));
    CHECK_THAT(message_of<UserError>([&] {
                 runtime.load(program, {{"a", &small}});
               }),
               Contains("tensor 'a' takes 128 bytes, its buffer has 10"));
    CHECK_THAT(message_of<UserError>([&] { runtime.load(program, {}, 8); }),
               Contains("core 8: the chip has cores 0..7"));
  });
}

TEST_CASE("runtime: an engine error names queue, instruction and source line") {
  Platform platform;
  platform.run([&] {
    KernelBuilder kb("faulty", platform.config);
    const auto tile = kb.sbuf_tile("t", 128, 64, DType::kFp32);
    kb.memset(tile, 1.0f);
    const int line = __LINE__ + 1;
    kb.reciprocal(tile, tile);
    Executable executable = kb.finish();
    executable.queues[TERN_QUEUE_VECTOR][2].elementwise.dst_dtype = 99;  // no such type
    auto program = platform.runtime.load(executable, {});
    CHECK_THAT(message_of<RunError>([&] { platform.runtime.run(program); }),
               Contains("program 'faulty' on core 0: vector queue, instruction 2 (reciprocal), "
                        "from tb/runtime/test_runtime.cpp:" +
                        std::to_string(line) + ": reciprocal") &&
                   Contains("an operand type this instruction does not take"));
  });
}

TEST_CASE("runtime: a malformed descriptor names the DMA engine and its ring") {
  Platform platform;
  platform.run([&] {
    KernelBuilder kb("faulty", platform.config);
    const auto x = kb.input("x", DType::kFp32, {128, 64});
    const auto tile = kb.sbuf_tile("t", 128, 64, DType::kFp32);
    kb.dma_load(tile, x.view(0, 128, 0, 64));
    Executable executable = kb.finish();
    executable.rings[KernelBuilder::kLoadRing][5].change([](std::size_t i, DescriptorPair& pair) {
      if (i == 0) pair.first = false;
    });
    const runtime::Buffer buffer = platform.runtime.allocate("x", 128 * 64 * 4);
    auto program = platform.runtime.load(executable, {{"x", &buffer}});
    CHECK_THAT(
        message_of<RunError>([&] { platform.runtime.run(program); }),
        Contains(
            "DMA engine 5, ring 0: stopped at descriptor 0, of tb/runtime/test_runtime.cpp:") &&
            Contains(": dma_load of tensor 'x': first is missing") &&
            Contains("status 1203 (DMA abort)"));
  });
}

TEST_CASE("runtime: the overhead of a program is simulated and belongs to its time") {
  Platform platform;
  platform.run([&] {
    runtime::Runtime& runtime = platform.runtime;
    KernelBuilder kb("fill", platform.config);
    const auto tile = kb.sbuf_tile("t", 128, 1000, DType::kFp32);
    kb.memset(tile, 1);
    runtime::Program program = runtime.load(kb.finish(), {});
    const runtime::RunResult plain = runtime.run(program);
    const sc_core::sc_time us(1, sc_core::SC_US);
    runtime.set_overhead({11 * us, 4 * us});
    const sc_core::sc_time before = sc_core::sc_time_stamp();
    const runtime::RunResult framed = runtime.run(program);
    CHECK(framed.start > before);
    CHECK(framed.end <= sc_core::sc_time_stamp());
    const double more = (framed.end - framed.start - (plain.end - plain.start)) / us;
    CHECK(more == Approx(15).margin(0.2));  // the memory's refresh stands elsewhere
    CHECK(framed.instructions == plain.instructions);
  });
}

TEST_CASE("runtime: programs on several cores run at the same time") {
  Platform platform;
  platform.run([&] {
    runtime::Runtime& runtime = platform.runtime;
    const unsigned cores = runtime.cores();
    std::vector<runtime::Buffer> buffers;
    std::vector<runtime::Program> programs;
    for (unsigned core = 0; core < cores; ++core) {
      KernelBuilder kb("fill", platform.config);
      const auto y = kb.output("y", DType::kFp32, {128, 1000});
      const auto tile = kb.sbuf_tile("t", 128, 1000, DType::kFp32);
      kb.memset(tile, static_cast<float>(core));
      kb.dma_store(y.view(0, 128, 0, 1000), tile);
      buffers.push_back(runtime.allocate("y", 512000, core));
      programs.push_back(runtime.load(kb.finish(), {{"y", &buffers.back()}}, core));
    }
    for (auto& program : programs) runtime.execute(program);
    for (auto& program : programs) {
      const runtime::RunResult result = runtime.wait(program);
      CHECK(result.end > result.start);
      CHECK(result.instructions[TERN_QUEUE_VECTOR] == 3);  // start, memset, halt
    }
    for (unsigned core = 0; core < cores; ++core) {
      std::vector<float> values(128000);
      runtime.copy_from_device(buffers[core], values.data(), 512000);
      CHECK(values == std::vector<float>(128000, static_cast<float>(core)));
    }
  });
}

}  // namespace tern::tb
