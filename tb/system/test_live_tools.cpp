// SPDX-License-Identifier: Apache-2.0
// tern ls, top and monitor next to a run, and where there is none.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tb/common/temp_folder.h"
#include "tb/system/process.h"
#include "tb/system/terminal.h"

using namespace tern;  // NOLINT: test file
using Catch::Contains;
using nlohmann::json;
using tb::run_tern;

namespace {

std::vector<json> lines_of(const std::string& text) {
  std::vector<json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(json::parse(line));
  return lines;
}

// A folder of live states for everything that the test starts.
struct RunFolder {
  RunFolder() {
    chmod(temp.path().c_str(), 0700);
    setenv("TERN_RUN_DIR", temp.path().c_str(), 1);
  }
  ~RunFolder() { unsetenv("TERN_RUN_DIR"); }
  tb::TempFolder temp;
};

// By a process so far; many if it has ended.
std::uint64_t bytes_written(int pid) {
  std::ifstream io("/proc/" + std::to_string(pid) + "/io");
  for (std::string key; io >> key;) {
    std::uint64_t value = 0;
    io >> value;
    if (key == "wchar:") return value;
  }
  return UINT64_MAX;
}

// It simulates from its first second on, for minutes.
std::vector<std::string> long_training(const tb::TempFolder& work) {
  const std::string data = TERN_SOURCE_DIR "/sw/examples/digits/data/";
  const auto images = [&](const std::string& set, unsigned count) {
    return "{images: " + data + set + "-images-idx3-ubyte.gz, labels: " + data + set +
           "-labels-idx1-ubyte.gz, count: " + std::to_string(count) + "}";
  };
  const std::string yaml =
      work.put("w.yaml", "kind: train\ndata:\n  training: " + images("train10k", 2000) +
                             "\n  test: " + images("t10k", 100) +
                             "\nnetwork: {hidden: [32], classes: 10}\nbatch: 100\n"
                             "epochs: 1000\noptimiser: {kind: sgd, learning_rate: 0.01}\n");
  return {"run", yaml, "--quiet", "--checkpoint", work.path("c.checkpoint")};
}

}  // namespace

TEST_CASE("live tools: a run is listed, viewed and monitored, and its file goes with it") {
  const RunFolder folder;
  const tb::TempFolder work;
  const std::vector<std::string> command = long_training(work);
  const auto run = run_tern(command, [&](int pid) {
    const std::string number = std::to_string(pid);
    tb::signal_once_there(folder.temp.path(number + ".json"), 0)(pid);

    const auto monitor = run_tern({"monitor", "-d", "1.2", "-n", "2", "--pid", number});
    INFO(monitor.out << monitor.err);
    CHECK(monitor.exit_code == 0);
    const std::vector<json> lines = lines_of(monitor.out);
    REQUIRE(lines.size() == 2);
    for (const json& line : lines) {
      CHECK(line["format"] == "tern-monitor");
      REQUIRE(line["neuron_runtime_data"].size() == 1);
      CHECK(line["neuron_runtime_data"][0]["pid"] == pid);
      CHECK(line["neuron_runtime_data"][0]["neuron_runtime_tag"] == "train");
      const json& report = line["neuron_runtime_data"][0]["report"];
      CHECK(report["neuroncore_counters"]["neuroncores_in_use"].size() == 8);
      CHECK(line["neuron_hardware_info"]["neuron_devices"][0]["chip"] == "trn3");
    }
    const auto simulated = [&](const json& line) {
      return line["neuron_runtime_data"][0]["report"]["tern_simulation"]["simulated_us"]
          .get<double>();
    };
    CHECK(simulated(lines[1]) > simulated(lines[0]));

    const auto list = run_tern({"ls", "--json"});
    REQUIRE(list.exit_code == 0);
    const json devices = json::parse(list.out);
    REQUIRE(devices.size() == 1);
    CHECK(devices[0]["nc_count"] == 8);
    CHECK(devices[0]["neuron_processes"][0]["pid"] == pid);
    CHECK_THAT(devices[0]["neuron_processes"][0]["command"].get<std::string>(), Contains("w.yaml"));
    const auto table = run_tern({"ls"});
    CHECK_THAT(table.out, Contains("DEVICE") && Contains(number) && Contains("train"));

    const auto top = run_tern({"top", "--pid", number});  // no terminal: once
    CHECK(top.exit_code == 0);
    CHECK_THAT(top.out, Contains("trn3, 8 cores") && Contains("tensor") && Contains("   0 "));
    CHECK(top.out.find('\033') == std::string::npos);
    // A second Ctrl-C would kill it before it removes its file.
    kill(pid, SIGINT);
  });
  CHECK(run.exit_code == 1);
  CHECK(folder.temp.files().empty());
}

