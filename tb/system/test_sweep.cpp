// SPDX-License-Identifier: Apache-2.0
// tern run with a sweep of formats, as a user starts it.
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tb/common/temp_folder.h"
#include "tb/system/process.h"

using namespace tern;  // NOLINT: test file
using tb::run_tern;

namespace {

using Json = nlohmann::json;

std::map<std::string, Json> rows_of(std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const tb::Outcome outcome = run_tern(arguments);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  std::map<std::string, Json> rows;
  const Json result = Json::parse(outcome.out);
  for (const auto& row : result["rows"]) rows[row["format"]] = row;
  return rows;
}

}  // namespace

TEST_CASE("sweep: every format agrees with the reference, and the modes have their rates") {
  tb::TempFolder folder;
  const std::string yaml = folder.put("s.yaml", "kind: matmul_sweep\nm: 256\nk: 1536\nn: 512\n");
  // The full rates: this short, the ramp after rest would show.
  auto rows = rows_of({"run", yaml, "--set", "core.tensor.ramp_cycles=0"});
  CHECK(rows.size() == 23);
  for (const auto& [format, row] : rows) {
    INFO(format);
    CHECK(row["passed"] == true);
    CHECK(row["mismatches"] == 0);
    CHECK(row["peak_share"] > 0.7);
    CHECK(row["peak_share"] <= 1.0);
  }
  const auto speed_up = [&](const char* format) { return rows[format]["speed_up"].get<double>(); };
  CHECK(speed_up("fp32") == Approx(0.25).epsilon(0.02));
  CHECK(speed_up("tf32") == Approx(1));
  CHECK(speed_up("fp8_e5m2") == Approx(2).epsilon(0.05));
  CHECK(speed_up("mxfp4") == Approx(4).epsilon(0.1));
  CHECK(speed_up("sparse_4_12") == Approx(3).epsilon(0.1));
  CHECK(speed_up("sparse_1_2") == Approx(2).epsilon(0.05));
  // Weights of four bits: 1536 * 256 / 2 bytes fewer than with eight.
  CHECK(rows["mxfp8_e4m3fn"]["hbm_bytes_read"].get<std::int64_t>() -
            rows["w4a8"]["hbm_bytes_read"].get<std::int64_t>() ==
        1536 * 256 / 2);
  CHECK(rows["fp32"]["rms_error"] < 1e-6);
  CHECK(rows["bf16"]["rms_error"] < 5e-3);
  CHECK(rows["mxfp4"]["rms_error"] > rows["mxfp8_e4m3fn"]["rms_error"]);
}

TEST_CASE("sweep: what is streamed has no speed-up over what is in SBUF") {
  tb::TempFolder folder;
  const std::string yaml = folder.put(
      "s.yaml", "kind: matmul_sweep\nm: 4096\nk: 4096\nn: 64\nformats: [bf16, mxfp8, fp32]\n");
  auto rows = rows_of({"run", yaml});
  CHECK_FALSE(rows["bf16"].contains("load_us"));
  CHECK(rows["mxfp8_e4m3fn"].contains("load_us"));
  CHECK_FALSE(rows["mxfp8_e4m3fn"].contains("speed_up"));
  CHECK(rows["bf16"]["speed_up"] == 1);
  CHECK(rows["fp32"].contains("speed_up"));
}

TEST_CASE("sweep: ragged shapes, BF16 in PSUM, operands that are streamed") {
  tb::TempFolder folder;
  const std::string ragged =
      folder.put("r.yaml", "kind: matmul_sweep\nm: 130\nk: 301\nn: 77\npsum: bf16\n");
  for (const auto& [format, row] : rows_of({"run", ragged})) {
    INFO(format);
    CHECK(row["passed"] == true);
    CHECK(row.contains("load_us"));
  }
  const std::string large = folder.put(
      "l.yaml", "kind: matmul_sweep\nm: 256\nk: 2048\nn: 512\nformats: [bf16, mxfp8_e5m2]\n");
  for (const auto& [format, row] :
       rows_of({"run", large, "--set", "core.sbuf_kib_per_partition=24"})) {
    INFO(format);
    CHECK(row["passed"] == true);
    CHECK_FALSE(row.contains("load_us"));
  }
}

TEST_CASE("sweep: a chip lists what it has not") {
  tb::TempFolder folder;
  const std::string yaml = folder.put("s.yaml", "kind: matmul_sweep\nm: 64\nk: 128\nn: 64\n");
  auto rows = rows_of({"run", yaml, "--chip", "trn2"});
  CHECK(rows["mxfp4"]["refused"] == "chip 'trn2' has no MX products");
  CHECK(rows["quad_mxfp8"]["refused"] == "chip 'trn2' has no quad mode");
  CHECK(rows["fp8_e4m3fn"]["refused"] == "chip 'trn2' has no e4m3fn");
  for (const char* format : {"bf16", "fp32", "fp8_e4m3", "fp8_e5m2", "sparse_4_16"})
    CHECK(rows[format]["passed"] == true);
}

TEST_CASE("sweep: a format that does not fit is listed, the others run") {
  tb::TempFolder folder;
  const std::string yaml = folder.put(
      "s.yaml", "kind: matmul_sweep\nm: 32\nk: 64\nn: 16\nformats: [bf16, quad_mxfp8]\n");
  auto rows = rows_of({"run", yaml, "--set", "core.tensor.features.quad=false"});
  CHECK(rows["bf16"]["passed"] == true);
  CHECK(rows["quad_mxfp8"].contains("refused"));
  // None runs.
  CHECK(tb::error_of({"run", yaml, "--set", "core.tensor.features.max_moving=8"})
            .find("moving operand of 16 columns: expected at most 8") != std::string::npos);
}

