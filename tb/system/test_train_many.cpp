// SPDX-License-Identifier: Apache-2.0
// Trainings on as many chips as a plan may have, against one core's.
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "tb/common/temp_folder.h"
#include "tb/system/process.h"
#include "tb/system/text_workload.h"

using namespace tern;  // NOLINT: test file
using Json = nlohmann::json;

TEST_CASE("train text: plans of 64 chips have the losses of one core") {
  tb::TempFolder folder;
  folder.put("book.txt", tb::book());
  const auto put = tb::short_runs_in(folder);
  const auto run = [&](const char* name, const char* blocks, const std::string& plan) {
    return tb::json_of(
        {"run", put(name, {{"plan", plan},
                           {"network",
                            std::string("{width: 32, heads: 2, hidden: 48, context: 4, blocks: ") +
                                blocks + "}"},
                           {"batch", "64"},
                           {"steps", "2"},
                           {"evaluate", "{every: 2, windows: 12}"}})});
  };
  const auto check = [](const Json& result, const Json& alone, unsigned data) {
    CHECK(result["plan"]["data"] == data);
    CHECK(result["plan"]["chips"] == 64);
    for (unsigned step = 0; step < 2; ++step)
      CHECK(result["loss"][step].get<double>() ==
            Approx(alone["loss"][step].get<double>()).epsilon(1e-4));
    CHECK(result["text"]["held_out_loss"].get<double>() ==
          Approx(alone["text"]["held_out_loss"].get<double>()).epsilon(1e-3));
  };
  check(run("batch.yaml", "1", "{system: trn3-nl64-3d, chips: 64, data: 64}"),
        run("one.yaml", "1", ""), 64);
  check(run("all.yaml", "2",
            "{system: trn3-nl32x2-gen1, chips: 64, data: 16, tensor: 2, pipeline: 2}"),
        run("two.yaml", "2", ""), 16);
}
