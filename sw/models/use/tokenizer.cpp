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
    const std::u32string symbols = code_points(text);
    longest_ = std::max(longest_, symbols.size());
    // A piece that occurs twice counts with its last score; no score is 0.
    entries_[symbols] = {item[1].is_null() ? 0.0 : item[1].get<double>(), index};
  }
}

std::vector<std::uint32_t> Tokenizer::encode(std::string_view text) const {
  const std::u32string symbols = prepared(text);
  // Of the best segmentation up to each symbol: its score and last piece. A score of 0 counts as
  // none yet, as in the package; likewise a position that no segmentation reaches.
  std::vector<double> best(symbols.size() + 1, 0.0);
  std::vector<std::uint32_t> last(symbols.size() + 1, 0);
  // Whether any piece begins here: otherwise the symbol alone is an unknown piece of score 0.
  std::vector<bool> begins(symbols.size(), false);
  for (std::size_t begin = 0; begin < symbols.size(); ++begin) {
    const std::size_t most = std::min(longest_, symbols.size() - begin);
    for (std::size_t length = 1; length <= most && !begins[begin]; ++length)
      begins[begin] = entries_.count(symbols.substr(begin, length)) != 0;
  }
  for (std::size_t end = 1; end <= symbols.size(); ++end) {
    for (std::size_t begin = end - std::min(std::max<std::size_t>(longest_, 1), end); begin < end;
         ++begin) {
      const auto found = entries_.find(symbols.substr(begin, end - begin));
      Entry entry;
      if (found != entries_.end()) {
        entry = found->second;
      } else if (begin + 1 != end || begins[begin]) {
        continue;
      }
      const double score = entry.score + best[begin];
      if (best[end] == 0 || score >= best[end]) {
        best[end] = score;
        last[end] = entry.index;
      }
    }
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
