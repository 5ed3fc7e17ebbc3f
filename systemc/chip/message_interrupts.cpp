// SPDX-License-Identifier: Apache-2.0
#include "systemc/chip/message_interrupts.h"

namespace tern {

using sc_core::sc_time_stamp;

MessageInterrupts::MessageInterrupts(sc_core::sc_module_name name, const pcie::HostLink& link)
    : sc_module(name), link_(link) {
  SC_METHOD(deliver);
  sensitive << arrival_;
  dont_initialize();
}

void MessageInterrupts::set_level(unsigned source, bool level) {
  const std::uint64_t bit = std::uint64_t{1} << source, before = levels_;
  levels_ = level ? levels_ | bit : levels_ & ~bit;
  send(levels_ & ~before & enable_);
}

void MessageInterrupts::enable(unsigned half, std::uint32_t value) {
  const std::uint64_t mask = std::uint64_t{0xFFFFFFFF} << 32 * half, before = enable_;
  enable_ = (enable_ & ~mask) | std::uint64_t{value} << 32 * half;
  send(enable_ & ~before & levels_);
}

void MessageInterrupts::send(std::uint64_t sources) {
  if (sources == 0) return;
  for (unsigned vector = 0; vector < 64; ++vector) {
    if ((sources >> vector & 1) != 0)
      under_way_.push_back({from_fs(link_.arrival_at_host(now_fs())), vector});
  }
  arrival_.notify(under_way_.front().at - sc_time_stamp());
}

void MessageInterrupts::deliver() {
  while (!under_way_.empty() && under_way_.front().at <= sc_time_stamp()) {
    const unsigned vector = under_way_.front().vector;
    under_way_.pop_front();
    if (receiver_) receiver_(vector);
  }
  if (!under_way_.empty()) arrival_.notify(under_way_.front().at - sc_time_stamp());
}

}  // namespace tern
