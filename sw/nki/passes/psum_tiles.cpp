// SPDX-License-Identifier: Apache-2.0
// Tiles that the old style names in SBUF and AWS's compiler keeps in PSUM, from where Vector takes
// one of two tiles at twice the rate (docs/fidelity.md):
// - a row repeated over partitions, if it takes one bank: no copy of the product;
// - what Scalar computes for the next instruction alone, if that takes two tiles.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sw/kernels/builder/memory/limits.h"
#include "sw/nki/passes/passes.h"

namespace tern::nki {

namespace {

constexpr std::int64_t kBank = kernels::kPsumBankBytes;
// Two banks stay for products.
constexpr std::int64_t kSpace = kernels::kPsumPartitionBytes - 2 * kBank;

// The instructions that name a tensor.
struct Uses {
  std::vector<std::size_t> writers, readers;
};

bool is(const Instruction& instruction, const char* name) {
  return std::string_view(instruction.signature->name) == name;
}

// It reads this view and another tile, which is in SBUF.
bool takes_two_tiles(const Instruction& instruction, const Storage& of) {
  if (instruction.options.engine != Engine::kVector || instruction.moves()) return false;
  if (instruction.signature->most_in_psum != 1) return false;
  unsigned ours = 0, others = 0;
  for (const Operand& operand : instruction.operands) {
    if (!operand.rule->reads() || operand.rule->fit == Fit::kColumn) continue;
    if (&operand.view.storage() == &of) {
      ++ours;
    } else if (operand.view.storage().memory != Memory::kSbuf) {
      return false;
    } else {
      ++others;
    }
  }
  return ours == 1 && others == 1;
}

class PsumTiles {
 public:
  explicit PsumTiles(Kernel& kernel)
      : kernel_(kernel),
        all_(kernel.instructions),
        uses_(kernel.storages.size()),
        left_out_(all_.size()) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      for (const Operand& operand : all_[i].operands) {
        Uses& uses = uses_[operand.view.storage().id];
        if (operand.rule->writes()) uses.writers.push_back(i);
        // What a product updates it overwrites first.
        const bool overwrites = operand.rule->writes() && is(all_[i], "nc_matmul");
        if (operand.rule->reads() && !overwrites) uses.readers.push_back(i);
      }
    }
    find_live();
  }

  void run() {
    for (const StoragePtr& storage : kernel_.storages) {
      if (!may_move(*storage)) continue;
      const Uses& uses = uses_[storage->id];
      if (const auto row = product_of(*storage, uses)) {
        keep_row(*storage, *row);
      } else if (is_for_next(uses) && fits(uses.writers[0], uses.readers[0])) {
        storage->memory = Memory::kPsum;
      }
    }
    std::vector<Instruction> kept;
    kept.reserve(all_.size());
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (!left_out_[i]) kept.push_back(std::move(all_[i]));
    }
    all_ = std::move(kept);
  }

 private:
  void find_live() {
    live_.resize(all_.size() + 1);
    for (const StoragePtr& storage : kernel_.storages) {
      const Uses& uses = uses_[storage->id];
      if (storage->memory != Memory::kPsum || uses.writers.empty()) continue;
      std::size_t last = uses.writers.back();
      if (!uses.readers.empty()) last = std::max(last, uses.readers.back());
      take(uses.writers.front(), last, (storage->partition_bytes() + kBank - 1) / kBank * kBank);
    }
  }
  void take(std::size_t first, std::size_t last, std::int64_t bytes) {
    for (std::size_t i = first; i <= last; ++i) live_[i] += bytes;
  }
  // Takes a bank from here to there, if there is one.
  bool fits(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i <= last; ++i) {
      if (live_[i] + kBank > kSpace) return false;
    }
    take(first, last, kBank);
    return true;
  }

  // Written once, as a whole, by an instruction that writes nothing else; then read by
  // instructions of Vector that take another tile.
  bool may_move(const Storage& storage) const {
    const Uses& uses = uses_[storage.id];
    if (storage.memory != Memory::kSbuf || storage.address || storage.loop != 0) return false;
    if (storage.type->dtype != DType::kFp32 || storage.partition_bytes() > kBank) return false;
    if (uses.writers.size() != 1 || uses.readers.empty()) return false;
    const Instruction& writer = all_[uses.writers[0]];
    if (writer.options.engine != Engine::kScalar || writer.loop != 0) return false;
    const View* dst = writer.find("dst");
    if (dst == nullptr || &dst->storage() != &storage || dst->elements() != storage.elements() ||
        dst->type() != storage.type) {
      return false;
    }
    return std::all_of(uses.readers.begin(), uses.readers.end(), [&](std::size_t reader) {
      return reader > uses.writers[0] && takes_two_tiles(all_[reader], storage);
    });
  }

  // The product with ones that the tile is a copy of.
  std::optional<std::size_t> product_of(const Storage& storage, const Uses& uses) const {
    const Instruction& copy = all_[uses.writers[0]];
    if (!is(copy, "tensor_copy")) return std::nullopt;
    const View& src = copy.at("src");
    const Storage& from = src.storage();
    if (from.memory != Memory::kPsum || from.shape != storage.shape || from.type != storage.type ||
        !src.is_contiguous() || src.elements() != from.elements() ||
        !copy.at("dst").is_contiguous()) {
      return std::nullopt;
    }
    const Uses& product = uses_[from.id];
    if (product.writers.size() != 1 || product.readers.size() != 1) return std::nullopt;
    const Instruction& matmul = all_[product.writers[0]];
    if (!is(matmul, "nc_matmul") || matmul.at("moving").shape()[0] != 1) return std::nullopt;
    return product.writers[0];
  }

  void keep_row(const Storage& storage, std::size_t product) {
    const Uses& uses = uses_[storage.id];
    const std::size_t copy = uses.writers[0];
    if (!fits(copy + 1, uses.readers.back())) return;
    const StoragePtr bank = all_[product].at("dst").storage_ptr();
    for (const std::size_t reader : uses.readers) {
      for (Operand& operand : all_[reader].operands) {
        if (&operand.view.storage() == &storage) operand.view = operand.view.on(bank);
      }
    }
    left_out_[copy] = true;
  }

  bool is_for_next(const Uses& uses) const {
    if (uses.readers.size() != 1) return false;
    std::size_t next = uses.writers[0] + 1;  // of those that compute
    while (all_[next].signature->engines == kOnDma) ++next;
    return next == uses.readers[0] && is(all_[next], "tensor_tensor");
  }

  Kernel& kernel_;
  std::vector<Instruction>& all_;
  std::vector<Uses> uses_;          // by storage
  std::vector<bool> left_out_;      // instructions
  std::vector<std::int64_t> live_;  // bytes of PSUM, by instruction
};

}  // namespace

void psum_tiles(Kernel& kernel, const CompileOptions& /*options*/) {
  if (kernel.old_style) PsumTiles(kernel).run();
}

}  // namespace tern::nki
