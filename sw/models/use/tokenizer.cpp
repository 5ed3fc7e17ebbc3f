// SPDX-License-Identifier: Apache-2.0
#include "sw/models/use/tokenizer.h"

#include <fmt/format.h>
#include <unicode/normalizer2.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sw/base/input_file.h"
#include "sw/base/user_error.h"

namespace tern::use {

using nlohmann::json;

namespace {

constexpr std::uint32_t kReserved = 6;      // pieces that no text has: unknown, <s>, </s>, ...
constexpr char32_t kSeparator = U'\u2581';  // represents a blank

std::u32string code_points(const icu::UnicodeString& text) {
  std::u32string result(static_cast<std::size_t>(text.countChar32()), U'\0');
  UErrorCode status = U_ZERO_ERROR;
  text.toUTF32(reinterpret_cast<UChar32*>(result.data()), static_cast<std::int32_t>(result.size()),
               status);
  return result;
}

// Compatibility composition (NFKC); a separator at the start and for every blank.
std::u32string prepared(std::string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* nfkc = icu::Normalizer2::getNFKCInstance(status);
  const icu::UnicodeString normal =
      nfkc->normalize(icu::UnicodeString::fromUTF8(
                          icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size()))),
                      status);
  if (U_FAILURE(status) != 0)
    throw RunError(fmt::format("ICU cannot normalise text: {}", u_errorName(status)));
  std::u32string symbols = code_points(normal);
  if (symbols.empty()) return symbols;
  std::replace(symbols.begin(), symbols.end(), U' ', kSeparator);
  return kSeparator + symbols;
}

}  // namespace

Tokenizer::Tokenizer(const std::filesystem::path& vocabulary) {
  std::ifstream stream = base::open_input(vocabulary);
  const json document = json::parse(stream, nullptr, false);
  const auto fail = [&](const std::string& what) {
    throw UserError(fmt::format("{}: not a vocabulary: {}", vocabulary.string(), what));
  };
  if (!document.is_array() || document.size() <= kReserved)
    fail("expected a JSON list of [piece, score]");
  for (const json& item : document) {
    const auto index = static_cast<std::uint32_t>(pieces_.size());
    if (!item.is_array() || item.size() != 2 || !item[0].is_string() ||
        !(item[1].is_number() || item[1].is_null()) ||
        item[0].get_ref<const std::string&>().empty())
      fail(fmt::format("entry {} is not [piece, score]", index));
    pieces_.push_back(item[0]);
    const auto text = icu::UnicodeString::fromUTF8(pieces_.back());
    lengths_.push_back(static_cast<std::size_t>(text.length()));
    if (index < kReserved) continue;
    std::uint32_t node = 0;
    for (const char32_t symbol : code_points(text)) {
      const auto [found, is_new] =
          next_.emplace(edge(node, symbol), static_cast<std::uint32_t>(nodes_.size()));
      if (is_new) nodes_.emplace_back();
      node = found->second;
    }
    // A piece that occurs twice counts with its last score; no score is 0.
    nodes_[node] = {item[1].is_null() ? 0.0 : item[1].get<double>(), index, true};
  }
}

std::vector<std::uint32_t> Tokenizer::encode(std::string_view text) const {
  const std::u32string symbols = prepared(text);
  // Of the best segmentation up to each symbol: its score and last piece. A score of 0 counts as
  // none yet, as in the package; likewise a position that no segmentation reaches.
  std::vector<double> best(symbols.size() + 1, 0.0);
  std::vector<std::uint32_t> last(symbols.size() + 1, 0);
  const auto take = [&](std::size_t begin, std::size_t end, double score, std::uint32_t piece) {
    const double sum = score + best[begin];
    if (best[end] != 0 && sum < best[end]) return;
    best[end] = sum;
    last[end] = piece;
  };
  for (std::size_t begin = 0; begin < symbols.size(); ++begin) {
    bool any = false;
    std::uint32_t node = 0;
    for (std::size_t end = begin; end < symbols.size();) {
      const auto found = next_.find(edge(node, symbols[end++]));
      if (found == next_.end()) break;
      node = found->second;
      if (!nodes_[node].ends) continue;
      take(begin, end, nodes_[node].score, nodes_[node].index);
      any = true;
    }
    // No piece begins here: the symbol alone is an unknown piece of score 0.
    if (!any) take(begin, begin + 1, 0, 0);
  }
  std::vector<std::uint32_t> result;
  bool unknown_before = false;
  for (std::size_t at = symbols.size(); at > 0;) {
    const std::uint32_t piece = last[at];
    if (!(unknown_before && piece == 0)) result.push_back(piece);  // a run of unknowns is one
    unknown_before = piece == 0;
    at -= std::min(at, lengths_[piece]);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace tern::use
