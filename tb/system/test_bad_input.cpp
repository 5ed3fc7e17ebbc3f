// SPDX-License-Identifier: Apache-2.0
// Bad input: one clear line with file, line and key; exit code 2; no files left.
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "sw/data/npy.h"
#include "tb/common/sanitizers.h"
#include "tb/common/temp_folder.h"
#include "tb/system/process.h"

using namespace tern;  // NOLINT: test file
using tb::run_tern;

namespace {

const std::string kDigits = std::string(TERN_SOURCE_DIR) + "/sw/examples/digits/digits.yaml";

// Runs a workload file of this text and expects this error (after "tern: FILE").
void expect_complaint(const tb::TempFolder& folder, const std::string& text,
                      const std::string& complaint) {
  const std::string path = folder.put("w.yaml", text);
  const auto outcome = run_tern({"run", path, "--report", folder.path("report")});
  INFO("exit " << outcome.exit_code << "\n" << outcome.out << outcome.err);
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
  CHECK(outcome.error_line() == "tern: " + path + complaint);
}

}  // namespace

TEST_CASE("workload files: every fault is named with its line and key") {
  tb::TempFolder folder;
  data::write_npy(folder.path("x.npy"),
                  data::make_array(data::DType::kF32, {2, 3}, std::vector<float>(6)));
  data::write_npy(folder.path("i.npy"),
                  data::make_array(data::DType::kI32, {2, 3}, std::vector<std::int32_t>(6)));
  const std::string matmul = "kind: matmul\n";
  expect_complaint(
      folder, "kind: matmull\n",
      ":1: key 'kind': expected one of kernel, matmul, matmul_sweep, mlp, moe, parallel, "
      "qos, search, train, got 'matmull'");
  const std::string sweep = "kind: matmul_sweep\n";
  expect_complaint(folder, sweep + "k: 0\n",
                   ":2: key 'k': expected a whole number from 1 to 65536, got '0'");
  expect_complaint(folder, sweep + "formats: []\n",
                   ":2: key 'formats': expected at least one format, got '[]'");
  expect_complaint(folder, sweep + "psum: fp16\n",
                   ":2: key 'psum': expected one of fp32, bf16, got 'fp16'");
  expect_complaint(folder, sweep + "k: 65536\nn: 2000\n",
                   ":2: key 'k': expected operands of at most 2^26 elements, got '65536'");
  expect_complaint(folder, sweep + "formts: [bf16]\n",
                   ":2: key 'formts': unknown key, did you mean 'formats'?");
  expect_complaint(
      folder, sweep + "formats:\n  - bf16\n  - mxfp9\n",
      ":4: key 'formats[1]': expected one of bf16, fp16, tf32, fp32, fp8_e4m3, fp8_e4m3fn, "
      "fp8_e5m2, mxfp8_e4m3fn, mxfp8_e5m2, mxfp4, w4a8, mxfp8_ocp, mxfp4_aws, w4a8_aws, "
      "sparse_4_16, sparse_4_12, sparse_4_8, "
      "sparse_2_8, sparse_2_4, sparse_1_4, sparse_1_2, quad_mxfp8, quad_mxfp4, got 'mxfp9'");
  expect_complaint(folder, "name: x\n", ":1: key 'kind': missing");
  expect_complaint(folder, matmul + "a: x.npy\nb: x.npy\n---\nkind: mlp\n",
                   ":5: expected one document, here is another");
  expect_complaint(folder, matmul + std::string("a: \"x\0.npy\"\nb: x.npy\n", 21),
                   ":2: not YAML: a NUL byte is no text");
  expect_complaint(folder, matmul + "a: x.npy\nb: x.npy\nbias: 3\n",
                   ":4: key 'bias': unknown key, expected one of name, kind, dtype, formats, a, b, "
                   "expect, output");
  expect_complaint(folder, matmul + "a: 3\nb: x.npy\n",
                   ":2: key 'a': " + folder.path("3") + ": no such file");
  expect_complaint(
      folder, matmul + "a: {random: [2, zwei]}\nb: x.npy\n",
      ":2: key 'a.random[1]': expected a whole number from 1 to 2147483648, got 'zwei'");
  expect_complaint(folder, matmul + "a: [1]\nb: x.npy\n",
                   ":2: key 'a': expected a file name, got '[1]'");
  expect_complaint(folder, matmul + "a: i.npy\nb: x.npy\n",
                   ":2: key 'a': expected a .npy file of float16, float32 or float64, this one is "
                   "int32, got 'i.npy'");
  expect_complaint(folder, matmul + "a: x.npy\nb: {random: [3, 3]}\n",
                   ":3: key 'b.random[0]': expected 2 rows, as operand a has, got '3'");
  expect_complaint(folder, matmul + "a: [1\n", ":3: not YAML: end of sequence flow not found");
  expect_complaint(folder,
                   "kind: mlp\ninput: {tensor: x.npy}\nlayers:\n  - {weight: x.npy, bias: x.npy, "
                   "activation: softmax}\n",
                   ":4: key 'layers[0].weight': expected a .npy file of shape [3, any], this one "
                   "is [2, 3] (transposed? in numpy: w.T.copy()), got 'x.npy'");
  expect_complaint(folder, "kind: mlp\ninput: {tensor: x.npy}\nlayers: []\n",
                   ":3: key 'layers': expected at least one layer, got '[]'");
  CHECK(folder.files() == std::vector<std::string>{"i.npy", "w.yaml", "x.npy"});
}

