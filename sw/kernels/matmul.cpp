// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/matmul.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sw/base/math.h"
#include "sw/base/user_error.h"
#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/builder/memory/limits.h"
#include "sw/kernels/matmul_format.h"
#include "sw/kernels/matmul_operand.h"

namespace tern::kernels {

namespace {

using Role = MatmulOperand::Role;

// How the kernel walks. An output block is `group` tiles of 128 rows by `block` columns of C, in
// PSUM banks of 512 columns; quad mode takes four banks for each. Per slab a block takes `group` *
// 128 columns of A and `block` columns of B.
struct Plan {
  std::uint64_t slabs = 0, groups = 0, blocks = 0;
  unsigned group = 1;
  std::uint32_t a_columns = kMaxStationary, block = kPsumBankColumns;  // of A's and B's tiles
  bool a_resident = false;        // all of A stays in SBUF once it is there
  bool a_group = false;           // one group of A over all slabs is (twice, to overlap)
  unsigned a_buffers = 0;         // unless it is resident: tiles in rotation
  bool b_resident = false;        // all of B is
  unsigned b_buffers = 0;         // otherwise: tiles in rotation
  std::uint32_t out_columns = 0;  // columns per store
};

constexpr unsigned kOutBuffers = 3;
constexpr unsigned kMinBuffers = 3, kMaxBuffers = 24;
constexpr std::uint64_t kOutBytes = 4096;  // of a row of C: keeps a DMA engine busy

// Decides what stays in SBUF; true: both operands.
bool place_operands(const MatmulSpec& spec, const MatmulFormat& format, const ChipConfig& chip,
                    Plan* plan) {
  std::uint64_t budget = chip.core.sbuf_partition_bytes;
  const auto aligned = [](std::uint64_t bytes) { return round_up(bytes, 64); };
  const auto take = [&](std::uint64_t bytes) { budget -= std::min(budget, bytes); };
  const std::uint64_t columns = std::min<std::uint64_t>(plan->block, spec.n);
  take(kOutBuffers * plan->group * format.products() *
       aligned(columns * numerics::dtype_size(spec.output)));
  const std::uint64_t b_tile = MatmulOperand::bytes(format, Role::kMoving, columns);
  const std::uint64_t b_all = plan->slabs * plan->blocks * b_tile;
  const std::uint64_t a_tile = MatmulOperand::bytes(format, Role::kStationary, plan->a_columns);
  const std::uint64_t a_all = plan->slabs * plan->groups * a_tile;
  const std::uint64_t a_group = 2 * plan->slabs * a_tile;
  if (a_all + b_all <= budget) {
    plan->a_resident = plan->b_resident = true;
    return true;
  }
  const std::uint64_t reserve = kMinBuffers * std::max(b_tile, kLongRow);
  if (b_all + std::min(a_group, 2 * a_tile) <= budget && a_all > b_all) {
    plan->b_resident = true;
    take(b_all);
    plan->a_group = a_group <= budget;
    const std::uint64_t most = plan->a_group ? 2 * plan->slabs : kMaxBuffers;
    plan->a_buffers = static_cast<unsigned>(std::clamp<std::uint64_t>(budget / a_tile, 2, most));
    return false;
  }
  if (a_all + reserve <= budget) {
    plan->a_resident = true;
    take(a_all);
  } else if (a_group + reserve <= budget) {
    plan->a_group = true;
    plan->a_buffers = static_cast<unsigned>(2 * plan->slabs);
    take(a_group);
  } else {
    const std::uint64_t room = (budget - std::min(budget, reserve)) / a_tile;
    plan->a_buffers = static_cast<unsigned>(std::clamp<std::uint64_t>(room, 2, kMaxBuffers));
    take(plan->a_buffers * a_tile);
  }
  plan->b_buffers =
      static_cast<unsigned>(std::clamp<std::uint64_t>(budget / b_tile, 2, kMaxBuffers));
  return false;
}

// One tile of rows: the DMA of B is the limit; its rows are as long as PSUM allows. More: a block
// takes half of PSUM, so that one is evicted while the next is computed, in `group` tiles of rows,
// each of which uses what is loaded of B.
Plan divide(const MatmulSpec& spec, const MatmulFormat& format, unsigned group) {
  Plan plan;
  const std::uint64_t tiles_m = ceil_div(spec.m, kMaxStationary);
  const unsigned banks = kPsumBanks / format.products();
  const bool split = tiles_m > 1 || format.products() > 1;
  const unsigned of_block = split ? banks / 2 : banks;
  plan.slabs = ceil_div(spec.k, std::uint64_t{kPartitions} * format.k_per_partition());
  plan.group = static_cast<unsigned>(std::min<std::uint64_t>({tiles_m, of_block, group}));
  plan.block = of_block / plan.group * kPsumBankColumns;
  plan.groups = ceil_div(tiles_m, plan.group);
  plan.a_columns = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(plan.group * std::uint64_t{kMaxStationary}, spec.m));
  plan.blocks = ceil_div(spec.n, plan.block);
  plan.out_columns = static_cast<std::uint32_t>(kOutBytes / numerics::dtype_size(spec.output));
  return plan;
}

// With both operands in SBUF, wide blocks give long rows of C. Otherwise B is loaded once for every
// group: the more rows it has the better.
Plan make_plan(const MatmulSpec& spec, const MatmulFormat& format, const ChipConfig& chip) {
  Plan plan = divide(spec, format, 2);
  if (place_operands(spec, format, chip, &plan)) return plan;
  plan = divide(spec, format, kPsumBanks);
  place_operands(spec, format, chip, &plan);
  return plan;
}

class Matmul {
 public:
  Matmul(const MatmulSpec& spec, const MatmulFormat& format, const ChipConfig& chip)
      : spec_(spec),
        format_(format),
        plan_(make_plan(spec, format, chip)),
        kb_("matmul", chip),
        a_(&kb_, format, Role::kStationary, {spec.k, spec.m}),
        b_(&kb_, format, Role::kMoving, {spec.k, spec.n}),
        c_(kb_.output("c", spec.output, {format.products() * spec.m, spec.n})) {}

