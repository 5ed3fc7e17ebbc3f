// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/verify.h"

#include <fmt/format.h>

#include "sw/base/user_error.h"
#include "sw/collectives/knowledge.h"
#include "sw/collectives/walk.h"

namespace tern::collectives {

namespace {

constexpr std::uint32_t kNothing = UINT32_MAX;

// Where chunks of all ranks are: one number for each.
class Places {
 public:
  explicit Places(const Schedule& schedule)
      : result_(schedule.problem.in_place() ? 0 : schedule.chunks),
        scratch_(result_ + schedule.chunks),
        of_rank_(scratch_ + schedule.scratch),
        ranks_(schedule.problem.ranks) {}

  std::size_t at(unsigned rank, const Place& place) const {
    const unsigned first = place.buffer == Buffer::kScratch  ? scratch_
                           : place.buffer == Buffer::kOutput ? result_
                                                             : 0;
    return std::size_t{rank} * of_rank_ + first + place.chunk;
  }
  std::size_t operand(unsigned rank, unsigned chunk) const {
    return std::size_t{rank} * of_rank_ + chunk;
  }
  std::size_t result(unsigned rank, unsigned chunk) const {
    return std::size_t{rank} * of_rank_ + result_ + chunk;
  }
  std::size_t count() const { return std::size_t{ranks_} * of_rank_; }

 private:
  unsigned result_, scratch_, of_rank_, ranks_;
};

// A chunk of the problem, and who has contributed to it.
class Symbols {
 public:
  Symbols(std::size_t places, unsigned ranks)
      : words_((ranks + 63) / 64), chunk_(places, kNothing), sets_(places * words_) {}

  std::uint32_t chunk(std::size_t place) const { return chunk_[place]; }
  void set(std::size_t place, std::uint32_t chunk, unsigned rank) {
    chunk_[place] = chunk;
    word(place, rank / 64) |= std::uint64_t{1} << (rank % 64);
  }
  void copy(std::size_t from, std::size_t to) {
    chunk_[to] = chunk_[from];
    for (unsigned w = 0; w < words_; ++w) word(to, w) = word(from, w);
  }
  void merge(std::size_t from, std::size_t to) {
    for (unsigned w = 0; w < words_; ++w) word(to, w) |= word(from, w);
  }
  // A rank that is in both, or kNothing.
  std::uint32_t common(std::size_t a, std::size_t b) const {
    for (unsigned w = 0; w < words_; ++w) {
      const std::uint64_t both = word(a, w) & word(b, w);
      if (both != 0) return 64 * w + static_cast<unsigned>(__builtin_ctzll(both));
    }
    return kNothing;
  }
  bool has(std::size_t place, unsigned rank) const {
    return (word(place, rank / 64) >> (rank % 64) & 1) != 0;
  }

 private:
  std::uint64_t& word(std::size_t place, unsigned w) { return sets_[place * words_ + w]; }
  std::uint64_t word(std::size_t place, unsigned w) const { return sets_[place * words_ + w]; }

  std::size_t words_;
  std::vector<std::uint32_t> chunk_;
  std::vector<std::uint64_t> sets_;
};

class Verifier : public Visitor {
 public:
  explicit Verifier(const Schedule& schedule)
      : schedule_(schedule),
        problem_(schedule.problem),
        places_(schedule),
        symbols_(places_.count(), problem_.ranks),
        knowledge_(schedule),
        first_(first_streams(schedule)),
        written_(places_.count()),
        read_(places_.count()) {
    for (unsigned rank = 0; problem_.operation == Operation::kAllToAllV && rank < problem_.ranks;
         ++rank)
      sent_.push_back(problem_.sent(rank));
    set_operands();
  }