TEST_CASE("tensor files: missing, truncated, not what they claim") {
  tb::TempFolder folder;
  data::write_npy(folder.path("x.npy"),
                  data::make_array(data::DType::kF32, {2, 3}, std::vector<float>(6)));
  const std::string whole = tb::read_bytes(folder.path("x.npy"));
  folder.put("short.npy", whole.substr(0, whole.size() - 1));
  folder.put("text.npy", "hello");
  for (const char* name : {"missing.npy", "short.npy", "text.npy"}) {
    const auto path =
        folder.put("w.yaml", std::string("kind: matmul\na: ") + name + "\nb: x.npy\n");
    const auto outcome = run_tern({"run", path});
    INFO(outcome.err);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.error_line().find(name) != std::string::npos);
    CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
  }
}

TEST_CASE("command lines that cannot be meant") {
  tb::TempFolder folder;
  const struct {
    std::vector<std::string> arguments;
    std::string says;
  } cases[] = {
      {{}, "A subcommand is required"},
      {{"run"}, "workload is required"},
      {{"fly"}, "fly"},
      {{"run", folder.path("no.yaml")}, "no.yaml: cannot read"},
      {{"run", kDigits, "--tensor", "rlt"}, "rlt"},
      {{"run", kDigits, "--seed", "x"}, "--seed"},
      {{"run", kDigits, "--chip", "trn9"}, "unknown chip 'trn9'"},
      {{"run", kDigits, "--set", "dma.efficency=1"}, "did you mean"},
      {{"run", kDigits, "--set", "dma.efficiency=fast"}, "dma.efficiency"},
      {{"run", kDigits, "--set", "nonsense"}, "KEY=VALUE"},
      {{"run", kDigits, "--wave-from", "3"}, "--wave"},
      {{"run", kDigits, "--tensor", "rtl", "--wave", folder.path("no/w.fst")}, "cannot write"},
      {{"run", kDigits, "--tensor", "rtl", "--wave", folder.path("w.fst"), "--wave-scope",
        "u_nothing"},
       "u_nothing"},
      {{"run", kDigits, "--trace", folder.path("no/t.json")}, "cannot write"},
      {{"run", kDigits, "--report", "/proc/tern"}, "cannot write"},
      {{"run", kDigits, "--trace", "/tmp"}, "cannot write"},
      {{"run", kDigits, "--trace", ""}, "--trace: expected a name"},
      {{"run", kDigits, "--report", ""}, "--report: expected a name"},
      {{"dma", "--report", ""}, "--report: expected a name"},
      {{"run", kDigits, "--tensor", "rtl", "--wave", "/dev/null"}, "not a regular file"},
      {{"run", kDigits, "--tensor", "rtl", "--wave", "/tmp"}, "cannot write"},
      {{"run", kDigits, "--tensor", "rtl", "--wave", folder.path("w.fst"), "--wave-from", "10",
        "--wave-to", "9"},
       "--wave-to"},
      {{"run", kDigits, "--seed", "-1"}, "--seed"},
      {{"run", kDigits, "--seed", "18446744073709551616"}, "--seed"},
      {{"run", kDigits, "--tensor", "rtl", "--wave", folder.path("w.fst"), "--wave-from", "-1"},
       "--wave-from"},
      {{"run", folder.path(std::string(300, 'a'))}, "cannot read"},
      {{"run", kDigits, "--chip", folder.path(std::string(300, 'a')) + ".yaml"}, "cannot read"},
      {{"hbm", "--stream", "10", "--gap-ns", "nan"}, "--gap-ns"},
      {{"hbm", "--trace", kDigits, "--writes", "50"}, "--writes: only of --stream"},
      {{"hbm", "--trace", kDigits}, "digits.yaml:2: time: expected nanoseconds"},
      {{"hbm", "--trace", "/dev/zero"}, "/dev/zero: not a regular file"},
      {{"run", std::string(TERN_SOURCE_DIR) + "/sw/examples/qos/qos.yaml", "--resume"},
       "--resume: only with kind train; "},
      {{"run", std::string(TERN_SOURCE_DIR) + "/sw/examples/search/search.yaml", "--rtl-steps",
        "1"},
       "--rtl-steps: only with kind train; "},
      {{"config", "show", "trn9"}, "unknown chip 'trn9'"},
      {{"config", "validate", kDigits}, "digits.yaml:"},
  };
  for (const auto& c : cases) {
    const auto outcome = run_tern(c.arguments);
    INFO(outcome.err);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.error_line().find(c.says) != std::string::npos);
    CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
  }
  CHECK(folder.files().empty());
}

