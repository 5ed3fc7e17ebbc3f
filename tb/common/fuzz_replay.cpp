// SPDX-License-Identifier: Apache-2.0
// The place of libFuzzer in a build without it: every file of a folder is an input, once.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// Only libFuzzer mutates.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* /*data*/, std::size_t /*size*/,
                                        std::size_t /*max_size*/) {
  std::abort();
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "Usage: %s FOLDER (an input in each file)\n", argv[0]);
    return 2;
  }
  unsigned inputs = 0;
  std::error_code missing;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[1], missing)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string input{std::istreambuf_iterator<char>(file), {}};
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
    ++inputs;
  }
  std::printf("%u inputs of %s\n", inputs, argv[1]);
  return inputs == 0 ? 1 : 0;
}
