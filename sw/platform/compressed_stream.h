// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <memory>
#include <ostream>

namespace tern {

// Bytes compressed into a stream, and a CRC-32 of what is there then.
class CompressedWriter {
 public:
  explicit CompressedWriter(std::ostream& out);
  ~CompressedWriter();
  CompressedWriter(const CompressedWriter&) = delete;
  CompressedWriter& operator=(const CompressedWriter&) = delete;

  void write(const void* bytes, std::size_t count);
  // No more bytes; the checksum of the compressed ones.
  std::uint32_t finish();

 private:
  struct State;
  void deflate_input(int flush);
  const std::unique_ptr<State> state_;
};

// The other direction. Throws UserError: "truncated" or "damaged".
class CompressedReader {
 public:
  explicit CompressedReader(std::istream& in);
  ~CompressedReader();
  CompressedReader(const CompressedReader&) = delete;
  CompressedReader& operator=(const CompressedReader&) = delete;

  void read(void* bytes, std::size_t count);
  // Nothing is left.
  bool at_end();

 private:
  struct State;
  std::size_t read_some(void* bytes, std::size_t count);
  const std::unique_ptr<State> state_;
};

}  // namespace tern
