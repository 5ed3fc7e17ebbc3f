// SPDX-License-Identifier: Apache-2.0
// Memory counts as written where something known was written. An element-wise instruction may read
// more than that, and one that works on each partition may read more partitions; what they make of
// the rest is as unknown. Anything else may not.
#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "sw/nki/passes/passes.h"
#include "sw/nki/passes/region.h"
#include "sw/nki/passes/touched_bytes.h"
#include "sw/nki/trace/nki_error.h"

namespace tern::nki {

namespace {

// Or by the program of another core.
bool written_by_host(const Storage& storage) {
  return storage.shared || storage.role == Role::kInput || storage.role == Role::kUpdated ||
         storage.role == Role::kConstant;
}

class UseCheck {
 public:
  explicit UseCheck(const Kernel& kernel)
      : kernel_(kernel), written_(kernel.storages.size() + kMemories) {}

  void run() {
    for (const Instruction& instruction : kernel_.instructions) {
      check_overlap(instruction);
      check_registers(instruction);
      bool known = true, by_elements = true;
      for (const Operand& operand : instruction.operands) {
        if (operand.rule->access == Access::kUpdate) check_sum(instruction, operand);
        if (operand.rule->access != Access::kRead || contains(operand.view)) continue;
        if (reads_first_partitions(instruction, operand.view)) continue;
        if (operand.view.moved() != nullptr && !written(operand.view).empty()) continue;
        known = false;
        const bool any = written(operand.view).contains_any(covered(operand.view));
        if (!any) refuse(instruction, operand, any);
        if (is_element_wise(instruction, operand)) continue;
        by_elements = false;
        if (!is_partition_wise(instruction) || !whole_partitions(operand.view)) {
          refuse(instruction, operand, any);
        }
      }
      for (const Operand& operand : instruction.operands) {
        if (!operand.rule->writes() || written_by_host(operand.view.storage())) continue;
        if (operand.view.moved() != nullptr) {
          written(operand.view).add(covered(View(operand.view.storage_ptr())));
        } else if (known) {
          written(operand.view).add(covered(operand.view));
        } else if (by_elements) {
          add_known(instruction, operand.view);
        } else {
          add_known_partitions(instruction, operand.view);
        }
      }
    }
  }

 private:
  static constexpr std::size_t kMemories = 2;

  // Tensors that the author has placed may share bytes: one region for all of SBUF, one for PSUM.
  Region& written(const View& view) {
    const Storage& storage = view.storage();
    if (!storage.address) return written_[storage.id];
    return written_[kernel_.storages.size() + (storage.memory == Memory::kPsum ? 1 : 0)];
  }
  static Footprint covered(const View& view) {
    Footprint bytes = footprint(view);
    const auto& address = view.storage().address;
    if (!address) return bytes;
    bytes.first += address->partition;
    bytes.end += address->partition;
    for (auto& [begin, end] : bytes.runs) {
      begin += address->byte;
      end += address->byte;
    }
    return bytes;
  }
  bool contains(const View& view) {
    return written_by_host(view.storage()) || written(view).contains_all(covered(view));
  }

  // Each GpSimd processor counts in the first of its partitions.
  bool reads_first_partitions(const Instruction& instruction, const View& view) {
    constexpr std::int64_t kPartitions = 16;  // of a processor
    if (std::string_view(instruction.signature->name) != "nonzero_with_count") return false;
    for (std::int64_t first = 0; first < view.shape()[0]; first += kPartitions) {
      if (!contains(view.slice(0, first, first + 1))) return false;
    }
    return true;
  }

  static bool is_transpose(const Instruction& instruction) {
    return std::string_view(instruction.signature->name) == "nc_transpose";
  }

