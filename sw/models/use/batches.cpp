// SPDX-License-Identifier: Apache-2.0
#include "sw/models/use/batches.h"

#include <algorithm>
#include <stdexcept>

namespace tern::use {

std::vector<Batch> make_batches(const std::vector<std::vector<std::uint32_t>>& sentences) {
  std::vector<Batch> batches;
  std::size_t open = 0;  // earlier ones are full
  for (std::size_t s = 0; s < sentences.size(); ++s) {
    const auto count = static_cast<unsigned>(sentences[s].size());
    if (count == 0 || count > Batch::kTokens)
      throw std::invalid_argument("make_batches: a sentence of 1 .. 128 tokens expected");
    const auto has_room = [&](const Batch& batch) {
      return batch.used + count <= Batch::kTokens && batch.sentences.size() < Batch::kSlots;
    };
    while (open < batches.size() && (batches[open].used == Batch::kTokens ||
                                     batches[open].sentences.size() == Batch::kSlots))
      ++open;
    auto batch =
        std::find_if(batches.begin() + static_cast<std::ptrdiff_t>(open), batches.end(), has_room);
    if (batch == batches.end()) batch = batches.emplace(batches.end());
    for (unsigned t = 0; t < count; ++t) {
      const unsigned at = batch->used++;
      batch->tokens[at] = static_cast<std::int32_t>(sentences[s][t]);
      batch->positions[at] = static_cast<std::int32_t>(t);
      batch->slots[at] = static_cast<float>(batch->sentences.size());
    }
    batch->sentences.push_back(s);
  }
  return batches;
}

}  // namespace tern::use
