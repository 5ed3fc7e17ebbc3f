// SPDX-License-Identifier: Apache-2.0
// A load of the author's text stands before a loop or inside it, with all tiles that it loads: the
// profile of NKIBench's FP32 product has 32 times the bytes of a block that the text loads once.
#include <algorithm>
#include <map>
#include <set>

#include "sw/nki/passes/spill.h"

namespace tern::nki {

namespace {

class RepeatedLoads {
 public:
  RepeatedLoads(Kernel& kernel, std::int64_t bytes) : kernel_(kernel), bytes_(bytes), use_(kernel) {
    find_ranges();
  }

  void run() {
    const std::vector<std::int64_t> live = use_.live();
    for (unsigned iteration = 1; iteration < ranges_.size(); ++iteration) {
      const Range range = ranges_[iteration];
      if (range.first > range.last) continue;
      const auto begin = live.begin() + static_cast<std::ptrdiff_t>(range.first);
      const auto end = live.begin() + static_cast<std::ptrdiff_t>(range.last + 1);
      if (*std::max_element(begin, end) > bytes_) visit(range);
    }
    if (!tiles_.empty()) rewrite();
  }

 private:
  struct Range {
    std::size_t first = 1, last = 0;  // instructions; none if it begins after its end
  };
  // A tile that an iteration loads again.
  struct Again {
    Range range;
    StoragePtr storage;
  };

  // The instructions of every iteration, with those of the loops inside.
  void find_ranges() {
    ranges_.resize(kernel_.outer_iterations.size() + 1);
    for (std::size_t i = 0; i < kernel_.instructions.size(); ++i) {
      unsigned at = kernel_.instructions[i].iteration;
      for (; at != 0; at = kernel_.outer_iterations[at - 1]) {
        Range& range = ranges_[at];
        if (range.first > range.last) range.first = i;
        range.last = i;
      }
    }
  }

  // The tile's own part of a range: from its first use there to the last; none if it has none.
  Range part_of(const SbufUse::Tensor& tensor, const Range& range) const {
    const auto first = std::lower_bound(tensor.uses.begin(), tensor.uses.end(), range.first);
    const auto last = std::upper_bound(first, tensor.uses.end(), range.last);
    if (first == last) return {};
    return {*first, *(last - 1)};
  }

  // The largest number of bytes that the iteration has in use, without one group of tiles.
  std::int64_t most(const Range& range, const std::vector<std::size_t>& used,
                    const std::set<std::size_t>& without) const {
    std::vector<std::int64_t> change(range.last - range.first + 2);
    for (const std::size_t tensor : used) {
      if (without.count(tensor) != 0) continue;
      const Range part = part_of(use_.tensors[tensor], range);
      change[part.first - range.first] += use_.tensors[tensor].bytes;
      change[part.last - range.first + 1] -= use_.tensors[tensor].bytes;
    }
    std::int64_t now = 0, result = 0;
    for (const std::int64_t bytes : change) result = std::max(result, now += bytes);
    return result;
  }

  // All tiles that one load of the text has loaded before the iteration, if what else the
  // iteration has in use fits without them.
  void visit(const Range& range) {
    std::set<std::size_t> seen;
    for (std::size_t i = range.first; i <= range.last; ++i) {
      seen.insert(use_.needed[i].begin(), use_.needed[i].end());
    }
    const std::vector<std::size_t> used(seen.begin(), seen.end());
    if (most(range, used, {}) <= bytes_) return;
    std::map<const Site*, std::set<std::size_t>> groups;
    std::map<const Site*, std::int64_t> sizes;
    for (const std::size_t tensor : used) {
      const SbufUse::Tensor& of = use_.tensors[tensor];
      if (!of.only_loads || of.loads.empty() || of.loads.back() >= range.first) continue;
      if (is_repeated(of, range)) continue;
      const Site* site = kernel_.instructions[of.loads.front()].site;
      groups[site].insert(tensor);
      sizes[site] += of.bytes;
    }
    const auto largest =
        std::max_element(sizes.begin(), sizes.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (largest == sizes.end()) return;
    const std::set<std::size_t>& group = groups[largest->first];
    if (most(range, used, group) > bytes_) return;
    for (const std::size_t tensor : group) {
      const Storage& of = *use_.tensors[tensor].storage;
      tiles_[use_.tensors[tensor].storage->id].push_back(
          {part_of(use_.tensors[tensor], range),
           kernel_.add_on_chip(of.name + ".again", Memory::kSbuf, of.type, of.shape, std::nullopt,
                               of.site)});
      for (const std::size_t load : use_.tensors[tensor].loads) {
        loads_.emplace(load, kernel_.instructions[load]);
      }
    }
  }

  // Once for each load: the loops inside keep what they find.
  bool is_repeated(const SbufUse::Tensor& tensor, const Range& range) const {
    const auto found = tiles_.find(tensor.storage->id);
    if (found == tiles_.end()) return false;
    const Range part = part_of(tensor, range);
    return std::any_of(found->second.begin(), found->second.end(), [&](const Again& again) {
      return again.range.first <= part.first && part.last <= again.range.last;
    });
  }

  void rewrite() {
    std::vector<Instruction> all;
    std::map<std::uint32_t, std::size_t> at;  // which of a tile's loads comes next
    for (std::size_t i = 0; i < kernel_.instructions.size(); ++i) {
      Instruction& instruction = kernel_.instructions[i];
      for (const std::size_t tensor : use_.needed[i]) {
        const auto found = tiles_.find(use_.tensors[tensor].storage->id);
        if (found == tiles_.end()) continue;
        std::size_t& next = at[found->first];
        while (next < found->second.size() && found->second[next].range.last < i) ++next;
        if (next == found->second.size() || i < found->second[next].range.first) continue;
        const Again& again = found->second[next];
        if (i == again.range.first) load(use_.tensors[tensor], again.storage, i, &all);
        for (Operand& operand : instruction.operands) {
          if (operand.view.storage().id != found->first) continue;
          operand.view = operand.view.on(again.storage);
        }
      }
      all.push_back(std::move(instruction));
    }
    kernel_.instructions = std::move(all);
  }

  void load(const SbufUse::Tensor& tensor, const StoragePtr& to, std::size_t i,
            std::vector<Instruction>* all) {
    for (const std::size_t l : tensor.loads) {
      const Instruction& load = loads_.at(l);
      const View& dst = load.at("dst");
      all->push_back(transfer_of(dst.on(to), load.at("src"), "load again", load.site));
      all->back().iteration = kernel_.instructions[i].iteration;
      kernel_.spilled.repeated += dst.elements() * dst.type()->bytes();
    }
  }

  Kernel& kernel_;
  std::int64_t bytes_;
  SbufUse use_;
  std::vector<Range> ranges_;                          // by iteration
  std::map<std::uint32_t, std::vector<Again>> tiles_;  // by storage, in order
  std::map<std::size_t, Instruction> loads_;           // of these tiles, as written
};

}  // namespace

void repeat_loads(Kernel& kernel, std::int64_t bytes) {
  RepeatedLoads(kernel, bytes).run();
}

}  // namespace tern::nki
