// SPDX-License-Identifier: Apache-2.0
#include "sw/train/state_shares.h"

#include <cstring>
#include <map>

#include "sw/base/math.h"
#include "sw/kernels/builder/kernel_builder.h"
#include "sw/train/tensor_part.h"

namespace tern::train {

namespace {

constexpr std::uint64_t kPlace = 64;  // copies begin at multiples of it

StateTensor own_of(const Model& model, std::size_t tensor) {
  const StateTensor& whole = model.state[tensor];
  return model.parts.empty() ? whole : part_of(whole, model.parts[tensor]);
}

// Parts of a tensor with the same key are the same.
std::vector<std::uint64_t> key_of(const Model& model, std::size_t tensor) {
  std::vector<std::uint64_t> key;
  if (model.parts.empty()) return key;
  for (const auto* runs : {&model.parts[tensor].rows, &model.parts[tensor].columns}) {
    key.push_back(runs->size());
    for (const TensorPart::Run& run : *runs) key.insert(key.end(), {run.first, run.count});
  }
  return key;
}

std::uint64_t begin_of(std::uint64_t all, std::size_t part, std::size_t parts) {
  return all * part / parts;
}

std::uint64_t bytes_of(const StateTensor& tensor, const StateShare& share) {
  return share.rows * share.columns * numerics::dtype_size(tensor.dtype);
}

}  // namespace

StateShares shares_of(const std::vector<Model>& models) {
  StateShares shares;
  shares.of_rank.resize(models.size());
  shares.bytes.resize(models.size());
  for (std::size_t t = 0; t < models.front().state.size(); ++t) {
    std::map<std::vector<std::uint64_t>, std::vector<std::size_t>> holders;
    for (std::size_t rank = 0; rank < models.size(); ++rank)
      holders[key_of(models[rank], t)].push_back(rank);
    for (const auto& [key, ranks] : holders) {
      const StateTensor own = own_of(models[ranks.front()], t);
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        StateShare share{t, 0, own.rows, 0, own.columns, shares.bytes[ranks[i]]};
        std::uint64_t& first = own.rows == 1 ? share.column : share.row;
        std::uint64_t& count = own.rows == 1 ? share.columns : share.rows;
        const std::uint64_t all = count;
        first = begin_of(all, i, ranks.size());
        count = begin_of(all, i + 1, ranks.size()) - first;
        if (share.rows * share.columns == 0) continue;
        shares.bytes[ranks[i]] += round_up(bytes_of(own, share), kPlace);
        shares.of_rank[ranks[i]].push_back(share);
      }
    }
  }
  return shares;
}

std::string kept_name(const StateTensor& tensor) {
  return "kept." + tensor.name;
}

Executable build_state_copy(const ChipConfig& chip, const Model& model,
                            const std::vector<StateShare>& shares) {
  kernels::KernelBuilder kb("state_copy", chip);
  for (const StateShare& share : shares) {
    const StateTensor own = own_of(model, share.tensor);
    const auto from = kb.input(own.name, own.dtype, {own.rows, own.columns});
    const auto to = kb.output(kept_name(own), own.dtype, {share.rows, share.columns});
    const bool one_row = own.rows == 1;
    kb.dma_copy(one_row ? to.view(0, 1, 0, share.columns) : to.rows_on_partitions(0, 1, share.rows),
                one_row ? from.view(0, 1, share.column, share.columns)
                        : from.rows_on_partitions(share.row, 1, share.rows));
  }
  return kb.finish();
}

State state_of(const std::vector<Model>& models, const StateShares& shares,
               const std::vector<std::vector<std::uint8_t>>& copies) {
  State state = zero_state(models.front().state);
  // Of each tensor the parts as ranks have them, put together of their shares.
  std::vector<std::map<std::vector<std::uint64_t>, std::vector<std::uint8_t>>> parts(state.size());
  for (std::size_t rank = 0; rank < models.size(); ++rank) {
    for (const StateShare& share : shares.of_rank[rank]) {
      const StateTensor own = own_of(models[rank], share.tensor);
      auto& bytes = parts[share.tensor][key_of(models[rank], share.tensor)];
      bytes.resize(own.bytes());
      const std::uint64_t first =
          (share.row * own.columns + share.column) * numerics::dtype_size(own.dtype);
      std::memcpy(&bytes[first], &copies[rank][share.place], bytes_of(own, share));
    }
  }
  for (std::size_t rank = 0; rank < models.size(); ++rank) {
    for (std::size_t t = 0; t < state.size(); ++t) {
      const auto part = parts[t].find(key_of(models[rank], t));
      if (part == parts[t].end()) continue;  // empty, or in place already
      if (models[rank].parts.empty()) {
        state[t] = std::move(part->second);
      } else {
        paste(models[rank].state[t], models[rank].parts[t], part->second, &state[t]);
      }
      parts[t].erase(part);
    }
  }
  return state;
}

}  // namespace tern::train
