// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "sw/models/use/passages.h"
#include "tb/common/temp_folder.h"

namespace tern::tb {

namespace {

// A piece per character, so that a text of n characters has n + 1 tokens.
class Letters {
 public:
  Letters() {
    std::string list = R"(["?",0],["1",0],["2",0],["3",0],["4",0],["5",0],["▁",-1])";
    for (char c = 'A'; c <= 'z'; ++c) {
      if (c != '\\') list += fmt::format(R"(,["{}",-1])", c);
    }
    list += R"(,[".",-1],["0",-1],["9",-1])";
    tokenizer = std::make_unique<use::Tokenizer>(folder_.put("v.json", "[" + list + "]"));
  }
  std::unique_ptr<use::Tokenizer> tokenizer;

 private:
  TempFolder folder_;
};

std::vector<std::string> texts(const std::vector<use::Passage>& passages) {
  std::vector<std::string> result;
  for (const use::Passage& passage : passages) result.push_back(passage.text);
  return result;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("sentences are put together as long as they fit") {
  const Letters letters;
  const auto split = [&](const std::string& text, unsigned limit) {
    return texts(use::split_query(text, *letters.tokenizer, limit));
  };
  CHECK(split("One. Two. Six.", 64) == Texts{"One. Two. Six."});
  CHECK(split("One. Two. Six.", 14) == Texts{"One. Two.", "Six."});
  CHECK(split("One. Two. Six.", 10) == Texts{"One. Two.", "Six."});
  CHECK(split("One. Two. Six.", 9) == Texts{"One.", "Two.", "Six."});
  CHECK(split("One \t two\n", 64) == Texts{"One two"});
  CHECK(split("", 64).empty());
  CHECK(split("  \n ", 64).empty());
}

TEST_CASE("longer sentences are cut between words, longer words anywhere") {
  const Letters letters;
  const auto split = [&](const std::string& text, unsigned limit) {
    return texts(use::split_query(text, *letters.tokenizer, limit));
  };
  CHECK(split("aa bb cc dd. ee.", 6) == Texts{"aa bb", "cc", "dd.", "ee."});
  CHECK(split("abcdefgh", 4) == Texts{"abc", "def", "gh"});
  const std::vector<use::Passage> parts =
      use::split_query("Abc defghijklmnopqrstuvwxyz. Abc.", *letters.tokenizer, 8);
  for (const use::Passage& part : parts) CHECK(part.tokens.size() <= 8);
}

TEST_CASE("passages know their chapter, number and line") {
  const Letters letters;
  const std::string text =
      "CHAPTER 1. Fish.\n\nOne two\nthree. Four.\n\nFive.\n\n\nCHAPTER 9.\n\nSix.";
  const auto passages = use::split_text(text, *letters.tokenizer, 24);
  REQUIRE(texts(passages) == Texts{"One two three. Four.", "Five.", "Six."});
  CHECK(passages[0].chapter == "CHAPTER 1. Fish.");
  CHECK(passages[0].number == 1);
  CHECK(passages[0].line == 3);
  CHECK(passages[1].number == 2);
  CHECK(passages[1].line == 6);
  CHECK(passages[2].chapter == "CHAPTER 9.");
  CHECK(passages[2].number == 1);
  CHECK(passages[2].line == 11);
}

TEST_CASE("short paragraphs go together, not beyond a chapter") {
  const Letters letters;
  const auto split = [&](const std::string& text) {
    return texts(use::split_text(text, *letters.tokenizer, 32));
  };
  CHECK(split("One.\n\nTwo.\n\nThree four five.\n\nSix.") ==
        Texts{"One. Two. Three four five.", "Six."});
  CHECK(split("One.\n\nCHAPTER 0\n\nTwo.\n") == Texts{"One.", "Two."});
  CHECK(split("\n\n").empty());
  CHECK(split("CHAPTER 0\n").empty());
}

}  // namespace tern::tb