  // Results of a partition come from operands of that partition, or of its processor.
  static bool is_gather(const Instruction& instruction) {
    const std::string_view name = instruction.signature->name;
    return name == "local_gather" || name == "nc_n_gather" || name == "nc_stream_shuffle";
  }
  void add_shuffled_rows(const Instruction& instruction, const View& dst) {
    constexpr std::int64_t kGroup = 32, kKeep = 255;
    const View& src = instruction.at("src");
    for (std::int64_t row = 0; row < dst.shape()[0]; ++row) {
      const std::int64_t from = instruction.options.numbers[static_cast<std::size_t>(row % kGroup)];
      if (from == kKeep) continue;
      const std::int64_t source = row / kGroup * kGroup + from;
      const bool known = source < src.shape()[0] && contains(src.slice(0, source, source + 1));
      const Footprint bytes = covered(dst.slice(0, row, row + 1));
      known ? written(dst).add(bytes) : written(dst).remove(bytes);
    }
  }
  void add_known_rows(const Instruction& instruction, const View& dst) {
    constexpr std::int64_t kPartitions = 16;  // of a processor
    const bool local = std::string_view(instruction.signature->name) == "local_gather";
    for (std::int64_t row = 0; row < dst.shape()[0]; ++row) {
      bool known = true;
      for (const Operand& operand : instruction.operands) {
        if (operand.rule->access != Access::kRead) continue;
        const bool shared = local && std::string_view(operand.rule->role) == "index";
        const std::int64_t first = shared ? row / kPartitions * kPartitions : row;
        const std::int64_t count = shared ? kPartitions : 1;
        const std::int64_t end = std::min(first + count, operand.view.shape()[0]);
        known = known && contains(operand.view.slice(0, first, end));
      }
      const Footprint bytes = covered(dst.slice(0, row, row + 1));
      known ? written(dst).add(bytes) : written(dst).remove(bytes);
    }
  }

  // Element i of the operand only decides element i of the result, which stays on chip.
  static bool is_element_wise(const Instruction& instruction, const Operand& operand) {
    if (std::string_view(instruction.signature->name) == "dma_copy") {
      return instruction.operands.size() == 2 && instruction.at("dst").storage().on_chip();
    }
    if (is_transpose(instruction) || is_gather(instruction)) return true;
    const OperandRule& first = *instruction.operands.front().rule;
    return operand.rule->fit == Fit::kElements && first.fit == Fit::kElements &&
           first.access == Access::kWrite && instruction.find("reduce_res") == nullptr &&
           instruction.signature->dependence != Dependence::kOrder;
  }

  // A partition of the operands only decides that partition of the results.
  static bool is_partition_wise(const Instruction& instruction) {
    const Signature& signature = *instruction.signature;
    if ((signature.engines & (kOnVector | kOnScalar)) == 0 || (signature.engines & kOnDma) != 0) {
      return false;
    }
    for (const Operand& operand : instruction.operands) {
      if (operand.rule->fit == Fit::kFree || operand.rule->fit == Fit::kScales) return false;
      if (operand.rule->access == Access::kUpdate) return false;
    }
    return std::string_view(signature.name) != "nc_stream_shuffle";
  }

  static Footprint partition(const View& view, std::int64_t number) {
    Footprint bytes = covered(view);
    bytes.first += number;
    bytes.end = bytes.first + 1;
    return bytes;
  }

  // Each partition is written as a whole, or not at all.
  bool whole_partitions(const View& view) {
    const Footprint all = covered(view);
    for (std::int64_t i = 0; i < all.end - all.first; ++i) {
      const Footprint bytes = partition(view, i);
      if (written(view).contains_any(bytes) && !written(view).contains_all(bytes)) return false;
    }
    return true;
  }

  void add_known_partitions(const Instruction& instruction, const View& dst) {
    const Footprint all = covered(dst);
    for (std::int64_t i = 0; i < all.end - all.first; ++i) {
      bool known = true;
      for (const Operand& operand : instruction.operands) {
        const View& view = operand.view;
        if (operand.rule->access != Access::kRead || written_by_host(view.storage())) continue;
        known = known && written(view).contains_all(partition(view, i));
      }
      if (known) {
        written(dst).add(partition(dst, i));
      } else {
        written(dst).remove(partition(dst, i));
      }
    }
  }

