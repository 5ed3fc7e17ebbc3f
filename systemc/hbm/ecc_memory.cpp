// SPDX-License-Identifier: Apache-2.0
#include "systemc/hbm/ecc_memory.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace tern::hbm {

Codeword EccMemory::stored(std::uint64_t burst, const Flips& flips) const {
  Codeword word;
  bytes_.read(burst * kBurstBytes, word.data.data(), kBurstBytes);
  word.check = static_cast<std::uint16_t>(secded_check_bits(word.data) ^ flips.mask.check);
  for (unsigned i = 0; i < word.data.size(); ++i) word.data[i] ^= flips.mask.data[i];
  return word;
}

void EccMemory::found(std::uint64_t burst, bool corrected) const {
  if (observer_) observer_(burst * kBurstBytes, corrected);
}

EccMemory::Fault EccMemory::read(std::uint64_t offset, std::uint8_t* data, std::size_t bytes) {
  bytes_.read(offset, data, bytes);
  if (!stuck_.empty()) return read_stuck(offset, data, bytes);
  Fault fault;
  if (flips_.empty()) return fault;
  const std::uint64_t end = offset + bytes;
  for (auto i = flips_.lower_bound(offset / kBurstBytes);
       i != flips_.end() && i->first * kBurstBytes < end; ++i) {
    const Codeword word = stored(i->first, i->second);
    if (!deliver(i->first, word, offset, data, bytes) && !fault) fault = i->first * kBurstBytes;
  }
  return fault;
}

bool EccMemory::deliver(std::uint64_t burst, Codeword word, std::uint64_t offset,
                        std::uint8_t* data, std::size_t bytes) {
  const bool corrected = secded_decode(&word) != EccResult::kUncorrectable;
  ++(corrected ? counters_.corrected_reads : counters_.uncorrectable);
  found(burst, corrected);
  // More than two wrong bits may be miscorrected without notice, as with the real code.
  std::uint8_t decoded[kBurstBytes];
  std::memcpy(decoded, word.data.data(), kBurstBytes);
  const std::uint64_t begin = burst * kBurstBytes;
  const std::uint64_t from = std::max(begin, offset);
  const std::uint64_t to = std::min<std::uint64_t>(begin + kBurstBytes, offset + bytes);
  std::memcpy(data + (from - offset), decoded + (from - begin), to - from);
  return corrected;
}

EccMemory::Fault EccMemory::read_stuck(std::uint64_t offset, std::uint8_t* data,
                                       std::size_t bytes) {
  Fault fault;
  for (std::uint64_t burst = offset / kBurstBytes; burst * kBurstBytes < offset + bytes; ++burst) {
    const auto flips = flips_.find(burst);
    const Codeword clean = stored(burst, {});
    Codeword word = flips == flips_.end() ? clean : stored(burst, flips->second);
    for (const StuckLine& line : stuck_) {
      const bool is = (word.data[line.bit / 64] >> line.bit % 64 & 1) != 0;
      if (is != line.value) word.flip(line.bit);
    }
    if (word == clean) continue;
    if (!deliver(burst, word, offset, data, bytes) && !fault) fault = burst * kBurstBytes;
  }
  return fault;
}

void EccMemory::stick(unsigned bit, bool value) {
  if (bit >= kBurstBytes * 8) throw std::out_of_range("EccMemory::stick");
  stuck_.push_back({bit, value});
}

// Bursts first to last: corrects their stored bits, or reports the first uncorrectable one and
// leaves it unchanged.
EccMemory::Fault EccMemory::repair(std::uint64_t first, std::uint64_t last) {
  Fault fault;
  for (auto i = flips_.lower_bound(first); i != flips_.end() && i->first <= last;) {
    Codeword word = stored(i->first, i->second);
    if (secded_decode(&word) == EccResult::kUncorrectable) {
      ++counters_.uncorrectable;
      if (!fault) fault = i->first * kBurstBytes;
      found(i->first, false);
      ++i;
      continue;
    }
    ++counters_.scrubbed;
    found(i->first, true);
    bytes_.write(i->first * kBurstBytes, word.data.data(), kBurstBytes);
    i = flips_.erase(i);
  }
  return fault;
}

EccMemory::Fault EccMemory::write(std::uint64_t offset, const std::uint8_t* data, std::size_t bytes,
                                  WriteOp op) {
  if (!flips_.empty()) {
    const std::uint64_t end = offset + bytes;
    if (op != WriteOp::kStore) {
      if (Fault fault = repair(offset / kBurstBytes, (end - 1) / kBurstBytes)) return fault;
    } else {
      if (offset % kBurstBytes != 0) {
        if (Fault fault = repair(offset / kBurstBytes, offset / kBurstBytes)) return fault;
      }
      if (end % kBurstBytes != 0) {
        if (Fault fault = repair(end / kBurstBytes, end / kBurstBytes)) return fault;
      }
      flips_.erase(flips_.lower_bound((offset + kBurstBytes - 1) / kBurstBytes),
                   flips_.lower_bound(end / kBurstBytes));
    }
  }
  if (op == WriteOp::kStore) {
    bytes_.write(offset, data, bytes);
  } else {
    std::uint8_t sum[kPieceBytes];
    while (bytes > 0) {
      const std::size_t piece = std::min<std::size_t>(bytes, kPieceBytes);
      bytes_.read(offset, sum, piece);
      adders_->add(op, sum, data, piece);
      bytes_.write(offset, sum, piece);
      offset += piece;
      data += piece;
      bytes -= piece;
    }
  }
  return {};
}

EccMemory::Fault EccMemory::scrub(std::uint64_t offset, std::uint64_t bytes) {
  if (flips_.empty() || bytes == 0) return {};
  return repair(offset / kBurstBytes, (offset + bytes - 1) / kBurstBytes);
}

bool EccMemory::damaged(std::uint64_t offset, std::uint64_t bytes) const {
  const auto i = flips_.lower_bound(offset / kBurstBytes);
  return i != flips_.end() && i->first * kBurstBytes < offset + bytes;
}

void EccMemory::flip(std::uint64_t offset, unsigned bit) {
  if (!bytes_.contains(offset, 1) || bit >= Codeword::kBits)
    throw std::out_of_range("EccMemory::flip");
  ++counters_.injected_flips;
  const auto i = flips_.try_emplace(offset / kBurstBytes).first;
  i->second.mask.flip(bit);
  if (i->second.mask == Codeword()) flips_.erase(i);
}

}  // namespace tern::hbm
