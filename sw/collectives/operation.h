// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// What a collective operation is to do, whatever its algorithm. No SystemC.
namespace tern::collectives {

enum class Operation : std::uint8_t {
  kAllReduce,      // everybody gets the sum of all
  kAllGather,      // everybody gets the parts of all
  kReduceScatter,  // each gets its part of the sum
  kAllToAll,       // part d of rank s becomes part s of rank d
  kAllToAllV,      // the same, but parts differ in size and are packed
  kBroadcast,      // everybody gets the root's
  kPermute,        // each sends to one, or to nobody, and gets from one at most
  kBarrier         // nobody goes on before all have come
};

// "all_reduce", ...: in the order of the enumeration.
const std::vector<std::string>& operation_names();
const std::string& name_of(Operation operation);

// An operation among ranks 0 .. ranks - 1.
struct Problem {
  static constexpr unsigned kMostRanks = 1024;
  static constexpr unsigned kNobody = UINT32_MAX;
  static constexpr unsigned kMostCount = 1 << 16;  // chunks from a rank to another

  Operation operation = Operation::kAllReduce;
  unsigned ranks = 2;
  unsigned root = 0;         // of a broadcast
  std::vector<unsigned> to;  // of a permute: the target of each rank, or kNobody
  // Of an all_to_all_v: chunks from each rank to each; a buffer has room for the most that a rank
  // sends or gets.
  std::vector<std::vector<unsigned>> counts;

  // Throws UserError: ranks, root or targets that cannot be.
  void check() const;
  // Its result is where its operand was: in `data`. The others read `input` and write `output`.
  bool in_place() const;
  // Parts that the buffer of a rank has by the operation itself; a schedule has a multiple of it.
  unsigned parts() const;
  bool reduces() const;
  // Of an all_to_all_v: what a rank sends and gets, where the parts begin, the most.
  unsigned sent(unsigned rank) const;
  unsigned got(unsigned rank) const;
  unsigned input_at(unsigned source, unsigned target) const;
  unsigned output_at(unsigned source, unsigned target) const;
  unsigned most_chunks() const;

 private:
  void check_counts() const;
};

// Neighbours in a ring: rank r sends to rank r + 1.
std::vector<unsigned> next_of_each(unsigned ranks);
// Tokens of each rank that are routed to ranks at random, `hot` times as often to rank 0.
std::vector<std::vector<unsigned>> routed_counts(unsigned ranks, unsigned tokens, double hot,
                                                 std::uint64_t seed);

}  // namespace tern::collectives
