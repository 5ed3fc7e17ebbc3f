// SPDX-License-Identifier: Apache-2.0
// Files that somebody sends, valid ones and mutations of them: each is accepted, or refused with
// one line. libFuzzer goes further (docs/testing.md).
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "tb/common/seed.h"
#include "tb/common/temp_folder.h"
#include "tb/loaders/loaders.h"

using namespace tern::tb;  // NOLINT: test file

namespace {

std::vector<std::filesystem::path> corpus(const Loader& loader) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(TERN_CORPORA "/corpus_" + loader.name))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

TEST_CASE("loaders: what each accepts and refuses without a mutation") {
  for (const Loader& one : loaders()) {
    INFO(one.name);
    bool accepted = false;
    for (const auto& file : corpus(one)) {
      INFO(file.filename().string());
      const std::string message = offer(one, read_bytes(file));
      const bool good = file.stem().string().rfind("good", 0) == 0;
      if (good) CHECK_THAT(message, Catch::Equals(""));
      accepted = accepted || message.empty();
    }
    // A model and a list of checksums name files that are not there.
    CHECK(accepted == (one.name != "model" && one.name != "checksums"));
  }
}

TEST_CASE("loaders: mutated files are accepted, or refused with one printable line") {
  constexpr unsigned kMutations = 300;
  for (const Loader& one : loaders()) {
    const auto files = corpus(one);
    unsigned refused = 0;
    for (unsigned i = 0; i < kMutations; ++i) {
      const auto& file = files[i % files.size()];
      std::string bytes = read_bytes(file);
      mutate(&bytes, test_seed() * kMutations + i);
      INFO(one.name << ", " << file.filename().string() << ", mutation " << i);
      const std::string message = offer(one, bytes);
      refused += !message.empty();
      if (message.find('\n') != std::string::npos) FAIL_CHECK("more than a line: " << message);
    }
    CHECK(refused > kMutations / 10);
  }
}