TEST_CASE("live tools: monitor ends with the process that it watches, killed or not") {
  const RunFolder folder;
  const tb::TempFolder work;
  const std::vector<std::string> command = long_training(work);
  const auto run = run_tern(command, [&](int pid) {
    tb::signal_once_there(folder.temp.path(std::to_string(pid) + ".json"), 0)(pid);
    const auto monitor =
        run_tern({"monitor", "-d", "0.1", "--pid", std::to_string(pid)}, [pid](int watcher) {
          while (bytes_written(watcher) < 100) usleep(1000);
          kill(pid, SIGKILL);
        });
    CHECK(monitor.exit_code == 0);
    // It has left its file: the next look removes it.
    CHECK(json::parse(run_tern({"ls", "-j"}).out).empty());
  });
  CHECK(run.exit_code == 128 + SIGKILL);
  CHECK(folder.temp.files().empty());
}

TEST_CASE("live tools: where nothing runs") {
  const RunFolder folder;
  const auto list = run_tern({"ls"});
  CHECK(list.exit_code == 0);
  CHECK(list.out == "no simulation runs\n");
  CHECK(run_tern({"ls", "-j"}).out == "[]\n");
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"top"}, {"top", "--once"}}) {
    const auto top = run_tern(arguments);
    CHECK(top.exit_code == 1);
    CHECK(top.error_line() == "tern: no simulation runs");
  }
  for (const char* command : {"top", "monitor"}) {
    const auto outcome = run_tern({command, "--pid", "1"});
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.error_line() == "tern: process 1 runs no simulation");
  }
  const auto monitor = run_tern({"monitor", "-n", "1"});
  CHECK(monitor.exit_code == 0);
  CHECK(lines_of(monitor.out).at(0)["neuron_runtime_data"].empty());
  const auto presets = json::parse(run_tern({"ls", "--presets", "-j"}).out);
  REQUIRE(presets.size() == 3);
  CHECK(presets[2]["preset"] == "trn3");
  CHECK(presets[2]["nc_count"] == 8);
  CHECK_THAT(run_tern({"ls", "--presets"}).out, Contains("PRESET") && Contains("trn2"));
}

TEST_CASE("live tools: hostile folders and files, bad options") {
  RunFolder folder;
  const std::string name = std::to_string(getpid()) + ".json";
  folder.temp.put(name, "\033]0;owned\007{");
  for (const char* command : {"ls", "top", "monitor"}) {
    std::vector<std::string> arguments{command};
    if (arguments[0] == "monitor") arguments.insert(arguments.end(), {"-n", "2", "-d", "0.05"});
    const auto outcome = run_tern(arguments);
    CHECK(outcome.out.find('\033') == std::string::npos);
    CHECK_THAT(outcome.err, Contains("tern: warning: ") && Contains("expected JSON"));
    CHECK(outcome.err.find('\033') == std::string::npos);
  }
  chmod(folder.temp.path().c_str(), 0777);
  for (const char* command : {"ls", "top", "monitor"}) {
    const auto outcome = run_tern({command});
    CHECK(outcome.exit_code == 1);
    CHECK_THAT(outcome.error_line(), Contains("others may write there"));
  }
  chmod(folder.temp.path().c_str(), 0700);

  CHECK_THAT(tb::error_of({"top", "-d", "0"}), Contains("expected seconds from 0.05 to 86400"));
  CHECK_THAT(tb::error_of({"top", "-d", "nan"}), Contains("expected seconds from"));
  CHECK_THAT(tb::error_of({"monitor", "-n", "0"}), Contains("expected a whole number from 1"));
  CHECK_THAT(tb::error_of({"monitor", "-n", "-3"}), Contains("expected a whole number from 1"));
  CHECK_THAT(tb::error_of({"monitor", "--pid", "me"}),
             Contains("expected the number of a process"));
  CHECK_THAT(tb::error_of({"ls", "x"}), Contains("x"));
}

TEST_CASE(
    "live tools: top on a terminal shows what it refuses, and leaves the terminal as it was") {
  const auto shows = [](const char* text) {
    return [text](const std::string& drawn) { return drawn.find(text) != std::string::npos; };
  };
  RunFolder folder;
  tb::OnTerminal top({"top", "-d", "0.05"}, 6, 60);
  top.until(shows("no simulation runs"));
  // A file that turns up meanwhile: on the screen, where the next view keeps it.
  folder.temp.put(std::to_string(getpid()) + ".json", "{");
  top.until(shows("expected JSON"));
  CHECK_FALSE(shows("\ntern: warning")(top.until(shows("expected JSON"))));
  // More than its rows: said, not just left out.
  const tb::TempFolder work;
  run_tern(long_training(work), [&](int pid) {
    const std::string drawn = top.until(shows("more lines"));
    CHECK_THAT(drawn, Contains("--pid N"));
    kill(pid, SIGKILL);
  });
  CHECK_FALSE(top.is_cooked());
  top.type("\x1C\x1A");  // Ctrl-\ and Ctrl-Z are keys like others
  top.until(shows("tern top"));
  top.type("q");
  std::string last;
  CHECK(top.wait(&last) == 0);
  CHECK_THAT(last, Contains("\033[?25h\033[?1049l"));
  CHECK(top.is_cooked());
}