  Executable build() {
    if (spec_.part != MatmulPart::kAll && !(plan_.a_resident && plan_.b_resident)) {
      throw UserError("matmul " + std::to_string(spec_.m) + " x " + std::to_string(spec_.k) +
                      " x " + std::to_string(spec_.n) + " in " + format_.name +
                      ": the operands do not fit into SBUF together");
    }
    for (MatmulOperand* operand : {&a_, &b_})
      operand->set_part(spec_.part != MatmulPart::kCompute, spec_.part != MatmulPart::kLoad);
    make_pools();
    if (spec_.part != MatmulPart::kAll) {
      kb_.check_use(false);  // one part reads what the other has written
      // Both parts allocate their tiles in the same order, so that they agree on the addresses.
      for (std::uint64_t group = 0; group < plan_.groups; ++group) {
        for (std::uint64_t s = 0; s < plan_.slabs; ++s) fetch_a(s, group);
      }
      for (std::uint64_t block = 0; block < plan_.blocks; ++block) {
        for (std::uint64_t s = 0; s < plan_.slabs; ++s) fetch_b(s, block);
      }
    }
    if (spec_.part != MatmulPart::kLoad) compute();
    return kb_.finish();
  }

 private:
  // The PSUM tiles of up to 512 columns of C: one, or the four results of quad mode.
  struct Bank {
    std::array<Tile, 4> results;
    std::uint32_t columns = 0;
  };
  struct Part {  // one tile of rows of a block
    std::uint64_t row;
    unsigned rows;
    std::vector<Bank> banks;
  };

