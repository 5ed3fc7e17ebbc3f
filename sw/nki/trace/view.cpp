// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/trace/view.h"

#include <algorithm>
#include <numeric>

#include "sw/nki/trace/nki_error.h"

namespace tern::nki {

namespace {

std::vector<std::int64_t> row_major(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

std::int64_t product(const std::vector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{1}, std::multiplies<>());
}

// Of a shape; none for one that no tensor has.
std::optional<std::int64_t> elements_of(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (size < 1 || __builtin_mul_overflow(count, size, &count)) return std::nullopt;
  }
  return count;
}

}  // namespace

View::View(StoragePtr of)
    : storage_(std::move(of)),
      type_(storage_->type),
      shape_(storage_->shape),
      strides_(row_major(storage_->shape)) {}

View View::on(StoragePtr other) const {
  View view = *this;
  view.storage_ = std::move(other);
  return view;
}

std::int64_t View::elements() const {
  return product(shape_);
}

bool View::is_contiguous() const {
  const auto whole = row_major(shape_);
  for (std::size_t d = 0; d < shape_.size(); ++d) {
    if (shape_[d] != 1 && strides_[d] != whole[d]) return false;
  }
  return true;
}

std::size_t View::dimension(std::int64_t number, const char* function) const {
  const auto count = static_cast<std::int64_t>(shape_.size());
  const std::int64_t d = number < 0 ? number + count : number;
  if (d < 0 || d >= count) {
    throw NkiError(std::string(function) + ": dimension " + std::to_string(number) +
                   " of tensor `" + text() + "`, which has " + std::to_string(count));
  }
  return static_cast<std::size_t>(d);
}

View View::slice(std::int64_t number, std::int64_t start, std::int64_t stop,
                 std::int64_t step) const {
  const std::size_t d = dimension(number, "slice");
  const std::int64_t size = shape_[d];
  if (start < 0) start += size;
  if (stop < 0) stop += size;
  const auto where = "tensor `" + storage_->name + "` on dimension " + std::to_string(d);
  if (step < 1) {
    throw NkiError("slice of " + where + ": expected a step of at least 1, got " +
                   std::to_string(step));
  }
  if (stop <= start) {
    throw NkiError("slice of " + where + ": no element between " + std::to_string(start) + " and " +
                   std::to_string(stop));
  }
  const std::int64_t count = (stop - start + step - 1) / step;
  const std::int64_t last = start + (count - 1) * step;
  if (start < 0 || last >= size) {
    throw NkiError("Out-of-bound access for " + where + ": index range [" + std::to_string(start) +
                   ", " + std::to_string(last) + "] exceed dimension size of " +
                   std::to_string(size));
  }
  View view = *this;
  view.offset_ += start * strides_[d];
  view.shape_[d] = count;
  view.strides_[d] *= step;
  return view;
}

View View::select(std::int64_t number, std::int64_t index) const {
  const std::size_t d = dimension(number, "select");
  if (index < 0) index += shape_[d];
  View view = slice(static_cast<std::int64_t>(d), index, index + 1);
  // A partition stays a dimension on chip, and so does the last free one.
  if (storage_->on_chip() && (d == 0 || shape_.size() == 2)) return view;
  view.shape_.erase(view.shape_.begin() + static_cast<std::ptrdiff_t>(d));
  view.strides_.erase(view.strides_.begin() + static_cast<std::ptrdiff_t>(d));
  return view;
}

View View::subscript(const std::vector<Subscript>& subscripts) const {
  std::size_t named = 0, ellipses = 0;
  for (const Subscript& subscript : subscripts) {
    (subscript.kind == Subscript::Kind::kEllipsis ? ellipses : named) += 1;
  }
  if (named > shape_.size() || ellipses > 1) {
    throw NkiError("too many subscripts for tensor `" + text() + "`: " + std::to_string(named));
  }
  View view = *this;
  // From the last dimension on, so that those that vanish do not shift the others.
  std::size_t d = shape_.size();
  const bool open = ellipses == 0;
  if (open) d -= shape_.size() - named;
  for (std::size_t i = subscripts.size(); i-- > 0;) {
    const Subscript& subscript = subscripts[i];
    if (subscript.kind == Subscript::Kind::kEllipsis) {
      d -= shape_.size() - named;
      continue;
    }
    d -= 1;
    const auto number = static_cast<std::int64_t>(d);
    if (subscript.kind == Subscript::Kind::kIndex) {
      const std::int64_t index = *subscript.start;
      if (index < -shape_[d] || index >= shape_[d]) {
        throw NkiError("Out-of-bound access for tensor `" + storage_->name + "` on dimension " +
                       std::to_string(d) + ": index range [" + std::to_string(index) + ", " +
                       std::to_string(index) + "] exceed dimension size of " +
                       std::to_string(shape_[d]));
      }
      view = view.select(number, index);
      continue;
    }
    if (!subscript.start && !subscript.stop && !subscript.step) continue;
    view = view.slice(number, subscript.start.value_or(0), subscript.stop.value_or(shape_[d]),
                      subscript.step.value_or(1));
  }
  return view;
}

