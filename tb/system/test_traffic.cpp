// SPDX-License-Identifier: Apache-2.0
// tern traffic as a user starts it.
#include <catch2/catch.hpp>
#include <string>

#include "tb/common/temp_folder.h"
#include "tb/system/process.h"

using namespace tern;  // NOLINT: test file

TEST_CASE("tern traffic: time, bound, hottest links, and a heat map") {
  tb::TempFolder folder;
  const std::string heat = folder.path("heat.svg");
  const auto json =
      tb::json_of({"traffic", "trn2-nl16", "--level", "both", "--bytes", "16K", "--heat", heat});
  CHECK(json["transfers"] == 240);
  CHECK(json["lost"] == 0);
  CHECK(json["level"] == "packet");
  CHECK(json["us"].get<double>() >= json["bound_us"].get<double>());
  CHECK(json["flow_us"].get<double>() == Approx(json["us"].get<double>()).epsilon(0.15));
  CHECK(json["hottest"].size() == 5);
  CHECK(tb::read_bytes(heat).find("use of the links") != std::string::npos);
  const auto again = tb::json_of({"traffic", "trn2-nl16", "--bytes", "16384"});
  CHECK(again["us"] == json["us"]);
}

TEST_CASE("tern traffic: bad input in one line") {
  const auto refused = [](std::vector<std::string> more, const std::string& what) {
    more.insert(more.begin(), "traffic");
    const std::string line = tb::error_of(more);
    INFO(line);
    CHECK(line.find(what) != std::string::npos);
  };
  refused({"trn2-nl16", "--bytes", "64Q"}, "--bytes: expected a number up to 1024G");
  refused({"trn2-nl16", "--bytes", "99999999999999999999"}, "--bytes: expected");
  refused({"trn2-nl16", "--pattern", "spiral"}, "expected all-to-all, incast");
  refused({"trn2-nl16", "--level", "bit"}, "expected packet, flow, both, ideal");
  refused({"trn2-nl16", "--pattern", "pair", "--to", "16"}, "no chip '16'");
  refused({"trn2-nl16", "--pattern", "pair", "--to", "0"}, "expected another chip than --from");
  refused({"inf2", "--pattern", "transpose"}, "expected a square number of chips");
  refused({"nowhere"}, "nowhere");
  refused({"trn2-nl16", "--heat", "/nowhere/heat.svg"}, "/nowhere/heat.svg");
}
