// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/matmul.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sw/kernels/builder/kernel_builder.h"
#include "sw/kernels/builder/limits.h"
#include "systemc/config/user_error.h"

namespace tern::kernels {

namespace {

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}

// How the kernel walks. An output block is `group` tiles of 128 rows by `block` columns of C:
// `group * block / 512` PSUM banks. Per slab of 128 contraction rows a block takes [128, group *
// 128] of A and [128, block] of B.
struct Plan {
  std::uint64_t slabs = 0, groups = 0, blocks = 0;
  unsigned group = 1;
  std::uint32_t block = kPsumBankColumns;
  bool a_resident = false;        // all of A lies in SBUF
  bool a_group = false;           // one group of A over all slabs does (twice, to overlap)
  bool b_resident = false;        // all of B does
  unsigned b_buffers = 0;         // else: tiles in rotation
  std::uint32_t out_columns = 0;  // columns per store
};

constexpr unsigned kOutBuffers = 3;
constexpr unsigned kMinBuffers = 3, kMaxBuffers = 12;

Plan make_plan(const MatmulSpec& spec, const ChipConfig& chip) {
  Plan plan;
  const std::uint64_t size = numerics::dtype_size(spec.input);
  const std::uint64_t out_size = numerics::dtype_size(spec.output);
  const std::uint64_t tiles_m = ceil_div(spec.m, kMaxStationary);
  plan.slabs = ceil_div(spec.k, kMaxContraction);
  // One tile of rows: the DMA of B is the limit; its rows are as long as PSUM allows. More: B is
  // used twice per load, the tensor engine is the limit; a block takes half of PSUM, so that one is
  // evicted while the next is computed.
  plan.group = tiles_m == 1 ? 1 : 2;
  plan.block = (tiles_m == 1 ? kPsumBanks : kPsumBanks / 2) / plan.group * kPsumBankColumns;
  plan.groups = ceil_div(tiles_m, plan.group);
  plan.blocks = ceil_div(spec.n, plan.block);
  plan.out_columns =
      static_cast<std::uint32_t>(4096 / out_size);  // rows of 4 KiB keep a DMA engine busy

  std::uint64_t budget = chip.core.sbuf_partition_bytes;
  const auto aligned = [](std::uint64_t bytes) { return (bytes + 63) / 64 * 64; };
  const auto take = [&](std::uint64_t bytes) { budget -= std::min(budget, bytes); };
  take(kOutBuffers * plan.group * aligned(std::min<std::uint64_t>(plan.block, spec.n) * out_size));
  const std::uint64_t b_tile = aligned(std::min<std::uint64_t>(plan.block, spec.n) * size);
  const std::uint64_t b_all = plan.slabs * plan.blocks * b_tile;
  const std::uint64_t a_all = plan.slabs * aligned(spec.m * size);
  const std::uint64_t a_group = 2 * plan.slabs * plan.group * kMaxStationary * size;
  if (a_all + b_all <= budget) {
    plan.a_resident = plan.b_resident = true;
    return plan;
  }
  const std::uint64_t reserve = kMinBuffers * b_tile;
  if (a_all + reserve <= budget) {
    plan.a_resident = true;
    take(a_all);
  } else if (a_group + reserve <= budget) {
    plan.a_group = true;
    take(a_group);
  } else {
    take(kMaxBuffers * plan.group * kMaxStationary * size);
  }
  plan.b_buffers =
      static_cast<unsigned>(std::clamp<std::uint64_t>(budget / b_tile, 2, kMaxBuffers));
  return plan;
}

class Matmul {
 public:
  Matmul(const MatmulSpec& spec, const ChipConfig& chip)
      : spec_(spec),
        plan_(make_plan(spec, chip)),
        kb_("matmul", chip),
        a_(kb_.input("a", spec.input, {spec.k, spec.m})),
        b_(kb_.input("b", spec.input, {spec.k, spec.n})),
        c_(kb_.output("c", spec.output, {spec.m, spec.n})) {}