View View::reshape(std::vector<std::int64_t> shape) const {
  const std::int64_t total = elements();
  const auto open = std::find(shape.begin(), shape.end(), -1);
  if (open != shape.end() && std::count(shape.begin(), shape.end(), -1) == 1) {
    *open = 1;
    const auto rest = elements_of(shape);
    *open = rest ? total / *rest : 0;
  }
  if (elements_of(shape) != total) {
    throw NkiError("cannot reshape tensor `" + text() + "` of " + std::to_string(total) +
                       " elements into shape " + nki::shape_text(shape),
                   NkiError::Kind::kAssertion);
  }
  if (storage_->on_chip() && (shape.empty() || shape[0] != shape_[0])) {
    throw NkiError("cannot reshape tensor `" + text() + "` into shape " + nki::shape_text(shape) +
                       ": the partition dimension stays",
                   NkiError::Kind::kAssertion);
  }
  // Groups of old and new dimensions with equal products; inside a group the old ones must follow
  // one another.
  std::vector<std::int64_t> from_shape, from_strides;
  for (std::size_t d = 0; d < shape_.size(); ++d) {
    if (shape_[d] == 1) continue;
    from_shape.push_back(shape_[d]);
    from_strides.push_back(strides_[d]);
  }
  View view = *this;
  view.shape_ = shape;
  view.strides_.assign(shape.size(), 1);
  std::size_t i = 0, j = 0;
  while (i < from_shape.size() && j < shape.size()) {
    std::int64_t have = from_shape[i], want = shape[j];
    std::size_t i_end = i + 1, j_end = j + 1;
    while (have != want) {
      if (have < want) {
        have *= from_shape[i_end++];
      } else {
        want *= shape[j_end++];
      }
    }
    for (std::size_t k = i; k + 1 < i_end; ++k) {
      if (from_strides[k] != from_strides[k + 1] * from_shape[k + 1]) {
        throw NkiError("cannot reshape tensor `" + text() + "` into shape " +
                           nki::shape_text(shape) + " without a copy",
                       NkiError::Kind::kAssertion);
      }
    }
    std::int64_t stride = from_strides[i_end - 1];
    for (std::size_t k = j_end; k-- > j;) {
      view.strides_[k] = stride;
      stride *= shape[k];
    }
    i = i_end;
    j = j_end;
  }
  return view;
}

View View::permute(const std::vector<std::int64_t>& order) const {
  View view = *this;
  std::vector<bool> seen(shape_.size());
  if (order.size() != shape_.size()) {
    throw NkiError("permute: " + std::to_string(order.size()) + " dimensions for tensor `" +
                   text() + "`");
  }
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::size_t d = dimension(order[k], "permute");
    if (seen[d]) throw NkiError("permute: dimension " + std::to_string(d) + " is named twice");
    seen[d] = true;
    view.shape_[k] = shape_[d];
    view.strides_[k] = strides_[d];
  }
  if (storage_->on_chip() && dimension(order[0], "permute") != 0) {
    throw NkiError("permute: the partition dimension of tensor `" + text() + "` stays first");
  }
  return view;
}

View View::broadcast(std::int64_t number, std::int64_t size) const {
  const std::size_t d = dimension(number, "broadcast");
  if (shape_[d] != 1 || size < 1) {
    throw NkiError("broadcast: dimension " + std::to_string(d) + " of tensor `" + text() +
                   "` must have size 1");
  }
  View view = *this;
  view.shape_[d] = size;
  view.strides_[d] = 0;
  return view;
}

View View::expand(std::int64_t number) const {
  const auto count = static_cast<std::int64_t>(shape_.size());
  const std::int64_t d = number < 0 ? number + count + 1 : number;
  if (d < 0 || d > count || (storage_->on_chip() && d == 0)) {
    throw NkiError("expand_dim: no dimension " + std::to_string(number) + " for tensor `" + text() +
                   "`");
  }
  View view = *this;
  view.shape_.insert(view.shape_.begin() + d, 1);
  view.strides_.insert(view.strides_.begin() + d, 1);
  return view;
}

View View::squeeze(std::int64_t number) const {
  const std::size_t d = dimension(number, "squeeze_dim");
  if (shape_[d] != 1 || (storage_->on_chip() && d == 0)) {
    throw NkiError("squeeze_dim: dimension " + std::to_string(d) + " of tensor `" + text() +
                   "` must have size 1 and be none of partitions");
  }
  View view = *this;
  view.shape_.erase(view.shape_.begin() + static_cast<std::ptrdiff_t>(d));
  view.strides_.erase(view.strides_.begin() + static_cast<std::ptrdiff_t>(d));
  return view;
}

