// SPDX-License-Identifier: Apache-2.0
#include "sw/platform/chips/distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "sw/base/state_bytes.h"
#include "sw/base/user_error.h"

namespace tern {

namespace {

// Of a process, at the end of a window.
struct News {
  bool ended = false, rests = false;
  std::uint64_t next_fs = 0;
  std::vector<std::uint64_t> arrivals;  // of its hosts at the rendezvous
  std::string departures;
};

constexpr std::size_t kMostHosts = 1 << 16, kMostBytes = std::size_t{1} << 32;

void archive(base::StateArchive& a, News& news) {
  a.section("news of a process");
  a.numbers(news.ended, news.rests, news.next_fs);
  news.arrivals.resize(a.size(news.arrivals.size(), kMostHosts));
  a.each(news.arrivals);
  a.text(news.departures, kMostBytes);
}

}  // namespace

Distribution::Distribution(system::Ranks& ranks, system::ChipNetwork& network, Rendezvous& hosts,
                           SystemRest& rest)
    : ranks_(ranks), network_(network), hosts_(hosts), rest_(rest) {
  hosts_.with_others();
  rest_.set_elsewhere(false);
}

std::optional<std::uint64_t> Distribution::next(std::uint64_t next_fs, bool ended) {
  News own{ended, rest_.here(), next_fs, hosts_.take_arrivals(), network_.take_departures()};
  std::string bytes;
  base::append_state(&bytes, [&](base::StateArchive& a) { archive(a, own); });
  bool all_ended = true, all_rest = true;
  std::uint64_t next = UINT64_MAX;
  std::vector<std::uint64_t> arrivals;
  std::vector<std::string> departures;
  for (const std::string& theirs : ranks_.exchange(bytes)) {
    std::string_view rest = theirs;
    News news;
    base::take_state(&rest, [&](base::StateArchive& a) { archive(a, news); });
    all_ended = all_ended && news.ended;
    all_rest = all_rest && (news.rests || news.ended);
    next = std::min(next, news.next_fs);
    arrivals.insert(arrivals.end(), news.arrivals.begin(), news.arrivals.end());
    departures.push_back(std::move(news.departures));
  }
  if (all_ended) return std::nullopt;
  network_.insert(departures, until_);
  hosts_.come(arrivals);
  // What has just been sent is under way.
  rest_.set_elsewhere(all_rest && network_.next_time() == UINT64_MAX);
  next = std::min(next, network_.next_time());
  if (hosts_.goes_on() > until_) next = std::min(next, hosts_.goes_on());
  if (next == UINT64_MAX) {
    throw RunError(fmt::format(
        "the simulation came to rest at {:.3f} us while host programs were still waiting",
        static_cast<double>(until_) * 1e-9));
  }
  // Hosts that meet must not go on in the window either. An instant less: whether the kernel still
  // simulates the last instant is its own affair.
  until_ = next + std::min(network_.window(), hosts_.delay_fs()) - 2;
  return until_;
}

}  // namespace tern
