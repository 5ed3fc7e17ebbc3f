// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/vector/operand.h"

#include <cstring>

#include "sw/numerics/convert.h"
#include "sw/numerics/stochastic.h"

namespace tern {

namespace {

using numerics::DType;

template <typename Element>
void gather_as(const AccessPattern& ap, const void* memory, void* row) {
  const auto* first = static_cast<const Element*>(memory);
  auto* to = static_cast<Element*>(row);
  ap.for_each_run([&](std::int64_t offset) {
    const Element* from = first + offset;
    if (ap.step0 == 1) {
      std::memcpy(to, from, ap.num0 * sizeof(Element));
    } else {
      for (std::uint32_t i = 0; i < ap.num0; ++i) to[i] = from[i * ap.step0];
    }
    to += ap.num0;
  });
}

template <typename Element>
void scatter_as(const AccessPattern& ap, void* memory, const void* row) {
  auto* first = static_cast<Element*>(memory);
  const auto* from = static_cast<const Element*>(row);
  ap.for_each_run([&](std::int64_t offset) {
    Element* to = first + offset;
    if (ap.step0 == 1) {
      std::memcpy(to, from, ap.num0 * sizeof(Element));
    } else {
      for (std::uint32_t i = 0; i < ap.num0; ++i) to[i * ap.step0] = from[i];
    }
    from += ap.num0;
  });
}

void gather(const AccessPattern& ap, std::size_t size, const void* memory, void* row) {
  if (size == 1) return gather_as<std::uint8_t>(ap, memory, row);
  if (size == 2) return gather_as<std::uint16_t>(ap, memory, row);
  gather_as<std::uint32_t>(ap, memory, row);
}

void scatter(const AccessPattern& ap, std::size_t size, void* memory, const void* row) {
  if (size == 1) return scatter_as<std::uint8_t>(ap, memory, row);
  if (size == 2) return scatter_as<std::uint16_t>(ap, memory, row);
  scatter_as<std::uint32_t>(ap, memory, row);
}

}  // namespace

void OperandReader::open(const EngineMemory& memory, const AccessPattern& pattern, DType type,
                         unsigned partitions) {
  sbuf_ = memory.sbuf;
  pattern_ = pattern;
  type_ = type;
  size_ = numerics::dtype_size(type);
  count_ = static_cast<std::size_t>(pattern.count());
  contiguous_ = pattern.contiguous();
  row_.resize(count_);
  if (!pattern.psum) return;
  const auto size = static_cast<std::int64_t>(size_);
  const std::int64_t first = pattern.byte + size * pattern.lowest();
  const std::int64_t end = pattern.byte + size * (pattern.highest() + 1);
  pitch_ = static_cast<std::size_t>((end + 3) / 4 - first / 4);
  offset_ = static_cast<std::size_t>(pattern.byte - first / 4 * 4);
  psum_.resize(pitch_ * partitions);
  PsumTransfer transfer;
  transfer.partition = pattern.partition;
  transfer.partitions = partitions;
  transfer.column = static_cast<unsigned>(first / 4);
  transfer.columns = static_cast<unsigned>(pitch_);
  transfer.data = psum_.data();
  transfer.stride = pitch_;
  memory.psum->transfer(transfer);
}

const std::uint8_t* OperandReader::first(unsigned lane) const {
  if (!pattern_.psum) return sbuf_.partition(pattern_.partition + lane) + pattern_.byte;
  return reinterpret_cast<const std::uint8_t*>(psum_.data() + lane * pitch_) + offset_;
}

const float* OperandReader::row(unsigned lane) {
  if (contiguous_ && pattern_.psum && type_ == DType::kFp32) {
    return psum_.data() + lane * pitch_ + offset_ / 4;
  }
  numerics::widen(type_, contiguous_ ? first(lane) : raw(lane), row_.data(), count_);
  return row_.data();
}

const std::uint8_t* OperandReader::raw(unsigned lane) {
  raw_.resize(count_ * size_);
  gather(pattern_, size_, first(lane), raw_.data());
  return raw_.data();
}

void ResultWriter::open(const EngineMemory& memory, const AccessPattern& pattern, DType type,
                        unsigned partitions) {
  memory_ = memory;
  pattern_ = pattern;
  type_ = type;
  size_ = numerics::dtype_size(type);
  contiguous_ = pattern.contiguous();
  partitions_ = partitions;
  random_ = nullptr;
  row_.resize(static_cast<std::size_t>(pattern.count()));
  if (pattern.psum) psum_.resize(row_.size() * partitions);
}

void ResultWriter::narrow(unsigned lane, const float* results, void* target) {
  if (random_ == nullptr) return numerics::narrow(type_, results, target, count());
  numerics::narrow_stochastically(type_, results, target, count(),
                                  random_->partition(pattern_.partition + lane),
                                  random_->per_partition());
}

void ResultWriter::store(unsigned lane, const float* results) {
  if (pattern_.psum) return narrow(lane, results, &psum_[lane * count()]);
  std::uint8_t* first = memory_.sbuf.partition(pattern_.partition + lane) + pattern_.byte;
  if (contiguous_) return narrow(lane, results, first);
  raw_.resize(count() * size_);
  narrow(lane, results, raw_.data());
  scatter(pattern_, size_, first, raw_.data());
}

void ResultWriter::store_raw(unsigned lane, const std::uint8_t* raw) {
  if (pattern_.psum) {
    std::memcpy(&psum_[lane * count()], raw, count() * size_);
    return;
  }
  scatter(pattern_, size_, memory_.sbuf.partition(pattern_.partition + lane) + pattern_.byte, raw);
}

// One transfer for every run of neighbouring columns.
void ResultWriter::close() {
  if (!pattern_.psum) return;
  AccessPattern runs = pattern_;
  std::uint32_t length = 1;
  if (contiguous_) {
    length = static_cast<std::uint32_t>(pattern_.count());
    runs.num0 = runs.num1 = runs.num2 = runs.num3 = 1;
  } else if (pattern_.inner_contiguous()) {
    length = pattern_.num0;
    runs.num0 = 1;
  }
  PsumTransfer transfer;
  transfer.write = true;
  transfer.partition = pattern_.partition;
  transfer.partitions = partitions_;
  transfer.columns = length;
  transfer.data = psum_.data();
  transfer.stride = count();
  runs.for_each_run([&](std::int64_t offset) {
    for (std::uint32_t i = 0; i < runs.num0; ++i) {
      transfer.column = static_cast<unsigned>(pattern_.byte / 4 + offset + i * runs.step0);
      memory_.psum->transfer(transfer);
      transfer.data += length;
    }
  });
}

void ScalarColumn::open(const EngineMemory& memory, std::uint32_t address, unsigned partitions) {
  const AccessPattern place(tern_ap_t{address, 1, 1, 1, 0});
  if (!place.psum) {
    for (unsigned lane = 0; lane < partitions; ++lane) {
      std::memcpy(&values_[lane], memory.sbuf.partition(place.partition + lane) + place.byte, 4);
    }
    return;
  }
  PsumTransfer transfer;
  transfer.partition = place.partition;
  transfer.partitions = partitions;
  transfer.column = place.byte / 4;
  transfer.columns = 1;
  transfer.data = values_.data();
  transfer.stride = 1;
  memory.psum->transfer(transfer);
}

void ScalarColumn::store(const EngineMemory& memory, std::uint32_t address, const float* values,
                         unsigned partitions) {
  const AccessPattern place(tern_ap_t{address, 1, 1, 1, 0});
  std::array<float, TERN_CORE_SBUF_COUNT> copy{};
  std::memcpy(copy.data(), values, partitions * sizeof(float));
  if (!place.psum) {
    for (unsigned lane = 0; lane < partitions; ++lane) {
      std::memcpy(memory.sbuf.partition(place.partition + lane) + place.byte, &copy[lane], 4);
    }
    return;
  }
  PsumTransfer transfer;
  transfer.write = true;
  transfer.partition = place.partition;
  transfer.partitions = partitions;
  transfer.column = place.byte / 4;
  transfer.columns = 1;
  transfer.data = copy.data();
  transfer.stride = 1;
  memory.psum->transfer(transfer);
}

}  // namespace tern
