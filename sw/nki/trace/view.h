// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sw/nki/trace/storage.h"

namespace tern::nki {

// One subscript of t[...]: an index, a range or an ellipsis.
struct Subscript {
  enum class Kind { kIndex, kRange, kEllipsis };
  Kind kind = Kind::kRange;
  std::optional<std::int64_t> start, stop, step;  // an index is in `start`
};

// Elements of a storage: (i0, i1, ..) is element offset + sum of strides[k] * i[k], counted in
// elements of `type` from the storage's first one. A whole [128, 64] has strides (64, 1), on chip
// as well: one partition follows the other.
class View {
 public:
  explicit View(StoragePtr of);

  const Storage& storage() const { return *storage_; }
  const StoragePtr& storage_ptr() const { return storage_; }
  const ElementType* type() const { return type_; }
  const std::vector<std::int64_t>& shape() const { return shape_; }
  const std::vector<std::int64_t>& strides() const { return strides_; }
  std::int64_t offset() const { return offset_; }
  std::size_t dimensions() const { return shape_.size(); }
  std::int64_t elements() const;
  bool is_contiguous() const;
  // "x[128, 512]"
  std::string text() const { return storage_->name + shape_text(shape_); }

  // Each throws NkiError for what lies outside the tensor.
  View subscript(const std::vector<Subscript>& subscripts) const;
  View slice(std::int64_t dimension, std::int64_t start, std::int64_t stop,
             std::int64_t step = 1) const;
  View select(std::int64_t dimension, std::int64_t index) const;
  View reshape(std::vector<std::int64_t> shape) const;
  View permute(const std::vector<std::int64_t>& order) const;
  View broadcast(std::int64_t dimension, std::int64_t size) const;
  View expand(std::int64_t dimension) const;
  View squeeze(std::int64_t dimension) const;
  View reinterpret(const ElementType* type) const;
  // Pairs of step and count from the storage's first element on, or from the view's without an
  // offset.
  View pattern(const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs,
               std::optional<std::int64_t> offset, const ElementType* type) const;
  // What moves a view at run time: the value of a register or of a word [1, 1] in SBUF, times
  // `step` bytes.
  struct Moved {
    std::uint32_t reg = 0;             // of the kernel; 0: the word
    std::shared_ptr<const View> word;  // int32 or uint32
    std::int64_t step = 0;
    std::uint8_t operand_register = 0;  // of the queue, when the program is written
  };
  View moved_by(Moved moved) const;
  View with_operand_register(std::uint8_t number) const;
  const Moved* moved() const { return moved_ ? &*moved_ : nullptr; }
  // The values that keep it inside its tensor.
  std::pair<std::int64_t, std::int64_t> moved_range() const;

  // The same elements of another tensor with this one's shape and type.
  View on(StoragePtr other) const;

  // The same elements, all dimensions but the first as one; their strides must allow it.
  View flat_free() const;

 private:
  std::size_t dimension(std::int64_t number, const char* function) const;
  void check_inside(const char* function) const;

  StoragePtr storage_;
  const ElementType* type_;
  std::vector<std::int64_t> shape_, strides_;
  std::int64_t offset_ = 0;
  std::optional<Moved> moved_;
};

}  // namespace tern::nki
