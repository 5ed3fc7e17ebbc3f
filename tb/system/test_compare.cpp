// SPDX-License-Identifier: Apache-2.0
// One workload on several chips or with several values: tern run --chip A --chip B --set K=1,2.
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
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
  CHECK(read_bytes(report + "/comparison.csv").empty());  // none had ended
  CHECK(read_bytes(report + "/1-trn3/report.json").empty());
}

TEST_CASE("compare: a run that fails says why, in full") {
  const std::string yaml = std::string(TERN_SOURCE_DIR) + "/sw/examples/moe/moe.yaml";
  const Outcome outcome = run_tern({"run", yaml, "--chip", "trn2", "--chip", "trn1"});
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out.find("chip 'trn2' does not add near the memory") != std::string::npos);
}

TEST_CASE("compare: stopped in the middle, it shows the runs that have ended") {
  TempFolder folder;
  const std::string yaml = folder.put(
      "long.yaml", "kind: matmul\na: {random: [2048, 2048]}\nb: {random: [2048, 4096]}\n");
  // The list is longer than any machine has processors to spare.
  std::string values = "1";
  for (int v = 2; v <= 60; ++v) values += "," + std::to_string(v);
  const std::string report = folder.path("report");
  const Outcome outcome =
      run_tern({"run", yaml, "--set", "dma.descriptor_cycles=" + values, "--report", report},
               signal_once_there(report + "/1-trn3/report.json", SIGTERM));
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.error_line() == "tern: interrupted");
  CHECK(outcome.out.find("FAILED") != std::string::npos);
  const std::string csv = read_bytes(report + "/comparison.csv");
  CHECK(csv.find(",ok\n") != std::string::npos);
  CHECK(csv.find(",not started\n") != std::string::npos);
  CHECK(!std::filesystem::exists(report + "/60-trn3"));
}

TEST_CASE("compare: a format that a chip lacks has not run") {
  TempFolder folder;
  const std::string yaml =
      folder.put("w.yaml", "kind: matmul_sweep\nm: 128\nk: 512\nn: 128\nformats: [fp32, mxfp4]\n");
  const Outcome outcome = run_tern({"run", yaml, "--chip", "trn2", "--chip", "trn3"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out.find("not run") != std::string::npos);
  CHECK(outcome.out.find("chip 'trn2' has no MX products") != std::string::npos);
  CHECK(outcome.out.find("0.000000") == std::string::npos);  // errors of FP32 show their size
}

TEST_CASE("compare: a setting given twice is refused, warnings name chips and inputs") {
  TempFolder folder;
  const std::string yaml =
      folder.put("w.yaml", "kind: matmul\na: {random: [128, 128]}\nb: {random: [128, 128]}\n");
  for (const char* second : {"dma.descriptor_cycles=3", "dma.descriptor_cycles=3,4"}) {
    CHECK(error_of({"run", yaml, "--set", "dma.descriptor_cycles=1,2", "--set", second}) ==
          "tern: --set dma.descriptor_cycles: given twice");
  }
  const Outcome outcome = run_tern({"run", yaml, "--chip", "trn2", "--chip", "trn3", "--set",
                                    "core.vector.exp_per_cycle=2", "--quiet"});
  CHECK(outcome.err.find("warning: 'trn2: ") == std::string::npos);
  CHECK(outcome.err.find("warning: trn2: ") != std::string::npos);
  CHECK(outcome.err.find("warning: trn3: ") == std::string::npos);
}

}  // namespace tern::tb
