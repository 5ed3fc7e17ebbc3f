// SPDX-License-Identifier: Apache-2.0
// Results that leave a run: key `output`, option --output.
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sw/data/npy.h"
#include "tb/common/temp_folder.h"
#include "tb/system/process.h"

using namespace tern;  // NOLINT: test file
using Catch::Contains;
using tb::error_of;
using tb::json_of;
using tb::run_tern;

namespace {

namespace fs = std::filesystem;

const std::string kDigits = std::string(TERN_SOURCE_DIR) + "/sw/examples/digits/";
const std::string kProduct = "kind: matmul\na: a.npy\nb: b.npy\n";

// Results without a report go to the current folder: that of the test while it lives.
class CurrentFolder {
 public:
  explicit CurrentFolder(const fs::path& folder) : before_(fs::current_path()) {
    fs::current_path(folder);
  }
  ~CurrentFolder() { fs::current_path(before_); }
  CurrentFolder(const CurrentFolder&) = delete;
  CurrentFolder& operator=(const CurrentFolder&) = delete;

 private:
  const fs::path before_;
};

void write_floats(const tb::TempFolder& folder, const std::string& name, data::Shape shape,
                  const std::vector<float>& values) {
  data::write_npy(folder.path(name), data::make_array(data::DType::kF32, std::move(shape), values));
}

// C = A^T B for A = [[1, 2], [3, 4]], B = [[5], [6]]
void write_product(const tb::TempFolder& folder) {
  write_floats(folder, "a.npy", {2, 2}, {1, 2, 3, 4});
  write_floats(folder, "b.npy", {2, 1}, {5, 6});
}

std::vector<float> product_of(const fs::path& file) {
  return data::read_npy_as(file, data::DType::kF32, {2, 1}).values<float>();
}

const std::vector<float> kC = {23, 34};

}  // namespace

TEST_CASE("output: the product is written to the report's folder, or the current one") {
  tb::TempFolder folder;
  write_product(folder);
  const CurrentFolder here(folder.path());
  const std::string yaml = folder.put("w.yaml", kProduct + "output: c.npy\n");
  const tb::Outcome outcome = run_tern({"run", yaml});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, Contains("c.npy: c, float32 [2, 1]"));
  CHECK(product_of(folder / "c.npy") == kC);

  const auto result = json_of({"run", yaml, "--report", "out"});
  CHECK(product_of(folder / "out/c.npy") == kC);
  CHECK(result["written"] ==
        nlohmann::json::array(
            {{{"result", "c"}, {"path", "out/c.npy"}, {"dtype", "float32"}, {"shape", {2, 1}}}}));
  // A file of before is replaced, the command line may give any place.
  fs::create_directory(folder / "other");
  json_of({"run", yaml, "--output", folder.path("other/mine.npy")});
  json_of({"run", yaml, "--report", "out2", "--output", folder.path("other/mine.npy")});
  CHECK(product_of(folder / "other/mine.npy") == kC);
  CHECK(!fs::exists(folder / "out2/c.npy"));
}

TEST_CASE("output: each run of a comparison writes its own") {
  tb::TempFolder folder;
  write_product(folder);
  const std::string yaml = folder.put("w.yaml", kProduct + "output: c.npy\n");
  const std::vector<std::string> both = {"run", yaml, "--chip", "trn2", "--chip", "trn3"};
  auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), both.begin(), both.end());
    return more;
  };
  json_of(with({"--report", folder.path("out")}));
  CHECK(product_of(folder / "out/1-trn2/c.npy") == kC);
  CHECK(product_of(folder / "out/2-trn3/c.npy") == kC);
  CHECK(error_of(both) == "tern: " + yaml +
                              ":4: key 'output': each run writes its own into its report: add "
                              "--report DIR");
  CHECK(error_of(with({"--output", folder.path("c.npy")})) ==
        "tern: --output: of one run, not of several");
}

