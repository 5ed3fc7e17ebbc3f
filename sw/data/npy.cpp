// SPDX-License-Identifier: Apache-2.0
#include "sw/data/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "sw/base/atomic_file.h"
#include "sw/base/input_file.h"
#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "sw/data/npy_header.h"

namespace tern::data {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "elements are copied as they are stored");

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kAlignment = 64;  // of the data, as NumPy writes it

struct DescrEntry {
  std::string_view code;  // without its byte order
  DType dtype;
};

constexpr std::array<DescrEntry, 8> kDescrs = {{{"f2", DType::kF16},
                                                {"f4", DType::kF32},
                                                {"f8", DType::kF64},
                                                {"u1", DType::kU8},
                                                {"u2", DType::kU16},
                                                {"i4", DType::kI32},
                                                {"u4", DType::kU32},
                                                {"i8", DType::kI64}}};

std::string descr_of(DType dtype) {
  if (dtype == DType::kBf16) dtype = DType::kU16;
  const auto entry = std::find_if(kDescrs.begin(), kDescrs.end(),
                                  [dtype](const DescrEntry& e) { return e.dtype == dtype; });
  return (dtype == DType::kU8 ? "|" : "<") + std::string(entry->code);
}

DType dtype_of(const std::string& descr, TwoBytes two_bytes, const std::string& name) {
  const std::string_view code = std::string_view(descr).substr(descr.empty() ? 0 : 1);
  const char order = descr.empty() ? '\0' : descr[0];
  const bool as_bf16 = two_bytes == TwoBytes::kBf16Bits;
  if (as_bf16 && code == "V2" && (order == '<' || order == '|')) return DType::kBf16;
  const auto entry = std::find_if(kDescrs.begin(), kDescrs.end(),
                                  [code](const DescrEntry& e) { return e.code == code; });
  if (entry != kDescrs.end()) {
    if (order == '>' && size_of(entry->dtype) > 1) {
      throw UserError(name + ": dtype " + base::printable(descr) +
                      " is big-endian, expected little-endian ('<')");
    }
    if (order == '<' || (order == '|' && size_of(entry->dtype) == 1)) {
      return as_bf16 && entry->dtype == DType::kU16 ? DType::kBf16 : entry->dtype;
    }
  }
  throw UserError(name + ": dtype " + base::printable(descr) +
                  " is not supported, expected <f2 <f4 <f8 |u1 <u2 <i4 <u4 or <i8");
}

std::uint64_t stream_size(std::istream& stream, const std::string& name) {
  stream.seekg(0, std::ios::end);
  const std::streamoff size = stream.tellg();
  stream.seekg(0);
  if (size < 0 || !stream) throw UserError(name + ": cannot read: size unknown");
  return static_cast<std::uint64_t>(size);
}

void read_exactly(std::istream& stream, char* out, std::size_t size, const std::string& name) {
  stream.read(out, static_cast<std::streamsize>(size));
  if (static_cast<std::size_t>(stream.gcount()) != size) {
    throw UserError(name + ": cannot read: input/output error");
  }
}

// The header text; leaves the stream at the first data byte.
std::string read_header_text(std::istream& stream, std::uint64_t file_size,
                             const std::string& name) {
  const auto need = [&](std::uint64_t size) {
    if (file_size < size) throw UserError(name + ": truncated: the .npy header is cut short");
  };
  std::array<char, 8> start{};
  const std::size_t present = std::min<std::uint64_t>(file_size, kMagic.size());
  read_exactly(stream, start.data(), present, name);
  if (file_size == 0) throw UserError(name + ": not an .npy file: it is empty");
  if (std::string_view(start.data(), present) != kMagic.substr(0, present)) {
    throw UserError(name + ": not an .npy file: starts with " +
                    base::printable(std::string_view(start.data(), present)));
  }
  need(start.size());
  read_exactly(stream, start.data() + kMagic.size(), 2, name);
  const unsigned major = static_cast<unsigned char>(start[6]);
  const unsigned minor = static_cast<unsigned char>(start[7]);
  if (major < 1 || major > 3 || minor != 0) {
    throw UserError(fmt::format("{}: .npy version {}.{} is not supported, expected 1.0, 2.0 or 3.0",
                                name, major, minor));
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  need(start.size() + length_bytes);
  std::array<char, 4> length{};
  read_exactly(stream, length.data(), length_bytes, name);
  std::uint32_t header_size = 0;
  std::memcpy(&header_size, length.data(), length.size());
  need(start.size() + length_bytes + header_size);
  std::string text(header_size, '\0');
  read_exactly(stream, text.data(), text.size(), name);
  return text;
}

bool fits(const Shape& found, const Shape& expected) {
  return std::equal(found.begin(), found.end(), expected.begin(), expected.end(),
                    [](std::size_t f, std::size_t e) { return e == kAnyExtent || f == e; });
}

std::string to_string_expected(const Shape& shape) {
  std::string text;
  for (const std::size_t extent : shape) {
    if (!text.empty()) text += ", ";
    text += extent == kAnyExtent ? "any" : std::to_string(extent);
  }
  return "[" + text + "]";
}

}  // namespace

