// SPDX-License-Identifier: Apache-2.0
// Cross-entropy of logits against target classes, and its gradient: one pass over each row.
#include <fmt/format.h>

#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/builder/memory/limits.h"
#include "sw/kernels/catalogue/blocks.h"
#include "sw/kernels/catalogue/case_parts.h"
#include "sw/kernels/catalogue/kernels.h"
#include "sw/reference/kernels/rows.h"

namespace tern::kernels {

namespace {

constexpr std::int64_t kMaxClasses = 8192;  // five FP32 rows of them fit into a partition

Executable build_cross_entropy(std::uint64_t rows, std::uint32_t classes, const ChipConfig& chip) {
  KernelBuilder kb("cross_entropy", chip);
  const Tensor logits = kb.input("logits", DType::kFp32, {rows, classes});
  const Tensor targets = kb.input("targets", DType::kInt32, {1, rows});
  const Tensor numbers = kb.weight("numbers", DType::kFp32, {1, classes});  // 0, 1, 2, ...
  const Tensor loss = kb.output("loss", DType::kFp32, {rows, 1});
  const Tensor gradient = kb.output("gradient", DType::kFp32, {rows, classes});

  const Tile number = kb.sbuf_tile("numbers", kPartitions, classes, DType::kFp32);
  kb.dma_load(number, numbers.replicated(0, kPartitions, 0, classes));
  const unsigned buffers = classes > 4096 ? 1 : 2;
  TilePool wide = kb.sbuf_pool("logits", buffers, 4 * classes);
  TilePool exponentials = kb.sbuf_pool("exponentials", buffers, 4 * classes);
  TilePool one_hots = kb.sbuf_pool("one_hot", buffers, 4 * classes);
  TilePool columns = kb.sbuf_pool("columns", 16, 4);
  for_blocks(rows, kPartitions, [&](std::uint64_t row, std::uint32_t count) {
    const auto column = [&](const char* name, DType dtype = DType::kFp32) {
      return columns.tile(name, count, 1, dtype);
    };
    const Tile x = wide.tile("logits", count, classes, DType::kFp32);
    kb.dma_load(x, logits.view(row, count, 0, classes));
    const Tile target = column("target", DType::kInt32);
    kb.dma_load(target, targets.column_of_row(0, row, count));

    const Tile negated = column("-max");
    kb.tensor_reduce(negated, Alu::kMax, x, true);
    const Tile e = exponentials.tile("e", count, classes, DType::kFp32);
    const Tile sum = column("sum"), log_sum = column("log"), inverse = column("1/sum");
    ActivationOptions shifted;
    shifted.bias = negated;
    kb.activation_reduce(e, Activation::kExp, x, Alu::kAdd, sum, shifted);
    kb.activation(log_sum, Activation::kLog, sum);
    kb.reciprocal(inverse, sum);

    const Tile wanted = column("target fp32"), picked = column("picked");
    kb.tensor_copy(wanted, target);
    const Tile one_hot = one_hots.tile("one_hot", count, classes, DType::kFp32);
    kb.tensor_scalar(one_hot, number.view(0, count, 0, classes), Alu::kIsEq, wanted);
    kb.tensor_tensor(x, x, Alu::kMultiply, one_hot);
    kb.tensor_reduce(picked, Alu::kAdd, x);

    const Tile result = column("loss");
    // The maximum minus the logit first: both may be large compared with the logarithm.
    kb.tensor_tensor(picked, picked, Alu::kAdd, negated);
    kb.tensor_tensor(result, log_sum, Alu::kSubtract, picked);
    kb.dma_store(loss.view(row, count, 0, 1), result);
    kb.scalar_tensor_tensor(e, e, Alu::kMultiply, inverse, Alu::kSubtract, one_hot);
    kb.dma_store(gradient.view(row, count, 0, classes), e);
  });
  return kb.finish();
}

KernelCase make_cross_entropy(const Parameters& parameters, const ChipConfig& chip,
                              std::uint64_t seed) {
  const auto rows = static_cast<std::uint64_t>(parameters.integer("rows", 1, 1 << 16));
  const auto classes = static_cast<std::uint32_t>(parameters.integer("classes", 1, kMaxClasses));
  if (rows * classes > (1u << 26)) parameters.fail("rows", "at most 2^26 logits");
  const double spread = parameters.number("spread", 0, 100);

  const CaseOperand logits = random_operand(rows * classes, DType::kFp32, seed, 0, 0, spread);
  const CaseOperand targets = random_indices(rows, classes, seed, 1);
  std::vector<float> numbers(classes);
  for (std::uint32_t i = 0; i < classes; ++i) numbers[i] = static_cast<float>(i);
  KernelCase result;
  result.description =
      fmt::format("cross-entropy and gradient of {} rows, {} classes", rows, classes);
  result.program = build_cross_entropy(rows, classes, chip);
  result.inputs = {logits.input("logits"), targets.input("targets"),
                   operand(numbers, DType::kFp32).input("numbers")};
  reference::CrossEntropy expected =
      reference::cross_entropy(logits.values, targets.values, classes);
  // FP32 throughout; a sum of n exponentials is off by at most n / 2 units of 2^-24.
  const double tolerance = 4e-6 + 6e-8 * classes;
  result.outputs = {
      {"loss", DType::kFp32, {rows, 1}, std::move(expected.loss), tolerance},
      {"gradient", DType::kFp32, {rows, classes}, std::move(expected.gradient), tolerance}};
  const double blocks = static_cast<double>(blocks_of(rows, kPartitions));
  result.cost = {
      vector_cost(chip, blocks * 7 * classes,
                  "rows / 128 x 7 classes: two reductions, a comparison, two FP32 pairs"),
      scalar_cost(chip, blocks * classes, "rows / 128 x classes: exponentials"),
      dma_cost(chip, 8.0 * static_cast<double>(rows) * classes, "bytes of logits and gradient")};
  return result;
}

}  // namespace

Kernel cross_entropy_kernel() {
  return {"cross_entropy",
          "cross-entropy of logits [rows, classes] against target classes, and its gradient",
          {{"rows", "512", "rows, 128 at a time"},
           {"classes", "1000", "logits of a row"},
           {"spread", "3", "standard deviation of the logits"}},
          make_cross_entropy};
}

}  // namespace tern::kernels
