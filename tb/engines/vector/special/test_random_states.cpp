// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <vector>

#include "systemc/engines/vector/special/random_states.h"

using namespace tern;

namespace {

// The generator by its definition (docs/numerics.md, section 6), on words x, y, z, w, v, d.
std::uint32_t next(std::vector<std::uint32_t>& s, std::size_t first) {
  const std::uint32_t t = s[first] ^ s[first] >> 2, v = s[first + 4];
  for (std::size_t i = first; i < first + 4; ++i) s[i] = s[i + 1];
  s[first + 4] = v ^ v << 4 ^ t ^ t << 1;
  s[first + 5] += 362437;
  return s[first + 4] + s[first + 5];
}

}  // namespace

TEST_CASE("random states: no word twice in a core after reset") {
  std::set<std::uint32_t> words;
  for (std::uint32_t number = 1; number <= 768; ++number) {  // PSUM
    words.insert(numerics::random_state_word(0, number));
  }
  std::size_t expected = 768;
  for (RandomStates states :
       {RandomStates::vector(), RandomStates::scalar(), RandomStates::gpsimd()}) {
    for (unsigned p = 0; p < 128; ++p) {
      std::vector<std::uint32_t> partition(states.words());
      states.get(p, partition.data());
      words.insert(partition.begin(), partition.end());
      expected += partition.size();
    }
  }
  CHECK(expected == 128 * (6 + 24 + 6 + 6));
  CHECK(words.size() == expected);
}

TEST_CASE("random states: elements draw from the generators in rotation") {
  RandomStates states = RandomStates::vector();
  std::vector<std::uint32_t> words(24), draws(1003), after(24);
  states.get(77, words.data());
  CHECK(words[0] == numerics::random_state_word(0, 769 + 24 * 77));
  states.draw(77, draws.data(), draws.size());
  for (std::size_t i = 0; i < draws.size(); ++i) CHECK(draws[i] == next(words, 6 * (i % 4)));
  states.get(77, after.data());
  CHECK(after == words);
  // Set again, repeated; the neighbours have not moved.
  RandomStates fresh = RandomStates::vector();
  fresh.get(77, words.data());
  states.set(77, words.data());
  std::vector<std::uint32_t> again(draws.size());
  states.draw(77, again.data(), again.size());
  CHECK(again == draws);
  fresh.get(78, words.data());
  states.get(78, after.data());
  CHECK(after == words);
}

TEST_CASE("random states: a seed changes all of them, 0 is the reset") {
  RandomStates states = RandomStates::gpsimd(), reset = RandomStates::gpsimd();
  std::vector<std::uint32_t> a(6), b(6);
  states.seed(1);
  for (unsigned p = 0; p < 128; ++p) {
    states.get(p, a.data());
    reset.get(p, b.data());
    for (unsigned i = 0; i < 6; ++i) CHECK(a[i] != b[i]);
  }
  states.seed(0);
  states.get(127, a.data());
  CHECK(a == b);
}

TEST_CASE("random states: dropout and uniform numbers") {
  CHECK(drop(3.0f, 0.0f, 0) == 3.0f);
  CHECK(drop(3.0f, 1.0f, 0xFFFFFFFF) == 0.0f);
  CHECK(drop(3.0f, 0.5f, 0x7FFFFFFF) == 0.0f);
  CHECK(drop(3.0f, 0.5f, 0x80000000) == 3.0f);
  CHECK(drop(3.0f, NAN, 0) == 3.0f);
  CHECK(uniform_between(-2.0f, 6.0f, 0) == -2.0f);
  CHECK(uniform_between(-2.0f, 6.0f, 0x40000000) == 0.0f);
  // Rounding would give the upper bound: the number below it instead.
  CHECK(uniform_between(16777216.0f, 16777218.0f, 0xFFFFFFFF) == 16777216.0f);

  RandomStates states = RandomStates::vector();
  std::vector<std::uint32_t> draws(100'000);
  states.draw(0, draws.data(), draws.size());
  double dropped = 0, sum = 0, squares = 0;
  for (std::uint32_t bits : draws) {
    dropped += drop(1.0f, 0.1f, bits) == 0.0f ? 1 : 0;
    const double u = uniform_between(0.0f, 1.0f, bits);
    sum += u;
    squares += u * u;
  }
  const auto n = static_cast<double>(draws.size());
  CHECK(std::fabs(dropped - 0.1 * n) < 5 * std::sqrt(0.09 * n));
  CHECK(std::fabs(sum / n - 0.5) < 5 * std::sqrt(1.0 / 12 / n));
  CHECK(std::fabs(squares / n - 1.0 / 3) < 5 * std::sqrt(4.0 / 45 / n));
}
