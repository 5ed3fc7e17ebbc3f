// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/builder/element/view_checks.h"

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "sw/base/user_error.h"
#include "sw/kernels/builder/memory/limits.h"
#include "sw/kernels/builder/tensor/operand_checks.h"
#include "sw/spec/access_pattern.h"

namespace tern::kernels {

namespace {

// Runs of neighbouring elements at multiples of what divides all other steps.
Comb comb_of(const TileView& view, std::uint64_t low) {
  const std::uint64_t size = numerics::dtype_size(view.dtype);
  Comb comb;
  comb.run = size;
  for (unsigned d = 0; d < TileView::kDimensions; ++d) {
    const Dimension dimension = view.dimension(d);
    const std::uint64_t step = static_cast<std::uint64_t>(std::abs(dimension.step)) * size;
    if (dimension.count == 1 || step == 0) continue;
    if (step <= comb.run && comb.period == 0) {
      comb.run += step * (dimension.count - 1);
    } else {
      comb.period = std::gcd(comb.period, step);
    }
  }
  if (comb.run >= comb.period) return {};
  comb.phase = low % comb.period;
  return comb;
}

}  // namespace

HazardMap::Access access_of(const TileView& view, bool write) {
  const auto size = static_cast<std::int64_t>(numerics::dtype_size(view.dtype));
  std::int64_t low = 0, high = 0;
  for (unsigned d = 0; d < TileView::kDimensions; ++d) {
    const Dimension dimension = view.dimension(d);
    const std::int64_t reach = dimension.step * (std::int64_t{dimension.count} - 1);
    (reach < 0 ? low : high) += reach;
  }
  HazardMap::Access access;
  access.space = view.space == Space::kSbuf ? 0 : 1;
  access.write = write;
  if (view.moved_by != 0) {
    access.box = {view.moved_begin, view.moved_end, view.partition,
                  view.partition + view.partitions};
    return access;
  }
  access.box = {static_cast<std::uint64_t>(std::int64_t{view.byte} + low * size),
                static_cast<std::uint64_t>(std::int64_t{view.byte} + (high + 1) * size),
                view.partition, view.partition + view.partitions};
  if (view.space == Space::kSbuf) access.comb = comb_of(view, access.box.x0);
  return access;
}

void ViewChecks::fail(const std::string& message) const {
  throw UserError(where_.text() + ": " + name_ + ": " + message);
}

void ViewChecks::view(const TileView& view, bool write, const std::string& role,
                      unsigned dimensions) const {
  const std::string what = role + " " + shape_text(view);
  require(view.partitions >= 1 && view.partition + view.partitions <= kPartitions,
          what + ": leaves the 128 partitions");
  require(start_partition_allowed(view.partition, view.partitions),
          what + ": cannot start on partition " + std::to_string(view.partition) +
              " (more than 64 partitions start on 0, 33..64 on 0 or 64, up to 32 on "
              "0, 32, 64 or 96)");
  require(view.dimensions() <= dimensions,
          what + ": more than " + std::to_string(dimensions) + " free dimensions");
  bool broadcast = false;
  for (unsigned d = 0; d < TileView::kDimensions; ++d) {
    const Dimension dimension = view.dimension(d);
    require(dimension.count >= 1 && dimension.count <= std::numeric_limits<std::uint16_t>::max(),
            what + ": expected 1..65535 elements in each free dimension");
    require(dimension.step >= INT16_MIN && dimension.step <= INT16_MAX,
            what + ": a step beyond 16 bits");
    broadcast = broadcast || (dimension.step == 0 && dimension.count > 1);
  }
  const Box box = access_of(view, write).box;
  const std::uint64_t limit =
      view.space == Space::kSbuf ? chip_.core.sbuf_partition_bytes : kPsumPartitionBytes;
  require(box.x0 <= box.x1 && box.x1 <= limit, what + ": leaves its partition");
  require(view.byte % numerics::dtype_size(view.dtype) == 0,
          what + ": not aligned to its elements");
  require(!write || !broadcast, what + ": written through a broadcast view");
}

// Vector and Scalar access one PSUM bank at a time and write words there; GpSimd cannot access
// PSUM.
void ViewChecks::element(const TileView& operand, bool write, const std::string& role,
                         Engine engine) const {
  view(operand, write, role, TileView::kDimensions);
  const std::string what = role + " " + shape_text(operand);
  require(numerics::is_compute_dtype(operand.dtype),
          what + ": no arithmetic in " + std::string(numerics::dtype_name(operand.dtype)));
  if (operand.space != Space::kPsum) return;
  require(engine != Engine::kGpsimd, what + ": GpSimd cannot reach PSUM");
  TileView unmoved = operand;  // the engine checks where a register leads
  unmoved.moved_by = 0;
  const Box box = access_of(unmoved, write).box;
  require(box.x0 / kPsumBankBytes == (box.x1 - 1) / kPsumBankBytes,
          what + ": crosses from one PSUM bank (512 fp32) into the next");
  require(!write || numerics::dtype_size(operand.dtype) == 4,
          what + ": PSUM is written in words of 4 bytes, got " +
              std::string(numerics::dtype_name(operand.dtype)));
}

void ViewChecks::column(const TileView& operand, bool write, const std::string& role, Engine engine,
                        unsigned partitions) const {
  require(operand.elements() == 1 && operand.dtype == DType::kFp32,
          role + " " + shape_text(operand) + ": expected [" + std::to_string(partitions) +
              ", 1] of fp32");
  require(operand.partitions == partitions, role + " " + shape_text(operand) +
                                                ": the destination has " +
                                                std::to_string(partitions) + " partitions");
  element(operand, write, role, engine);
}

}  // namespace tern::kernels