TEST_CASE("sweep: faults of the file are reported with their line") {
  tb::TempFolder folder;
  const auto error_of = [&](const std::string& text) {
    return tb::error_of({"run", folder.put("s.yaml", "kind: matmul_sweep\n" + text)});
  };
  CHECK(error_of("m: 65536\nk: 1\nn: 65536\n")
            .find("s.yaml:2: key 'm': expected a result of at "
                  "most 2^26 elements") != std::string::npos);
  CHECK(error_of("formats: [bf16, fp16, bf16]\n")
            .find("s.yaml:2: key 'formats[2]': expected each "
                  "format once") != std::string::npos);
}

TEST_CASE("sweep: the table and the report") {
  tb::TempFolder folder;
  const std::string yaml =
      folder.put("s.yaml", "kind: matmul_sweep\nm: 64\nk: 128\nn: 64\nformats: [bf16, mxfp4]\n");
  const auto outcome = run_tern({"run", yaml, "--report", folder.path("out"), "--chip", "trn2"});
  CHECK(outcome.exit_code == 0);
  for (const char* text :
       {"bits = reference", "bf16    dense", "chip 'trn2' has no MX products", "PASSED"}) {
    CHECK(outcome.out.find(text) != std::string::npos);
  }
  CHECK(Json::parse(tb::read_bytes(folder / "out/report.json"))["rows"].size() == 2);
  CHECK(tb::read_bytes(folder / "out/report.md").find("| bf16 | dense |") != std::string::npos);
}

TEST_CASE("sweep: on the RTL, bits and cycles of the model") {
  tb::TempFolder folder;
  const std::string yaml = folder.put("s.yaml", "kind: matmul_sweep\nm: 128\nk: 512\nn: 160\n");
  for (const auto& [format, row] : rows_of({"run", yaml, "--tensor", "rtl"})) {
    INFO(format);
    CHECK(row["passed"] == true);
    CHECK(row["model_mismatches"] == 0);
    CHECK(row["model_cycles"] == row["tensor_cycles"]);
  }
}

TEST_CASE("a user's own matrices in every format") {
  tb::TempFolder folder;
  const std::string operands = "kind: matmul\na: {random: [200, 70]}\nb: {random: [200, 90]}\n";
  const std::string formats =
      "formats: [fp32, tf32, fp16, bf16, fp8_e4m3, fp8_e4m3fn, fp8_e5m2, mxfp8_e4m3fn, "
      "mxfp8_e5m2, mxfp4, w4a8, mxfp8_ocp, mxfp4_aws, w4a8_aws]\n";
  const auto rows = rows_of({"run", folder.put("all.yaml", operands + formats)});
  REQUIRE(rows.size() == 14);
  // E2M1 is a fifth more exact without headroom above the largest element, E4M3FN less.
  const auto error = [&](const char* format) { return rows.at(format)["rms_error"].get<double>(); };
  CHECK(error("mxfp4") < 0.85 * error("mxfp4_aws"));
  CHECK(error("w4a8") < 0.85 * error("w4a8_aws"));
  CHECK(error("mxfp8_e4m3fn") < error("mxfp8_ocp"));
  for (const auto& [format, row] : rows) {
    INFO(format);
    CHECK(row["passed"] == true);
    CHECK(row["words"] == 70 * 90);
    const auto yaml =
        folder.put("one.yaml", std::string(operands).append("dtype: ").append(format).append("\n"));
    const auto outcome = run_tern({"run", yaml, "--json"});
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    const Json one = Json::parse(outcome.out);
    CHECK(one["comparisons"][0]["mismatches"] == 0);
    CHECK(one["error_worst_fp64"] >= one["error_rms_fp64"]);
    // With operands of 16 bits the only format is compared with the product of rounded ones.
    const bool same = format != "bf16" && format != "fp16";
    if (same) CHECK(one["error_rms_fp64"].get<double>() == Approx(row["rms_error"].get<double>()));
  }
  const auto refused =
      run_tern({"run", folder.put("w.yaml", operands + formats + "expect: {output: c.npy}\n")});
  CHECK(refused.exit_code == 2);
  CHECK(refused.error_line().find("expected one format") != std::string::npos);
}

TEST_CASE("a format takes the same time alone, first and last of several") {
  tb::TempFolder folder;
  const auto times = [&](const std::string& formats) {
    const std::string yaml = folder.put(
        "w.yaml", "kind: matmul_sweep\nm: 128\nk: 512\nn: 256\nformats: [" + formats + "]\n");
    std::map<std::string, Json> found;
    for (const auto& [format, row] : rows_of({"run", yaml}))
      found[format] = {row["load_us"], row["run_us"], row["tensor_cycles"]};
    return found;
  };
  const auto several = times("mxfp8_ocp, fp32, bf16, w4a8"), other = times("w4a8, bf16, mxfp8_ocp");
  for (const char* format : {"mxfp8_ocp", "bf16", "w4a8"}) {
    INFO(format);
    CHECK(several.at(format) == times(format).at(format));
    CHECK(several.at(format) == other.at(format));
  }
}

TEST_CASE("formats of which the chip has none are refused, with the key") {
  tb::TempFolder folder;
  const std::string yaml = folder.put(
      "w.yaml", "kind: matmul_sweep\nm: 128\nk: 512\nn: 256\nformats: [mxfp4, mxfp8_ocp]\n");
  CHECK(tb::error_of({"run", yaml, "--chip", "trn2"}) ==
        "tern: " + yaml + ": key 'formats': chip 'trn2' has no MX products");
}
