// SPDX-License-Identifier: Apache-2.0
// What the iterations of an innermost loop load or compute alike is made in the first of them, as
// AWS's compiler of the old style does (docs/fidelity.md). A tile is kept for later only where SBUF
// has room for it until then.
#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "sw/nki/passes/passes.h"
#include "sw/nki/passes/spill.h"

namespace tern::nki {

namespace {

bool is(const Instruction& instruction, const char* name) {
  return std::string_view(instruction.signature->name) == name;
}

// Functions whose result depends on their operands alone.
bool is_pure(const Instruction& instruction) {
  static constexpr const char* kPure[] = {"dma_copy",      "tensor_copy", "tensor_tensor",
                                          "tensor_scalar", "activation",  "nc_matmul",
                                          "memset"};
  if (instruction.moves() || instruction.loop != 0 || instruction.block != 0) return false;
  if (instruction.options.skip_out_of_bounds || !instruction.options.numbers.empty()) return false;
  if (instruction.find("reduce_res") != nullptr || instruction.find("src_index") != nullptr ||
      instruction.options.reduce_command != ReduceCommand::kIdle) {
    return false;
  }
  // Of products those of one row, which repeat it over partitions.
  if (is(instruction, "nc_matmul") &&
      (instruction.options.accumulate != false || instruction.at("moving").shape()[0] != 1)) {
    return false;
  }
  return std::any_of(std::begin(kPure), std::end(kPure),
                     [&](const char* name) { return is(instruction, name); });
}

class Reuse {
 public:
  explicit Reuse(Kernel& kernel)
      : kernel_(kernel),
        all_(kernel.instructions),
        space_(space_for_tiles(kernel)),
        tiles_(kernel.storages.size()),
        left_out_(all_.size()) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      for (const Operand& operand : all_[i].operands) {
        Tile& tile = tiles_[operand.view.storage().id];
        tile.writers += operand.rule->writes() ? 1 : 0;
        if (tile.writers == 1 && operand.rule->writes()) tile.writer = i;
        if (!operand.rule->writes()) tile.readers += 1;
        if (tile.first > tile.last) tile.first = i;
        tile.last = i;
      }
    }
    live_.resize(all_.size() + 1);
    for (const StoragePtr& storage : kernel_.storages) {
      const Tile& tile = tiles_[storage->id];
      if (storage->memory != Memory::kSbuf || tile.first > tile.last) continue;
      for (std::size_t i = tile.first; i <= tile.last; ++i) live_[i] += bytes_of(*storage);
    }
    // As much again as the text has in use, so that iterations overlap.
    if (!live_.empty()) space_ -= *std::max_element(live_.begin(), live_.end());
  }

