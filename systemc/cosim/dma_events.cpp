// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/dma_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tern::dma {

bool UnitEvent::operator==(const UnitEvent& o) const {
  return cycle == o.cycle && begin == o.begin && address == o.address && ring == o.ring &&
         fault == o.fault && pairs == o.pairs && index == o.index && bytes == o.bytes &&
         request.tag == o.request.tag && request.traffic_class == o.request.traffic_class &&
         request.write_op == o.request.write_op && data == o.data;
}

std::string UnitEvent::text() const {
  switch (kind) {
    case kStop:
      return fmt::format("stop of ring {}, fault {}, descriptor {}, address {:#x}, in cycle {}",
                         ring, fault, index, address, cycle);
    case kDone:
      return fmt::format("packet of ring {}, {} pairs, {} bytes, cycles {} to {}", ring, pairs,
                         bytes, begin, cycle);
    default: {
      const char* const names[] = {"descriptor read", "read", "write"};
      std::string result = fmt::format(
          "{} of {:#x}, {} bytes, tag {}, class {}, operation {}, in cycle {}", names[kind],
          address, bytes, request.tag, request.traffic_class, request.write_op, cycle);
      for (std::size_t i = 0; i < std::min<std::size_t>(data.size(), 16); ++i) {
        result += fmt::format("{}{:02x}", i == 0 ? ", bytes " : " ", data[i]);
      }
      return result;
    }
  }
}

UnitEvent& UnitEvents::add(UnitEvent::Kind kind, std::uint64_t cycle) {
  UnitEvent& event = events.emplace_back();
  event.kind = kind;
  event.cycle = cycle;
  return event;
}

void UnitEvents::request(const Request& request) {
  UnitEvent& event = add(static_cast<UnitEvent::Kind>(request.port), request.cycle);
  event.request = request;
  event.address = request.address;
  event.bytes = request.bytes;
  if (request.data != nullptr) event.data.assign(request.data, request.data + request.bytes);
}

void UnitEvents::ring_stopped(std::uint64_t cycle, unsigned ring, unsigned fault,
                              std::uint32_t index, std::uint64_t address) {
  UnitEvent& event = add(UnitEvent::kStop, cycle);
  event.ring = ring;
  event.fault = fault;
  event.index = index;
  event.address = address;
}

void UnitEvents::packet_done(std::uint64_t begin, std::uint64_t cycle, unsigned ring,
                             std::uint32_t bytes, unsigned pairs) {
  UnitEvent& event = add(UnitEvent::kDone, cycle);
  event.begin = begin;
  event.ring = ring;
  event.bytes = bytes;
  event.pairs = pairs;
}

void UnitEvents::repeat(Environment& environment) {
  while (!events.empty()) {
    UnitEvent event = std::move(events.front());
    events.pop_front();
    if (event.kind == UnitEvent::kStop) {
      environment.ring_stopped(event.cycle, event.ring, event.fault, event.index, event.address);
    } else if (event.kind == UnitEvent::kDone) {
      environment.packet_done(event.begin, event.cycle, event.ring, event.bytes, event.pairs);
    } else {
      if (event.kind == UnitEvent::kWrite) event.request.data = event.data.data();
      environment.request(event.request);
    }
  }
}

}  // namespace tern::dma
