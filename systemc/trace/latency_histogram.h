// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "sw/base/state_archive.h"

namespace tern::trace {

// Frequency of times: eight buckets per power of two above 8 ps, so a percentile is at most one
// eighth too high. Times are femtoseconds.
class LatencyHistogram {
 public:
  static constexpr unsigned kSteps = 8;  // buckets of an octave
  static constexpr unsigned kBuckets = (64 - 3) * kSteps;

  void add(std::uint64_t fs) {
    ++buckets_[bucket(fs / kUnitFs)];
    ++count_;
    sum_fs_ += fs;
    max_fs_ = std::max(max_fs_, fs);
    min_fs_ = std::min(min_fs_, fs);
  }
  void merge(const LatencyHistogram& other) {
    for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
    count_ += other.count_;
    sum_fs_ += other.sum_fs_;
    max_fs_ = std::max(max_fs_, other.max_fs_);
    min_fs_ = std::min(min_fs_, other.min_fs_);
  }

  std::uint64_t count() const { return count_; }
  std::uint64_t max_fs() const { return max_fs_; }
  std::uint64_t min_fs() const { return count_ == 0 ? 0 : min_fs_; }
  double mean_fs() const {
    return count_ == 0 ? 0 : static_cast<double>(sum_fs_) / static_cast<double>(count_);
  }
  // The upper end of the bucket in which the share (0 .. 1) of all times is reached; 0 without any.
  std::uint64_t percentile_fs(double share) const {
    const auto wanted =
        static_cast<std::uint64_t>(std::llround(share * static_cast<double>(count_)));
    std::uint64_t seen = 0;
    for (unsigned i = 0; i < kBuckets && count_ > 0; ++i) {
      seen += buckets_[i];
      if (seen >= std::max<std::uint64_t>(wanted, 1))
        return std::min(lower_ps(i + 1) * kUnitFs, max_fs_);
    }
    return max_fs_;
  }

  // Contents of each bucket: values from its lower end up to that of the next.
  std::uint64_t count_of(unsigned bucket) const { return buckets_.at(bucket); }
  static std::uint64_t lower_ps(unsigned bucket) {
    if (bucket < kSteps) return bucket;
    return static_cast<std::uint64_t>(kSteps + bucket % kSteps) << (bucket / kSteps - 1);
  }

  // For a snapshot.
  void archive_state(base::StateArchive& archive) {
    archive.each(buckets_);
    archive.numbers(count_, sum_fs_, max_fs_, min_fs_);
  }

 private:
  static constexpr std::uint64_t kUnitFs = 1000;
  static constexpr unsigned kSubBits = 3;

  static unsigned bucket(std::uint64_t units) {
    if (units < kSteps) return static_cast<unsigned>(units);
    const unsigned shift = 63 - kSubBits - static_cast<unsigned>(__builtin_clzll(units));
    return (shift + 1) * kSteps + static_cast<unsigned>(units >> shift) - kSteps;
  }

  std::array<std::uint32_t, kBuckets> buckets_{};
  std::uint64_t count_ = 0, sum_fs_ = 0, max_fs_ = 0, min_fs_ = ~std::uint64_t{0};
};

}  // namespace tern::trace
