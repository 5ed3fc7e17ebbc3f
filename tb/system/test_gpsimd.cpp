// SPDX-License-Identifier: Apache-2.0
// tern gpsimd: programs of one's own, with arrays in SBUF. GDB: tb/gpsimd/debug.
#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "sw/data/npy.h"
#include "tb/common/temp_folder.h"
#include "tb/system/process.h"

using namespace tern;  // NOLINT: test file
using tb::error_of;
using tb::run_tern;

namespace {

std::string elf(const char* name) {
  return std::string(TERN_GPSIMD_PROGRAMS) + "/" + name + ".elf";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("tern gpsimd: arrays go in and out, on the processors that are asked for") {
  constexpr unsigned kColumns = 12;
  tb::TempFolder folder;
  std::vector<float> before(128 * kColumns);
  for (unsigned i = 0; i < before.size(); ++i) before[i] = static_cast<float>(i) + 0.5f;
  data::write_npy(folder.path("in.npy"),
                  data::make_array(data::DType::kF32, {128, kColumns}, before));
  const auto json = tb::json_of({"gpsimd", elf("triangular_mask"), "--args=64,12,3,1,-2.5",
                                 "--processors", "0,5", "--input", folder.path("in.npy") + "@64",
                                 "--output", folder.path("out.npy") + "@64:12xfloat32"});
  CHECK(json["cycles"].get<unsigned>() > 150);
  CHECK(json["processors"] == 0x21);
  const auto after =
      data::read_npy_as(folder.path("out.npy"), data::DType::kF32, {128, kColumns}).values<float>();
  for (unsigned p = 0; p < 128; ++p) {
    const bool runs = p / 16 == 0 || p / 16 == 5;
    for (unsigned c = 0; c < kColumns; ++c) {
      const float mask = c + 1 <= p + 3 ? 0.0f : -2.5f;
      REQUIRE(after[p * kColumns + c] == (runs ? mask : before[p * kColumns + c]));
    }
  }
}

TEST_CASE("tern gpsimd: a program that fails names its processor, and the exit code is 1") {
  const tb::Outcome outcome = run_tern({"gpsimd", elf("row_topk"), "--args", "0,64,99"});
  CHECK(outcome.exit_code == 1);
  CHECK(contains(outcome.err, "GpSimd program 'row_topk', processor 0: ended with status 1"));
}

TEST_CASE("tern gpsimd: bad input in one line") {
  tb::TempFolder folder;
  const std::string program = elf("row_topk");
  const std::string rows = folder.path("rows.npy"), text = folder.put("text.elf", "no program");
  data::write_npy(rows,
                  data::make_array(data::DType::kU8, {129, 1}, std::vector<std::uint8_t>(129)));
  const auto refused = [&](std::vector<std::string> more, const std::string& what) {
    more.insert(more.begin(), {"gpsimd", program});
    const std::string line = error_of(more);
    INFO(line);
    CHECK(contains(line, what));
  };
  refused({"--args", "1,x"}, "--args: expected whole numbers of 32 bits");
  refused({"--args", "4294967296"}, "got '4294967296'");
  refused({"--args", "1,2,3,4,5,6,7,8,9"}, "at most 8 arguments, got 9");
  refused({"--processors", "8"}, "8");
  refused({"--input", rows}, "expected FILE.npy@BYTE");
  refused({"--input", rows + "@0"}, "from 1 to 128 rows, one for a partition, got [129, 1]");
  refused({"--output", "o.npy@0:4"}, "expected FILE.npy@BYTE:COLUMNSxFORMAT");
  refused({"--output", "o.npy@0:4xfloat31"}, "expected one of the formats float32");
  refused({"--output", "o.npy@262140:2xfloat32"}, "ends at byte 262148 of partitions of 262144");
  refused({"--output", "o.npy@0:4294967295xfloat32"}, "ends at byte");
  refused({"--output", program + "@0:1xuint8"}, "is a file that the run reads");
  CHECK(contains(error_of({"gpsimd", text}), "text.elf: "));
  CHECK(contains(error_of({"gpsimd", text}), "not an ELF file"));
  CHECK(contains(error_of({"gpsimd", folder.path("none.elf")}), "none.elf"));
}