  void put(const At& at, const Step& step) override {
    const std::size_t from = places_.at(at.rank, step.from);
    const std::size_t to = places_.at(step.rank, step.at);
    for (unsigned i = 0; i < step.count; ++i) {
      check_order(at, step, from + i, to + i, i);
      move(at, step, from + i, to + i, i);
    }
    const Knowledge::Event event = knowledge_.start(at, step);
    for (unsigned i = 0; i < step.count; ++i) {
      written_[to + i] = event;
      read_[to + i].clear();
      std::vector<Knowledge::Event>& readers = read_[from + i];
      // Of one flow the last one is enough: those before it have come when it has.
      if (!readers.empty() && readers.back().flow == event.flow) {
        readers.back() = event;
      } else {
        readers.push_back(event);
      }
    }
    ++verified_.puts;
    if (step.rank != at.rank) verified_.chunks_moved += step.count;
    if (step.add) verified_.chunks_added += step.count;
  }
  void signal(const At& at, const Step& step) override { knowledge_.start(at, step); }
  void wait(const At& at, unsigned source, std::uint64_t consumed) override {
    knowledge_.wait(at, source, consumed);
  }
  void flush(const At& at) override { knowledge_.flush(at.number); }
  void after(const At& at, const Step& step) override {
    knowledge_.after(at, step, first_[at.rank] + step.stream);
  }
  void ended(const At& at) override {
    knowledge_.ended(at);
    ++verified_.steps;
  }

  Verified result() {
    knowledge_.end();
    for (unsigned rank = 0; rank < problem_.ranks; ++rank) check_result(rank);
    return verified_;
  }

 private:
  unsigned of_part() const { return schedule_.chunks / problem_.parts(); }

  void set_operands() {
    for (unsigned rank = 0; rank < problem_.ranks; ++rank) {
      for (unsigned chunk = 0; chunk < schedule_.chunks; ++chunk) {
        if (!has_operand(rank, chunk)) continue;
        const unsigned number = problem_.in_place() ? chunk : rank * schedule_.chunks + chunk;
        symbols_.set(places_.operand(rank, chunk), number, rank);
      }
    }
  }

  bool has_operand(unsigned rank, unsigned chunk) const {
    switch (problem_.operation) {
      case Operation::kAllGather:
        return chunk / of_part() == rank;
      case Operation::kBroadcast:
        return rank == problem_.root;
      case Operation::kAllToAllV:
        return chunk < sent_[rank];
      default:
        return true;
    }
  }

  std::string place(unsigned rank, const Place& place, unsigned i) const {
    return fmt::format("{}[{}] of rank {}", name_of(place.buffer), place.chunk + i, rank);
  }
  [[noreturn]] void wrong(const At& at, const std::string& what) const {
    throw UserError(schedule_.where(at.rank, at.stream, at.step) + what);
  }

  // All that has touched the places before is known to have ended.
  void check_order(const At& at, const Step& step, std::size_t from, std::size_t to,
                   unsigned i) const {
    if (!knowledge_.knows(at.number, written_[from]))
      wrong(at, fmt::format("sends {} before it waits for what is written there",
                            place(at.rank, step.from, i)));
    if (!knowledge_.knows(at.number, written_[to]))
      wrong(at, fmt::format("writes {} while another put may still write there",
                            place(step.rank, step.at, i)));
    for (const Knowledge::Event& reader : read_[to]) {
      if (!knowledge_.knows(at.number, reader))
        wrong(at, fmt::format("writes {} while another put may still read there",
                              place(step.rank, step.at, i)));
    }
  }

  void move(const At& at, const Step& step, std::size_t from, std::size_t to, unsigned i) {
    if (symbols_.chunk(from) == kNothing)
      wrong(at, fmt::format("sends {}, where nothing is", place(at.rank, step.from, i)));
    if (!step.add) {
      symbols_.copy(from, to);
      return;
    }
    if (symbols_.chunk(to) == kNothing)
      wrong(at, fmt::format("adds to {}, where nothing is", place(step.rank, step.at, i)));
    if (symbols_.chunk(from) != symbols_.chunk(to))
      wrong(at, fmt::format("adds chunk {} to chunk {}", symbols_.chunk(from), symbols_.chunk(to)));
    const std::uint32_t twice = symbols_.common(from, to);
    if (twice != kNothing && problem_.operation != Operation::kBarrier)
      wrong(at, fmt::format("adds what rank {} has given a second time to {}", twice,
                            place(step.rank, step.at, i)));
    symbols_.merge(from, to);
  }

