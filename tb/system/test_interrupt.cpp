// SPDX-License-Identifier: Apache-2.0
// Ctrl-C while the host computes a reference that takes much longer than the chip.
#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <thread>

#include "tb/common/temp_folder.h"
#include "tb/system/process.h"

using namespace tern;  // NOLINT: test file
using tb::run_tern;

namespace {

// Of processors, used by child processes that have ended.
double seconds_of_children() {
  rusage use{};
  REQUIRE(::getrusage(RUSAGE_CHILDREN, &use) == 0);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

}  // namespace

TEST_CASE("an interrupted run does not wait for its reference") {
  const std::string big = "m: 4096\nk: 2048\nn: 4096\nformats: [fp32]\n";
  const std::string workloads[] = {
      "kind: matmul_sweep\n" + big,
      "kind: matmul\ndtype: fp32\na: {random: [2048, 4096]}\nb: {random: [2048, 4096]}\n",
      "kind: kernel\nkernel: attention\nparameters: {seq: 8192, heads: 4}\n",
      // Its program alone takes minutes to build.
      "kind: kernel\nkernel: attention\nparameters: {seq: 131072, d: 32, heads: 2}\n"};
  for (const std::string& text : workloads) {
    tb::TempFolder folder;
    const std::string yaml = folder.put("w.yaml", text), trace = folder.path("t.json");
    const double before = seconds_of_children();
    const auto outcome = run_tern({"run", yaml, "--quiet", "--trace", trace}, [&](int pid) {
      tb::signal_once_there(trace + ".partial", 0)(pid);
      std::this_thread::sleep_for(std::chrono::seconds(1));  // the host is at work
      kill(pid, SIGINT);
    });
    INFO(text << outcome.out << outcome.err);
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.error_line() == "tern: interrupted");
    // A fraction of what the reference takes. Time of processors: the machine may be busy.
    CHECK(seconds_of_children() - before < 10);
    CHECK(folder.files() == std::vector<std::string>{"w.yaml"});
  }
}

TEST_CASE("a file beyond the limit is a failed write: no partial file, exit code 1") {
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const std::vector<std::pair<std::string, std::vector<std::string>>> outputs = {
      {"t.json", {"--trace"}}, {"w.fst", {"--tensor", "rtl", "--wave"}}, {"m.fst", {"--wave"}}};
  for (const auto& [name, options] : outputs) {
    tb::TempFolder folder;
    const std::string yaml =
        folder.put("w.yaml", "kind: matmul\na: {random: [32, 16]}\nb: {random: [32, 8]}\n");
    std::vector<std::string> arguments{"run", yaml, "--quiet"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.push_back(folder.path(name));
    rlimit small = before;
    small.rlim_cur = 8192;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    const auto outcome = run_tern(arguments);
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    INFO(outcome.out << outcome.err);
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.error_line().find("tern: " + folder.path(name) + ": write failed: ") == 0);
    CHECK(folder.files() == std::vector<std::string>{"w.yaml"});
  }
}
