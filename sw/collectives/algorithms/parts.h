// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "sw/collectives/algorithms/builder.h"

// Parts of algorithms: what some of the ranks do with some chunks of their data, in one stream.
// They append to the steps that are there.
namespace tern::collectives {

using Members = std::vector<unsigned>;  // ranks, in the order of their pieces
// The chunks of the i-th member, in runs.
using Pieces = std::function<std::vector<Chunks>(unsigned i)>;

// The i-th of n equal parts.
Pieces parts_of(Chunks chunks, unsigned n);
// Runs of the chunks with these numbers.
std::vector<Chunks> runs_of(std::vector<unsigned> chunks);

// The i-th member has it from member i + 1 that it is ready for what comes next.
void neighbours_ready(Builder* b, const Members& members, unsigned stream);

// Each member ends with the sum of its piece. In n - 1 steps around the ring, added where the data
// are: all members must be ready.
void ring_reduce_scatter(Builder* b, const Members& members, unsigned stream, const Pieces& pieces);
void ring_all_gather(Builder* b, const Members& members, unsigned stream, const Pieces& pieces);

// All at once; sums in the order of the members, beginning with the piece's own.
void mesh_reduce_scatter(Builder* b, const Members& members, unsigned stream, const Pieces& pieces);
void mesh_all_gather(Builder* b, const Members& members, unsigned stream, const Pieces& pieces);

// In log2 n steps with the half, the quarter, ... of the chunks; n is a power of two. The i-th
// member has the i-th part.
void halving_reduce_scatter(Builder* b, const Members& members, unsigned stream, Chunks chunks);
void doubling_all_gather(Builder* b, const Members& members, unsigned stream, Chunks chunks);

bool is_power_of_two(unsigned n);

}  // namespace tern::collectives