TEST_CASE("a board that Tern's firmware is not built for is refused before anything runs") {
  const tb::TempFolder folder;
  const std::string board = folder.put("board.yaml", "preset: tern\nisa: rv64im\n").string();
  const std::string workload =
      folder.put("w.yaml", "kind: matmul\na: {random: [8, 8]}\nb: {random: [8, 8]}\n").string();
  const auto outcome = run_tern({"run", workload, "--firmware", board});
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.error_line() ==
        "tern: Tern's own firmware is built for rv64imac, the harts are rv64im");
}

TEST_CASE("compiling: kinds and jobs that no program file can be, files that would be lost") {
  const tb::TempFolder folder;
  const std::string product = "kind: matmul\na: {random: [16, 8]}\nb: {random: [16, 8]}\n";
  const std::string good = folder.put("w.yaml", product).string();
  const std::string moe = std::string(TERN_SOURCE_DIR) + "/sw/examples/moe/moe.yaml";
  const auto complaint = [&](const std::string& workload, const std::string& output) {
    const auto outcome = run_tern({"compile", workload, "-o", output});
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.out.empty());
    return outcome.error_line();
  };
  CHECK(complaint(moe, folder.path("p.tern")) ==
        "tern: compile: only with kind kernel, matmul, mlp; " + moe + " is of kind moe");
  CHECK(complaint(good, good) ==
        "tern: compile --output: '" + good + "' is a file that the run reads");
  CHECK(run_tern({"compile", good}).exit_code == 2);
  CHECK(run_tern({"compile", good, "-o", folder.path("p.tern"), "--seed", "-1"}).error_line() ==
        "tern: --seed: expected a whole number from 0 to 2^64-1, got '-1' (see 'tern --help')");
  const auto lost = run_tern({"compile", good, "-o", "/nonexistent/p.tern"});
  CHECK(lost.exit_code == 2);
  CHECK(lost.error_line() == "tern: /nonexistent/p.tern: cannot write: No such file or directory");
  CHECK(folder.files() == std::vector<std::string>{"w.yaml"});
  const auto written = run_tern({"compile", good, "-o", folder.path("p.tern")});
  CHECK(written.exit_code == 0);
  CHECK(written.out.find("program 'matmul' for trn3") != std::string::npos);
}