  Executable build() {
    if (spec_.part != MatmulPart::kAll && !(plan_.a_resident && plan_.b_resident)) {
      throw UserError("matmul " + std::to_string(spec_.m) + " x " + std::to_string(spec_.k) +
                      " x " + std::to_string(spec_.n) +
                      ": the operands do not fit into SBUF together");
    }
    make_pools();
    if (spec_.part == MatmulPart::kAll) {
      compute();
    } else {
      // Both parts place their tiles in the same order, so that they agree on the addresses.
      for (std::uint64_t s = 0; s < plan_.slabs; ++s) a_tile(s, 0);
      for (std::uint64_t block = 0; block < plan_.blocks; ++block) {
        for (std::uint64_t s = 0; s < plan_.slabs; ++s) b_tile(s, block);
      }
      if (spec_.part == MatmulPart::kCompute) compute();
    }
    return kb_.finish();
  }

 private:
  void make_pools() {
    const std::uint32_t size = static_cast<std::uint32_t>(numerics::dtype_size(spec_.input));
    const std::uint32_t out_size = static_cast<std::uint32_t>(numerics::dtype_size(spec_.output));
    const std::uint32_t columns =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(plan_.block, spec_.n));
    out_ = kb_.sbuf_pool("c", kOutBuffers * plan_.group, columns * out_size);
    psum_ = kb_.psum_pool("psum", kPsumBanks);
    if (!plan_.b_resident) b_pool_ = kb_.sbuf_pool("b", plan_.b_buffers, columns * size);
    if (!plan_.a_resident) {
      const std::uint64_t tiles = plan_.a_group ? 2 * plan_.slabs : kMaxBuffers;
      a_pool_ =
          kb_.sbuf_pool("a", static_cast<unsigned>(tiles), plan_.group * kMaxStationary * size);
    }
  }

  unsigned slab_rows(std::uint64_t slab) const {
    return static_cast<unsigned>(
        std::min<std::uint64_t>(kMaxContraction, spec_.k - slab * kMaxContraction));
  }

  void load(const Tile& tile, const Tensor& tensor, std::uint64_t slab, std::uint64_t first) {
    if (spec_.part == MatmulPart::kCompute) return;  // the other program has
    kb_.dma_load(tile, tensor.view(slab * kMaxContraction, tile.partitions, first, tile.free));
  }

  // The stationary operand of one slab: all of its columns, or those of one group.
  const Tile& a_tile(std::uint64_t slab, std::uint64_t group) {
    const auto key = std::make_pair(slab, plan_.a_resident ? 0 : group);
    const auto known = a_tiles_.find(key);
    if (known != a_tiles_.end()) return known->second;
    const std::string name = "a." + std::to_string(slab);
    const std::uint64_t first =
        plan_.a_resident ? 0 : group * plan_.group * std::uint64_t{kMaxStationary};
    const std::uint64_t most =
        plan_.a_resident ? spec_.m : plan_.group * std::uint64_t{kMaxStationary};
    const auto columns = static_cast<std::uint32_t>(std::min(most, spec_.m - first));
    const Tile tile = plan_.a_resident ? kb_.sbuf_tile(name, slab_rows(slab), columns, spec_.input)
                                       : a_pool_->tile(name, slab_rows(slab), columns, spec_.input);
    load(tile, a_, slab, first);
    return a_tiles_[key] = tile;
  }

