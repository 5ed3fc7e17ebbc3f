// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/attention_plan.h"

#include <algorithm>

#include "sw/base/math.h"
#include "sw/base/user_error.h"
#include "sw/kernels/builder/memory/limits.h"

namespace tern::kernels {

namespace {

constexpr std::uint32_t kMaxChunk = 3072;

}  // namespace

AttentionPlan::AttentionPlan(const AttentionSpec& spec, const ChipConfig& chip) {
  if (spec.heads == 0 || spec.queries == 0 || spec.keys == 0) {
    throw UserError("attention: heads, queries and keys must be at least 1");
  }
  if (spec.d < 1 || spec.d > kMaxContraction) {
    throw UserError("attention: head size " + std::to_string(spec.d) + ", expected 1..128");
  }
  if (spec.causal && spec.keys < spec.queries) {
    throw UserError("attention: causal with " + std::to_string(spec.queries) + " queries and " +
                    std::to_string(spec.keys) + " keys: expected at least as many keys");
  }
  const bool in_sbuf = spec.exp == AttentionExp::kVector;
  const std::uint64_t longest = std::min<std::uint64_t>(spec.keys, in_sbuf ? spec.chunk : 1);
  chunk = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(round_up(longest, kAttentionGroup), kAttentionGroup, kMaxChunk));
  groups_per_chunk = chunk / kAttentionGroup;
  chunks = ceil_div(spec.keys, chunk);
  // Two distances are a step longer than the data need: Scalar may lag by the scores in PSUM, and
  // Vector's steps differ in length.
  exponentials = 2;
  sums = exponentials + 1;
  transposes = groups_per_chunk + exponentials;
  evictions = transposes + 1;
  products = transposes + 2;
  ends = products + 1;
  divisions = ends + 1;
  lay_out_sbuf(spec, chip);
  walk(spec);
}

// K and V take the remaining space. If they do not stay for a whole head, every chunk serves
// several tiles of queries before it is replaced by the next.
void AttentionPlan::lay_out_sbuf(const AttentionSpec& spec, const ChipConfig& chip) {
  const std::uint64_t column = 4ull * spec.d + 64;  // of a result, or a state, in FP32
  const std::uint64_t scores = spec.exp == AttentionExp::kVector ? 4ull * chunk : 0;
  const std::uint64_t fixed = score_tiles() * scores + probability_tiles() * 2ull * chunk +
                              kTransposedTiles * 2 * kAttentionGroup + 2 * 2 * kQueries +
                              (kSweep + divisions + 2 + kOutputTiles) * column + item_tiles() * 64 +
                              1024;
  const std::uint64_t one = chunk_bytes(spec);
  const std::uint64_t room = chip.core.sbuf_partition_bytes;
  const std::uint64_t fit = room > fixed ? (room - fixed) / one : 0;
  // V of a chunk is used some steps after K; until then its tile must not be reused.
  const std::uint64_t in_use = std::min<std::uint64_t>(products + 2, spec.heads * chunks);
  buffers = static_cast<unsigned>(std::min(fit, std::max(in_use, 2 * chunks)));
  if (buffers < in_use) {
    throw UserError("attention: chunks of " + std::to_string(chunk) + " keys do not fit into SBUF");
  }
  sweep = buffers >= chunks ? 1 : kSweep;
}

std::uint32_t AttentionPlan::chunk_bytes(const AttentionSpec& spec) const {
  return 2 * chunk + round_up(2 * spec.d * (chunk / kPartitions), 64);
}

void AttentionPlan::walk(const AttentionSpec& spec) {
  const std::uint64_t tiles = ceil_div(spec.queries, kPartitions);
  const auto visible = [&](std::uint64_t tile) {
    if (!spec.causal) return spec.keys;
    const std::uint64_t end = std::min<std::uint64_t>((tile + 1) * kPartitions, spec.queries);
    return end + spec.keys - spec.queries;
  };
  for (std::uint64_t head = 0; head < spec.heads; ++head) {
    for (std::uint64_t base = 0; base < tiles; base += sweep) {
      for (std::uint64_t c = 0; c < chunks; ++c) {
        for (std::uint64_t tile = base; tile < std::min(tiles, base + sweep); ++tile) {
          const std::uint64_t key = c * chunk, end = visible(tile);
          if (key >= end) continue;
          AttentionItem item;
          item.head = head;
          item.query = tile * kPartitions;
          item.rows = static_cast<unsigned>(
              std::min<std::uint64_t>(kPartitions, spec.queries - item.query));
          item.key = key;
          item.keys = static_cast<std::uint32_t>(std::min<std::uint64_t>(chunk, end - key));
          item.chunk = static_cast<unsigned>(c);
          item.first = c == 0;
          item.last = key + item.keys == end;
          add(item);
        }
      }
    }
  }
}

void AttentionPlan::add(const AttentionItem& item) {
  for (std::uint32_t first = 0; first < item.keys; first += kAttentionGroup) {
    AttentionGroup group;
    group.item = items.size();
    group.first = first;
    group.keys = std::min(kAttentionGroup, item.keys - first);
    group.begins_item = first == 0;
    group.ends_item = first + group.keys == item.keys;
    groups.push_back(group);
  }
  items.push_back(item);
}

}  // namespace tern::kernels
