// SPDX-License-Identifier: Apache-2.0
// The tokenizer with vocabularies made up here; test_runtime.cpp compares with the npm package.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <random>

#include "sw/base/user_error.h"
#include "sw/models/use/tokenizer.h"
#include "tb/common/seed.h"
#include "tb/common/temp_folder.h"

namespace tern::tb {

namespace {

using Tokens = std::vector<std::uint32_t>;

const char* const kReserved =
    R"(["\ufffd",0],["<s>",0],["</s>",0],["extra_1",0],["extra_2",0],["extra_3",0])";

std::string vocabulary(const std::string& pieces) {
  return fmt::format("[{},{}]", kReserved, pieces);
}

}  // namespace

TEST_CASE("a text becomes the segmentation of the largest score") {
  const TempFolder folder;
  const use::Tokenizer tokenizer(folder.put(
      "v.json", vocabulary(R"(["▁",-2],["a",-3],["b",-3],["ab",-4],["▁a",-4.5],["▁ab",-9])")));
  CHECK(tokenizer.encode("ab") == Tokens{6, 9});        // -6, against -7.5 and -9
  CHECK(tokenizer.encode("ba") == Tokens{6, 8, 7});     // nothing longer fits
  CHECK(tokenizer.encode("a ab") == Tokens{10, 6, 9});  // a blank is a separator
  CHECK(tokenizer.encode("").empty());
}

TEST_CASE("characters that no piece begins with are unknown, a run of them once") {
  const TempFolder folder;
  const use::Tokenizer tokenizer(
      folder.put("v.json", vocabulary(R"(["▁",-2],["a",-3],["fi",-4],["f",-3],["i",-3])")));
  CHECK(tokenizer.encode("axyza") == Tokens{6, 7, 0, 7});
  CHECK(tokenizer.encode("x\xF0\x9F\x90\xB3x") == Tokens{6, 0});  // a whale, beyond 16 bits
  CHECK(tokenizer.encode("\xEF\xAC\x81") == Tokens{6, 8});        // the ligature fi: NFKC
  CHECK(tokenizer.encode("\xEF\xBD\x81") == Tokens{6, 7});        // a full-width a
  CHECK(tokenizer.encode("a\xFF") == Tokens{6, 7, 0});            // not UTF-8
}

TEST_CASE("of a piece that is listed twice the last score counts, without a score 0") {
  const TempFolder folder;
  const use::Tokenizer tokenizer(
      folder.put("v.json", vocabulary(R"(["▁",-1],["a",-1],["aa",-1],["aa",-9],["b",null])")));
  CHECK(tokenizer.encode("aa") == Tokens{6, 7, 7});
  CHECK(tokenizer.encode("b") == Tokens{6, 10});
}

TEST_CASE("no segmentation is better than the tokenizer's, tried one by one") {
  std::mt19937_64 random(test_seed());
  const TempFolder folder;
  for (unsigned turn = 0; turn < 20; ++turn) {
    // All single letters, some longer pieces; scores in sixteenths are exact.
    std::vector<std::pair<std::string, double>> pieces;
    const auto score = [&](double least) {
      return -least - static_cast<double>(random() % 64) / 16;
    };
    for (const char* letter : {"a", "b", "c"}) pieces.emplace_back(letter, score(2));
    for (unsigned i = 0; i < 12; ++i) {
      std::string piece;
      for (std::uint64_t n = 2 + random() % 3; n > 0; --n) piece += "abc"[random() % 3];
      bool known = false;
      for (const auto& other : pieces) known |= other.first == piece;
      if (!known) pieces.emplace_back(piece, score(3));
    }
    std::string list = R"(["▁",-1])";
    for (const auto& [piece, value] : pieces) list += fmt::format(R"(,["{}",{}])", piece, value);
    const use::Tokenizer tokenizer(folder.put(fmt::format("{}.json", turn), vocabulary(list)));
    std::string text;
    for (unsigned i = 0; i < 11; ++i) text += "abc"[random() % 3];

    double sum = 0;
    std::string joined;
    for (const std::uint32_t token : tokenizer.encode(text)) {
      joined += tokenizer.piece(token);
      if (token > 6) sum += pieces.at(token - 7).second;
    }
    CHECK(joined == "▁" + text);
    double best = -1e9;
    for (unsigned cuts = 0; cuts < 1u << (text.size() - 1); ++cuts) {
      double total = 0;
      bool whole = true;
      for (std::size_t begin = 0, at = 1; at <= text.size() && whole; ++at) {
        if (at < text.size() && (cuts >> (at - 1) & 1) == 0) continue;
        whole = false;
        for (const auto& [piece, value] : pieces) {
          if (piece != text.substr(begin, at - begin)) continue;
          total += value;
          whole = true;
        }
        begin = at;
      }
      if (whole) best = std::max(best, total);
    }
    CHECK(sum == best);
  }
}

TEST_CASE("a file that is no vocabulary is refused by name") {
  const TempFolder folder;
  const auto refuses = [&](const std::string& text, const std::string& what) {
    const auto path = folder.put("v.json", text);
    CHECK_THROWS_WITH(use::Tokenizer(path),
                      Catch::Contains(path.string()) && Catch::Contains(what));
  };
  refuses("[[\"a\"", "JSON list");
  refuses("{}", "JSON list");
  refuses(vocabulary("[1,2]"), "entry 6 is not [piece, score]");
  refuses(vocabulary("[\"\",2]"), "entry 6");
  CHECK_THROWS_WITH(use::Tokenizer(folder.path("none.json")), Catch::Contains("no such file"));
}

}  // namespace tern::tb