NpyArray read_npy(std::istream& stream, const std::string& name, TwoBytes two_bytes) {
  const std::uint64_t file_size = stream_size(stream, name);
  const NpyHeader header = parse_npy_header(read_header_text(stream, file_size, name), name);
  if (header.fortran_order) {
    throw UserError(name +
                    ": Fortran order is not supported, expected C order (row-major): "
                    "save numpy.ascontiguousarray(x)");
  }
  NpyArray array;
  array.dtype = dtype_of(header.descr, two_bytes, name);
  array.shape = header.shape;
  const std::size_t element_size = size_of(array.dtype);
  const auto count = element_count(array.shape);
  if (!count || *count > INT64_MAX / element_size) {
    throw UserError(name + ": shape " + to_string(array.shape) + " is too large");
  }
  // Compared before anything is allocated: the shape is only a claim until the bytes are read.
  const std::uint64_t needed = *count * element_size;
  const std::uint64_t present = file_size - static_cast<std::uint64_t>(stream.tellg());
  if (present != needed) {
    throw UserError(fmt::format("{}: {}: {} {} needs {} bytes of data, found {}", name,
                                present < needed ? "truncated" : "trailing bytes",
                                name_of(array.dtype), to_string(array.shape), needed, present));
  }
  array.bytes.resize(needed);
  read_exactly(stream, reinterpret_cast<char*>(array.bytes.data()), needed, name);
  return array;
}

NpyArray read_npy(const std::filesystem::path& path, TwoBytes two_bytes) {
  std::ifstream stream = base::open_input(path);
  return read_npy(stream, path.string(), two_bytes);
}

NpyArray read_npy_as(const std::filesystem::path& path, DType dtype, const Shape& shape) {
  NpyArray array =
      read_npy(path, dtype == DType::kBf16 ? TwoBytes::kBf16Bits : TwoBytes::kUnsigned);
  if (array.dtype != dtype) {
    throw UserError(fmt::format("{}: expected dtype {}, found {}", path.string(), name_of(dtype),
                                name_of(array.dtype)));
  }
  if (!fits(array.shape, shape)) {
    throw UserError(fmt::format("{}: expected shape {}, found {}", path.string(),
                                to_string_expected(shape), to_string(array.shape)));
  }
  return array;
}

void write_npy(const std::filesystem::path& path, const NpyArray& array, unsigned version) {
  const auto count = element_count(array.shape);
  if (!count || *count * size_of(array.dtype) != array.bytes.size() || version < 1 || version > 3) {
    throw std::logic_error("write_npy: shape, bytes and version do not agree");
  }
  std::string text = format_npy_header({descr_of(array.dtype), false, array.shape});
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t before = kMagic.size() + 2 + length_bytes;
  // 32 extents of 20 digits cannot outgrow version 1's 64 KiB.
  text.append((kAlignment - (before + text.size() + 1) % kAlignment) % kAlignment, ' ');
  text += '\n';
  const auto header_size = static_cast<std::uint32_t>(text.size());

  base::AtomicFile file(path);
  std::ostream& out = file.stream();
  out << kMagic << static_cast<char>(version) << '\0';
  out.write(reinterpret_cast<const char*>(&header_size),
            static_cast<std::streamsize>(length_bytes));
  out << text;
  out.write(reinterpret_cast<const char*>(array.bytes.data()),
            static_cast<std::streamsize>(array.bytes.size()));
  file.commit();
}

}  // namespace tern::data