TEST_CASE("systems: what cannot be is one line, and a picture goes where it is asked to") {
  const tb::TempFolder folder;
  const auto complaint = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "system");
    const auto outcome = run_tern(words);
    CHECK(outcome.exit_code == 2);
    return outcome.error_line();
  };
  CHECK(complaint({"show", "trn3-nl99"}).find("tern: unknown system 'trn3-nl99'") == 0);
  CHECK(
      complaint({"hops", "inf2", "0", "12"}) ==
      "tern: inf2: no chip '12': expected 0 to 11, or server0.tray0.chip0 to server0.tray5.chip1");
  CHECK(complaint({"blast-radius", "inf2", "server7"}) ==
        "tern: no chip, switch, tray or link 'server7' in inf2");
  CHECK(complaint({"blast-radius", "inf2", "12"}).find("tern: inf2: no chip '12'") == 0);
  CHECK(run_tern({"system", "blast-radius", "inf2", "3"}).out ==
        run_tern({"system", "blast-radius", "inf2", "server0.tray1.chip1"}).out);
  CHECK(run_tern({"system", "hops", "inf2", "0", "6"}).out.find("5 hops, 2 ways\n") == 0);
  // Two cables of different widths are not two of the mean.
  const std::string cables =
      folder.put("c.yaml",
                 "lane_gb_per_s: 8\nchip_lanes: 160\ntrays: 1\nchips_per_tray: 2\ncables:\n"
                 "  - {from: rack0.tray0.chip0, to: rack0.tray0.chip1, lanes: 8}\n"
                 "  - {from: rack0.tray0.chip1, to: rack0.tray0.chip0, lanes: 24}\n");
  const std::string shown = run_tern({"system", "show", cables}).out;
  CHECK(shown.find("1 x  8 lanes to chips: 64 GB/s each\n") != std::string::npos);
  CHECK(shown.find("1 x 24 lanes to chips: 192 GB/s each\n") != std::string::npos);
  CHECK(run_tern({"system", "draw", "inf2", "-o", folder.path("a.svg")}).exit_code == 0);
  CHECK(tb::read_bytes(folder.path("a.svg")).find("<svg ") == 0);
}

TEST_CASE("what the chip cannot run names the workload first, the kernel's line last") {
  tb::TempFolder folder;
  const std::string yaml = folder.put(
      "w.yaml", "kind: matmul\ndtype: mxfp4\na: {random: [128, 128]}\nb: {random: [128, 128]}\n");
  const auto expect = [](const std::vector<std::string>& arguments, const std::string& begin) {
    const std::string line = tb::error_of(arguments);
    INFO(line);
    CHECK(line.rfind(begin, 0) == 0);
    CHECK(line.find("(sw/kernels/m") != std::string::npos);
    CHECK(line.back() == ')');
  };
  expect({"run", yaml, "--chip", "trn2"},
         "tern: " + yaml + ": key 'dtype': load_stationary: chip 'trn2' has no MX products (");
  expect({"run", kDigits, "--set", "core.sbuf_kib_per_partition=1"},
         "tern: " + kDigits + ": sbuf_tile '");
}

TEST_CASE("a program whose fetch meets uncorrectable bits is told so") {
  const tb::TempFolder folder;
  const std::string yaml =
      folder.put("w.yaml", "kind: matmul\na: {random: [512, 64]}\nb: {random: [512, 512]}\n");
  const auto outcome = run_tern({"run", yaml, "--set", "hbm.faults_per_s=1e8"});
  INFO(outcome.err);
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.error_line().find("uncorrectable bits in memory") != std::string::npos);
  CHECK(outcome.error_line().find("status 1201 (HBM uncorrectable error)") != std::string::npos);
}

