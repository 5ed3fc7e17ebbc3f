// SPDX-License-Identifier: Apache-2.0
#include "systemc/system/departure.h"

#include "sw/base/state_bytes.h"

namespace tern::system {

namespace {

using base::StateArchive;

constexpr std::size_t kMostDepartures = std::size_t{1} << 24, kMostBytes = std::size_t{1} << 20;

void archive(StateArchive& a, std::vector<Departure>& departures) {
  a.section("departures");
  departures.resize(a.size(departures.size(), kMostDepartures));
  for (Departure& d : departures) {
    fabric::Transfer& t = d.transfer;
    a.numbers(t.source, t.target, t.bytes, t.traffic_class, t.stream, t.tag);
    a.numbers(d.at, d.answer, d.write, d.address, d.length, d.op, d.status, d.fault,
              d.fault_address);
    a.text(d.bytes, kMostBytes);
  }
}

}  // namespace

std::string bytes_of(std::vector<Departure>& departures) {
  std::string bytes;
  base::append_state(&bytes, [&](StateArchive& a) { archive(a, departures); });
  return bytes;
}

void departures_of(std::string_view bytes, std::vector<Departure>* departures) {
  std::vector<Departure> more;
  base::take_state(&bytes, [&](StateArchive& a) { archive(a, more); });
  departures->insert(departures->end(), more.begin(), more.end());
}

}  // namespace tern::system
