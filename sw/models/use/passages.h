// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sw/models/use/tokenizer.h"

namespace tern::use {

// A piece of text that the encoder processes at once.
struct Passage {
  std::string text;
  std::vector<std::uint32_t> tokens;
  std::string chapter;  // its heading, if the text has any
  unsigned number = 0;  // in its chapter, from 1
  unsigned line = 0;    // of the file, where its first paragraph begins
};

// Bytes before the first one that no text in UTF-8 has: NUL, or part of an ill-formed character.
std::size_t text_prefix(std::string_view bytes);

// The passages of a text in UTF-8, of at most `limit` tokens each (README.md has the rules).
std::vector<Passage> split_text(std::string_view text, const Tokenizer& tokenizer, unsigned limit);

// Any text cut into parts of at most `limit` tokens: at ends of sentences, within longer ones
// between words, within longer ones anywhere. No text, or blanks alone: no parts.
std::vector<Passage> split_query(std::string_view text, const Tokenizer& tokenizer, unsigned limit);

}  // namespace tern::use
