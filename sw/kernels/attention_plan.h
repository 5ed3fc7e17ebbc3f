// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/kernels/attention.h"

// The order in which the attention kernel walks, and what each part of the walk is.
namespace tern::kernels {

// A tile of up to 128 queries with a chunk of keys: one step of the online softmax.
struct AttentionItem {
  std::uint64_t head = 0;
  std::uint64_t query = 0, key = 0;  // the first ones
  unsigned rows = 0;                 // queries
  std::uint32_t keys = 0;            // keys that at least one of them sees
  bool first = false, last = false;  // chunk of this tile
  unsigned chunk = 0;                // number of the chunk in its tile
};

constexpr std::uint32_t kAttentionGroup = 1024;

// Up to 1,024 keys of an item: what one PSUM bank of transposed probabilities holds, eight blocks
// of 128 keys.
struct AttentionGroup {
  std::size_t item = 0;
  std::uint32_t first = 0, keys = 0;  // counted in the item
  bool begins_item = false, ends_item = false;
};

struct AttentionPlan {
  AttentionPlan(const AttentionSpec& spec, const ChipConfig& chip);

  std::uint32_t chunk = 0;  // maximum keys of an item
  unsigned groups_per_chunk = 1;
  std::uint64_t chunks = 0;  // of all keys
  unsigned buffers = 0;      // chunks of K and V that SBUF holds
  unsigned sweep = 1;        // query tiles that use a chunk of K and V while it is resident
  std::vector<AttentionItem> items;
  std::vector<AttentionGroup> groups;

  // Per partition: K [d, chunk], then V [128, chunk / 128, d].
  std::uint32_t chunk_bytes(const AttentionSpec& spec) const;

  // The walk is a pipeline over the groups. In the step that computes the scores of group g, these
  // parts process the group that many steps before it.
  unsigned exponentials = 1;  // of items: counted from their last group
  unsigned transposes = 2;
  unsigned sums = 2;       // of items: the running sum
  unsigned evictions = 3;  // of the transposed probabilities
  unsigned products = 3;   // with V
  unsigned ends = 4;       // of items: their product is added to the earlier ones
  unsigned divisions = 5;  // of query tiles by their sum

  // Tiles in rotation: as many as can be alive between their first and last use.
  unsigned score_tiles() const { return groups_per_chunk + exponentials + 1; }
  unsigned probability_tiles() const { return groups_per_chunk + 3; }
  unsigned item_tiles() const { return ends + 2; }
  unsigned state_tiles() const { return sweep + divisions + 2; }
  static constexpr unsigned kTransposedTiles = 4, kOutputTiles = 8;

  static constexpr unsigned kSweep = 8;
  static constexpr std::uint32_t kQueries = kSweep * 128;  // loaded at a time

 private:
  void lay_out_sbuf(const AttentionSpec& spec, const ChipConfig& chip);
  void walk(const AttentionSpec& spec);
  void add(const AttentionItem& item);
};

}  // namespace tern::kernels