  // The elements of the destination whose sources are all written.
  void add_known(const Instruction& instruction, const View& dst) {
    if (std::string_view(instruction.signature->name) == "nc_stream_shuffle") {
      return add_shuffled_rows(instruction, dst);
    }
    if (is_gather(instruction)) return add_known_rows(instruction, dst);
    const std::vector<Element> to = elements(dst);
    std::vector<bool> known(to.size(), true);
    for (const Operand& operand : instruction.operands) {
      const View& view = operand.view;
      if (operand.rule->access != Access::kRead || written_by_host(view.storage())) continue;
      const std::vector<Element> from = elements(view);
      if (from.size() != to.size()) continue;  // a column: written as a whole
      const bool turned = is_transpose(instruction);
      const auto rows = static_cast<std::size_t>(view.shape()[0]), columns = from.size() / rows;
      for (std::size_t i = 0; i < from.size(); ++i) {
        const std::size_t result = turned ? i % columns * rows + i / columns : i;
        known[result] = known[result] && written(view).contains_all(of_element(from[i], view));
      }
    }
    for (std::size_t i = 0; i < to.size(); ++i) {
      const Footprint element = of_element(to[i], dst);
      if (known[i]) {
        written(dst).add(element);
      } else {
        written(dst).remove(element);
      }
    }
  }

  static Footprint of_element(const Element& element, const View& view) {
    const ChipAddress at = view.storage().address.value_or(ChipAddress{});
    const std::int64_t partition = element.partition + at.partition;
    const std::int64_t byte = element.byte + at.byte;
    return {partition, partition + 1, {{byte, byte + view.type()->bytes()}}};
  }

  [[noreturn]] static void refuse(const Instruction& instruction, const Operand& operand,
                                  bool partly) {
    throw NkiError("operand '" + std::string(operand.rule->role) + "' of '" +
                       instruction.signature->name + "' reads tensor `" + operand.view.text() +
                       "`, which is " + (partly ? "only partly written" : "never written before"),
                   instruction.site);
  }

  // Adding to memory that nothing has written.
  void check_sum(const Instruction& instruction, const Operand& operand) {
    if (instruction.options.accumulate != true || contains(operand.view)) return;
    throw NkiError("nc_matmul accumulates into `" + operand.view.text() +
                       "`, which no instruction has overwritten before",
                   instruction.site);
  }

  // A transfer moves its elements in no certain order.
  static void check_overlap(const Instruction& instruction) {
    const std::string_view name = instruction.signature->name;
    const bool sums = name == "dma_compute";
    if (!sums && name != "dma_copy" && name != "dma_transpose" && name != "sendrecv") return;
    if (instruction.find("dst_index") != nullptr || instruction.find("src_index") != nullptr)
      return;
    if (instruction.moves()) return;
    const Operand& dst = instruction.operands.front();
    const TouchedBytes to(instruction, dst);
    for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
      const Operand& src = instruction.operands[i];
      const TouchedBytes from(instruction, src);
      if (to.memory() != from.memory() || !to.meets(from)) continue;
      if ((sums || name == "dma_copy") && same_elements(dst.view, src.view)) continue;
      throw NkiError(std::string(name) + ": " + dst.rule->role + " `" + dst.view.text() + "` and " +
                         src.rule->role + " `" + src.view.text() +
                         "` overlap: a transfer moves elements in no certain order",
                     instruction.site);
    }
  }
  static bool same_elements(const View& a, const View& b) {
    return a.shape() == b.shape() && a.strides() == b.strides() && a.offset() == b.offset() &&
           a.storage_ptr() == b.storage_ptr();
  }

  void check_registers(const Instruction& instruction) {
    const Options& options = instruction.options;
    require_set(options.reg_a, instruction);
    require_set(options.reg_b, instruction);
    for (const Operand& operand : instruction.operands) {
      const View::Moved* moved = operand.view.moved();
      if (moved != nullptr) require_set(moved->reg, instruction);
    }
    set_registers_.insert(options.reg_dst);
  }
  void require_set(std::uint32_t reg, const Instruction& instruction) {
    if (reg == 0 || set_registers_.count(reg) != 0) return;
    throw NkiError(
        "a register is read that nothing has set: register_alloc(value), register_move and "
        "register_load do",
        instruction.site);
  }

  const Kernel& kernel_;
  std::set<std::uint32_t> set_registers_;
  std::vector<Region> written_;  // by storage, then placed ones by memory
};

}  // namespace

void check_use(Kernel& kernel, const CompileOptions& options) {
  if (!options.check_use) return;
  UseCheck(kernel).run();
  if (kernel.programs == 1) check_outputs({&kernel});
}

}  // namespace tern::nki
