// SPDX-License-Identifier: Apache-2.0
// Limits of products and transposes.
#include "sw/kernels/builder/memory/limits.h"
#include "sw/nki/trace/checks.h"
#include "sw/nki/trace/chip_pattern.h"
#include "sw/nki/trace/nki_error.h"

namespace tern::nki {

namespace {

std::int64_t free_elements(const View& view) {
  return view.elements() / view.shape()[0];
}

void require_size(const char* function, const char* role, const View& view, std::int64_t dimension,
                  std::int64_t size, std::int64_t limit) {
  if (size <= limit) return;
  throw NkiError("size of dimension " + std::to_string(dimension) + " in '" + role +
                 nki::shape_text(view.shape()) + "' of '" + function +
                 "' exceed architecture limitation of " + std::to_string(limit) + ".");
}

// Elements between the innermost columns of a view on chip.
std::int64_t columns_apart(const View& view) {
  const auto dims = merged(chip_pattern(view, "dst").dims);
  return dims.empty() ? 1 : dims.back().step;
}

}  // namespace

void check_matmul(const Instruction& instruction, const ChipConfig& chip) {
  const View &dst = instruction.at("dst"), &stationary = instruction.at("stationary"),
             &moving = instruction.at("moving");
  std::int64_t m = free_elements(stationary), n = free_elements(moving);
  if (instruction.options.double_row) {
    for (const View* view : {&stationary, &moving}) {
      if (view->dimensions() == 3 && view->shape()[1] == 2) continue;
      throw NkiError("nc_matmul in double_row: expected [K, 2, columns], got " +
                     nki::shape_text(view->shape()));
    }
    m /= 2;
    n /= 2;
  }
  if (stationary.shape()[0] != moving.shape()[0]) {
    throw NkiError(
        "number of partitions (dimension 0 size of a tile) mismatch in parameters "
        "(stationary" +
        nki::shape_text(stationary.shape()) + ", moving" + nki::shape_text(moving.shape()) +
        ") of 'nc_matmul'");
  }
  require_size("nc_matmul", "stationary", stationary, 1, m, kernels::kMaxStationary);
  const std::int64_t most =
      std::int64_t{chip.core.tensor.max_moving} * (dst.type()->dtype == DType::kBf16 ? 2 : 1);
  require_size("nc_matmul", "moving", moving, 1, n, most);
  if (dst.shape()[0] != m || free_elements(dst) != n) {
    throw NkiError("nc_matmul: dst" + nki::shape_text(dst.shape()) + " does not fit the result [" +
                   std::to_string(m) + ", " + std::to_string(n) + "] of stationary" +
                   nki::shape_text(stationary.shape()) + " and moving" +
                   nki::shape_text(moving.shape()));
  }
  const auto wide = [](const View& view) {
    return view.type()->dtype == DType::kFp32 || view.type()->dtype == DType::kTf32;
  };
  if (wide(stationary) != wide(moving)) {
    throw NkiError("nc_matmul: " + std::string(stationary.type()->name) + " and " +
                   std::string(moving.type()->name) +
                   " operands: float32 takes float32 or tfloat32 only");
  }
}

void check_transpose(const Instruction& instruction) {
  const View &dst = instruction.at("dst"), &data = instruction.at("data");
  const std::int64_t columns = free_elements(data);
  const bool vector = instruction.options.engine == Engine::kVector ||
                      dst.storage().memory != Memory::kPsum ||
                      data.storage().memory != Memory::kSbuf;
  const std::int64_t limit = vector ? TERN_LIMIT_QUADRANT : kernels::kMaxStationary;
  if (vector) require_size("nc_transpose", "data", data, 0, data.shape()[0], limit);
  require_size("nc_transpose", "data", data, 1, columns, limit);
  if (dst.shape()[0] != columns || free_elements(dst) != data.shape()[0]) {
    throw NkiError("nc_transpose: dst" + nki::shape_text(dst.shape()) + " does not fit data" +
                   nki::shape_text(data.shape()) + " transposed");
  }
  // The tensor engine also makes FP32 of 16 bits, as a product with the identity.
  const auto is_short_float = [](DType dtype) {
    return dtype == DType::kBf16 || dtype == DType::kFp16;
  };
  const bool product =
      !vector && dst.type()->dtype == DType::kFp32 && is_short_float(data.type()->dtype);
  if (dst.type()->bytes() != data.type()->bytes() && !product) {
    throw NkiError("nc_transpose: dst of " + std::string(dst.type()->name) + " for data of " +
                   std::string(data.type()->name) + ": expected the same type");
  }
  // In a PSUM word of two bytes.
  const bool apart = columns_apart(dst) == 2;
  if (!vector && data.type()->bytes() == 1 && data.shape()[0] > 1 && !apart) {
    throw NkiError("nc_transpose: dst" + nki::shape_text(dst.shape()) + " of " +
                   std::string(dst.type()->name) +
                   ": elements of one byte are written two bytes apart, as into every second "
                   "element of a tensor twice as wide: dst=t[:, 0:" +
                   std::to_string(2 * data.shape()[0]) + ":2]");
  }
}

}  // namespace tern::nki
