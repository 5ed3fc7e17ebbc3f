// SPDX-License-Identifier: Apache-2.0
// One workload on several chips or with several values: tern run --chip A --chip B --set K=1,2.
#include <catch2/catch.hpp>
#include <csignal>
#include <string>

#include "tb/common/temp_folder.h"
#include "tb/system/process.h"

namespace tern::tb {

TEST_CASE("compare: stopped by whoever started it, it stops its runs and leaves no report") {
  TempFolder folder;
  const std::string yaml = folder.put(
      "long.yaml", "kind: matmul\na: {random: [2048, 2048]}\nb: {random: [2048, 4096]}\n");
  const std::string report = folder.path("report");
  // Only the parent gets the signal; its runs hear of it from their parent.
  const Outcome outcome = run_tern({"run", yaml, "--tensor", "rtl", "--chip", "trn3", "--set",
                                    "dma.descriptor_cycles=8,16", "--report", report},
                                   signal_once_there(report + "/1-trn3", SIGTERM));
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.error_line() == "tern: interrupted");
  CHECK(read_bytes(report + "/comparison.csv").empty());
  CHECK(read_bytes(report + "/1-trn3/report.json").empty());
}

TEST_CASE("compare: a run that fails says why, in full") {
  const std::string yaml = std::string(TERN_SOURCE_DIR) + "/sw/examples/moe/moe.yaml";
  const Outcome outcome = run_tern({"run", yaml, "--chip", "trn2", "--chip", "trn1"});
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out.find("chip 'trn2' does not add near the memory") != std::string::npos);
}

}  // namespace tern::tb
