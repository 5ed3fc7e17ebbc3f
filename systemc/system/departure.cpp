// SPDX-License-Identifier: Apache-2.0
#include "systemc/system/departure.h"

#include <cstring>
#include <string_view>

#include "sw/base/state_archive.h"
#include "sw/base/user_error.h"

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
  StateArchive a(StateArchive::Mode::kSave, [&bytes](const void* data, std::size_t count) {
    bytes.append(static_cast<const char*>(data), count);
  });
  archive(a, departures);
  return bytes;
}

void departures_of(const std::string& bytes, std::vector<Departure>* departures) {
  std::string_view rest = bytes;
  StateArchive a(StateArchive::Mode::kRestore, [&rest](void* data, std::size_t count) {
    if (count > rest.size()) throw UserError("truncated departures");
    if (count != 0) std::memcpy(data, rest.data(), count);
    rest.remove_prefix(count);
  });
  std::vector<Departure> more;
  archive(a, more);
  departures->insert(departures->end(), more.begin(), more.end());
}

}  // namespace tern::system
