// SPDX-License-Identifier: Apache-2.0
#include "sw/models/use/passages.h"

#include <unicode/utf8.h>

#include <algorithm>
#include <optional>

namespace tern::use {

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

// Words of a text, separated by one blank.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  for (const char c : text) {
    if (is_blank(c)) {
      inside = false;
    } else {
      if (!inside) words.emplace_back();
      words.back() += c;
      inside = true;
    }
  }
  return words;
}

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// A full stop, exclamation or question mark, perhaps inside closing quotes or brackets.
bool ends_sentence(std::string word) {
  for (bool again = true; again;) {
    again = false;
    for (const char* quote : {"\"", "'", ")", "]", "\u201d", "\u2019"}) {
      if (!ends_with(word, quote)) continue;
      word.resize(word.size() - std::string_view(quote).size());
      again = true;
    }
  }
  return ends_with(word, ".") || ends_with(word, "!") || ends_with(word, "?");
}

std::vector<std::string> sentences_of(std::string_view paragraph) {
  std::vector<std::string> sentences;
  bool begins = true;
  for (const std::string& word : words_of(paragraph)) {
    if (begins) {
      sentences.push_back(word);
    } else {
      sentences.back() += " " + word;
    }
    begins = ends_sentence(word);
  }
  return sentences;
}

// Code points of UTF-8.
std::vector<std::string> symbols_of(std::string_view text) {
  std::vector<std::string> symbols;
  for (const char c : text) {
    const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    if (symbols.empty() || !continues) symbols.emplace_back();
    symbols.back() += c;
  }
  return symbols;
}

// Joins pieces of text as long as they fit.
class Joiner {
 public:
  Joiner(const Tokenizer& tokenizer, unsigned limit) : tokenizer_(tokenizer), limit_(limit) {}

  // `blank`: between this piece and the text before.
  bool add(const std::string& piece, bool blank) {
    const std::string joined = text_.empty() ? piece : text_ + (blank ? " " : "") + piece;
    std::vector<std::uint32_t> tokens = tokenizer_.encode(joined);
    if (tokens.size() > limit_) return false;
    text_ = joined;
    tokens_ = std::move(tokens);
    return true;
  }
  bool empty() const { return text_.empty(); }
  std::size_t tokens() const { return tokens_.size(); }
  Passage take() {
    Passage passage;
    passage.text.swap(text_);
    passage.tokens.swap(tokens_);
    return passage;
  }

 private:
  const Tokenizer& tokenizer_;
  const unsigned limit_;
  std::string text_;
  std::vector<std::uint32_t> tokens_;
};

class Splitter {
 public:
  Splitter(const Tokenizer& tokenizer, unsigned limit) : joiner_(tokenizer, limit), limit_(limit) {}

  void heading(const std::string& text) {
    end();
    chapter_ = text;
    number_ = 0;
  }
  void paragraph(std::string_view text, unsigned line) {
    for (const std::string& sentence : sentences_of(text)) {
      if (add(sentence, true, line)) continue;
      for (const std::string& word : words_of(sentence)) {
        if (add(word, true, line)) continue;
        bool first = true;
        for (const std::string& symbol : symbols_of(word)) {
          add(symbol, first, line);
          first = false;
        }
      }
    }
  }
  // Short paragraphs, such as dialogue, are joined.
  void end_of_paragraph() {
    if (joiner_.tokens() * 2 >= limit_) end();
  }
  std::vector<Passage> finish() {
    end();
    return std::move(passages_);
  }

 private:
  // Into the current passage, otherwise into a new one; false: it alone is too long.
  bool add(const std::string& piece, bool blank, unsigned line) {
    if (joiner_.empty()) line_ = line;
    if (joiner_.add(piece, blank)) return true;
    end();
    line_ = line;
    return joiner_.add(piece, blank);
  }
  void end() {
    if (joiner_.empty()) return;
    passages_.push_back(joiner_.take());
    passages_.back().chapter = chapter_;
    passages_.back().number = ++number_;
    passages_.back().line = line_;
  }

  Joiner joiner_;
  const unsigned limit_;
  std::vector<Passage> passages_;
  std::string chapter_;
  unsigned number_ = 0, line_ = 0;
};

bool is_heading(const std::vector<std::string>& words) {
  return words.size() >= 2 && words[0] == "CHAPTER" && words[1].find_first_of("0123456789") == 0;
}

}  // namespace

std::size_t text_prefix(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t begin = at;
    UChar32 character = 0;
    U8_NEXT(bytes.data(), at, bytes.size(), character);
    if (character <= 0) return begin;
  }
  return bytes.size();
}

std::vector<Passage> split_text(std::string_view text, const Tokenizer& tokenizer, unsigned limit) {
  Splitter splitter(tokenizer, limit);
  std::string paragraph;
  unsigned line = 0, begin = 1;
  const auto end_paragraph = [&] {
    const std::vector<std::string> words = words_of(paragraph);
    if (is_heading(words)) {
      std::string heading;
      for (const std::string& word : words) heading += (heading.empty() ? "" : " ") + word;
      splitter.heading(heading);
    } else if (!words.empty()) {
      splitter.paragraph(paragraph, begin);
      splitter.end_of_paragraph();
    }
    paragraph.clear();
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view row = text.substr(0, end);
    text.remove_prefix(end);
    ++line;
    const bool blank = std::all_of(row.begin(), row.end(), is_blank);
    if (blank) {
      end_paragraph();
    } else {
      if (paragraph.empty()) begin = line;
      paragraph += row;
    }
  }
  end_paragraph();
  return splitter.finish();
}

std::vector<Passage> split_query(std::string_view text, const Tokenizer& tokenizer,
                                 unsigned limit) {
  Splitter splitter(tokenizer, limit);
  splitter.paragraph(text, 1);
  return splitter.finish();
}

}  // namespace tern::use
