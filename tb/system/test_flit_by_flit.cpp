// SPDX-License-Identifier: Apache-2.0
// --link of tern traffic and tern run as a user gives it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "tb/common/temp_folder.h"
#include "tb/system/process.h"

using namespace tern;  // NOLINT: test file

namespace {

constexpr const char* kLink = "server0.tray0.chip0--server0.tray0.chip1";

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("flit by flit: traffic, with model, RTL and both, and every flit in a file") {
  tb::TempFolder folder;
  const std::vector<std::string> traffic = {"traffic", "trn3-nl16-2d", "--bytes", "4K"};
  std::vector<std::string> files;
  nlohmann::json first;
  for (const char* backend : {"model", "rtl", "both"}) {
    const std::string flits = folder.path(std::string(backend) + ".csv");
    auto arguments = traffic;
    arguments.insert(arguments.end(), {"--link", backend, "--links", kLink, "--flits", flits});
    const auto json = tb::json_of(arguments);
    REQUIRE(json["flit_by_flit"]["links"].size() == 2);
    CHECK(json["flit_by_flit"]["links"][0]["packets"].get<int>() > 0);
    files.push_back(tb::read_bytes(flits));
    if (first.is_null()) first = json;
    CHECK(json["us"] == first["us"]);
    CHECK(json["flit_by_flit"]["links"] == first["flit_by_flit"]["links"]);
  }
  CHECK(lines_of(files[0]) > 100);
  CHECK(files[0].rfind("ns,link,port,flit,usage,command,number,", 0) == 0);
  CHECK(files[1] == files[0]);
  CHECK(files[2] == files[0]);
  CHECK(tb::json_of(traffic)["us"].get<double>() ==
        Approx(first["us"].get<double>()).epsilon(0.15));
}

TEST_CASE("flit by flit: errors are repeated, waves of both ends") {
  tb::TempFolder folder;
  const std::string wave = folder.path("link.fst");
  const std::string faults =
      folder
          .put("faults.yaml", std::string("faults:\n  - {at_us: 0, fault: bit_errors, link: ") +
                                  kLink + ", rate: 3e-4}\n")
          .string();
  const auto json = tb::json_of({"traffic", "trn3-nl16-2d", "--pattern", "pair", "--from", "0",
                                 "--to", "1", "--bytes", "64K", "--link", "both", "--links", kLink,
                                 "--faults", faults, "--wave", wave});
  CHECK(json["lost"] == 0);
  CHECK(json["flit_by_flit"]["links"][0]["replays"].get<int>() > 0);
  CHECK(json["observed_all"]["replayed"].get<int>() > 0);
  for (const char* end : {"port0.sender", "port1.receiver"})
    CHECK(std::filesystem::file_size(folder.path(
              std::string("link.server0.tray0.chip0-to-server0.tray0.chip1.") + end + ".fst")) >
          1000);
}

TEST_CASE("flit by flit: a program over links in lockstep has the same bits") {
  tb::TempFolder folder;
  const std::string workload =
      folder
          .put("p.yaml",
               "name: p\nkind: parallel\nsystem: trn3-nl16-2d\nchips: 2\nmodel: 128\n"
               "hidden: 256\ntokens: 64\n")
          .string();
  const auto json = tb::json_of({"run", workload, "--link", "both", "--links", kLink});
  CHECK(json["passed"] == true);
  CHECK(json["flit_by_flit"]["links"][0]["packets"].get<int>() > 0);
}

TEST_CASE("flit by flit: files that a command reads stay what they are") {
  tb::TempFolder folder;
  const std::string workload =
      folder.put("p.yaml", "name: p\nkind: parallel\nsystem: trn3-nl16-2d\nchips: 2\n").string();
  CHECK(tb::error_of({"run", workload, "--link", "model", "--links", kLink, "--flits", workload})
            .find("a file that the run reads") != std::string::npos);
  const std::string system = folder.put("own.yaml", "preset: trn3-nl16-2d\n").string();
  CHECK(tb::error_of({"system", "draw", system, "-o", system}).find("a file that the run reads") !=
        std::string::npos);
}

TEST_CASE("flit by flit: bad input in one line") {
  const auto refused = [](std::vector<std::string> more, const std::string& what) {
    more.insert(more.begin(), {"traffic", "trn3-nl16-2d"});
    const std::string line = tb::error_of(more);
    INFO(line);
    CHECK(line.find(what) != std::string::npos);
  };
  refused({"--link", "both"}, "--link: which ones?");
  refused({"--links", kLink}, "--links: only with --link");
  refused({"--flits", "x.csv"}, "--flits: only with --link");
  refused({"--link", "rtl", "--links", "server9"}, "has no 'server9'");
  refused({"--link", "dog", "--links", kLink}, "expected model, rtl, both");
  refused({"--link", "model", "--links", kLink, "--wave", "x.fst"}, "--wave: of RTL");
  refused({"--link", "rtl", "--links", "server0.tray0", "--wave", "x.fst"}, "at most 16");
  refused({"--link", "rtl", "--links", kLink, "--level", "flow"}, "at level packet, not flow");
  const std::string older =
      tb::error_of({"traffic", "trn2-nl16", "--link", "model", "--links", kLink});
  CHECK(older.find("only with flits of PCIe 6.0 and 7.0, not pcie5") != std::string::npos);
  const std::string other =
      tb::error_of({"run", std::string(TERN_SOURCE_DIR) + "/sw/examples/digits/digits.yaml",
                    "--link", "rtl", "--links", kLink});
  CHECK(other.find("--link") != std::string::npos);
}
