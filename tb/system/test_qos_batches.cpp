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
  // 4 MiB of weights and, out and in, 56 runs of 128 bytes on each of 16 engines, through the
  // core's port of 528 GB/s.
  const double bytes = 4 * 1048576.0 + 2 * 16 * 56 * 128;
  for (const Json& run : result["runs"]) {
    INFO(run.dump());
    CHECK(run["layer_us"].get<double>() == Approx(bytes / 528e3).epsilon(0.03));
  }
}
