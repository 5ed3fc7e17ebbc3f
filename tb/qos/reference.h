// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tern::tb {

// The arbiter as rtl/qos/README.md words it, one cycle at a time and as plainly as possible.
// Round-robin orders are lists whose head is next; a served one moves to the end together with all
// before it.
class QosReference {
 public:
  explicit QosReference(unsigned requesters) {
    for (auto& order : orders_) {
      for (unsigned i = 0; i < requesters; ++i) order.push_back(i);
    }
  }

  // Settings, as the registers hold them.
  unsigned policy = 0;
  std::array<std::int64_t, 4> rate{}, depth{};

  struct Grant {
    unsigned requester, cls;
    bool by_right;
  };

  // One cycle. bytes_of: size of the packet of each requester.
  std::optional<Grant> cycle(bool enable, std::uint32_t requests, const std::uint32_t* class_of,
                             const std::uint32_t* bytes_of) {
    const auto requested_by = [&](unsigned i) { return (requests >> i & 1) != 0; };
    std::optional<Grant> grant;
    std::array<std::int64_t, 4> charged{};
    if (enable && requests != 0) {
      if (policy != 1 && policy != 2) {
        const unsigned i = take(orders_[0], requested_by);
        grant = Grant{i, class_of[i], false};
      } else {
        const auto waits = [&](unsigned c) {
          for (unsigned i : orders_[0]) {
            if (requested_by(i) && class_of[i] == c) return true;
          }
          return false;
        };
        const auto rightful = [&](unsigned c) {
          const std::int64_t needed = policy == 1 ? 256 * depth[c] : 0;
          return waits(c) && rate[c] != 0 && balance[c] >= needed;
        };
        const bool by_right = rightful(0) || rightful(1) || rightful(2) || rightful(3);
        unsigned c = 0;
        if (by_right) {
          c = take(classes_, rightful);
        } else {
          while (!waits(c)) ++c;
        }
        const unsigned i =
            take(orders_[c], [&](unsigned r) { return requested_by(r) && class_of[r] == c; });
        if (by_right) charged[c] = std::int64_t{bytes_of[i]} * 256;
        grant = Grant{i, c, by_right};
      }
    }
    for (unsigned c = 0; c < 4; ++c) {
      balance[c] = std::min(256 * depth[c], balance[c] - charged[c] + rate[c]);
    }
    return grant;
  }

  std::array<std::int64_t, 4> balance{};

 private:
  template <typename Condition>
  static unsigned take(std::vector<unsigned>& order, Condition condition) {
    const auto found = std::find_if(order.begin(), order.end(), condition);
    const unsigned taken = *found;
    std::rotate(order.begin(), found + 1, order.end());
    return taken;
  }

  std::array<std::vector<unsigned>, 4> orders_;
  std::vector<unsigned> classes_ = {0, 1, 2, 3};
};

}  // namespace tern::tb
