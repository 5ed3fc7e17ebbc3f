// SPDX-License-Identifier: Apache-2.0
// Screening of the Vector, Scalar and GpSimd engines, the exponential unit and the MX converters.
#include <cmath>
#include <cstring>
#include <functional>

#include "sw/app/check/screen.h"
#include "sw/kernels/builder/kernel_builder.h"
#include "sw/reference/quantize.h"
#include "sw/reference/reference.h"

namespace tern::app {

namespace {

using kernels::Activation;
using kernels::Alu;
using kernels::DType;
using kernels::Engine;
using kernels::KernelBuilder;
using kernels::Tensor;
using kernels::Tile;

constexpr unsigned kRows = kernels::kPartitions;
using Values = std::vector<float>;

// A program on two FP32 tiles "a" and "b" [128, columns] with one result.
class Program {
 public:
  Program(const ChipConfig& chip, const char* name, std::uint32_t columns)
      : kb(name, chip), columns_(columns) {
    const Tensor in_a = kb.input("a", DType::kFp32, {kRows, columns});
    const Tensor in_b = kb.input("b", DType::kFp32, {kRows, columns});
    a = kb.sbuf_tile("a", kRows, columns, DType::kFp32);
    b = kb.sbuf_tile("b", kRows, columns, DType::kFp32);
    kb.dma_load(a, in_a.view(0, kRows, 0, columns));
    kb.dma_load(b, in_b.view(0, kRows, 0, columns));
    x = screen_values(count(), 3);
    y = screen_values(count(), 4);
  }

  std::size_t count() const { return std::size_t{kRows} * columns_; }
  Tile tile(const char* name, DType dtype = DType::kFp32) {
    return kb.sbuf_tile(name, kRows, columns_, dtype);
  }
  // An output from a tile, and what it must be.
  template <typename Word>
  void expect(const std::string& name, const Tile& tile,
              const std::function<Word(std::size_t)>& f) {
    const Tensor out = kb.output(name, tile.dtype, {kRows, tile.free});
    kb.dma_store(out.view(0, kRows, 0, tile.free), tile);
    std::vector<Word> words(std::size_t{kRows} * tile.free);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = f(i);
    ScreenProgram::Output expected{Bytes(words.size() * sizeof(Word)), tile.free, sizeof(Word)};
    std::memcpy(expected.bytes.data(), words.data(), expected.bytes.size());
    screen_.outputs[name] = expected;
  }
  ScreenProgram finish() {
    screen_.program = kb.finish();
    screen_.inputs = {{"a", bytes_of(x)}, {"b", bytes_of(y)}};
    return std::move(screen_);
  }

  KernelBuilder kb;
  Tile a, b;
  Values x, y;  // what is in them

