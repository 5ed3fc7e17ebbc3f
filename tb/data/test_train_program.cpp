// SPDX-License-Identifier: Apache-2.0
// The training program as a user starts it.
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "sw/data/npy.h"
#include "tb/data/support.h"

namespace {

namespace fs = std::filesystem;
using Catch::Contains;
using tern::tb::read_bytes;
using tern::tb::TempFolder;

const std::string kData = TERN_SOURCE_DIR "/sw/examples/digits/data/";

struct Result {
  int exit_code;
  std::string out;
  std::string err;
};

Result run(const TempFolder& folder, const std::string& arguments,
           const std::string& program = TERN_TRAIN_DIGITS) {
  const std::string out = (folder / "stdout").string();
  const std::string err = (folder / "stderr").string();
  const std::string command = program + " " + arguments + " >" + out + " 2>" + err;
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_bytes(out), read_bytes(err)};
}

// The test digits also serve as training digits: quick, and enough to test the program.
std::string sets() {
  const std::string images = kData + "t10k-images-idx3-ubyte.gz ";
  const std::string labels = kData + "t10k-labels-idx1-ubyte.gz ";
  return " --images " + images + "--labels " + labels + "--test-images " + images +
         "--test-labels " + labels;
}

TEST_CASE("train program: the same seed writes the same bytes") {
  const TempFolder folder;
  for (const char* out : {"a", "b"}) {
    const Result result =
        run(folder, sets() + "--hidden 16 --epochs 1 --seed 3 --out " + (folder / out).string());
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.out, Contains("of 10000 test images correct"));
    CHECK_THAT(result.err, Contains("epoch   1/1  loss "));
  }
  for (const char* name : {"w1.npy", "b1.npy", "w2.npy", "b2.npy"}) {
    CAPTURE(name);
    CHECK((read_bytes(folder / "a" / name) == read_bytes(folder / "b" / name)));
  }
  using tern::data::DType;
  CHECK_NOTHROW(tern::data::read_npy_as(folder / "a" / "w1.npy", DType::kF32, {784, 16}));
  CHECK_NOTHROW(tern::data::read_npy_as(folder / "a" / "b1.npy", DType::kF32, {16}));
  CHECK_NOTHROW(tern::data::read_npy_as(folder / "a" / "w2.npy", DType::kF32, {16, 10}));
  CHECK_NOTHROW(tern::data::read_npy_as(folder / "a" / "b2.npy", DType::kF32, {10}));
}

TEST_CASE("train program: an interrupted run leaves no files") {
  const TempFolder folder;
  const fs::path out = folder / "out";
  // Once the folder is there, the training goes on for minutes. SIGTERM: a test that runs in the
  // background may inherit that SIGINT is ignored.
  const std::string interrupt = "p=$$; (while kill -0 $p && [ ! -e " + out.string() +
                                " ]; do sleep 0.1; done; kill $p) 2>/dev/null & exec ";
  const Result result =
      run(folder, sets() + "--epochs 1000 --out " + out.string(), interrupt + TERN_TRAIN_DIGITS);
  CHECK(result.exit_code != 0);
  CHECK(fs::exists(out));
  CHECK(fs::is_empty(out));
}

TEST_CASE("train program: bad input is one line and exit code 2") {
  const TempFolder folder;
  const auto check = [&](const std::string& arguments, const std::string& expected) {
    CAPTURE(arguments);
    const Result result = run(folder, arguments);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Contains(expected));
  };
  const std::string out = " --epochs 1 --out " + (folder / "out").string();
  check("", "--images is required");
  check(sets() + out + " --hidden 0", "--hidden");
  check(sets() + out + " --seed x", "--seed");
  check(sets() + " --out " + (folder.put("file", "") / "out").string(), "cannot make this folder");
  const std::string labels = kData + "t10k-labels-idx1-ubyte.gz";
  check("--images missing --labels " + labels + " --test-images x --test-labels y" + out,
        "tern_train_digits: missing: no such file\n");
  check("--images " + labels + " --labels " + labels + " --test-images x --test-labels y" + out,
        "expected images");
}

}  // namespace
