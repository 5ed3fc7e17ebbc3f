// SPDX-License-Identifier: Apache-2.0
// Tokenizer, loader and FP32 reference against the npm package's own runtime (TensorFlow.js).
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "sw/models/use/reference/sentence_encoder.h"
#include "sw/models/use/tokenizer.h"
#include "tb/common/temp_folder.h"

namespace tern::tb {

namespace {

const std::filesystem::path kFolder = std::filesystem::path(TERN_SOURCE_DIR) / "build/search";

// What the command prints.
std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 4096> chunk{};
  while (const std::size_t got = fread(chunk.data(), 1, chunk.size(), pipe.get()))
    text.append(chunk.data(), got);
  return text;
}

const std::vector<std::string>& sentences() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> list = {
        "hello",
        "Call me Ishmael.",
        "The white whale swam in the quiet sea, and nobody saw it for days.",
        "  two leading blanks, and  two inside ",
        "It was 10:30 :) or 12:00 :-) http://example.org/a?b=c",
        "caf\u00e9 na\u00efve \u2014 \u201cquoted\u201d \u2019s",
        "\ufb01ne \u2460 \uff21\uff22 \u212b e\u0301",
        "unknown: \u6f22\u5b57 \u0416 \U0001F433\U0001F433 end",
        "line\nbreak\tand tab",
        "antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis",
        "What do sailors fear most when the harpoon line runs out?",
        "x",
    };
    std::string longest;  // more than 128 tokens: the encoder takes the first ones
    for (unsigned i = 0; i < 40; ++i) longest += "the ship sails on, ";
    list.push_back(longest);
    return list;
  }();
  return all;
}

}  // namespace

TEST_CASE("tokens and embeddings agree with the package's own runtime") {
  if (!std::filesystem::exists(kFolder / "runtime/complete")) {
    WARN("skipped: no runtime in " << kFolder.string()
                                   << " (scripts/fetch-search --runtime brings it)");
    return;
  }
  const TempFolder folder;
  std::string lines;
  for (const std::string& text : sentences()) lines += nlohmann::json(text).dump() + "\n";
  const auto input = folder.put("sentences", lines);
  std::istringstream answers(output_of("node " + std::string(TERN_SOURCE_DIR) +
                                       "/tb/models/use/runtime.js " +
                                       (kFolder / "runtime").string() + " <" + input.string()));
  const use::Model model = use::load_model(kFolder);
  const use::Tokenizer tokenizer(kFolder / "vocab.json");
  std::string answer;
  double worst = 0;
  for (const std::string& text : sentences()) {
    INFO(text);
    REQUIRE(std::getline(answers, answer));
    const auto expected = nlohmann::json::parse(answer);
    std::vector<std::uint32_t> tokens = tokenizer.encode(text);
    CHECK(tokens == expected["tokens"].get<std::vector<std::uint32_t>>());
    tokens.resize(std::min<std::size_t>(tokens.size(), use::Model::kMaxTokens));
    const auto want = expected["embedding"].get<std::vector<float>>();
    const std::vector<float> got = reference::sentence_embedding(model, tokens);
    REQUIRE(got.size() == want.size());
    for (std::size_t i = 0; i < got.size(); ++i)
      worst = std::max(worst, static_cast<double>(std::fabs(got[i] - want[i])));
    CHECK(worst < 1e-5);
  }
  WARN("largest difference of an element: " << worst);
}

}  // namespace tern::tb
