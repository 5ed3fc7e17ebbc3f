// SPDX-License-Identifier: Apache-2.0
// Classes of service on a whole chip, bound by its engines: priorities must cost nothing.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "tb/common/temp_folder.h"
#include "tb/system/process.h"

using namespace tern;  // NOLINT: test file
using Json = nlohmann::json;

TEST_CASE("qos: a small batch is as fast with every policy") {
  tb::TempFolder folder;
  const std::string yaml =
      folder.put("q.yaml", "kind: qos\nbatches: [8]\nlayers: 8\nhost_kib: 0\n");
  const tb::Outcome outcome = tb::run_tern({"run", yaml, "--json", "--quiet"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const Json result = Json::parse(outcome.out);
  REQUIRE(result["runs"].size() == 3);
  // 4 MiB of weights in runs of 16 KiB, a packet each, 56 runs of 128 bytes and eight semaphores on
  // each of 16 engines: cycles of 0.6 GHz.
  const double pace = 38.4 / 33;
  const double cycles = 16 * (5 + 256 * pace) + 56 * (5 + 2 * pace) + 8 * (5 + pace);
  for (const Json& run : result["runs"]) {
    INFO(run.dump());
    CHECK(run["layer_us"].get<double>() == Approx(cycles / 0.6e3).epsilon(0.03));
  }
}
