// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <vector>

#include "sw/runtime/descriptor_pair.h"
#include "sw/runtime/pair_models.h"

namespace tern {

// The descriptor pairs of one engine of a ring, in order. A kernel may have millions, of which most
// take a byte (pair_models.h): they are read one after the other.
class PairList {
 public:
  PairList() = default;
  PairList(std::initializer_list<DescriptorPair> pairs) { append(pairs); }
  explicit PairList(const std::vector<DescriptorPair>& pairs) { append(pairs); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  void push_back(const DescriptorPair& pair);
  template <typename Pairs>
  void append(const Pairs& pairs) {
    for (const DescriptorPair& pair : pairs) push_back(pair);
  }
  // Of each pair, by number; the list is written anew.
  void change(const std::function<void(std::size_t index, DescriptorPair& pair)>& change);
  // Without the memory that it would grow into.
  void shrink_to_fit();
  // What the pairs take.
  std::size_t bytes() const;

  // It holds the pair that it is at.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = DescriptorPair;
    using difference_type = std::ptrdiff_t;
    using pointer = const DescriptorPair*;
    using reference = const DescriptorPair&;

    const DescriptorPair& operator*() const { return models_.pair(); }
    const DescriptorPair* operator->() const { return &models_.pair(); }
    Iterator& operator++();
    bool operator==(const Iterator& other) const { return index_ == other.index_; }
    bool operator!=(const Iterator& other) const { return index_ != other.index_; }

   private:
    friend class PairList;
    Iterator(const PairList& list, std::size_t index) : list_(&list), index_(index) {}
    void read();

    const PairList* list_;
    std::size_t index_, byte_ = 0;  // where the next one begins
    PairModels models_;
  };
  Iterator begin() const { return from(0); }
  Iterator end() const { return {*this, size_}; }
  // At the pair of this number, after some that are passed over.
  Iterator from(std::size_t index) const;
  DescriptorPair operator[](std::size_t index) const { return *from(index); }

 private:
  // Where one can begin to read: before every kStride-th pair.
  static constexpr std::size_t kStride = 1024;
  struct Mark {
    std::size_t byte = 0;
    PairModels models;
  };
  template <typename T>
  void put(const T& value);

  std::vector<std::uint8_t> bytes_;
  std::vector<Mark> marks_;
  PairModels models_;
  std::size_t size_ = 0;
};

}  // namespace tern