View View::reinterpret(const ElementType* type) const {
  const std::int64_t from = type_->bytes(), to = type->bytes();
  View view = *this;
  view.type_ = type;
  if (from == to) return view;
  const auto fail = [&] {
    throw NkiError("view: tensor `" + text() + "` of " + std::string(type_->name) + " seen as " +
                   std::string(type->name) +
                   ": the last dimension must be contiguous and a multiple of the size");
  };
  if (view.shape_.empty()) fail();
  if (view.strides_.back() != 1 && view.shape_.back() != 1) fail();
  view.strides_.back() = 1;
  const auto scaled = [&](std::int64_t elements) {
    if (elements * from % to != 0) fail();
    return elements * from / to;
  };
  view.shape_.back() = scaled(shape_.back());
  view.offset_ = scaled(offset_);
  for (std::size_t d = 0; d + 1 < shape_.size(); ++d) {
    view.strides_[d] = shape_[d] == 1 && strides_[d] * from % to != 0 ? 0 : scaled(strides_[d]);
  }
  return view;
}

View View::pattern(const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs,
                   std::optional<std::int64_t> offset, const ElementType* type) const {
  // Beyond any memory; sums of a few fit 64 bits.
  constexpr std::int64_t kMost = std::int64_t{1} << 56;
  View view = *this;
  if (type != nullptr && type != type_) {
    view.type_ = type;
    if (!offset) {
      if (offset_ * type_->bytes() % type->bytes() != 0) {
        throw NkiError("ap: the offset of tensor `" + text() + "` is no whole " +
                       std::string(type->name));
      }
      view.offset_ = offset_ * type_->bytes() / type->bytes();
    }
  }
  if (offset) view.offset_ = std::clamp(*offset, -kMost, kMost);
  view.shape_.clear();
  view.strides_.clear();
  for (const auto& [step, count] : pairs) {
    if (count < 1 || count > kMost) {
      throw NkiError("ap: expected counts of at least 1, got " + std::to_string(count));
    }
    if (step < -kMost / count || step > kMost / count) {
      throw NkiError("ap: " + std::to_string(count) + " steps of " + std::to_string(step) +
                     " elements leave tensor `" + text() + "`");
    }
    view.strides_.push_back(step);
    view.shape_.push_back(count);
  }
  if (pairs.empty()) throw NkiError("ap: expected at least one [step, count] pair");
  view.moved_.reset();
  view.check_inside("ap");
  return view;
}

View View::moved_by(Moved moved) const {
  if (moved_) throw NkiError("`" + text() + "` is moved by a value already: one for each view");
  if (moved.word) {
    const View& word = *moved.word;
    const DType dtype = word.type()->dtype;
    if (word.elements() != 1 || word.storage().memory != Memory::kSbuf ||
        (dtype != DType::kInt32 && dtype != DType::kUint32)) {
      throw NkiError("`" + word.text() + "` of " + std::string(word.type()->name) +
                     " as an offset: expected [1, 1] of int32 or uint32 in sbuf");
    }
  }
  if (moved.step < 1 || moved.step > INT32_MAX) {
    throw NkiError("`" + text() + "`: steps of " + std::to_string(moved.step) + " bytes");
  }
  View view = *this;
  view.moved_ = std::move(moved);
  return view;
}

View View::with_operand_register(std::uint8_t number) const {
  View view = *this;
  view.moved_->operand_register = number;
  return view;
}

std::pair<std::int64_t, std::int64_t> View::moved_range() const {
  const std::int64_t size = type_->bytes();
  // On chip dimension 0 is another partition, not another byte.
  const bool chip = storage_->on_chip();
  const std::int64_t bytes = chip ? storage_->partition_bytes() : storage_->bytes();
  std::int64_t low = chip ? offset_ * size % bytes : offset_ * size, high = low + size;
  for (std::size_t d = chip ? 1 : 0; d < shape_.size(); ++d) {
    const std::int64_t reach = strides_[d] * (shape_[d] - 1) * size;
    (reach < 0 ? low : high) += reach;
  }
  return {-(low / moved_->step), (bytes - high) / moved_->step};
}

View View::flat_free() const {
  return dimensions() <= 2 ? *this : reshape({shape_[0], elements() / shape_[0]});
}

void View::check_inside(const char* function) const {
  std::int64_t low = offset_, high = offset_;
  for (std::size_t d = 0; d < shape_.size(); ++d) {
    const std::int64_t reach = strides_[d] * (shape_[d] - 1);
    (reach < 0 ? low : high) += reach;
  }
  const std::int64_t size = storage_->bytes() / type_->bytes();
  if (low >= 0 && high < size) return;
  throw NkiError(std::string(function) + ": Out-of-bound access for tensor `" + storage_->name +
                 nki::shape_text(storage_->shape) + "`: element range [" + std::to_string(low) +
                 ", " + std::to_string(high) + "] exceed its " + std::to_string(size) +
                 " elements");
}

}  // namespace tern::nki