  // The source of a part of a rank's result, if it has one, and its number there.
  void check_result(unsigned rank) const {
    const unsigned part = of_part();
    switch (problem_.operation) {
      case Operation::kAllReduce:
      case Operation::kBarrier:
        for (unsigned c = 0; c < schedule_.chunks; ++c) check_chunk(rank, c, c, kNothing);
        break;
      case Operation::kReduceScatter:
        for (unsigned c = rank * part; c < (rank + 1) * part; ++c)
          check_chunk(rank, c, c, kNothing);
        break;
      case Operation::kAllGather:
        for (unsigned c = 0; c < schedule_.chunks; ++c) check_chunk(rank, c, c, c / part);
        break;
      case Operation::kBroadcast:
        for (unsigned c = 0; c < schedule_.chunks; ++c) check_chunk(rank, c, c, problem_.root);
        break;
      case Operation::kAllToAll:
        for (unsigned c = 0; c < schedule_.chunks; ++c) {
          const unsigned source = c / part;
          check_chunk(rank, c, source * schedule_.chunks + rank * part + c % part, source);
        }
        break;
      case Operation::kAllToAllV:
        for (unsigned source = 0, at = 0; source < problem_.ranks; ++source) {
          const unsigned from = problem_.input_at(source, rank);
          for (unsigned c = 0; c < problem_.counts[source][rank]; ++c, ++at)
            check_chunk(rank, at, source * schedule_.chunks + from + c, source);
        }
        break;
      case Operation::kPermute:
        for (unsigned source = 0; source < problem_.ranks; ++source) {
          if (problem_.to[source] != rank) continue;
          for (unsigned c = 0; c < schedule_.chunks; ++c)
            check_chunk(rank, c, source * schedule_.chunks + c, source);
        }
        break;
    }
  }

  // from: who alone has contributed; kNothing: everybody.
  void check_chunk(unsigned rank, unsigned chunk, std::uint32_t number, std::uint32_t from) const {
    const std::size_t place = places_.result(rank, chunk);
    const auto fail = [&](const std::string& what) {
      const Knowledge::Event& last = written_[place];
      const bool put = last.number > 0;
      throw UserError(fmt::format("{}in the end {}[{}] of rank {}, {}, {}",
                                  put ? knowledge_.where(last) : schedule_.name + ": ",
                                  problem_.in_place() ? "data" : "output", chunk, rank,
                                  put ? "last put here" : "where nothing is put", what));
    };
    if (symbols_.chunk(place) == kNothing) fail("has nothing");
    if (symbols_.chunk(place) != number)
      fail(fmt::format("has chunk {}, not {}", symbols_.chunk(place), number));
    for (unsigned other = 0; other < problem_.ranks; ++other) {
      const bool wanted = from == kNothing || other == from;
      if (wanted && !symbols_.has(place, other))
        fail(fmt::format("lacks what rank {} gives", other));
      if (!wanted && symbols_.has(place, other))
        fail(fmt::format("has something of rank {}", other));
    }
    if (!knowledge_.knows_at_end(rank, written_[place])) fail("was not waited for");
  }

  const Schedule& schedule_;
  const Problem& problem_;
  Places places_;
  Symbols symbols_;
  Knowledge knowledge_;
  std::vector<unsigned> first_;
  std::vector<unsigned> sent_;                       // of all_to_all_v: chunks of each rank
  std::vector<Knowledge::Event> written_;            // by the last put
  std::vector<std::vector<Knowledge::Event>> read_;  // by puts since then
  Verified verified_;
};

// Sizes are checked before anything is laid out.
class Nothing : public Visitor {
  void put(const At& at, const Step& step) override { (void)at, (void)step; }
};

}  // namespace

Verified verify(const Schedule& schedule) {
  Nothing nothing;
  walk(schedule, &nothing);
  Verifier verifier(schedule);
  walk(schedule, &verifier);
  return verifier.result();
}

}  // namespace tern::collectives
