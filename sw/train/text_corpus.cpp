// SPDX-License-Identifier: Apache-2.0
#include "sw/train/text_corpus.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cmath>
#include <cstring>
#include <map>
#include <string_view>

#include "sw/base/user_error.h"

namespace tern::train {
namespace {

constexpr std::uint8_t kNone = 255;

bool is_blank(char c) {
  return std::strchr(" \t\r\n\v\f", c) != nullptr && c != '\0';
}

// The number of each byte; small letters replace capital ones that have none.
std::array<std::uint8_t, 256> codes_of(const std::string& alphabet) {
  std::array<std::uint8_t, 256> codes{};
  codes.fill(kNone);
  for (std::size_t i = 0; i < alphabet.size(); ++i)
    codes[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
  for (char c = 'A'; c <= 'Z'; ++c) {
    std::uint8_t& code = codes[static_cast<unsigned char>(c)];
    if (code == kNone) code = codes[static_cast<unsigned char>(c - 'A' + 'a')];
  }
  return codes;
}

// UTF-8 of typographic characters, and their replacements.
std::string plain(std::string_view text) {
  struct Fold {
    std::string_view from, to;
  };
  static constexpr Fold kFolds[] = {{"\xE2\x80\x98", "'"},  {"\xE2\x80\x99", "'"},
                                    {"\xE2\x80\x9C", "\""}, {"\xE2\x80\x9D", "\""},
                                    {"\xE2\x80\x93", "-"},  {"\xE2\x80\x94", "-"},
                                    {"\xC2\xA0", " "},      {"\xE2\x80\xA6", "..."}};
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const Fold* found = nullptr;
    for (const Fold& fold : kFolds) {
      if (text.substr(at, fold.from.size()) == fold.from) found = &fold;
    }
    if (found == nullptr) {
      result += text[at++];
    } else {
      result += found->to;
      at += found->from.size();
    }
  }
  return result;
}

// Counts the characters omitted; a character of several bytes once.
std::vector<std::uint8_t> fold(const std::string& text, const std::string& alphabet,
                               std::uint64_t* left_out) {
  const auto codes = codes_of(alphabet);
  const std::uint8_t blank = codes[static_cast<unsigned char>(' ')];
  std::vector<std::uint8_t> result;
  for (const char c : plain(text)) {
    const auto byte = static_cast<unsigned char>(c);
    const std::uint8_t code = is_blank(c) ? blank : codes[byte];
    if (code == kNone) {
      *left_out += (byte & 0xC0u) != 0x80u ? 1 : 0;
    } else if (code != blank || result.empty() || result.back() != blank) {
      result.push_back(code);
    }
  }
  return result;
}

double entropy_of(const std::map<unsigned, std::uint64_t>& counts, std::uint64_t all) {
  double sum = 0;
  for (const auto& [what, count] : counts) {
    const double share = static_cast<double>(count) / static_cast<double>(all);
    sum -= share * std::log(share);
  }
  return sum;
}

}  // namespace

TextCorpus::TextCorpus(const std::string& name, const std::string& text,
                       const std::string& alphabet, double held_out)
    : alphabet_(alphabet) {
  if (alphabet.size() < 2) throw UserError("an alphabet of at least 2 characters expected");
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    if (std::isprint(static_cast<unsigned char>(alphabet[i])) == 0)
      throw UserError("an alphabet of printable ASCII characters expected");
    if (alphabet.find(alphabet[i]) != i)
      throw UserError(fmt::format("the alphabet has '{}' twice", alphabet[i]));
  }
  codes_ = fold(text, alphabet, &left_out_);
  if (codes_.empty()) throw UserError(name + ": no character of the alphabet in it");
  training_ = codes_.size() - static_cast<std::uint64_t>(
                                  std::llround(held_out * static_cast<double>(codes_.size())));
}

// A window's last character needs a successor in the same part.
std::uint64_t TextCorpus::training_windows(std::uint32_t context) const {
  return training_ == 0 ? 0 : (training_ - 1) / context;
}

std::uint64_t TextCorpus::held_out_windows(std::uint32_t context) const {
  return held_out() == 0 ? 0 : (held_out() - 1) / context;
}

Batch TextCorpus::batch(const std::vector<std::uint32_t>& windows, std::uint32_t context) const {
  const std::uint64_t training = training_windows(context);
  std::vector<std::int32_t> x;
  Batch batch;
  for (const std::uint32_t window : windows) {
    const std::uint64_t first = window < training
                                    ? std::uint64_t{window} * context
                                    : training_ + (std::uint64_t{window} - training) * context;
    for (std::uint64_t at = first; at < first + context; ++at) {
      x.push_back(codes_[at]);
      batch.labels.push_back(codes_[at + 1]);
    }
  }
  batch.x.resize(x.size() * sizeof(std::int32_t));
  std::memcpy(batch.x.data(), x.data(), batch.x.size());
  return batch;
}

TextEntropy TextCorpus::entropy() const {
  std::map<unsigned, std::uint64_t> ones, pairs;
  for (std::uint64_t i = 0; i + 1 < training_; ++i) {
    ones[codes_[i]] += 1;
    pairs[codes_[i] * 256u + codes_[i + 1]] += 1;
  }
  if (ones.empty()) return {};
  const std::uint64_t all = training_ - 1;
  const double unigram = entropy_of(ones, all);
  return {unigram, entropy_of(pairs, all) - unigram};
}

std::vector<std::int32_t> TextCorpus::encode(const std::string& text) const {
  std::uint64_t left_out = 0;
  const std::vector<std::uint8_t> codes = fold(text, alphabet_, &left_out);
  return {codes.begin(), codes.end()};
}

std::string TextCorpus::decode(const std::vector<std::int32_t>& codes) const {
  std::string text;
  for (const std::int32_t code : codes) text += alphabet_.at(static_cast<std::size_t>(code));
  return text;
}

}  // namespace tern::train
