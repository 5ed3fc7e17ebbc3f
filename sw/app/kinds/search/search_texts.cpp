// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/search/search_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sw/base/input_file.h"
#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "sw/models/use/encoder.h"

namespace tern::app {
namespace {

constexpr unsigned kLimit = use::Batch::kTokens;

std::string read_text(const SearchWorkload& w) {
  try {
    return base::read_input(w.text);
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: {}", w.places.text, error.what()));
  }
}

std::vector<use::Passage> chosen(const SearchWorkload& w, std::vector<use::Passage> all) {
  if (all.empty())
    throw UserError(fmt::format("{}: {}: expected some text", w.places.text, w.text));
  if (w.first >= all.size()) {
    throw UserError(fmt::format("{}: expected less than the {} passages of {}, got {}",
                                w.places.first, all.size(), w.text, w.first));
  }
  std::vector<use::Passage> passages;
  for (std::size_t i = w.first; i < all.size(); i += w.every) {
    if (w.count != 0 && passages.size() == w.count) break;
    passages.push_back(std::move(all[i]));
  }
  return passages;
}

}  // namespace

bool SearchTexts::keep_one_batch() {
  std::vector<std::size_t> kept = batches.front().sentences;
  std::sort(kept.begin(), kept.end());
  const std::size_t before = parts();
  if (kept.size() < before || kept[before - 1] != before - 1) return false;
  std::vector<use::Passage> few;
  std::vector<std::vector<std::uint32_t>> short_list;
  for (const std::size_t s : kept) {
    short_list.push_back(sentences[s]);
    if (s >= before) few.push_back(passages[s - before]);
  }
  passages = std::move(few);
  sentences = std::move(short_list);
  batches = use::make_batches(sentences);
  return true;
}

SearchTexts load_texts(const SearchWorkload& w, const std::vector<std::string>& queries,
                       const use::Tokenizer& tokenizer, const SearchIndex* index) {
  SearchTexts texts;
  const bool typed = !queries.empty();
  for (const std::string& text : typed ? queries : w.queries) {
    const auto parts = use::split_query(text, tokenizer, kLimit);
    if (parts.empty()) {
      throw UserError(fmt::format("{}: expected a text, got {}",
                                  typed ? "--query" : w.places.queries, base::printable(text)));
    }
    SearchTexts::Query query{text, texts.sentences.size(), parts.size(), 0};
    for (const use::Passage& part : parts) {
      query.tokens += static_cast<unsigned>(part.tokens.size());
      texts.sentences.push_back(part.tokens);
    }
    texts.queries.push_back(query);
  }
  if (texts.queries.empty())
    throw UserError("no query: give one by --query, or queries in the workload");
  if (use::make_batches(texts.sentences).size() > use::kMaxBatches) {
    throw UserError(fmt::format("{}: the queries together fill more than {} batches of {} tokens",
                                typed ? "--query" : w.places.queries, use::kMaxBatches, kLimit));
  }
  texts.parts_of_queries = texts.sentences.size();
  if (index != nullptr) {
    texts.all_passages = index->all_passages;
    texts.passages = index->passages;
    texts.batches = use::make_batches(texts.sentences);
    return texts;
  }
  const std::string book = read_text(w);
  if (const std::size_t at = use::text_prefix(book); at < book.size()) {
    throw UserError(fmt::format("{}: {}: expected a text in UTF-8; byte {} is no part of one: {}",
                                w.places.text, w.text, at,
                                base::hex(static_cast<unsigned char>(book[at]))));
  }
  std::vector<use::Passage> all = use::split_text(book, tokenizer, kLimit);
  texts.all_passages = all.size();
  texts.passages = chosen(w, std::move(all));
  for (const use::Passage& passage : texts.passages) texts.sentences.push_back(passage.tokens);
  texts.batches = use::make_batches(texts.sentences);
  return texts;
}

}  // namespace tern::app
