// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>

#include "systemc/fabric/faults/line_errors.h"
#include "tb/common/seed.h"

namespace tern::tb {

using fabric::faults::LineErrors;

namespace {

struct Sum {
  std::uint64_t corrected = 0, replays = 0, retrains = 0, failed = 0;
};

Sum send(LineErrors errors, std::uint64_t trains, std::uint64_t units) {
  Sum sum;
  for (std::uint64_t n = 0; n < trains; ++n) {
    const LineErrors::Hits hits = errors.send(units);
    sum.corrected += hits.corrected;
    sum.replays += hits.replays;
    sum.retrains += hits.retrains;
    sum.failed += hits.failed ? 1 : 0;
  }
  return sum;
}

}  // namespace

TEST_CASE("line errors: as many as their probability says, in trains of any length") {
  CAPTURE(test_seed());
  for (const double lost : {0.3, 0.05, 1e-3}) {
    for (const std::uint64_t units : {1U, 7U, 1000U}) {
      CAPTURE(lost, units);
      const std::uint64_t trains = 700'000 / units;
      const double all = static_cast<double>(trains * units);
      const Sum sum = send(LineErrors(test_seed(), lost, 2 * lost), trains, units);
      // A unit is sent 1 / (1 - p) times.
      const double expected = all * lost / (1 - lost);
      CHECK(std::abs(static_cast<double>(sum.replays) - expected) <
            6 * std::sqrt(expected / (1 - lost)));
      const double corrected = (all + static_cast<double>(sum.replays)) * 2 * lost;
      CHECK(std::abs(static_cast<double>(sum.corrected) - corrected) < 6 * std::sqrt(corrected));
      // Four losses in a row, p^4, twice that, ...
      const double fourth = std::pow(lost, 4);
      const double retrains = all * fourth / (1 - fourth);
      CHECK(std::abs(static_cast<double>(sum.retrains) - retrains) < 6 * std::sqrt(retrains + 1));
    }
  }
}

TEST_CASE("line errors: none, certain ones, and the same again by the same seed") {
  CHECK(send(LineErrors(1, 0, 0), 1000, 1000).replays == 0);
  const LineErrors::Hits hits = LineErrors(1, 1, 1e-300).send(100);
  CHECK(hits.failed);
  CHECK(hits.replays == 12);
  CHECK(hits.retrains == 3);
  CHECK(hits.corrected == 0);
  const Sum once = send(LineErrors(5, 0.01, 0.1), 1000, 17),
            again = send(LineErrors(5, 0.01, 0.1), 1000, 17),
            other = send(LineErrors(6, 0.01, 0.1), 1000, 17);
  CHECK(once.replays == again.replays);
  CHECK(once.corrected == again.corrected);
  CHECK((once.replays != other.replays || once.corrected != other.corrected));
}

}  // namespace tern::tb
