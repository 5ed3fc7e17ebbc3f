// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "sw/base/user_error.h"
#include "sw/data/npy.h"
#include "tb/common/seed.h"
#include "tb/data/support.h"

namespace {

using namespace tern::data;
using Catch::Contains;
using tern::tb::TempFolder;
using tern::tb::user_error;

// A hand-made .npy file, so that reader and writer are not each other's oracle.
std::string npy_file(const std::string& header, const std::string& payload, int major = 1) {
  std::string bytes = std::string("\x93NUMPY") + static_cast<char>(major) + '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) {
    bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
  }
  return bytes + header + payload;
}

std::string dictionary(const std::string& descr, const std::string& shape,
                       const std::string& order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

std::string error_of(const TempFolder& folder, const std::string& bytes) {
  const auto file = folder.put("x.npy", bytes);
  return user_error(file, [&] { read_npy(file); });
}

template <typename T>
void check_round_trip(DType dtype, const std::vector<T>& values, TwoBytes two_bytes) {
  const TempFolder folder;
  for (const Shape& shape : {Shape{values.size()}, Shape{2, 1, values.size() / 2}}) {
    for (const unsigned version : {1u, 2u, 3u}) {
      CAPTURE(name_of(dtype), to_string(shape), version);
      write_npy(folder / "x.npy", make_array(dtype, shape, values), version);
      const NpyArray back = read_npy(folder / "x.npy", two_bytes);
      CHECK(back.dtype == dtype);
      CHECK(back.shape == shape);
      CHECK(back.values<T>() == values);
    }
  }
  CHECK_FALSE(std::filesystem::exists(folder / "x.npy.partial"));
}

template <typename T>
std::vector<T> extremes() {
  using Limits = std::numeric_limits<T>;
  return {Limits::lowest(), Limits::max(), Limits::min(), T(0), T(1), T(100)};
}

TEST_CASE("npy: every element type comes back bit for bit, in every version") {
  check_round_trip(DType::kF32, extremes<float>(), TwoBytes::kUnsigned);
  check_round_trip(DType::kF64, extremes<double>(), TwoBytes::kUnsigned);
  check_round_trip(DType::kU8, extremes<std::uint8_t>(), TwoBytes::kUnsigned);
  check_round_trip(DType::kU16, extremes<std::uint16_t>(), TwoBytes::kUnsigned);
  check_round_trip(DType::kF16, extremes<std::uint16_t>(), TwoBytes::kUnsigned);
  check_round_trip(DType::kBf16, extremes<std::uint16_t>(), TwoBytes::kBf16Bits);
  check_round_trip(DType::kI32, extremes<std::int32_t>(), TwoBytes::kUnsigned);
  check_round_trip(DType::kU32, extremes<std::uint32_t>(), TwoBytes::kUnsigned);
  check_round_trip(DType::kI64, extremes<std::int64_t>(), TwoBytes::kUnsigned);
}

TEST_CASE("npy: written files are what NumPy writes") {
  const TempFolder folder;
  write_npy(folder / "x.npy", make_array<float>(DType::kF32, {2, 3}, {0, 1, 2, 3, 4, -0.0f}));
  // numpy.save of the same array: the header is filled with spaces to 128 bytes in all.
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  header += std::string(117 - header.size(), ' ') + "\n";
  const std::string payload(
      "\0\0\0\0"
      "\0\0\x80\x3f"
      "\0\0\0\x40"
      "\0\0\x40\x40"
      "\0\0\x80\x40"
      "\0\0\0\x80",
      24);
  CHECK(tern::tb::read_bytes(folder / "x.npy") == npy_file(header, payload));

  write_npy(folder / "v.npy", make_array<std::uint8_t>(DType::kU8, {3}, {7, 8, 9}));
  CHECK_THAT(tern::tb::read_bytes(folder / "v.npy"),
             Contains("'descr': '|u1'") && Contains("(3,)"));
  write_npy(folder / "s.npy", make_array<double>(DType::kF64, {}, {1.5}));
  CHECK_THAT(tern::tb::read_bytes(folder / "s.npy"), Contains("'shape': ()"));
}

TEST_CASE("npy: headers of other writers are read") {
  const TempFolder folder;
  const std::string four("\1\0\0\0", 4);
  const auto read = [&](const std::string& header, int major = 1) {
    return read_npy(folder.put("x.npy", npy_file(header, four, major)));
  };
  CHECK(read("{\"shape\":(1,1,),\"descr\":\"<i4\",\"fortran_order\":False}").shape == Shape{1, 1});
  CHECK(read("  { 'descr' : '<u4' , 'fortran_order' : False , 'shape' : ( 1L , ) }  \n", 2).shape ==
        Shape{1});
  CHECK(read(dictionary("<i4", "()"), 3).shape.empty());
  CHECK(read(dictionary("<u1", "(4,)")).dtype == DType::kU8);
  CHECK(read(dictionary("<i4", "(1,)")).values<std::int32_t>() == std::vector<std::int32_t>{1});

  const auto empty = folder.put("e.npy", npy_file(dictionary("<f4", "(0, 99999999999)"), ""));
  CHECK(read_npy(empty).size() == 0);
}

TEST_CASE("npy: bfloat16 is raw bits, and only on request") {
  const TempFolder folder;
  const std::string bits("\x80\x3f\x00\xc0", 4);  // 1.0, -2.0
  const auto u2 = folder.put("u2.npy", npy_file(dictionary("<u2", "(2,)"), bits));
  const auto v2 = folder.put("v2.npy", npy_file(dictionary("|V2", "(2,)"), bits));
  const std::vector<std::uint16_t> expected = {0x3f80, 0xc000};
  CHECK(read_npy(u2).dtype == DType::kU16);
  CHECK(read_npy(u2, TwoBytes::kBf16Bits).dtype == DType::kBf16);
  CHECK(read_npy_as(u2, DType::kBf16, {2}).values<std::uint16_t>() == expected);
  CHECK(read_npy_as(v2, DType::kBf16, {2}).values<std::uint16_t>() == expected);
  CHECK_THAT(user_error(v2, [&] { read_npy(v2); }), Contains("dtype '|V2' is not supported"));
}

TEST_CASE("npy: expected type and shape are insisted on") {
  const TempFolder folder;
  const auto file = folder / "x.npy";
  write_npy(file, make_array<float>(DType::kF32, {2, 3}, std::vector<float>(6)));
  CHECK(read_npy_as(file, DType::kF32, {2, 3}).size() == 6);
  CHECK(read_npy_as(file, DType::kF32, {kAnyExtent, 3}).size() == 6);
  const auto error = [&](DType dtype, const Shape& shape) {
    return user_error(file, [&] { read_npy_as(file, dtype, shape); });
  };
  CHECK(error(DType::kF64, {2, 3}) == "expected dtype float64, found float32");
  CHECK(error(DType::kF32, {3, 2}) == "expected shape [3, 2], found [2, 3]");
  CHECK(error(DType::kF32, {kAnyExtent, 2}) == "expected shape [any, 2], found [2, 3]");
  CHECK(error(DType::kF32, {6}) == "expected shape [6], found [2, 3]");
}

TEST_CASE("npy: faults of the file as a whole") {
  const TempFolder folder;
  const auto missing = folder / "missing.npy";
  CHECK(user_error(missing, [&] { read_npy(missing); }) == "no such file");
  CHECK(user_error(folder.path(), [&] { read_npy(folder.path()); }) == "not a regular file");
  CHECK_THAT(error_of(folder, ""), Contains("it is empty"));
  CHECK_THAT(error_of(folder, "PK\3\4 a zip archive"),
             Contains("not an .npy file: starts with 'PK"));
  CHECK_THAT(error_of(folder, std::string("\x93NUMPX\1\0", 8)), Contains("not an .npy file"));
  CHECK_THAT(error_of(folder, npy_file(dictionary("<f4", "()"), "abcd", 4)),
             Contains(".npy version 4.0 is not supported"));
  CHECK_THAT(error_of(folder, std::string("\x93NUMPY\1\2\0\0", 10)),
             Contains(".npy version 1.2 is not supported"));

  const std::string good = npy_file(dictionary("<f4", "(3,)"), std::string(12, 'x'));
  CHECK(error_of(folder, good + "y") ==
        "trailing bytes: float32 [3] needs 12 bytes of data, found 13");
  CHECK(error_of(folder, good.substr(0, good.size() - 1)) ==
        "truncated: float32 [3] needs 12 bytes of data, found 11");
  for (std::size_t size = 0; size < good.size(); ++size) {
    CAPTURE(size);
    error_of(folder, good.substr(0, size));
  }
}

TEST_CASE("npy: faults of the header") {
  const TempFolder folder;
  const auto error = [&](const std::string& header) {
    return error_of(folder, npy_file(header, "abcd"));
  };
  CHECK_THAT(error(dictionary("<f4", "(1,)", "True")), Contains("Fortran order is not supported"));
  CHECK_THAT(error(dictionary(">f4", "(1,)")), Contains("'>f4' is big-endian"));
  for (const char* descr :
       {"<c8", "|b1", "|S4", "<U1", "<i2", "|i1", "<u8", "=f4", "f4", "<", ""}) {
    CHECK_THAT(error(dictionary(descr, "(1,)")), Contains("is not supported, expected <f2"));
  }
  CHECK_THAT(error("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }"),
             Contains("structured dtypes are not supported"));
  CHECK_THAT(error(""), Contains("expected '{' at character 0, found its end"));
  CHECK_THAT(error("{}"), Contains("key 'descr' is missing"));
  CHECK_THAT(error("{'descr': '<f4', 'shape': ()}"), Contains("key 'fortran_order' is missing"));
  CHECK_THAT(error("{'descr': '<f4', 'fortran_order': False}"), Contains("key 'shape' is missing"));
  CHECK_THAT(error("{'descr': '<f4', 'descr': '<f4'}"),
             Contains("unexpected or repeated key 'descr'"));
  CHECK_THAT(error("{'colour': 'red'}"), Contains("unexpected or repeated key 'colour'"));
  CHECK_THAT(error("{'des\ncr\x01': '<f4'}"), Contains("'des\\x0acr\\x01'"));
  CHECK_THAT(error("{'descr': '<f4"), Contains("a quoted string does not end"));
  CHECK_THAT(error(dictionary("<f4", "(1,)", "Maybe")), Contains("expected True or False"));
  CHECK_THAT(error(dictionary("<f4", "(1)")), Contains("expected ','"));
  CHECK_THAT(error(dictionary("<f4", "1")), Contains("expected '('"));
  CHECK_THAT(error(dictionary("<f4", "(-1,)")), Contains("expected a dimension"));
  CHECK_THAT(error(dictionary("<f4", "(1, 1")), Contains("expected a dimension"));
  CHECK_THAT(error(dictionary("<f4", "(1,)") + "x"), Contains("expected the end of the header"));
  CHECK_THAT(error(dictionary("<f4", "(99999999999999999999,)")),
             Contains("a dimension is too large"));
  CHECK_THAT(error(dictionary("<f4", "(9223372036854775807, 2)")), Contains("is too large"));
  CHECK_THAT(error(dictionary("<f8", "(4611686018427387904,)")), Contains("is too large"));
  CHECK_THAT(error(dictionary("<f8", "(1099511627776,)")), Contains("truncated"));
  std::string many = "(";
  for (int i = 0; i < 33; ++i) many += "1,";
  CHECK_THAT(error(dictionary("<f4", many + ")")), Contains("more than 32 dimensions"));
}

// Whatever the bytes: either an array whose size is that of the data, or one clear line.
void read_mutant(const std::string& bytes, std::size_t& accepted) {
  std::istringstream stream(bytes);
  try {
    const NpyArray array = read_npy(stream, "mutant.npy");
    if (array.bytes.size() >= bytes.size()) FAIL("more data than the file holds");
    if (element_count(array.shape) != array.size()) FAIL("shape and data disagree");
    ++accepted;
  } catch (const tern::UserError& error) {
    const std::string message = error.what();
    const bool one_line = message.rfind("mutant.npy: ", 0) == 0 &&
                          message.find_first_of(std::string("\n\r\0", 3)) == std::string::npos;
    if (!one_line) FAIL("not one clear line: " << message);
  }
}

TEST_CASE("npy: mutated files never do worse than a clear error") {
  const std::string good = npy_file(dictionary("<f4", "(2, 3)"), std::string(24, 'x'));
  std::size_t accepted = 0;
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string bytes = good;
      bytes[at] = static_cast<char>(value);
      read_mutant(bytes, accepted);
    }
  }
  CHECK(accepted >= 24 * 256);  // any change of the data is legal

  std::mt19937_64 random(tern::tb::test_seed());
  const std::string alphabet = "{}()[]',: 0123456789L<>|fuiTrueFalsehapdcnk_\n\"\xff";
  for (int round = 0; round < 50000; ++round) {
    std::string bytes = good;
    for (std::size_t edits = 1 + random() % 6; edits > 0; --edits) {
      const std::size_t at = random() % bytes.size();
      const char c = alphabet[random() % alphabet.size()];
      switch (random() % 4) {
        case 0:
          bytes[at] = c;
          break;
        case 1:
          bytes.insert(at, 1, c);
          break;
        case 2:
          if (bytes.size() > 1) bytes.erase(at, 1 + random() % 4);
          break;
        default:
          bytes[at] = static_cast<char>(random());
      }
      if (bytes.empty()) bytes = "x";
    }
    read_mutant(bytes, accepted);
  }
}

TEST_CASE("npy: a wrong element type is a programming error") {
  const NpyArray array = make_array<float>(DType::kF32, {1}, {1.0f});
  CHECK_THROWS_AS(array.values<double>(), std::logic_error);
  CHECK_THROWS_AS(make_array<float>(DType::kF64, {1}, {1.0f}), std::logic_error);
  CHECK_THROWS_AS(make_array<float>(DType::kF32, {2}, {1.0f}), std::logic_error);
}

}  // namespace