TEST_CASE("a run that is refused late leaves no report folder, and keeps one that was there") {
  tb::TempFolder folder;
  // The kernel refuses it, after the folder has been made.
  const std::string yaml = folder.put(
      "w.yaml", "kind: kernel\nkernel: attention\nparameters: {seq: 128, d: 32, heads: -2}\n");
  std::filesystem::create_directory(folder / "old");
  for (const char* report : {"new", "new/", "old", "old/a/b"}) {
    CHECK(tb::error_of({"run", yaml, "--report", folder.path(report)}).find("'heads'") !=
          std::string::npos);
    INFO(report);
    CHECK(folder.files() == std::vector<std::string>{"old", "w.yaml"});
    CHECK(std::filesystem::is_empty(folder / "old"));
  }
}

TEST_CASE("a file that opens and cannot be read is named, with the reason") {
  expect_complaint(tb::TempFolder(),
                   "kind: train\ndata: {text: /proc/self/mem}\nnetwork: {width: 16, heads: 1, "
                   "blocks: 1, context: 8}\nbatch: 1\nsteps: 1\nevaluate: {every: 1}\n"
                   "optimiser: {kind: sgd, learning_rate: 0.1}\n",
                   ":2: key 'data.text': /proc/self/mem: cannot read: Input/output error");
}

TEST_CASE("results that the host's memory cannot hold are refused in advance") {
  const tb::TempFolder folder;
  // 3 x 4 TB, and operands of 8 MB.
  const std::string yaml =
      folder.put("w.yaml", "kind: matmul\na: {random: [1, 1048576]}\nb: {random: [1, 1048576]}\n");
  const std::string line = tb::error_of({"run", yaml});
  INFO(line);
  CHECK(line.rfind("tern: " + yaml +
                       ":3: key 'b': a result of [1048576, 1048576] needs 13194.2 GB of memory, "
                       "there are ",
                   0) == 0);
}

TEST_CASE("a checkpoint does not replace a file that the run reads") {
  tb::TempFolder folder;
  const std::string text =
      "kind: train\ndata: {text: t.txt}\nnetwork: {width: 16, heads: 1, blocks: 1, context: 8}\n"
      "batch: 1\nsteps: 1\nevaluate: {every: 1, windows: 1}\n"
      "optimiser: {kind: adamw, learning_rate: 0.1}\n";
  const std::string yaml = folder.put("w.yaml", text);
  const std::string letters = folder.put("t.txt", std::string(400, 'a'));
  for (const std::string& file : {yaml, letters}) {
    CHECK(tb::error_of({"run", yaml, "--checkpoint", file}) ==
          "tern: --checkpoint: '" + file + "' is a file that the run reads");
  }
  CHECK(tb::read_bytes(yaml) == text);
  const std::string page = folder.path("r") + "/report.html";
  CHECK(tb::error_of({"run", yaml, "--report", folder.path("r"), "--checkpoint", page}) ==
        "tern: --checkpoint: '" + page + "' is a place of --report");
}

TEST_CASE("two outputs of a run in one place are refused") {
  tb::TempFolder folder;
  const std::string yaml =
      folder.put("w.yaml", "kind: matmul\na: {random: [8, 8]}\nb: {random: [8, 8]}\n");
  const std::string file = folder.path("q");
  CHECK(tb::error_of({"run", yaml, "--tensor", "rtl", "--trace", file, "--wave", file}) ==
        "tern: --wave: '" + file + "' is also the file of --trace");
  CHECK(folder.files() == std::vector<std::string>{"w.yaml"});
}

TEST_CASE("a trace or wave does not replace a file that the run reads") {
  tb::TempFolder folder;
  const std::string text = "kind: matmul\na: {random: [8, 8]}\nb: {random: [8, 8]}\n";
  const std::string yaml = folder.put("w.yaml", text);
  for (const char* option : {"--trace", "--wave"}) {
    const std::string line = tb::error_of({"run", yaml, "--tensor", "rtl", option, yaml});
    CHECK(line == "tern: " + std::string(option) + ": '" + yaml + "' is a file that the run reads");
    CHECK(tb::read_bytes(yaml) == text);
  }
}