TEST_CASE("output: probabilities and logits of a network, the same bits on the RTL") {
  tb::TempFolder folder;
  const std::string head = "kind: mlp\ninput: {images: " + kDigits +
                           "data/t10k-images-idx3-ubyte.gz, labels: " + kDigits +
                           "data/t10k-labels-idx1-ubyte.gz, count: 100, scale: 0.0039}\nlayers:\n"
                           "  - {weight: " +
                           kDigits + "weights/w1.npy, bias: " + kDigits +
                           "weights/b1.npy, activation: relu}\n  - {weight: " + kDigits +
                           "weights/w2.npy, bias: " + kDigits +
                           "weights/b2.npy, activation: softmax}\n";
  const std::string both =
      folder.put("both.yaml", head + "output: {probabilities: p.npy, logits: l.npy}\n");
  json_of({"run", both, "--tensor", "rtl", "--report", folder.path("rtl")});
  const auto result = json_of({"run", both, "--report", folder.path("model")});
  CHECK(result["written"].size() == 2);
  for (const char* file : {"/p.npy", "/l.npy"}) {
    const std::string bytes = tb::read_bytes(folder.path("model") + file);
    CHECK(!bytes.empty());
    CHECK(bytes == tb::read_bytes(folder.path("rtl") + file));
  }
  const auto probabilities =
      data::read_npy_as(folder / "model/p.npy", data::DType::kF32, {100, 10}).values<float>();
  for (std::size_t row = 0; row < 100; ++row) {
    float sum = 0;
    for (std::size_t i = 0; i < 10; ++i) sum += probabilities[row * 10 + i];
    CHECK(sum == Approx(1).epsilon(1e-5));
  }
  // A name alone means the probabilities, which `expect` knows again.
  const std::string one = folder.put(
      "one.yaml", head + "output: again.npy\nexpect: {output: model/p.npy, tolerance: 0}\n");
  CHECK(json_of({"run", one, "--report", folder.path("one")})["error_expected"] == 0);
  CHECK(tb::read_bytes(folder / "one/again.npy") == tb::read_bytes(folder / "model/p.npy"));
}

TEST_CASE("output: kernels, by the names of their outputs") {
  tb::TempFolder folder;
  const std::string several =
      "kind: kernel\nkernel: batch_norm\nparameters: {images: 2, channels: 8, pixels: 16}\n";
  json_of({"run", folder.put("w.yaml", several + "output: {variance: v.npy, out: o.npy}\n"),
           "--report", folder.path("out")});
  CHECK(data::read_npy(folder / "out/v.npy").dtype == data::DType::kF32);
  CHECK(data::read_npy(folder / "out/o.npy").shape.size() == 3);
  CHECK(!fs::exists(folder / "out/m.npy"));
  // BF16 elements become FP32.
  const std::string one =
      folder.put("one.yaml", "kind: kernel\nkernel: transformer_mlp\noutput: y.npy\n");
  const auto result = json_of({"run", one, "--report", folder.path("out")});
  const data::NpyArray y = data::read_npy(folder / "out/y.npy");
  CHECK(y.dtype == data::DType::kF32);
  const auto values = y.values<float>();
  CHECK(std::any_of(values.begin(), values.end(), [](float x) { return x != 0; }));
  const std::string yaml = folder.put("w.yaml", several + "output: o.npy\n");
  CHECK(error_of({"run", yaml}) ==
        "tern: " + yaml +
            ":4: key 'output': this run has several results: out, mean, variance; expected a file "
            "for each wanted, {RESULT: FILE.npy}");
  CHECK(error_of({"run", yaml, "--output", folder.path("o.npy")}) ==
        "tern: --output: this run has several results: out, mean, variance; name their files in "
        "the workload, output: {RESULT: FILE.npy}");
}

TEST_CASE("output: products of a sweep by format, tokens of a mixture of experts by routing") {
  tb::TempFolder folder;
  const std::string sweep =
      "kind: matmul_sweep\nm: 64\nk: 512\nn: 32\nformats: [bf16, quad_mxfp8]\n";
  json_of({"run", folder.put("s.yaml", sweep + "output: {bf16: b.npy, quad_mxfp8: q.npy}\n"),
           "--report", folder.path("out")});
  CHECK(data::read_npy(folder / "out/b.npy").shape == data::Shape{64, 32});
  CHECK(data::read_npy(folder / "out/q.npy").shape == data::Shape{4, 64, 32});
  const std::string several = folder.put("s.yaml", sweep + "output: b.npy\n");
  CHECK_THAT(error_of({"run", several}),
             Contains(":6: key 'output': this run has several results: bf16, quad_mxfp8"));
  const std::string moe =
      folder.put("e.yaml",
                 "kind: moe\ntokens: 128\nwidth: 128\nhidden: 128\nexperts: 2\ntop_k: 1\n"
                 "routing: [uniform, {zipf: 1.5}]\noutput: {uniform: u.npy, zipf 1.5: z.npy}\n");
  const auto result = json_of({"run", moe, "--report", folder.path("out")});
  CHECK(result["written"].size() == 2);
  const data::NpyArray u = data::read_npy(folder / "out/u.npy");
  CHECK(u.shape == data::Shape{128, 128});
  CHECK(u.bytes != data::read_npy(folder / "out/z.npy").bytes);
}