 private:
  const std::uint32_t columns_;
  ScreenProgram screen_;
};

std::uint32_t bits_of(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

ScreenProgram vector_program(const ChipConfig& chip, std::uint32_t columns) {
  Program p(chip, "screening of Vector", columns);
  const Tile sum = p.tile("sum"), product = p.tile("product"), largest = p.tile("largest"),
             scaled = p.tile("scaled"), bits = p.tile("bits", DType::kUint32),
             bf16 = p.tile("bf16", DType::kBf16), fp16 = p.tile("fp16", DType::kFp16);
  p.kb.tensor_tensor(sum, p.a, Alu::kAdd, p.b);
  p.kb.tensor_tensor(product, p.a, Alu::kMultiply, p.b);
  p.kb.tensor_tensor(largest, p.a, Alu::kMax, p.b);
  p.kb.tensor_scalar(scaled, p.a, Alu::kMultiply, 1.7f, Alu::kAdd, 0.3f);
  p.kb.tensor_tensor(bits, p.a.view().as(DType::kUint32), Alu::kBitXor,
                     p.b.view().as(DType::kUint32));
  p.kb.tensor_copy(bf16, p.a);
  p.kb.tensor_copy(fp16, p.b);
  const Values x = p.x, y = p.y;
  p.expect<float>("sum", sum, [&](std::size_t i) { return x[i] + y[i]; });
  p.expect<float>("product", product, [&](std::size_t i) { return x[i] * y[i]; });
  p.expect<float>("largest", largest, [&](std::size_t i) { return std::max(x[i], y[i]); });
  p.expect<float>("scaled", scaled, [&](std::size_t i) {
    const volatile float scaled_once = x[i] * 1.7f;  // two roundings
    return scaled_once + 0.3f;
  });
  p.expect<std::uint32_t>("bits", bits,
                          [&](std::size_t i) { return bits_of(x[i]) ^ bits_of(y[i]); });
  p.expect<std::uint16_t>("bf16", bf16, [&](std::size_t i) { return reference::to_bf16(x[i]); });
  p.expect<std::uint16_t>("fp16", fp16, [&](std::size_t i) { return reference::to_fp16(y[i]); });
  return p.finish();
}

ScreenProgram scalar_program(const ChipConfig& chip, std::uint32_t columns) {
  Program p(chip, "screening of Scalar", columns);
  const Tile relu = p.tile("relu"), scaled = p.tile("scaled"), bf16 = p.tile("bf16", DType::kBf16);
  p.kb.activation(relu, Activation::kRelu, p.a);
  kernels::ScalarOptions on_scalar;
  on_scalar.engine = Engine::kScalar;
  p.kb.tensor_scalar(scaled, p.b, Alu::kMultiply, 1.3f, Alu::kBypass, 0.0f, on_scalar);
  p.kb.tensor_copy(bf16, p.a, Engine::kScalar);
  const Values x = p.x, y = p.y;
  p.expect<float>("relu", relu, [&](std::size_t i) { return x[i] > 0 ? x[i] : 0.0f; });
  p.expect<float>("scaled", scaled, [&](std::size_t i) { return y[i] * 1.3f; });
  p.expect<std::uint16_t>("bf16", bf16, [&](std::size_t i) { return reference::to_bf16(x[i]); });
  return p.finish();
}

ScreenProgram gpsimd_program(const ChipConfig& chip, std::uint32_t columns) {
  Program p(chip, "screening of GpSimd", columns);
  const Tile difference = p.tile("difference"), whole = p.tile("whole", DType::kInt32),
             index = p.tile("index", DType::kInt32);
  p.kb.tensor_tensor(difference, p.a, Alu::kSubtract, p.b, Engine::kGpsimd);
  p.kb.tensor_tensor(whole, p.a.view().as(DType::kInt32), Alu::kMultiply,
                     p.b.view().as(DType::kInt32), Engine::kGpsimd);
  p.kb.iota(index, {7, 1000, {3}});
  const Values x = p.x, y = p.y;
  p.expect<float>("difference", difference, [&](std::size_t i) { return x[i] - y[i]; });
  p.expect<std::uint32_t>("whole", whole,
                          [&](std::size_t i) { return bits_of(x[i]) * bits_of(y[i]); });
  p.expect<std::int32_t>("index", index, [&](std::size_t i) {
    return static_cast<std::int32_t>(7 + 1000 * (i / columns) + 3 * (i % columns));
  });
  return p.finish();
}

ScreenProgram exp_program(const ChipConfig& chip, std::uint32_t columns) {
  Program p(chip, "screening of the exponential unit", columns);
  const Tile fp32 = p.tile("fp32"), large = p.tile("large"), bf16 = p.tile("bf16", DType::kBf16);
  p.kb.exponential(fp32, p.a);
  p.kb.exponential(large, p.a, -20.0f);
  p.kb.exponential(bf16, p.b, 1.0f);
  const Values x = p.x, y = p.y;
  p.expect<float>("fp32", fp32, [&](std::size_t i) { return reference::exponential(x[i]); });
  p.expect<float>("large", large,
                  [&](std::size_t i) { return reference::exponential(x[i] + 20.0f); });
  p.expect<std::uint16_t>("bf16", bf16, [&](std::size_t i) {
    return reference::to_bf16(reference::exponential(y[i] - 1.0f));
  });
  return p.finish();
}

// Blocks of eight partitions by four elements: quantised, then back to FP32.
ScreenProgram mx_program(const ChipConfig& chip, std::uint32_t columns) {
  KernelBuilder kb("screening of the MX converters", chip);
  const std::uint32_t elements = 4 * columns;
  const Tensor in = kb.input("in", DType::kBf16, {kRows, elements});
  const Tensor out_x4 = kb.output("x4", DType::kE4m3FnX4, {kRows, columns});
  const Tensor out_back = kb.output("back", DType::kFp32, {kRows, elements});
  const Tile source = kb.sbuf_tile("source", kRows, elements, DType::kBf16);
  const Tile x4 = kb.sbuf_tile("x4", kRows, columns, DType::kE4m3FnX4);
  const Tile scales = kb.sbuf_tile("scales", kRows, columns, DType::kE8m0);
  const Tile back = kb.sbuf_tile("back", kRows, elements, DType::kFp32);
  kb.dma_load(source, in.view(0, kRows, 0, elements));
  kb.quantize_mx(x4, scales, source);
  kb.dequantize_mx(back, x4, scales);
  kb.dma_store(out_x4.view(0, kRows, 0, columns), x4);
  kb.dma_store(out_back.view(0, kRows, 0, elements), back);

  ScreenProgram screen;
  screen.program = kb.finish();
  Values values = screen_values(std::size_t{kRows} * elements, 5);
  // Rows of different sizes, so that scales differ.
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::ldexp(values[i], static_cast<int>(i / elements / 8 % 5) - 2);
    values[i] = reference::from_bf16(reference::to_bf16(values[i]));
  }
  screen.inputs["in"] = to_bytes(values, DType::kBf16);

  constexpr std::size_t kBlockRows = 8, kSlots = 4, kBlock = kBlockRows * kSlots;
  const std::size_t blocks = kRows / kBlockRows * columns;
  Values by_block(kBlock * blocks);
  const auto place = [&](std::size_t k, std::size_t block) {  // in the source
    const std::size_t row = block / columns * kBlockRows + k / kSlots;
    return row * elements + block % columns * kSlots + k % kSlots;
  };
  for (std::size_t k = 0; k < kBlock; ++k) {
    for (std::size_t block = 0; block < blocks; ++block)
      by_block[k * blocks + block] = values[place(k, block)];
  }
  reference::BlockOrder order;
  order.slabs = {{{}}};
  for (std::size_t k = 0; k < kBlock; ++k) order.slabs[0][0].k.push_back(k);
  const reference::BlockOperand quantised = reference::quantize_blocks(
      by_block, blocks, reference::SmallFormat::kE4m3fn, order, reference::ScaleRule::kAws);
  Bytes codes(values.size());
  Values restored(values.size());
  for (std::size_t k = 0; k < kBlock; ++k) {
    for (std::size_t block = 0; block < blocks; ++block) {
      const std::uint8_t code = quantised.codes[k * blocks + block];
      codes[place(k, block)] = code;
      restored[place(k, block)] = static_cast<float>(
          std::ldexp(reference::small_value(reference::SmallFormat::kE4m3fn, code),
                     quantised.scales[block] - 127));
    }
  }
  screen.outputs["x4"] = {codes, columns, 4};
  screen.outputs["back"] = {bytes_of(restored), elements, 4};
  return screen;
}

}  // namespace

std::vector<ScreenTest> screen_engines(const ChipConfig& chip, bool full) {
  const std::uint32_t columns = full ? 1024 : 64;
  std::vector<ScreenTest> tests = {
      {"Vector", "vector", [=, &chip] { return vector_program(chip, columns); }},
      {"Scalar", "scalar", [=, &chip] { return scalar_program(chip, columns); }},
      {"GpSimd", "gpsimd", [=, &chip] { return gpsimd_program(chip, columns); }},
  };
  if (chip.core.vector.exp_per_cycle != 0)
    tests.push_back({"exponentials", "exp", [=, &chip] { return exp_program(chip, columns); }});
  if (chip.core.tensor.mx)
    tests.push_back({"MX conversions", "mx", [=, &chip] { return mx_program(chip, columns); }});
  return tests;
}

}  // namespace tern::app
