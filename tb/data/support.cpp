// SPDX-License-Identifier: Apache-2.0
#include "tb/data/support.h"

#include <stdlib.h>
#include <zlib.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "sw/base/user_error.h"

namespace tern::tb {

namespace fs = std::filesystem;

std::string gzip(const std::string& bytes) {
  z_stream z{};
  constexpr int kGzipFormat = 16;
  REQUIRE(deflateInit2(&z, 9, Z_DEFLATED, MAX_WBITS + kGzipFormat, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&z, bytes.size()) + 32, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&z, Z_FINISH) == Z_STREAM_END);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

std::string user_error(const fs::path& file, const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    const std::string message = error.what();
    const std::string start = file.string() + ": ";
    CAPTURE(message);
    REQUIRE(message.compare(0, start.size(), start) == 0);
    REQUIRE(message.find('\n') == std::string::npos);
    return message.substr(start.size());
  }
  FAIL("no UserError for " << file);
  return {};
}

}  // namespace tern::tb
