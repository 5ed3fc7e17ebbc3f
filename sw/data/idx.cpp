// SPDX-License-Identifier: Apache-2.0
#include "sw/data/idx.h"

#include <fmt/format.h>

#include "sw/base/input_file.h"
#include "sw/base/user_error.h"

namespace tern::data {

namespace fs = std::filesystem;

namespace {

constexpr std::uint8_t kUnsignedByte = 0x08;

Shape read_extents(base::InputFile& file, unsigned dimensions) {
  const auto bytes = file.read(4 * dimensions);
  if (bytes.size() < 4 * dimensions) {
    throw UserError(file.name() + ": truncated: the IDX header is cut short");
  }
  Shape shape;
  for (unsigned d = 0; d < dimensions; ++d) {
    const std::uint8_t* p = bytes.data() + 4 * d;
    shape.push_back(std::size_t{p[0]} << 24 | std::size_t{p[1]} << 16 | std::size_t{p[2]} << 8 |
                    p[3]);
  }
  return shape;
}

IdxArray read_idx_of(const fs::path& path, std::size_t dimensions, const char* what) {
  IdxArray array = read_idx(path);
  if (array.shape.size() != dimensions) {
    throw UserError(fmt::format("{}: expected {} (an IDX file of {} dimension{}), found {}",
                                path.string(), what, dimensions, dimensions == 1 ? "" : "s",
                                to_string(array.shape)));
  }
  return array;
}

}  // namespace

IdxArray read_idx(const fs::path& path) {
  base::InputFile file(path);
  const auto magic = file.read(4);
  if (magic.size() < 4) throw UserError(file.name() + ": truncated: the IDX header is cut short");
  if (magic[0] != 0 || magic[1] != 0) {
    throw UserError(fmt::format(
        "{}: not an IDX file: starts with {:02x} {:02x} {:02x} {:02x}, expected 00 00 08 NN",
        file.name(), magic[0], magic[1], magic[2], magic[3]));
  }
  if (magic[2] != kUnsignedByte) {
    throw UserError(
        fmt::format("{}: IDX element type 0x{:02x} is not supported, expected 0x08 (unsigned byte)",
                    file.name(), magic[2]));
  }
  const unsigned dimensions = magic[3];
  if (dimensions == 0) throw UserError(file.name() + ": IDX file without dimensions");

  IdxArray array;
  array.shape = read_extents(file, dimensions);
  const auto count = element_count(array.shape);
  if (!count) {
    throw UserError(
        fmt::format("{}: IDX extents {} are too large", file.name(), to_string(array.shape)));
  }
  array.bytes = file.read(*count);
  if (array.bytes.size() < *count) {
    throw UserError(fmt::format("{}: truncated: {} needs {} bytes of data, found {}", file.name(),
                                to_string(array.shape), *count, array.bytes.size()));
  }
  if (!file.read(1).empty()) {
    throw UserError(fmt::format("{}: trailing bytes after the {} bytes of {}", file.name(), *count,
                                to_string(array.shape)));
  }
  return array;
}

ImageSet read_image_set(const fs::path& images, const fs::path& labels, unsigned classes) {
  IdxArray pixels = read_idx_of(images, 3, "images");
  IdxArray classes_of = read_idx_of(labels, 1, "labels");
  if (pixels.shape[0] != classes_of.shape[0]) {
    throw UserError(fmt::format("{}: holds {} labels, but {} holds {} images", labels.string(),
                                classes_of.shape[0], images.string(), pixels.shape[0]));
  }
  for (std::size_t i = 0; i < classes_of.bytes.size(); ++i) {
    if (classes_of.bytes[i] >= classes) {
      throw UserError(fmt::format("{}: label {} is {}, expected 0 to {}", labels.string(), i,
                                  classes_of.bytes[i], classes - 1));
    }
  }
  ImageSet set;
  set.count = pixels.shape[0];
  set.rows = pixels.shape[1];
  set.columns = pixels.shape[2];
  set.pixels = std::move(pixels.bytes);
  set.labels = std::move(classes_of.bytes);
  return set;
}

}  // namespace tern::data
