// SPDX-License-Identifier: Apache-2.0
#include "sw/platform/compressed_stream.h"

#include <zlib.h>

#include <algorithm>
#include <array>

#include "sw/base/user_error.h"

namespace tern {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;
constexpr std::size_t kPiece = std::size_t{1} << 30;  // of bytes for zlib's counts

}  // namespace

struct CompressedWriter::State {
  std::ostream& out;
  z_stream z{};
  std::array<unsigned char, kChunk> input{}, output{};
  std::size_t filled = 0;  // of input
  uLong crc = ::crc32(0, nullptr, 0);
};

CompressedWriter::CompressedWriter(std::ostream& out)
    : state_(std::make_unique<State>(State{out})) {
  if (deflateInit(&state_->z, Z_BEST_SPEED) != Z_OK) throw RunError("zlib cannot start");
}

CompressedWriter::~CompressedWriter() {
  deflateEnd(&state_->z);
}

void CompressedWriter::deflate_input(int flush) {
  State& s = *state_;
  s.z.next_in = s.input.data();
  s.z.avail_in = static_cast<uInt>(s.filled);
  s.filled = 0;
  do {
    s.z.next_out = s.output.data();
    s.z.avail_out = kChunk;
    deflate(&s.z, flush);
    const std::size_t count = kChunk - s.z.avail_out;
    s.crc = ::crc32(s.crc, s.output.data(), static_cast<uInt>(count));
    s.out.write(reinterpret_cast<const char*>(s.output.data()),
                static_cast<std::streamsize>(count));
  } while (s.z.avail_out == 0);
}

void CompressedWriter::write(const void* bytes, std::size_t count) {
  State& s = *state_;
  const auto* from = static_cast<const unsigned char*>(bytes);
  while (count > 0) {
    const std::size_t length = std::min(count, kChunk - s.filled);
    std::copy(from, from + length, s.input.data() + s.filled);
    s.filled += length;
    from += length;
    count -= length;
    if (s.filled == kChunk) deflate_input(Z_NO_FLUSH);
  }
}

std::uint32_t CompressedWriter::finish() {
  deflate_input(Z_FINISH);
  return static_cast<std::uint32_t>(state_->crc);
}

struct CompressedReader::State {
  std::istream& in;
  z_stream z{};
  std::array<unsigned char, kChunk> input{};
  bool ended = false;
};

CompressedReader::CompressedReader(std::istream& in) : state_(std::make_unique<State>(State{in})) {
  if (inflateInit(&state_->z) != Z_OK) throw RunError("zlib cannot start");
}

CompressedReader::~CompressedReader() {
  inflateEnd(&state_->z);
}

// Fewer only at the end.
std::size_t CompressedReader::read_some(void* bytes, std::size_t count) {
  State& s = *state_;
  std::size_t done = 0;
  while (done < count && !s.ended) {
    if (s.z.avail_in == 0) {
      s.in.read(reinterpret_cast<char*>(s.input.data()), kChunk);
      s.z.next_in = s.input.data();
      s.z.avail_in = static_cast<uInt>(s.in.gcount());
      if (s.z.avail_in == 0) throw UserError("truncated");
    }
    const std::size_t room = std::min(count - done, kPiece);
    s.z.next_out = static_cast<unsigned char*>(bytes) + done;
    s.z.avail_out = static_cast<uInt>(room);
    const int status = inflate(&s.z, Z_NO_FLUSH);
    done += room - s.z.avail_out;
    s.ended = status == Z_STREAM_END;
    if (!s.ended && status != Z_OK && status != Z_BUF_ERROR) throw UserError("damaged");
  }
  return done;
}

void CompressedReader::read(void* bytes, std::size_t count) {
  if (read_some(bytes, count) != count) throw UserError("truncated");
}

bool CompressedReader::at_end() {
  unsigned char byte = 0;
  return read_some(&byte, 1) == 0;
}

}  // namespace tern
