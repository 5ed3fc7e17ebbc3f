// SPDX-License-Identifier: Apache-2.0
#include "sw/data/idx.h"

#include <fmt/format.h>

#include "sw/base/input_file.h"
#include "sw/base/memory_limit.h"
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

// A file whose header has been read. A small compressed file may claim gigabytes: what can be
// refused by headers is refused before the data is read.
class IdxFile {
 public:
  explicit IdxFile(const fs::path& path);

  const Shape& shape() const { return shape_; }
  void expect_dimensions(std::size_t dimensions, const char* what) const;
  std::vector<std::uint8_t> read_data();

 private:
  base::InputFile file_;
  Shape shape_;
  std::size_t count_ = 0;
};

IdxFile::IdxFile(const fs::path& path) : file_(path) {
  base::InputFile& file = file_;
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

  shape_ = read_extents(file, dimensions);
  const auto count = element_count(shape_);
  if (!count) {
    throw UserError(
        fmt::format("{}: IDX extents {} are too large", file.name(), to_string(shape_)));
  }
  count_ = *count;
}

void IdxFile::expect_dimensions(std::size_t dimensions, const char* what) const {
  if (shape_.size() == dimensions) return;
  throw UserError(fmt::format("{}: expected {} (an IDX file of {} dimension{}), found {}",
                              file_.name(), what, dimensions, dimensions == 1 ? "" : "s",
                              to_string(shape_)));
}

std::vector<std::uint8_t> IdxFile::read_data() {
  const std::string lack = base::lack_of_memory(static_cast<double>(count_));
  if (!lack.empty())
    throw UserError(fmt::format("{}: {} {}", file_.name(), to_string(shape_), lack));
  std::vector<std::uint8_t> bytes = file_.read(count_);
  if (bytes.size() < count_) {
    throw UserError(fmt::format("{}: truncated: {} needs {} bytes of data, found {}", file_.name(),
                                to_string(shape_), count_, bytes.size()));
  }
  if (!file_.read(1).empty()) {
    throw UserError(fmt::format("{}: trailing bytes after the {} bytes of {}", file_.name(), count_,
                                to_string(shape_)));
  }
  return bytes;
}

}  // namespace

IdxArray read_idx(const fs::path& path) {
  IdxFile file(path);
  return {file.shape(), file.read_data()};
}

ImageSet read_image_set(const fs::path& images, const fs::path& labels, unsigned classes) {
  IdxFile pixels(images), classes_of(labels);
  pixels.expect_dimensions(3, "images");
  classes_of.expect_dimensions(1, "labels");
  if (pixels.shape()[0] != classes_of.shape()[0]) {
    throw UserError(fmt::format("{}: holds {} labels, but {} holds {} images", labels.string(),
                                classes_of.shape()[0], images.string(), pixels.shape()[0]));
  }
  ImageSet set;
  set.labels = classes_of.read_data();
  for (std::size_t i = 0; i < set.labels.size(); ++i) {
    if (set.labels[i] >= classes) {
      throw UserError(fmt::format("{}: label {} is {}, expected 0 to {}", labels.string(), i,
                                  set.labels[i], classes - 1));
    }
  }
  set.count = pixels.shape()[0];
  set.rows = pixels.shape()[1];
  set.columns = pixels.shape()[2];
  set.pixels = pixels.read_data();
  return set;
}

}  // namespace tern::data
