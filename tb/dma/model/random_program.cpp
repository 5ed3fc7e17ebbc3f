// SPDX-License-Identifier: Apache-2.0
#include "tb/dma/model/random_program.h"

#include <algorithm>
#include <cstring>

#include "sw/base/crc32c.h"
#include "systemc/dma/model/operation.h"

namespace tern::tb {

RandomProgram::RandomProgram(std::uint64_t seed, UnitBench& bench)
    : random_(seed), bench_(bench), sources_(kSourceBytes) {
  for (std::size_t i = 0; i < sources_.size(); i += 2) {
    // Halves of BF16 and FP16 numbers of moderate size, and now and then anything.
    std::uint64_t bits = random_();
    if (bits % 16 != 0) bits = (bits & 0x83ff) | 0x3c00;
    std::memcpy(&sources_[i], &bits, 2);
  }
  bench_.memory.write(kSources, sources_.data(), sources_.size());
}

std::uint64_t RandomProgram::source(std::uint64_t bytes, unsigned alignment) {
  return kSources + number(kSourceBytes - bytes) / alignment * alignment;
}

// A destination that no other transfer has.
std::uint64_t RandomProgram::place(std::uint64_t bytes, unsigned alignment) {
  next_place_ += number(200);
  next_place_ = (next_place_ + alignment - 1) / alignment * alignment;
  const std::uint64_t at = next_place_;
  next_place_ += bytes;
  return at;
}

std::vector<std::uint32_t> RandomProgram::split(std::uint32_t total, unsigned parts) {
  std::vector<std::uint32_t> result(parts, 1);
  std::uint32_t left = total - parts;
  for (unsigned i = 0; i < parts; ++i) {
    const std::uint32_t room = 65535;
    std::uint32_t more = i + 1 == parts ? left : static_cast<std::uint32_t>(number(left + 1));
    more = std::min(more, room);
    result[i] += more;
    left -= more;
  }
  for (unsigned i = 0; left != 0; ++i) {
    const std::uint32_t more = std::min(left, 65536 - result[i]);
    result[i] += more;
    left -= more;
  }
  return result;
}

void RandomProgram::runs(const Side& side, std::vector<std::uint64_t>& addresses) {
  std::uint64_t total = 1;
  for (const std::uint32_t count : side.counts) total *= count;
  for (std::uint64_t n = 0; n < total; ++n) {
    std::uint64_t rest = n, address = side.address;
    for (std::size_t d = 0; d < side.counts.size(); ++d) {
      address += rest % side.counts[d] * static_cast<std::uint64_t>(side.strides[d]);
      rest /= side.counts[d];
    }
    addresses.push_back(address);
  }
}

std::vector<std::uint8_t> RandomProgram::gather(const std::vector<Side>& sides) {
  std::vector<std::uint8_t> bytes;
  for (const Side& side : sides) {
    std::vector<std::uint64_t> addresses;
    runs(side, addresses);
    for (const std::uint64_t address : addresses) {
      const auto* from = &sources_.at(address - kSources);
      bytes.insert(bytes.end(), from, from + side.length);
    }
  }
  return bytes;
}

void RandomProgram::scatter(const std::vector<Side>& sides,
                            const std::vector<std::uint8_t>& bytes) {
  auto from = bytes.begin();
  for (const Side& side : sides) {
    std::vector<std::uint64_t> addresses;
    runs(side, addresses);
    for (const std::uint64_t address : addresses) {
      expected_.push_back({address, {from, from + side.length}});
      from += side.length;
    }
  }
}

void RandomProgram::set_side(std::uint32_t* words, const Side& side) {
  words[0] |= side.length & 0xffff;
  UnitBench::set_address(words, side.address);
}

void RandomProgram::append(Pairs& pairs, const Side& tx, const Side& rx, std::uint32_t rx_word,
                           bool first) {
  UnitBench::Words words;
  set_side(words.tx, tx);
  set_side(words.rx, rx);
  if (first) {
    words.tx[0] |= UnitBench::kFirst;
    words.rx[0] |= UnitBench::kFirst;
  }
  const std::size_t slots = (std::max(tx.counts.size(), rx.counts.size()) + 1) / 2;
  words.rx[1] = rx_word | static_cast<std::uint32_t>(slots) << 16;
  pairs.push_back(words);
  for (std::size_t s = 0; s < slots; ++s) {
    UnitBench::Words slot;
    for (const bool is_tx : {true, false}) {
      const Side& side = is_tx ? tx : rx;
      std::uint32_t* to = is_tx ? slot.tx : slot.rx;
      for (std::size_t d = 2 * s; d < 2 * s + 2; ++d) {
        const bool there = d < side.counts.size();
        to[1] |= (there ? side.counts[d] : 1) << 16 * (d % 2);
        to[2 + d % 2] = static_cast<std::uint32_t>(there ? side.strides[d] : 0);
      }
    }
    pairs.push_back(slot);
  }
}

// Gather and scatter lists of any bytes.
RandomProgram::Pairs RandomProgram::copy(unsigned ring, unsigned at_most) {
  const auto parts = static_cast<unsigned>(1 + number(number(4) == 0 ? at_most : 4)) % 65;
  const std::uint64_t sizes[] = {64, 600, 5000, 40000};
  const auto total = static_cast<std::uint32_t>(parts + number(sizes[number(4)]));
  const auto from = split(total, parts), to = split(total, parts);
  std::vector<Side> tx, rx;
  Pairs pairs;
  const bool crc = number(4) == 0;
  for (unsigned i = 0; i < parts; ++i) {
    tx.push_back({source(from[i]), from[i], {}, {}});
    rx.push_back({place(to[i]), to[i], {}, {}});
  }
  const auto bytes = gather(tx);
  for (unsigned i = 0; i < parts; ++i) {
    append(pairs, tx[i], rx[i], i == 0 && crc ? 2u << TERN_DESC_CRC_LSB : 0, i == 0);
  }
  if (crc) {
    crc_[ring] = base::crc32c(0, bytes.data(), bytes.size());
    pairs[0].tx[1] = crc_[ring];
  }
  if (number(8) == 0) pairs[0].tx[0] |= UnitBench::kDmb;
  scatter(rx, bytes);
  return pairs;
}

// Up to four dimensions on both sides, cut differently.
RandomProgram::Pairs RandomProgram::pattern(unsigned at_most) {
  Pairs pairs;
  const auto groups = static_cast<unsigned>(1 + number(std::max(1u, std::min(4u, at_most / 3))));
  std::vector<Side> tx, rx;
  for (unsigned g = 0; g < groups; ++g) {
    std::uint32_t extent[5];
    extent[0] = static_cast<std::uint32_t>(1 + number(100));
    for (unsigned d = 1; d < 5; ++d) extent[d] = static_cast<std::uint32_t>(1 + number(4));
    for (const bool is_tx : {true, false}) {
      Side side;
      side.length = extent[0];
      // The innermost dimensions may be one run.
      unsigned d = 1;
      for (; d < 5 && number(3) == 0; ++d) side.length *= extent[d];
      std::uint64_t reach = side.length;
      const bool backwards = number(4) == 0;
      for (; d < 5; ++d) {
        const std::uint64_t stride = reach + number(150);
        side.counts.push_back(extent[d]);
        side.strides.push_back(static_cast<std::int64_t>(stride));
        reach = stride * (extent[d] - 1) + reach;
      }
      side.address = is_tx ? source(reach) : place(reach);
      if (backwards && !side.counts.empty()) {
        auto& stride = side.strides.back();
        side.address += static_cast<std::uint64_t>(stride) * (side.counts.back() - 1);
        stride = -stride;
      }
      (is_tx ? tx : rx).push_back(side);
    }
    append(pairs, tx.back(), rx.back(), 0, g == 0);
  }
  scatter(rx, gather(tx));
  return pairs;
}

RandomProgram::Pairs RandomProgram::operation() {
  const auto op = static_cast<unsigned>(TERN_DMA_OP_CAST + number(5));
  const auto from = static_cast<unsigned>(number(3)), to = static_cast<unsigned>(number(3));
  const auto sources =
      op == TERN_DMA_OP_CAST ? 1u : static_cast<unsigned>(1 + number(number(3) == 0 ? 16 : 4));
  const auto elements = static_cast<std::uint32_t>(1 + number(number(2) == 0 ? 2000 : 300));
  const unsigned from_bytes = dma::dtype_bytes(from), to_bytes = dma::dtype_bytes(to);
  std::vector<const std::uint8_t*> data;
  std::vector<std::uint32_t> scales;
  Pairs pairs;
  for (unsigned s = 0; s < sources; ++s) {
    Side tx = {source(elements * from_bytes, 64), elements * from_bytes, {}, {}}, rx;
    if (s == 0) rx = {place(elements * to_bytes, 64), elements * to_bytes, {}, {}};
    data.push_back(&sources_[tx.address - kSources]);
    append(pairs, tx, rx,
           s == 0 ? op | from << TERN_DESC_SRC_DTYPE_LSB | to << TERN_DESC_DST_DTYPE_LSB : 0,
           s == 0);
    const float scale = static_cast<float>(number(100)) / 16 - 2;
    scales.push_back(0);
    std::memcpy(&scales[s], &scale, 4);
    if (op == TERN_DMA_OP_FMA) pairs.back().tx[1] = scales[s];
    if (s == 0) expected_.push_back({rx.address, std::vector<std::uint8_t>(rx.length)});
  }
  dma::compute(op, from, to, data.data(), scales.data(), sources, elements,
               expected_.back().second.data());
  return pairs;
}

RandomProgram::Pairs RandomProgram::transpose() {
  const auto dtype = static_cast<unsigned>(number(3));
  const unsigned bytes = dma::dtype_bytes(dtype);
  const std::uint32_t rows = 64 / bytes;
  const auto across = static_cast<std::uint32_t>(1 + number(4)),
             down = static_cast<std::uint32_t>(1 + number(3));
  Side tx, rx;
  tx.length = rx.length = 64;
  // Blocks side by side in the source, one under the other in the destination.
  tx.counts = {rows, across, down};
  tx.strides = {static_cast<std::int64_t>(64 * across), 64,
                static_cast<std::int64_t>(64 * across * rows)};
  tx.address = source(64 * across * down * rows, 64);
  const std::int64_t pitch = 64 * down + 4 * static_cast<std::int64_t>(number(3));
  rx.counts = {rows, across, down};
  rx.strides = {pitch, pitch * rows, 64};
  rx.address = place(static_cast<std::uint64_t>(pitch) * rows * across, 4);
  Pairs pairs;
  append(pairs, tx, rx, TERN_DMA_OP_TRANSPOSE | dtype << 4 | dtype << 8, true);
  for (std::uint32_t a = 0; a < across; ++a) {
    for (std::uint32_t d = 0; d < down; ++d) {
      for (std::uint32_t r = 0; r < rows; ++r) {
        std::vector<std::uint8_t> row(64);
        for (std::uint32_t c = 0; c < rows; ++c) {
          const std::uint64_t at =
              tx.address - kSources + (d * rows + c) * 64 * across + 64 * a + r * bytes;
          std::copy_n(&sources_[at], bytes, &row[c * bytes]);
        }
        expected_.push_back(
            {rx.address + static_cast<std::uint64_t>(pitch) * (a * rows + r) + 64 * d, row});
      }
    }
  }
  return pairs;
}

RandomProgram::Pairs RandomProgram::immediate() {
  const auto value = static_cast<std::uint32_t>(random_());
  const std::uint64_t to = place(4, 4);
  auto words = UnitBench::copy_pair(value, 4, to, 4, true, true);
  words.rx[1] = TERN_DMA_OP_IMMEDIATE;
  expected_.push_back({to, std::vector<std::uint8_t>(4)});
  std::memcpy(expected_.back().second.data(), &value, 4);
  return {words};
}

unsigned RandomProgram::put(unsigned ring, Pairs& pairs) {
  pairs.back().tx[0] |= UnitBench::kLast;
  pairs.back().rx[0] |= UnitBench::kLast;
  for (const auto& words : pairs) bench_.put(ring, words);
  return static_cast<unsigned>(pairs.size());
}

unsigned RandomProgram::add(unsigned ring, unsigned at_most) {
  while (true) {
    const std::size_t before = expected_.size();
    const std::uint32_t crc = crc_[ring];
    Pairs pairs;
    switch (number(8)) {
      case 0:
      case 1:
      case 2:
        pairs = copy(ring, at_most);
        break;
      case 3:
        pairs = pattern(at_most);
        break;
      case 4:
      case 5:
        pairs = operation();
        break;
      case 6:
        pairs = transpose();
        break;
      default:
        pairs = immediate();
    }
    if (pairs.size() <= at_most) {
      return put(ring, pairs);
    }
    expected_.resize(before);
    crc_[ring] = crc;
  }
}

// One bit of one descriptor is turned.
unsigned RandomProgram::add_spoiled(unsigned ring) {
  const std::size_t before = expected_.size();
  Pairs pairs = number(2) == 0 ? pattern(9) : number(2) == 0 ? operation() : copy(ring, 9);
  expected_.resize(before);
  pairs.back().tx[0] |= UnitBench::kLast;
  pairs.back().rx[0] |= UnitBench::kLast;
  UnitBench::Words& victim = pairs[number(pairs.size())];
  // Not the address: it would be another transfer.
  const auto bit = number(64);
  (number(2) == 0 ? victim.tx : victim.rx)[bit / 32] ^= 1u << bit % 32;
  for (const auto& words : pairs) bench_.put(ring, words);
  return static_cast<unsigned>(pairs.size());
}

bool RandomProgram::good() {
  return std::all_of(expected_.begin(), expected_.end(), [this](const auto& part) {
    return bench_.memory.get(part.first, part.second.size()) == part.second;
  });
}

}  // namespace tern::tb