TEST_CASE(
    "output: a workload from elsewhere writes nowhere but in the folder, and replaces nothing") {
  tb::TempFolder folder;
  write_product(folder);
  const CurrentFolder here(folder.path());
  const auto refused = [&](const std::string& output) {
    const std::string yaml = folder.put("w.yaml", kProduct + "output: " + output + "\n");
    const auto before = folder.files();
    const tb::Outcome outcome = run_tern({"run", yaml});
    INFO(output << "\n" << outcome.out << outcome.err);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.out.empty());
    CHECK(folder.files() == before);
    const std::string head = "tern: " + yaml + ":4: key 'output";
    const std::string line = outcome.error_line();
    CHECK(line.rfind(head, 0) == 0);
    return line;
  };
  for (const char* name :
       {"/etc/c.npy", "../c.npy", "sub/c.npy", "c.txt", ".npy", ".c.npy", "a..npy", "\"c\\n.npy\"",
        "\"c\\e[2J.npy\"", "[c.npy]", "\"\"", "~", "{c: ../c.npy}", "{c: x}"}) {
    CHECK_THAT(refused(name),
               Contains("expected a plain file name that ends in .npy, without folders, got '"));
  }
  CHECK_THAT(refused("{d: d.npy}"), Contains("output.d': no result 'd', this run has c"));
  CHECK_THAT(refused("{}"), Contains("expected a file name, or results and their files"));
  // Inputs.
  CHECK_THAT(refused("a.npy"), Contains("a.npy: an input of this run would be overwritten"));
  fs::create_hard_link("b.npy", "same.npy");
  CHECK_THAT(refused("same.npy"), Contains("an input of this run would be overwritten"));
  // What is not a regular file stays as it is, and links are not followed.
  fs::create_symlink("victim", "link.npy");
  CHECK_THAT(refused("link.npy"), Contains("link.npy: exists and is not a regular file"));
  fs::create_symlink("victim", "c.npy.partial");
  CHECK_THAT(refused("c.npy"), Contains("c.npy.partial: exists and is not a regular file"));
  CHECK(!fs::exists("victim"));
  REQUIRE(mkfifo("pipe.npy", 0600) == 0);
  CHECK_THAT(refused("pipe.npy"), Contains("pipe.npy: exists and is not a regular file"));
  fs::create_directory("folder.npy");
  CHECK_THAT(refused("folder.npy"), Contains("folder.npy: exists and is not a regular file"));
  // The command line may name them, but no input.
  const std::string yaml = folder.put("w.yaml", kProduct + "output: d.npy\n");
  CHECK_THAT(error_of({"run", yaml, "--output", yaml}),
             Contains("--output: " + yaml + ": an input of this run would be overwritten"));
  CHECK_THAT(error_of({"run", yaml, "--output", "none/c.npy"}),
             Contains("--output: none/c.npy: cannot write: No such file"));
  CHECK_THAT(error_of({"run", yaml, "--output", ""}), Contains("--output"));
  CHECK(run_tern({"run", yaml, "--output", "/dev/null"}).exit_code == 0);
  CHECK(!fs::exists("d.npy"));
}

TEST_CASE("output: kinds without a result say so") {
  tb::TempFolder folder;
  const std::string qos = folder.put("q.yaml", "kind: qos\nbatches: [8]\noutput: y.npy\n");
  CHECK(error_of({"run", qos}) ==
        "tern: " + qos + ":3: key 'output': kind qos has no result to write");
  const std::string plain = folder.put("p.yaml", "kind: qos\nbatches: [8]\n");
  CHECK_THAT(error_of({"run", plain, "--output", folder.path("y.npy")}),
             Contains("--output: only with kind ") && Contains("is of kind qos"));
}
