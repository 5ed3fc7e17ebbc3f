// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tern::tb {

// A part of Tern that reads files which somebody sends.
struct Loader {
  std::string name;    // of its corpus_NAME and of the program fuzz_NAME
  std::string ending;  // of its files, ".npy"
  // Reads a file. What is wrong with it is a UserError.
  std::function<void(const std::string& path)> read;
  // Makes a mutation pass what would stop all of them, as a checksum; may be empty.
  std::function<void(std::string* bytes)> mend;
};

const std::vector<Loader>& loaders();
const Loader& loader(const std::string& name);

// Gives the bytes to a loader as a file of its own folder. Returns the message of its UserError, or
// nothing if it accepts them; everything else that it throws goes on.
std::string offer(const Loader& loader, std::string bytes);

// Somewhere in the bytes: bits, bytes, numbers and words changed, pieces repeated, left out, put in
// from elsewhere.
void mutate(std::string* bytes, std::uint64_t seed);

}  // namespace tern::tb
