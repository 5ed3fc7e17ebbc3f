// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/instruction/field_checker.h"

namespace tern {

void FieldChecker::pattern(const AccessPattern& ap, std::size_t byte, std::size_t element,
                           unsigned partitions) const {
  const std::uint64_t bytes = ap.psum ? limits().psum_bytes : limits().sbuf_bytes;
  const auto size = static_cast<std::int64_t>(element);
  bool good = ap.num0 > 0 && ap.num1 > 0 && ap.count() <= bytes;
  good = good && start_partition_allowed(ap.partition, partitions);
  good = good && ap.byte + size * ap.lowest() >= 0;
  good = good && ap.byte + size * (ap.highest() + 1) <= static_cast<std::int64_t>(bytes);
  require(good, TERN_ERROR_BAD_ACCESS_PATTERN, byte);
}

}  // namespace tern
