// SPDX-License-Identifier: Apache-2.0
#include "sw/base/input_file.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "sw/base/user_error.h"

namespace tern::base {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kChunk = 1u << 16;
constexpr std::array<unsigned char, 2> kGzipMagic = {0x1f, 0x8b};

}  // namespace

std::ifstream open_input(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    throw UserError(path.string() + ": no such file");
  }
  if (error) throw UserError(path.string() + ": cannot read: " + error.message());
  if (!fs::is_regular_file(status)) throw UserError(path.string() + ": not a regular file");
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw UserError(path.string() + ": cannot read: " + std::strerror(errno));
  return stream;
}

std::string read_input(const fs::path& path) {
  std::ifstream stream = open_input(path);
  try {
    return {std::istreambuf_iterator<char>(stream), {}};
  } catch (const std::ios_base::failure& error) {
    throw UserError(path.string() + ": cannot read: " + error.code().message());
  }
}

struct InputFile::Gzip {
  z_stream z{};
  std::array<unsigned char, kChunk> in{};
  bool finished = false;

  Gzip() {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&z, MAX_WBITS + kGzipOnly) != Z_OK) throw RunError("zlib cannot start");
  }
  ~Gzip() { inflateEnd(&z); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;
};

InputFile::InputFile(const fs::path& path) : name_(path.string()), stream_(open_input(path)) {
  std::array<unsigned char, 2> magic{};
  stream_.read(reinterpret_cast<char*>(magic.data()), magic.size());
  const bool is_gzip = stream_.gcount() == 2 && magic == kGzipMagic;
  stream_.clear();
  stream_.seekg(0);
  if (is_gzip) gzip_ = std::make_unique<Gzip>();
}

InputFile::~InputFile() = default;

std::vector<std::uint8_t> InputFile::read(std::size_t size) {
  // Grown as bytes arrive: a header that claims terabytes must not make us allocate them.
  std::vector<std::uint8_t> bytes;
  while (bytes.size() < size) {
    const std::size_t before = bytes.size();
    const std::size_t wanted = std::min(size - before, std::max(kChunk, before));
    bytes.resize(before + wanted);
    std::uint8_t* out = bytes.data() + before;
    const std::size_t got = gzip_ ? read_gzip(out, wanted) : read_plain(out, wanted);
    if (got < wanted) {
      bytes.resize(before + got);
      break;
    }
  }
  return bytes;
}

std::size_t InputFile::read_plain(std::uint8_t* out, std::size_t size) {
  stream_.read(reinterpret_cast<char*>(out), static_cast<std::streamsize>(size));
  if (stream_.bad()) throw UserError(name_ + ": cannot read: input/output error");
  return static_cast<std::size_t>(stream_.gcount());
}

std::size_t InputFile::read_gzip(std::uint8_t* out, std::size_t size) {
  z_stream& z = gzip_->z;
  std::size_t done = 0;
  while (done < size) {
    if (z.avail_in == 0) {
      z.next_in = gzip_->in.data();
      z.avail_in = static_cast<uInt>(read_plain(gzip_->in.data(), kChunk));
    }
    if (gzip_->finished) {
      if (z.avail_in == 0) break;
      inflateReset(&z);  // a further member: gzip files may be concatenated
      gzip_->finished = false;
    }
    if (z.avail_in == 0) throw UserError(name_ + ": truncated: the gzip stream is cut short");
    const std::size_t room = std::min<std::size_t>(size - done, 1u << 30);
    z.next_out = out + done;
    z.avail_out = static_cast<uInt>(room);
    const int status = inflate(&z, Z_NO_FLUSH);
    done += room - z.avail_out;
    if (status == Z_STREAM_END) {
      gzip_->finished = true;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      const std::string reason = z.msg != nullptr ? z.msg : "bad data";
      throw UserError(name_ + ": damaged gzip stream: " + reason);
    }
  }
  return done;
}

}  // namespace tern::base
