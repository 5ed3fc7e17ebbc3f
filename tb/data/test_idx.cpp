// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "sw/base/user_error.h"
#include "sw/data/idx.h"
#include "tb/common/seed.h"
#include "tb/data/support.h"

namespace {

using namespace tern::data;
using Catch::Contains;
using tern::tb::gzip;
using tern::tb::TempFolder;
using tern::tb::user_error;

std::string idx_file(const std::vector<std::uint32_t>& shape, const std::string& data,
                     char type = 0x08) {
  std::string bytes = {0, 0, type, static_cast<char>(shape.size())};
  for (const std::uint32_t extent : shape) {
    for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(extent >> shift & 0xff);
  }
  return bytes + data;
}

std::string random_bytes(std::size_t size) {
  std::mt19937_64 random(tern::tb::test_seed());
  std::string bytes(size, '\0');
  for (char& b : bytes) b = static_cast<char>(random() % 7);
  return bytes;
}

std::string error_of(const TempFolder& folder, const std::string& bytes) {
  const auto file = folder.put("x.idx", bytes);
  return user_error(file, [&] { read_idx(file); });
}

TEST_CASE("idx: plain and gzip files hold the same array, whatever their name") {
  const TempFolder folder;
  const std::string data = random_bytes(300 * 28 * 28);
  const std::string file = idx_file({300, 28, 28}, data);
  // Also as two concatenated gzip members, which is a legal gzip file.
  const std::string members = gzip(file.substr(0, 1000)) + gzip(file.substr(1000));
  for (const std::string& bytes : {file, gzip(file), members}) {
    const IdxArray array = read_idx(folder.put("images", bytes));
    CHECK(array.shape == Shape{300, 28, 28});
    CHECK(std::string(array.bytes.begin(), array.bytes.end()) == data);
  }
  CHECK(read_idx(folder.put("none", idx_file({0, 28, 28}, ""))).bytes.empty());
}

TEST_CASE("idx: faults") {
  const TempFolder folder;
  const auto missing = folder / "missing";
  CHECK(user_error(missing, [&] { read_idx(missing); }) == "no such file");
  CHECK(user_error(folder.path(), [&] { read_idx(folder.path()); }) == "not a regular file");
  CHECK_THAT(error_of(folder, ""), Contains("truncated: the IDX header"));
  CHECK_THAT(error_of(folder, "\x93NUMPY"), Contains("not an IDX file: starts with 93 4e 55 4d"));
  CHECK_THAT(error_of(folder, idx_file({1}, "abcd", 0x0d)), Contains("element type 0x0d"));
  CHECK_THAT(error_of(folder, idx_file({}, "a")), Contains("without dimensions"));
  const std::string good = idx_file({2, 3}, "abcdef");
  CHECK(error_of(folder, good + "g") == "trailing bytes after the 6 bytes of [2, 3]");
  CHECK(error_of(folder, good.substr(0, good.size() - 1)) ==
        "truncated: [2, 3] needs 6 bytes of data, found 5");
  for (std::size_t size = 0; size < good.size(); ++size) {
    CAPTURE(size);
    error_of(folder, good.substr(0, size));
  }
}

TEST_CASE("idx: huge extents are refused without allocating them") {
  const TempFolder folder;
  constexpr std::uint32_t kHuge = 0xffffffff;
  CHECK_THAT(error_of(folder, idx_file({kHuge, kHuge, kHuge}, "a")), Contains("are too large"));
  CHECK_THAT(error_of(folder, idx_file({kHuge, 0x7fffffff}, "a")), Contains("GB of memory"));
  CHECK_THAT(error_of(folder, gzip(idx_file({kHuge, 0x7fffffff}, "a"))), Contains("GB of memory"));
  std::vector<std::uint32_t> most(255, 1);
  most[0] = kHuge;
  CHECK_THAT(error_of(folder, idx_file(most, "a")), Contains("truncated"));
}

TEST_CASE("idx: damaged gzip streams") {
  const TempFolder folder;
  const std::string good = gzip(idx_file({100, 10}, random_bytes(1000)));
  CHECK_THAT(error_of(folder, good + "junk"), Contains("damaged gzip stream"));
  CHECK_THAT(error_of(folder, good.substr(0, 5)), Contains("gzip stream is cut short"));
  for (std::size_t size = 2; size < good.size(); ++size) {
    CAPTURE(size);
    error_of(folder, good.substr(0, size));
  }
  std::string wrong_crc = good;
  wrong_crc[good.size() - 8] = static_cast<char>(~wrong_crc[good.size() - 8]);
  CHECK_THAT(error_of(folder, wrong_crc), Contains("damaged gzip stream"));
  CHECK_THAT(error_of(folder, gzip(idx_file({2}, "abc"))), Contains("trailing bytes"));
}

TEST_CASE("idx: mutated files never do worse than a clear error") {
  const TempFolder folder;
  const std::string plain = idx_file({4, 3, 3}, random_bytes(36));
  std::mt19937_64 random(tern::tb::test_seed());
  for (const std::string& good : {plain, gzip(plain)}) {
    for (int round = 0; round < 3000; ++round) {
      std::string bytes = good;
      for (std::size_t edits = 1 + random() % 3; edits > 0; --edits) {
        bytes[random() % bytes.size()] = static_cast<char>(random());
      }
      const auto file = folder.put("x.idx", bytes);
      try {
        const IdxArray array = read_idx(file);
        if (element_count(array.shape) != array.bytes.size()) FAIL("shape and data disagree");
      } catch (const tern::UserError& error) {
        const std::string message = error.what();
        if (message.rfind(file.string() + ": ", 0) != 0 ||
            message.find('\n') != std::string::npos) {
          FAIL("not one clear line: " << message);
        }
      }
    }
  }
}

TEST_CASE("idx: images and labels must belong together") {
  const TempFolder folder;
  const auto images = folder.put("images", idx_file({3, 2, 2}, "abcdefghijkl"));
  const auto labels = folder.put("labels", gzip(idx_file({3}, {0, 9, 4})));
  const ImageSet set = read_image_set(images, labels);
  CHECK(set.count == 3);
  CHECK(set.rows == 2);
  CHECK(set.columns == 2);
  CHECK(set.labels == std::vector<std::uint8_t>{0, 9, 4});
  CHECK(set.image(2)[0] == 'i');

  const auto error = [&](const std::filesystem::path& i, const std::filesystem::path& l,
                         const std::filesystem::path& at_fault) {
    return user_error(at_fault, [&] { read_image_set(i, l); });
  };
  CHECK_THAT(error(labels, images, labels), Contains("expected images") && Contains("found [3]"));
  CHECK_THAT(error(images, images, images),
             Contains("expected labels (an IDX file of 1 dimension)"));
  const auto two = folder.put("two", idx_file({2}, {1, 2}));
  CHECK_THAT(error(images, two, two), Contains("holds 2 labels, but") && Contains("3 images"));
  // The headers are compared before the data is read: this file has none.
  const auto claims = folder.put("claims", idx_file({4'000'000'000, 28, 28}, ""));
  CHECK_THAT(error(claims, labels, labels), Contains("holds 3 labels, but"));
  const auto ten = folder.put("ten", idx_file({3}, {1, 10, 2}));
  CHECK(error(images, ten, ten) == "label 1 is 10, expected 0 to 9");
}

}  // namespace
