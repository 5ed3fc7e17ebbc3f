// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/algorithms/parts.h"

#include <algorithm>
#include <utility>

namespace tern::collectives {

namespace {

unsigned count_of(const Members& members) {
  return static_cast<unsigned>(members.size());
}

void put_all(Builder* b, unsigned rank, unsigned stream, unsigned to,
             const std::vector<Chunks>& runs, bool add) {
  for (const Chunks& run : runs) b->put_data(rank, stream, to, run, add);
}

unsigned chunks_in(const std::vector<Chunks>& runs) {
  unsigned count = 0;
  for (const Chunks& run : runs) count += run.count;
  return count;
}

// offset: of the piece that a member sends in step 0; each step sends the one before it.
void around(Builder* b, const Members& members, unsigned stream, const Pieces& pieces,
            unsigned offset, bool add) {
  const unsigned n = count_of(members);
  std::vector<std::vector<Chunks>> piece(n);
  for (unsigned i = 0; i < n; ++i) piece[i] = pieces(i);
  for (unsigned i = 0; i < n; ++i) {
    for (unsigned step = 0; step + 1 < n; ++step) {
      const unsigned sent = (i + offset + n - step) % n, got = (sent + n - 1) % n;
      put_all(b, members[i], stream, members[(i + 1) % n], piece[sent], add);
      b->wait(members[i], stream, members[(i + n - 1) % n],
              static_cast<unsigned>(piece[got].size()));
    }
  }
}

}  // namespace

bool is_power_of_two(unsigned n) {
  return n != 0 && (n & (n - 1)) == 0;
}

Pieces parts_of(Chunks chunks, unsigned n) {
  return [chunks, n](unsigned i) { return std::vector<Chunks>{chunks.part(i, n)}; };
}

std::vector<Chunks> runs_of(std::vector<unsigned> chunks) {
  std::sort(chunks.begin(), chunks.end());
  std::vector<Chunks> runs;
  for (const unsigned chunk : chunks) {
    if (!runs.empty() && runs.back().first + runs.back().count == chunk) {
      ++runs.back().count;
    } else {
      runs.push_back({chunk, 1});
    }
  }
  return runs;
}

void neighbours_ready(Builder* b, const Members& members, unsigned stream) {
  const unsigned n = count_of(members);
  for (unsigned i = 0; i < n; ++i) {
    b->signal(members[i], stream, members[(i + n - 1) % n]);
    b->wait(members[i], stream, members[(i + 1) % n]);
  }
}

void ring_reduce_scatter(Builder* b, const Members& members, unsigned stream,
                         const Pieces& pieces) {
  around(b, members, stream, pieces, count_of(members) - 1, true);
}

void ring_all_gather(Builder* b, const Members& members, unsigned stream, const Pieces& pieces) {
  around(b, members, stream, pieces, 0, false);
}

void mesh_reduce_scatter(Builder* b, const Members& members, unsigned stream,
                         const Pieces& pieces) {
  const unsigned n = count_of(members);
  const unsigned size = chunks_in(pieces(0));
  const unsigned slots = b->take_scratch((n - 1) * size);  // first that of the member before
  // f: a run, and where it is in the slot of the member d places before.
  const auto each_run = [&](unsigned piece, unsigned d, const auto& f) {
    unsigned place = slots + (d - 1) * size;
    for (const Chunks& run : pieces(piece)) {
      f(run, Place{Buffer::kScratch, place});
      place += run.count;
    }
  };
  for (unsigned i = 0; i < n; ++i) {
    for (unsigned d = 1; d < n; ++d) {
      const unsigned to = (i + d) % n;
      each_run(to, d, [&](const Chunks& run, const Place& slot) {
        b->put(members[i], stream, {Buffer::kData, run.first}, members[to], slot, run.count);
      });
    }
    const auto runs = static_cast<unsigned>(pieces(i).size());
    for (unsigned d = 1; d < n; ++d) b->wait(members[i], stream, members[(i + n - d) % n], runs);
    for (unsigned d = n - 1; d > 0; --d) {  // the next member's, the one's after it, ...
      each_run(i, d, [&](const Chunks& run, const Place& slot) {
        b->put(members[i], stream, slot, members[i], {Buffer::kData, run.first}, run.count, true);
      });
    }
  }
}

void mesh_all_gather(Builder* b, const Members& members, unsigned stream, const Pieces& pieces) {
  const unsigned n = count_of(members);
  for (unsigned i = 0; i < n; ++i) {
    for (unsigned d = 1; d < n; ++d)
      put_all(b, members[i], stream, members[(i + d) % n], pieces(i), false);
    for (unsigned d = 1; d < n; ++d) {
      const unsigned source = (i + n - d) % n;
      b->wait(members[i], stream, members[source], static_cast<unsigned>(pieces(source).size()));
    }
  }
}

void halving_reduce_scatter(Builder* b, const Members& members, unsigned stream, Chunks chunks) {
  const unsigned n = count_of(members);
  // A partner does not know what has come before: it writes next to the data, not into it.
  unsigned slot = b->take_scratch(chunks.count - chunks.count / n);
  std::vector<Chunks> rest(n, chunks);
  for (unsigned bit = n / 2; bit > 0; bit /= 2) {
    const unsigned size = rest[0].count / 2;
    for (unsigned i = 0; i < n; ++i) {
      const unsigned mine = (i & bit) != 0 ? 1 : 0;
      const Chunks other = rest[i].part(1 - mine, 2);
      rest[i] = rest[i].part(mine, 2);
      const Place place{Buffer::kScratch, slot};
      b->put(members[i], stream, {Buffer::kData, other.first}, members[i ^ bit], place, size);
      b->wait(members[i], stream, members[i ^ bit]);
      b->put(members[i], stream, place, members[i], {Buffer::kData, rest[i].first}, size, true);
    }
    slot += size;
  }
}

void doubling_all_gather(Builder* b, const Members& members, unsigned stream, Chunks chunks) {
  const unsigned n = count_of(members);
  for (unsigned i = 0; i < n; ++i) {
    for (unsigned bit = 1; bit < n; bit *= 2) {
      b->put_data(members[i], stream, members[i ^ bit], chunks.part(i / bit, n / bit));
      b->wait(members[i], stream, members[i ^ bit]);
    }
  }
}

}  // namespace tern::collectives
