// SPDX-License-Identifier: Apache-2.0
#include "systemc/qos/arbiter.h"

#include <stdexcept>

#include "systemc/qos/round_robin.h"

namespace tern::qos {

Arbiter::Arbiter(unsigned requesters) : requesters_(requesters) {
  if (requesters < 2 || requesters > 64) {
    throw std::invalid_argument("qos::Arbiter: 2 to 64 requesters");
  }
  reset(0);
}

void Arbiter::reset(std::uint64_t cycle) {
  shaper_.reset(cycle);
  last_.fill(requesters_ - 1);
}

std::optional<unsigned> Arbiter::pick(std::uint64_t cycle, const std::uint32_t* class_of,
                                      std::uint64_t request_mask) const {
  if (request_mask == 0) return std::nullopt;
  if (shaper_.settings().policy == Policy::kRoundRobin) return next_after(last_[0], request_mask);
  std::array<std::uint64_t, kClasses> waiting{};
  unsigned class_mask = 0;
  for (std::uint64_t left = request_mask; left != 0; left &= left - 1) {
    const auto i = static_cast<unsigned>(__builtin_ctzll(left));
    waiting[class_of[i]] |= std::uint64_t{1} << i;
    class_mask |= 1u << class_of[i];
  }
  const unsigned cls = *shaper_.pick(cycle, class_mask);
  return next_after(last_[cls], waiting[cls]);
}

void Arbiter::granted(std::uint64_t cycle, unsigned requester, unsigned cls, std::uint32_t bytes) {
  last_[order_of(cls)] = requester;
  if (shaper_.settings().policy != Policy::kRoundRobin) shaper_.granted(cycle, cls, bytes);
}

}  // namespace tern::qos