  void make_pools() {
    const auto out_size = static_cast<std::uint32_t>(numerics::dtype_size(spec_.output));
    const auto columns = static_cast<std::uint32_t>(std::min<std::uint64_t>(plan_.block, spec_.n));
    out_ = kb_.sbuf_pool("c", kOutBuffers * plan_.group * format_.products(), columns * out_size);
    if (format_.products() == 1) {
      psum_ = kb_.psum_pool("psum", kPsumBanks);
    } else {
      // BF16 takes half of the bank: every result has a separate bank.
      const std::uint32_t words = kPsumBankColumns;
      for (auto& tiles : quad_psum_) tiles = kb_.psum_quad_tile("psum", kPartitions, words);
    }
    if (!plan_.b_resident) b_.rotate(plan_.b_buffers, columns);
    if (!plan_.a_resident) a_.rotate(plan_.a_buffers, plan_.a_columns);
  }

  std::uint64_t group_columns() const { return plan_.group * std::uint64_t{kMaxStationary}; }

  // Columns of A in a transfer: a group's, so that the products begin before the rest is there.
  // Scales take four transfers for each of the elements: more groups together if there is room.
  std::uint64_t fetched_columns() const {
    const std::uint64_t long_row = kLongRow / numerics::dtype_size(format_.a_in_hbm);
    const bool together = plan_.a_resident && format_.has_scales();
    return together ? round_up(long_row, group_columns()) : group_columns();
  }

  // The stationary operand of one slab and group.
  std::uint64_t fetch_a(std::uint64_t slab, std::uint64_t group) {
    const std::uint64_t columns = fetched_columns();
    const std::uint64_t first = group * group_columns() / columns * columns;
    a_.fetch(slab, first,
             static_cast<std::uint32_t>(std::min<std::uint64_t>(columns, spec_.m - first)));
    return first;
  }

  std::uint64_t fetch_b(std::uint64_t slab, std::uint64_t block) {
    const std::uint64_t first = block * plan_.block;
    b_.fetch(slab, first,
             static_cast<std::uint32_t>(std::min<std::uint64_t>(plan_.block, spec_.n - first)));
    return first;
  }

  void compute() {
    for (std::uint64_t group = 0; group < plan_.groups; ++group) {
      for (std::uint64_t block = 0; block < plan_.blocks; ++block) {
        output_block(group, block);
        if (!plan_.b_resident) b_.forget();
        if (!plan_.a_resident && !plan_.a_group) a_.forget();
      }
      if (!plan_.a_resident) a_.forget();
    }
  }

  Bank next_bank(unsigned rows, std::uint32_t columns) {
    Bank bank;
    bank.columns = columns;
    if (format_.products() == 1) {
      bank.results[0] = psum_->tile("psum", rows, columns, spec_.psum);
      return bank;
    }
    bank.results = quad_psum_[next_quad_++ % quad_psum_.size()];
    for (Tile& tile : bank.results) {
      tile.partitions = rows;
      tile.free = columns;
      tile.dtype = spec_.psum;
    }
    return bank;
  }

  std::vector<Part> place_block(std::uint64_t group, std::uint64_t columns) {
    std::vector<Part> parts;
    for (unsigned i = 0; i < plan_.group; ++i) {
      const std::uint64_t row = group * group_columns() + i * std::uint64_t{kMaxStationary};
      if (row >= spec_.m) break;
      const auto rows =
          static_cast<unsigned>(std::min<std::uint64_t>(kMaxStationary, spec_.m - row));
      Part part{row, rows, {}};
      for (std::uint64_t at = 0; at < columns; at += kPsumBankColumns) {
        part.banks.push_back(next_bank(rows, static_cast<std::uint32_t>(std::min<std::uint64_t>(
                                                 kPsumBankColumns, columns - at))));
      }
      parts.push_back(std::move(part));
    }
    return parts;
  }

  void output_block(std::uint64_t group, std::uint64_t block) {
    const std::uint64_t first_column = block * plan_.block;
    const std::uint64_t columns = std::min<std::uint64_t>(plan_.block, spec_.n - first_column);
    const std::vector<Part> parts = place_block(group, columns);
    for (std::uint64_t slab = 0; slab < plan_.slabs; ++slab) {
      const std::uint64_t a_first = fetch_a(slab, group), b_first = fetch_b(slab, block);
      for (const Part& part : parts) multiply(part, slab, a_first, b_first);
    }
    for (const Part& part : parts) {
      for (unsigned product = 0; product < format_.products(); ++product) {
        evict(part, product, first_column);
      }
    }
  }