  const Tile& b_tile(std::uint64_t slab, std::uint64_t block) {
    const auto key = std::make_pair(slab, block);
    const auto known = b_tiles_.find(key);
    if (known != b_tiles_.end()) return known->second;
    const std::string name = "b." + std::to_string(slab) + "." + std::to_string(block);
    const std::uint64_t first = block * plan_.block;
    const auto columns =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(plan_.block, spec_.n - first));
    const Tile tile = plan_.b_resident ? kb_.sbuf_tile(name, slab_rows(slab), columns, spec_.input)
                                       : b_pool_->tile(name, slab_rows(slab), columns, spec_.input);
    load(tile, b_, slab, first);
    return b_tiles_[key] = tile;
  }

  void compute() {
    for (std::uint64_t group = 0; group < plan_.groups; ++group) {
      for (std::uint64_t block = 0; block < plan_.blocks; ++block) {
        output_block(group, block);
        if (!plan_.b_resident) b_tiles_.clear();  // their memory goes round
        if (!plan_.a_resident && !plan_.a_group) a_tiles_.clear();
      }
      if (!plan_.a_resident) a_tiles_.clear();
    }
  }

  void output_block(std::uint64_t group, std::uint64_t block) {
    const std::uint64_t first_row = group * plan_.group * std::uint64_t{kMaxStationary};
    const std::uint64_t first_column = block * plan_.block;
    const std::uint64_t columns = std::min<std::uint64_t>(plan_.block, spec_.n - first_column);
    struct Part {  // one tile of rows of the block
      std::uint64_t row;
      unsigned rows;
      std::vector<Tile> banks;
    };
    std::vector<Part> parts;
    for (unsigned i = 0; i < plan_.group; ++i) {
      const std::uint64_t row = first_row + i * std::uint64_t{kMaxStationary};
      if (row >= spec_.m) break;
      const auto rows =
          static_cast<unsigned>(std::min<std::uint64_t>(kMaxStationary, spec_.m - row));
      Part part{row, rows, {}};
      for (std::uint64_t at = 0; at < columns; at += kMaxMoving) {
        const auto width =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(kMaxMoving, columns - at));
        part.banks.push_back(psum_->tile("psum", rows, width, numerics::DType::kFp32));
      }
      parts.push_back(std::move(part));
    }
    for (std::uint64_t slab = 0; slab < plan_.slabs; ++slab) {
      const Tile a = a_tile(slab, group);
      const Tile b = b_tile(slab, block);
      for (const Part& part : parts) {
        const std::uint64_t column = plan_.a_resident ? part.row : part.row - first_row;
        kb_.load_stationary(a.view(0, a.partitions, static_cast<unsigned>(column), part.rows));
        unsigned at = 0;
        for (const Tile& bank : part.banks) {
          kb_.multiply_moving(bank, b.view(0, b.partitions, at, bank.free), slab > 0);
          at += bank.free;
        }
      }
    }
    for (const Part& part : parts) evict(part.row, part.rows, part.banks, first_column);
  }

  // PSUM -> SBUF on Vector and Scalar in turn, then to HBM in rows of 4 KiB.
  void evict(std::uint64_t row, unsigned rows, const std::vector<Tile>& banks,
             std::uint64_t first_column) {
    std::uint32_t columns = 0;
    for (const Tile& bank : banks) columns += bank.free;
    const Tile out = out_->tile("c", rows, columns, spec_.output);
    std::uint32_t done = 0, stored = 0;
    for (const Tile& bank : banks) {
      const Engine engine = evictions_++ % 2 == 0 ? Engine::kVector : Engine::kScalar;
      kb_.tensor_copy(out.view(0, rows, done, bank.free), bank, engine);
      done += bank.free;
      if (done - stored >= plan_.out_columns || done == columns) {
        kb_.dma_store(c_.view(row, rows, first_column + stored, done - stored),
                      out.view(0, rows, stored, done - stored));
        stored = done;
      }
    }
  }

  using TileKey = std::pair<std::uint64_t, std::uint64_t>;

  MatmulSpec spec_;
  Plan plan_;
  KernelBuilder kb_;
  Tensor a_, b_, c_;
  std::optional<TilePool> a_pool_, b_pool_, out_, psum_;
  std::map<TileKey, Tile> a_tiles_, b_tiles_;
  unsigned evictions_ = 0;
};

void check(const MatmulSpec& spec) {
  using numerics::DType;
  const std::string shape = "matmul " + std::to_string(spec.m) + " x " + std::to_string(spec.k) +
                            " x " + std::to_string(spec.n);
  if (spec.m == 0 || spec.k == 0 || spec.n == 0) {
    throw UserError(shape + ": expected every dimension to be at least 1");
  }
  if (spec.input != DType::kBf16 && spec.input != DType::kFp16) {
    throw UserError(shape + ": expected operands in bf16 or fp16, got " +
                    std::string(numerics::dtype_name(spec.input)));
  }
  if (spec.output != DType::kFp32 && spec.output != DType::kBf16) {
    throw UserError(shape + ": expected a result in fp32 or bf16, got " +
                    std::string(numerics::dtype_name(spec.output)));
  }
}

}  // namespace

Executable build_matmul(const MatmulSpec& spec, const ChipConfig& chip) {
  check(spec);
  return Matmul(spec, chip).build();
}

}  // namespace tern::kernels
