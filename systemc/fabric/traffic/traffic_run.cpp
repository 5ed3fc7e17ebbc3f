// SPDX-License-Identifier: Apache-2.0
#include "systemc/fabric/traffic/traffic_run.h"

#include <algorithm>
#include <cmath>

namespace tern::fabric {

Time Latencies::share(double part) const {
  if (sorted.empty()) return 0;
  return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
}

TrafficResult run_traffic(Transport& transport, const Mix& mix,
                          const std::function<void(double)>& progress) {
  constexpr std::uint64_t kEvery = 4096;  // events between two looks at the progress
  TrafficResult result;
  const std::size_t transfers = mix.transfers.size();
  result.transfers = transfers;
  for (std::size_t n = 0; n < transfers; ++n) transport.send(mix.transfers[n], mix.sent[n]);
  std::vector<Delivery> arrived;
  std::uint64_t come = 0, steps = 0;
  // Faults to come do not matter any more when all has arrived.
  for (Time next = transport.next_time(); next != kNever && come < transfers;
       next = transport.next_time()) {
    arrived.clear();
    transport.advance(next, arrived);
    for (const Delivery& delivery : arrived) {
      ++come;
      result.time = std::max(result.time, delivery.arrived);
      Latencies& own = result.of_class.at(delivery.transfer.traffic_class);
      if (delivery.lost) {
        ++result.lost;
        ++own.lost;
        continue;
      }
      result.bytes += delivery.transfer.bytes;
      own.sorted.push_back(delivery.arrived - delivery.sent);
    }
    if (progress && ++steps % kEvery == 0)
      progress(static_cast<double>(come) / static_cast<double>(transfers));
  }
  for (Latencies& own : result.of_class) {
    std::sort(own.sorted.begin(), own.sorted.end());
    std::vector<Time>& all = result.all.sorted;
    const auto middle = static_cast<std::ptrdiff_t>(all.size());
    all.insert(all.end(), own.sorted.begin(), own.sorted.end());
    std::inplace_merge(all.begin(), all.begin() + middle, all.end());
  }
  result.all.lost = result.lost;
  return result;
}

TrafficResult run_traffic(Transport& transport, const std::vector<Transfer>& transfers) {
  return run_traffic(transport, Mix{transfers, std::vector<Time>(transfers.size())});
}

std::vector<Time> channel_times(const packet::Shape& shape, packet::Routes& routes,
                                const std::vector<Transfer>& transfers) {
  std::vector<double> busy(shape.channels.size());
  std::vector<packet::Hop> hops;
  for (const Transfer& transfer : transfers) {
    hops.clear();
    if (!routes.path(transfer, &hops)) continue;
    const std::uint64_t padded = (transfer.bytes + 3) / 4 * 4;
    const auto packets = static_cast<double>(
        std::max<std::uint64_t>(1, (transfer.bytes + shape.max_payload - 1) / shape.max_payload));
    for (const packet::Hop& hop : hops) {
      const packet::Channel& channel = shape.channels[hop.channel];
      busy[hop.channel] +=
          static_cast<double>(padded) * channel.byte_fs + packets * channel.packet_fs;
    }
  }
  std::vector<Time> times;
  times.reserve(busy.size());
  for (const double fs : busy) times.push_back(static_cast<Time>(std::llround(fs)));
  return times;
}

}  // namespace tern::fabric
