// SPDX-License-Identifier: Apache-2.0
// The preparation of a text for training: characters, parts, windows, entropies.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "sw/base/user_error.h"
#include "sw/train/text_corpus.h"

using namespace tern;  // NOLINT: test file
using train::TextCorpus;

namespace {

std::vector<std::int32_t> characters_of(const train::Batch& batch) {
  std::vector<std::int32_t> x(batch.x.size() / sizeof(std::int32_t));
  std::memcpy(x.data(), batch.x.data(), batch.x.size());
  return x;
}

}  // namespace

TEST_CASE("train text: letters, quotes, dashes and blanks are folded, the rest is left out") {
  const std::string text =
      " The \xE2\x80\x9CWhale\xE2\x80\x9D\n\n\t  isn\xE2\x80\x99t\xE2\x80\x94"
      "caught (7)\xC3\xA9";
  const TextCorpus corpus("t", text, " abcdefghijklmnopqrstuvwxyz\"'-.", 0);
  std::vector<std::int32_t> all = corpus.encode(text);
  CHECK(corpus.decode(all) == " the \"whale\" isn't-caught ");
  CHECK(corpus.characters() == all.size());
  CHECK(corpus.left_out() == 4);  // ( 7 ) and one of two bytes
  // Capital letters of the alphabet stay; without a blank there are none.
  const TextCorpus capitals("t", "The Tide", "Tehid", 0);
  CHECK(capitals.decode(capitals.encode("The Tide")) == "TheTide");
}

TEST_CASE("train text: windows cover both parts, and none reaches from one into the other") {
  std::string text;
  for (unsigned i = 0; i < 1003; ++i) text += static_cast<char>('a' + i * i % 26);
  const TextCorpus corpus("t", text, "abcdefghijklmnopqrstuvwxyz", 0.2);
  CHECK(corpus.held_out() == 201);
  CHECK(corpus.training() == 802);
  CHECK(corpus.training_windows(8) == 100);
  CHECK(corpus.training_windows(801) == 1);
  CHECK(corpus.training_windows(802) == 0);  // the last character needs a successor
  CHECK(corpus.held_out_windows(8) == 25);
  const train::Batch batch = corpus.batch({0, 99, 100, 124}, 8);
  const std::vector<std::int32_t> x = characters_of(batch);
  REQUIRE(x.size() == 32);
  const std::size_t first[] = {0, 792, 802, 994};
  for (std::size_t w = 0; w < 4; ++w) {
    for (std::size_t t = 0; t < 8; ++t) {
      CHECK(x[8 * w + t] == text[first[w] + t] - 'a');
      CHECK(batch.labels[8 * w + t] == text[first[w] + t + 1] - 'a');
    }
  }
}

TEST_CASE("train text: entropies of texts where they are known") {
  std::string even, pairs;
  for (unsigned i = 0; i < 4001; ++i) even += "abcd"[i % 4];  // each from the one before it
  const TextCorpus cycle("t", even, "abcd", 0);
  CHECK(cycle.entropy().unigram == Approx(std::log(4.0)).epsilon(1e-6));
  CHECK(cycle.entropy().bigram == Approx(0).margin(1e-9));
  // ab and ba, in an order that makes every one of the pairs aa, ab, ba, bb: H(next | last) from
  // Counts by hand: a a b b repeated.
  for (unsigned i = 0; i < 4001; ++i) pairs += "aabb"[i % 4];
  const TextCorpus even_pairs("t", pairs, "ab", 0);
  CHECK(even_pairs.entropy().unigram == Approx(std::log(2.0)).epsilon(1e-6));
  CHECK(even_pairs.entropy().bigram == Approx(std::log(2.0)).epsilon(1e-6));
}

TEST_CASE("train text: alphabets and texts that cannot be are refused") {
  const auto message = [](const std::string& text, const std::string& alphabet) {
    try {
      const TextCorpus corpus("book.txt", text, alphabet, 0.1);
    } catch (const UserError& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  using Catch::Contains;
  CHECK_THAT(message("abc", "a"), Contains("at least 2 characters"));
  CHECK_THAT(message("abc", "abca"), Contains("has 'a' twice"));
  CHECK_THAT(message("abc", "ab\n"), Contains("printable ASCII"));
  CHECK_THAT(message("123", "ab"), Contains("book.txt: no character of the alphabet"));
}