  void run() {
    for (std::size_t i = 0; i < all_.size(); ++i) visit(i);
    leave_out_unused();
    std::vector<Instruction> kept;
    kept.reserve(all_.size());
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (!left_out_[i]) kept.push_back(std::move(all_[i]));
    }
    all_ = std::move(kept);
  }

 private:
  using Key = std::vector<std::int64_t>;
  struct Tile {
    std::size_t writers = 0, readers = 0, writer = 0;
    std::size_t first = 1, last = 0;  // instructions that name it; none if first > last
    std::int64_t value = 0;           // what it holds now; 0: not yet told
    StoragePtr instead;               // that takes its place
  };

  struct Known {
    std::int64_t value = 0;
    StoragePtr tile;         // the newest that holds it
    unsigned iteration = 0;  // the newest that has made it
  };

  static std::int64_t bytes_of(const Storage& storage) {
    return (storage.partition_bytes() + 63) / 64 * 64;
  }

  // Written once, as a whole; read afterwards.
  bool is_whole(const Instruction& instruction, std::size_t i) const {
    const View* dst = instruction.find("dst");
    if (dst == nullptr || !dst->storage().on_chip() || dst->storage().address) return false;
    const Tile& tile = tiles_[dst->storage().id];
    if (tile.writers != 1 || tile.writer != i || tile.first != i) return false;
    return dst->elements() == dst->storage().elements() && dst->is_contiguous() &&
           dst->type() == dst->storage().type;
  }

  void visit(std::size_t i) {
    Instruction& instruction = all_[i];
    for (Operand& operand : instruction.operands) {
      const Tile& tile = tiles_[operand.view.storage().id];
      if (tile.instead) operand.view = operand.view.on(tile.instead);
    }
    if (!is_pure(instruction) || !is_whole(instruction, i) || !reads_values(instruction)) {
      for (const Operand& operand : instruction.operands) {
        if (operand.rule->writes()) tiles_[operand.view.storage().id].value = ++values_;
      }
      return;
    }
    const StoragePtr storage = instruction.at("dst").storage_ptr();
    Known& known = known_[key_of(instruction)];
    if (known.value == 0) known.value = ++values_;
    tiles_[storage->id].value = known.value;
    if (known.tile && storage->memory == Memory::kSbuf && may_stand_for(known, instruction) &&
        keep(*known.tile, *storage, i)) {
      tiles_[storage->id].instead = known.tile;
      left_out_[i] = true;
    } else {
      known.tile = storage;
    }
    known.iteration = instruction.iteration;
  }

  // Those of another iteration of the innermost loop.
  bool may_stand_for(const Known& known, const Instruction& instruction) const {
    if (known.iteration == 0 || instruction.iteration == 0) return false;
    return known.iteration != instruction.iteration &&
           kernel_.outer_iterations[known.iteration - 1] ==
               kernel_.outer_iterations[instruction.iteration - 1];
  }

  // Of HBM only what nothing in the kernel writes.
  bool reads_values(const Instruction& instruction) const {
    return std::all_of(
        instruction.operands.begin(), instruction.operands.end(), [&](const Operand& operand) {
          const Storage& storage = operand.view.storage();
          return storage.on_chip() || (!operand.rule->writes() && tiles_[storage.id].writers == 0);
        });
  }

  // Until instruction i and then as long as the tile that it takes the place of.
  bool keep(const Storage& known, const Storage& again, std::size_t i) {
    Tile& tile = tiles_[known.id];
    const std::int64_t bytes = bytes_of(known);
    for (std::size_t j = tile.last + 1; j < i; ++j) {
      if (live_[j] + bytes > space_) return false;
    }
    for (std::size_t j = tile.last + 1; j < i; ++j) live_[j] += bytes;
    const Tile& other = tiles_[again.id];
    // Where both were live there is one now.
    for (std::size_t j = i; j <= std::min(tile.last, other.last); ++j) live_[j] -= bytes;
    tile.last = std::max(tile.last, other.last);
    return true;
  }

  Key key_of(const Instruction& instruction) {
    const Options& o = instruction.options;
    Key key = {reinterpret_cast<std::intptr_t>(instruction.signature),
               o.engine ? static_cast<std::int64_t>(*o.engine) : -1,
               static_cast<std::int64_t>(o.op0),
               static_cast<std::int64_t>(o.op1),
               o.reverse0,
               o.reverse1,
               number(o.value0),
               number(o.value1),
               number(o.value2),
               static_cast<std::int64_t>(o.function)};
    for (const Operand& operand : instruction.operands) {
      const View& view = operand.view;
      Tile& tile = tiles_[view.storage().id];
      key.push_back(reinterpret_cast<std::intptr_t>(operand.rule));
      key.push_back(reinterpret_cast<std::intptr_t>(view.type()));
      if (operand.rule->writes()) {
        key.insert(key.end(), view.shape().begin(), view.shape().end());
        key.push_back(reinterpret_cast<std::intptr_t>(view.storage().type));
        continue;
      }
      if (tile.value == 0) tile.value = ++values_;
      key.push_back(tile.value);
      key.push_back(view.offset());
      key.insert(key.end(), view.shape().begin(), view.shape().end());
      key.insert(key.end(), view.strides().begin(), view.strides().end());
    }
    return key;
  }
  static std::int64_t number(double value) {
    std::int64_t bits = 0;
    static_assert(sizeof bits == sizeof value);
    std::copy_n(reinterpret_cast<const char*>(&value), sizeof value,
                reinterpret_cast<char*>(&bits));
    return bits;
  }

  // Products of rows whose copy is left out, and what only they have read.
  void leave_out_unused() {
    std::vector<std::size_t> readers(tiles_.size());
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (left_out_[i]) continue;
      for (const Operand& operand : all_[i].operands) {
        if (!operand.rule->writes()) ++readers[operand.view.storage().id];
      }
    }
    for (std::size_t i = all_.size(); i-- > 0;) {
      if (left_out_[i] || !is_pure(all_[i])) continue;
      const Storage& storage = all_[i].at("dst").storage();
      const Tile& tile = tiles_[storage.id];
      if (!storage.on_chip() || tile.readers == 0 || readers[storage.id] != 0) continue;
      if (tile.writers != 1) continue;
      left_out_[i] = true;
      for (const Operand& operand : all_[i].operands) {
        if (!operand.rule->writes()) --readers[operand.view.storage().id];
      }
    }
  }

  Kernel& kernel_;
  std::vector<Instruction>& all_;
  std::int64_t space_;
  std::vector<Tile> tiles_;         // by storage
  std::vector<bool> left_out_;      // instructions
  std::vector<std::int64_t> live_;  // bytes of SBUF, by instruction
  std::map<Key, Known> known_;
  std::int64_t values_ = 0;
};

}  // namespace

void reuse(Kernel& kernel, const CompileOptions& /*options*/) {
  if (kernel.old_style && kernel.edges.empty()) Reuse(kernel).run();
}

}  // namespace tern::nki