// Sanitizers need more addresses than any limit leaves.
#if !TERN_HAS_SANITIZER(address_sanitizer) && !TERN_HAS_SANITIZER(thread_sanitizer)
TEST_CASE("too little memory is an error of the workload") {
  tb::TempFolder folder;
  const std::string yaml = folder.put(
      "w.yaml", "kind: matmul\na: {random: [65536, 16384]}\nb: {random: [65536, 16384]}\n");
  const std::string command = "ulimit -v 3000000; " + std::string(TERN_BINARY) + " run " + yaml +
                              " 2> " + folder.path("err");
  CHECK(WEXITSTATUS(std::system(command.c_str())) == 2);
  CHECK(tb::read_bytes(folder.path("err")) ==
        "tern: " + yaml +
            ":2: key 'a.random': an operand of [65536, 16384] needs 8.6 GB of memory, there are "
            "3.1\n");
}
#endif

TEST_CASE("a matrix larger than HBM is refused with its size") {
  tb::TempFolder folder;
  const std::string yaml = folder.put(
      "big.yaml", "kind: matmul\na: {random: [8192, 4096]}\nb: {random: [8192, 8192]}\n");
  const auto outcome = run_tern({"run", yaml, "--set", "hbm.stack_gib=0.0625"});
  INFO(outcome.err);
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.error_line().find("HBM") != std::string::npos);
}

// The extremes that would divide by zero, stop or overflow simulated time.
TEST_CASE("clocks and rates beyond all reason are refused") {
  const char* keys[] = {"core.tensor.clock_ghz", "core.vector.clock_ghz", "dma.clock_ghz",
                        "noc.core_port_gb_per_s", "host.bandwidth_gb_per_s"};
  for (const std::string key : keys) {
    for (const char* value : {"0", "-1", "1e-12", "1e-300", "1e9", "1e300", ".nan", ".inf"}) {
      const auto outcome = run_tern({"config", "show", "--set", key + "=" + value});
      INFO(key << "=" << value << "\n" << outcome.err);
      CHECK(outcome.exit_code == 2);
      CHECK(outcome.error_line().find("key '" + key + "'") != std::string::npos);
    }
  }
}

TEST_CASE("a full disk under stdout is an error") {
  tb::TempFolder folder;
  for (const char* arguments : {"hbm --stream 10 --quiet", "config show", "--help"}) {
    const std::string command =
        std::string(TERN_BINARY) + " " + arguments + " > /dev/full 2> " + folder.path("err");
    CHECK(WEXITSTATUS(std::system(command.c_str())) == 1);
    const std::string error = tb::read_bytes(folder.path("err"));
    INFO(error);
    CHECK(error.find("tern: cannot write") == 0);
    CHECK(error.find("No space left on device\n") == error.find('\n') - 23);
  }
}

TEST_CASE("help and version are for people: exit code 0, on stdout") {
  for (const auto& arguments : std::vector<std::vector<std::string>>{{"--help"},
                                                                     {"run", "--help"},
                                                                     {"config", "--help"},
                                                                     {"config", "show", "--help"},
                                                                     {"--version"}}) {
    const auto outcome = run_tern(arguments);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.err.empty());
    CHECK(!outcome.out.empty());
  }
}

TEST_CASE("config show names the source of every value, validate accepts the presets") {
  const auto show = run_tern({"config", "show", "trn2"});
  CHECK(show.exit_code == 0);
  CHECK(show.out.find("sw/config/presets/trn2.yaml:") != std::string::npos);
  const auto validate = run_tern({"config", "validate", "trn2", "trn3"});
  CHECK(validate.exit_code == 0);
}