  // One slab into the banks of a tile of rows; FP32 in its four passes, low halves first.
  void multiply(const Part& part, std::uint64_t slab, std::uint64_t a_first,
                std::uint64_t b_first) {
    const auto halves = [](const MatmulOperand& operand) {
      return operand.has_halves() ? std::vector<Half>{Half::kLow, Half::kHigh}
                                  : std::vector<Half>{Half::kLow};
    };
    const auto column = static_cast<unsigned>(part.row - a_first);
    bool first = slab == 0;
    for (const Half weights : halves(a_)) {
      kb_.load_stationary(a_.view(slab, a_first, column, part.rows, weights));
      unsigned at = 0;
      for (const Bank& bank : part.banks) {
        bool overwrite = first;
        for (const Half moving : halves(b_)) {
          kb_.multiply_moving(bank.results[0], b_.view(slab, b_first, at, bank.columns, moving),
                              !overwrite);
          overwrite = false;
        }
        at += bank.columns;
      }
      first = false;
    }
  }

  // PSUM -> SBUF on Vector and Scalar alternately, then to HBM in rows of 4 KiB.
  void evict(const Part& part, unsigned product, std::uint64_t first_column) {
    std::uint32_t columns = 0;
    for (const Bank& bank : part.banks) columns += bank.columns;
    const Tile out = out_->tile("c", part.rows, columns, spec_.output);
    const std::uint64_t row = product * spec_.m + part.row;
    std::uint32_t done = 0, stored = 0;
    for (const Bank& bank : part.banks) {
      const Engine engine = evictions_++ % 2 == 0 ? Engine::kVector : Engine::kScalar;
      kb_.tensor_copy(out.view(0, part.rows, done, bank.columns), bank.results[product], engine);
      done += bank.columns;
      if (done - stored >= plan_.out_columns || done == columns) {
        // What Vector has copied last is the host's: Scalar would wait for it.
        kb_.dma_store(c_.view(row, part.rows, first_column + stored, done - stored),
                      out.view(0, part.rows, stored, done - stored),
                      engine == Engine::kVector ? kMadeByHost : DmaOptions{});
        stored = done;
      }
    }
  }

  MatmulSpec spec_;
  const MatmulFormat& format_;
  Plan plan_;
  KernelBuilder kb_;
  MatmulOperand a_, b_;
  Tensor c_;
  std::optional<TilePool> out_, psum_;
  std::array<std::array<Tile, 4>, 2> quad_psum_;
  unsigned next_quad_ = 0, evictions_ = 0;
};

const MatmulFormat& check(const MatmulSpec& spec) {
  using numerics::DType;
  const std::string shape = "matmul " + std::to_string(spec.m) + " x " + std::to_string(spec.k) +
                            " x " + std::to_string(spec.n);
  if (spec.m == 0 || spec.k == 0 || spec.n == 0) {
    throw UserError(shape + ": expected every dimension to be at least 1");
  }
  const MatmulFormat* format = find_matmul_format(spec.format);
  if (format == nullptr) throw UserError(shape + ": unknown format '" + spec.format + "'");
  if (spec.k % format->k_grain() != 0) {
    throw UserError(shape + " in " + spec.format + ": expected K to be a multiple of " +
                    std::to_string(format->k_grain()));
  }
  for (const DType dtype : {spec.psum, spec.output}) {
    if (dtype == DType::kFp32 || dtype == DType::kBf16) continue;
    throw UserError(shape + ": expected a result in fp32 or bf16, got " +
                    std::string(numerics::dtype_name(dtype)));
  }
  return *format;
}

}  // namespace

bool matmul_fits(const MatmulSpec& spec, const ChipConfig& chip) {
  const Plan plan = make_plan(spec, check(spec), chip);
  return plan.a_resident && plan.b_resident;
}

Executable build_matmul(const MatmulSpec& spec, const ChipConfig& chip) {
  const MatmulFormat& format = check(spec);
  return Matmul(spec, format, chip).build();
}

}  // namespace tern::kernels