TEST_CASE("a message repeats a file's text, not all of it") {
  tb::TempFolder folder;
  const std::string yaml = folder.put("w.yaml", "kind: " + std::string(1 << 20, 'x') + "\n");
  const auto outcome = run_tern({"run", yaml});
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.err.size() < 1100);
  std::string many = "kind: matmul\n";
  for (int i = 0; i < 100'000; ++i) many += "k" + std::to_string(i) + ": 1\n";
  CHECK(
      tb::error_of({"run", folder.put("many.yaml", many)}).find("many.yaml:1: key 'a': missing") !=
      std::string::npos);
  const std::string big = folder.put("big.yaml", "kind: matmul\n#" + std::string(5 << 20, 'x'));
  CHECK(tb::error_of({"run", big}).find("expected a YAML file of at most 4 MiB") !=
        std::string::npos);
}

TEST_CASE("a closed stderr changes no exit code") {
  tb::TempFolder folder;
  const auto code = [](const std::string& arguments) {
    const int status =
        std::system((std::string(TERN_BINARY) + " " + arguments + " >/dev/null 2>&-").c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  CHECK(code("run nothere.yaml") == 2);
  CHECK(code("run") == 2);
  const std::string yaml =
      folder.put("w.yaml", "kind: matmul\na: {random: [32, 16]}\nb: {random: [32, 8]}\n");
  CHECK(code("run " + yaml) == 0);
}

// A sender's names and files, and outputs at each other's places.
TEST_CASE("outputs never take the place of what the run reads, or of one another") {
  tb::TempFolder folder;
  const std::string chip = folder.put("c.yaml", "preset: trn3\n");
  const std::string yaml =
      folder.put("w.yaml", "kind: matmul\na: {random: [32, 16]}\nb: {random: [32, 8]}\n");
  std::filesystem::create_directory(folder / "r");
  const std::string report = folder.path("r"), inside = folder.path("r/timeline.svg");
  std::filesystem::copy_file(chip, inside);
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& why) {
    const std::string line = tb::error_of(arguments);
    INFO(line);
    CHECK(line.find(why) != std::string::npos);
  };
  refused({"run", yaml, "--chip", chip, "--trace", chip}, "is a file that the run reads");
  refused({"run", yaml, "--chip", chip, "--output", chip}, "an input of this run");
  refused({"dma", "--chip", chip, "--trace", chip}, "is a file that the run reads");
  refused({"run", yaml, "--chip", inside, "--report", report}, "which the run reads");
  refused({"run", yaml, "--report", report, "--trace", folder.path("r/engines.csv")},
          "is a place of --report");
  refused({"dma", "--report", report, "--trace", folder.path("r/dma.html")},
          "is a place of --report");
  std::filesystem::create_directory(folder / "r/dma.md");
  refused({"dma", "--report", report}, "dma.md' is not a regular file");
  std::filesystem::create_symlink(folder / "nowhere", folder / "r/fidelity.json");
  refused({"fidelity", "--only", "dma-engine-end", "--report", report},
          "fidelity.json' is not a regular file");
  refused({"run", yaml, "--report", report, "--trace", folder.path("r/report.html.partial")},
          "is a place of --report");
  CHECK(tb::read_bytes(chip) == "preset: trn3\n");
  CHECK(tb::read_bytes(inside) == "preset: trn3\n");
  const std::string partial = folder.put("x.partial", "preset: trn3\n");
  refused({"run", yaml, "--chip", partial, "--trace", folder.path("x")}, "which the run reads");
  std::filesystem::create_directory(folder / "elsewhere");
  std::filesystem::create_symlink(folder / "elsewhere", folder / "r/1-trn2");
  refused({"run", yaml, "--chip", "trn2", "--chip", "trn3", "--report", report},
          "is a link, which is not followed");
}

TEST_CASE("names and comments of a chip file reach the terminal without their escapes") {
  tb::TempFolder folder;
  const std::string chip = folder.put("c.yaml",
                                      "preset: trn3\nname: \"ev\\e[31mil\" # \xC2\x9B"
                                      "31m\n");
  const auto shown = run_tern({"config", "show", chip});
  CHECK(shown.exit_code == 0);
  CHECK(shown.out.find('\x1b') == std::string::npos);
  CHECK(shown.out.find("\xC2\x9B") == std::string::npos);
}
