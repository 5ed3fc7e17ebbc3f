// SPDX-License-Identifier: Apache-2.0
#include "tb/dma/rtl/ring_program.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tern::tb {

namespace {

constexpr std::uint32_t kMaxBytes = 65536;

// Small integers are exact in every format.
std::uint32_t encode(int value, unsigned dtype) {
  const auto number = static_cast<float>(value);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &number, 4);
  if (dtype == TERN_DMA_DTYPE_FP32) return bits;
  if (dtype == TERN_DMA_DTYPE_BF16) return bits >> 16;
  if (value == 0) return 0;
  const std::uint32_t exponent = (bits >> 23 & 0xff) - 127 + 15;
  return (bits >> 16 & 0x8000) | exponent << 10 | (bits >> 13 & 0x3ff);
}

unsigned size_of(unsigned dtype) {
  return dtype == TERN_DMA_DTYPE_FP32 ? 4 : 2;
}

void append(std::vector<std::uint8_t>& bytes, std::uint32_t element, unsigned size) {
  for (unsigned b = 0; b < size; ++b) bytes.push_back(static_cast<std::uint8_t>(element >> 8 * b));
}

// Bit by bit, from the definition.
std::uint32_t crc32c_of(const std::vector<std::uint8_t>& bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1 ^ 0x82f63b78u : crc >> 1;
  }
  return ~crc;
}

}  // namespace

RingProgram::RingProgram(std::uint64_t seed, const Shape& shape, UnitBench& bench)
    : shape_(shape), bench_(bench), random_(seed) {
  todo_.resize(shape.rings);
  for (unsigned ring = 0; ring < shape.rings; ++ring) {
    source_.push_back(source_base(ring) + 0x10000);
    target_.push_back(target_base(ring) + 0x10000);
    for (unsigned p = 0; p < shape.packets; ++p) {
      const std::size_t before = todo_[ring].size(), expected = expected_.size();
      const unsigned kind = pick(0, 9);
      if (kind <= 3) copy(ring);
      if (kind == 4) pattern_copy(ring);
      if (kind == 5) accumulate(ring);
      if (kind == 6 || kind == 7) operation(ring);
      if (kind == 8) transpose(ring);
      if (kind == 9) immediate(ring);
      if (shape.barriers && chance(10)) todo_[ring][before].tx[0] |= UnitBench::kDmb;
      for (std::size_t i = expected; i < expected_.size(); ++i) {
        expected_[i].ring = ring;
        expected_[i].pair = todo_[ring][before];
      }
    }
    pairs_.push_back(static_cast<std::uint32_t>(todo_[ring].size()));
    const std::uint32_t roomy = (pairs_[ring] + 15) / 16 * 16;
    sizes_.push_back(shape.small_rings ? 16 * pick(4, 6) : std::max(32u, roomy));
    bench.set_up(ring, sizes_[ring], pick(0, 3));
  }
}

std::uint64_t RingProgram::take(std::uint64_t& at, std::uint64_t bytes, unsigned align) {
  at += pick(0, 200);
  at = (at + align - 1) / align * align;
  const std::uint64_t begin = at;
  at += bytes;
  return begin;
}

std::vector<std::uint8_t> RingProgram::random_bytes(std::size_t bytes) {
  std::vector<std::uint8_t> data(bytes);
  for (auto& byte : data) byte = static_cast<std::uint8_t>(random_());
  return data;
}

std::vector<std::uint8_t> RingProgram::random_floats(std::size_t elements, unsigned dtype,
                                                     std::vector<int>& values) {
  std::vector<std::uint8_t> data;
  values.clear();
  for (std::size_t i = 0; i < elements; ++i) {
    values.push_back(static_cast<int>(pick(0, 14)) - 7);
    append(data, encode(values.back(), dtype), size_of(dtype));
  }
  return data;
}

// Gather and scatter: as many sources as destinations, of other lengths.
void RingProgram::copy(unsigned ring) {
  const unsigned pairs = chance(10) ? pick(20, 64) : pick(1, 4);
  const unsigned most = chance(5) && pairs < 3 ? kMaxBytes : chance(50) ? 64 : shape_.longest;
  std::vector<std::uint32_t> from(pairs), to(pairs);
  std::uint32_t total = 0;
  for (auto& n : from) total += n = pick(1, most);
  std::uint32_t left = total;
  for (unsigned i = 0; i < pairs; ++i) {
    const std::uint32_t after = pairs - 1 - i;  // at least a byte for each of them
    const std::uint32_t low = left > after * kMaxBytes ? left - after * kMaxBytes : 1;
    to[i] = after == 0 ? left : pick(low, std::min(kMaxBytes, std::min(left - after, 2 * most)));
    left -= to[i];
    if (after == 0 && to[i] > kMaxBytes) throw std::logic_error("a split is too long");
  }
  const auto bytes = random_bytes(total);
  const unsigned crc = chance(80) ? 0 : pick(1, 2);
  std::size_t read = 0, written = 0;
  for (unsigned i = 0; i < pairs; ++i) {
    const std::uint64_t source = take(source_[ring], from[i], chance(50) ? 64 : 1);
    const std::uint64_t target = take(target_[ring], to[i], chance(50) ? 64 : 1);
    bench_.memory.write(source, bytes.data() + read, from[i]);
    const auto* begin = bytes.data() + written;
    expected_.push_back({target, {begin, begin + to[i]}, 0, {}});
    read += from[i];
    written += to[i];
    Words words = UnitBench::copy_pair(source, from[i], target, to[i], i == 0, i + 1 == pairs);
    if (i == 0 && crc != 0) {
      words.rx[1] |= crc << TERN_DESC_CRC_LSB;
      if (crc == 2) words.tx[1] = crc32c_of(bytes);
    }
    add(ring, words);
  }
}

// A pattern whose runs do not overlap; `begin` is moved so that its lowest byte is where `begin`
// was; span: bytes from there to its highest.
RingProgram::Pattern RingProgram::lay_out(std::uint32_t length,
                                          const std::vector<std::uint32_t>& counts, unsigned align,
                                          std::uint64_t& span, std::uint64_t& begin) {
  Pattern pattern;
  pattern.length = length;
  span = length;
  std::uint64_t down = 0;
  for (std::size_t d = 0; d < counts.size(); ++d) {
    std::uint64_t stride = span + pick(0, 100);
    stride = (stride + align - 1) / align * align;
    pattern.count[d] = counts[d];
    pattern.stride[d] = static_cast<std::int32_t>(stride);
    span += (counts[d] - 1) * stride;
    if (chance(30)) {
      pattern.stride[d] = -pattern.stride[d];
      down += (counts[d] - 1) * stride;
    }
  }
  begin += down;
  return pattern;
}

void RingProgram::add_with_slots(unsigned ring, Words head, unsigned ext, const Pattern& tx,
                                 const Pattern& rx) {
  head.rx[1] |= ext << TERN_DESC_EXT_LSB;
  const std::uint32_t last = head.tx[0] & UnitBench::kLast;
  head.tx[0] &= ~UnitBench::kLast;
  head.rx[0] &= ~UnitBench::kLast;
  add(ring, head);
  for (unsigned e = 0; e < ext; ++e) {
    Words slot;
    for (const bool is_tx : {true, false}) {
      const Pattern& p = is_tx ? tx : rx;
      std::uint32_t* words = is_tx ? slot.tx : slot.rx;
      words[0] = e + 1 == ext ? last : 0;
      words[1] = p.count[2 * e] | p.count[2 * e + 1] << 16;
      words[2] = static_cast<std::uint32_t>(p.stride[2 * e]);
      words[3] = static_cast<std::uint32_t>(p.stride[2 * e + 1]);
    }
    add(ring, slot);
  }
}

// Addresses of the runs in their order.
template <typename Pattern>
static std::vector<std::uint64_t> runs(const Pattern& p, std::uint64_t begin) {
  std::vector<std::uint64_t> result;
  for (std::uint32_t i3 = 0; i3 < p.count[3]; ++i3) {
    for (std::uint32_t i2 = 0; i2 < p.count[2]; ++i2) {
      for (std::uint32_t i1 = 0; i1 < p.count[1]; ++i1) {
        for (std::uint32_t i0 = 0; i0 < p.count[0]; ++i0) {
          const std::uint32_t i[4] = {i0, i1, i2, i3};
          std::int64_t offset = 0;
          for (unsigned d = 0; d < 4; ++d) offset += std::int64_t{i[d]} * p.stride[d];
          result.push_back(begin + static_cast<std::uint64_t>(offset));
        }
      }
    }
  }
  return result;
}

void RingProgram::pattern_copy(unsigned ring) {
  const std::uint32_t a = pick(1, 90), b = pick(1, 6), c = pick(1, 5), d = pick(1, 3);
  const unsigned ext = pick(1, 2);
  std::uint64_t source = take(source_[ring], 0, 1), target = take(target_[ring], 0, 1);
  std::uint64_t source_span = 0, target_span = 0;
  // a * b * c * d bytes, factored twice.
  const Pattern tx = ext == 1 ? lay_out(a * d, {b, c}, 1, source_span, source)
                              : lay_out(a, {b, c, d}, 1, source_span, source);
  const Pattern rx = chance(50) ? lay_out(a * b, {d, c}, 1, target_span, target)
                                : lay_out(b * c * d, {a}, 1, target_span, target);
  source_[ring] += source_span;
  target_[ring] += target_span;
  const auto bytes = random_bytes(std::size_t{a} * b * c * d);
  std::size_t at = 0;
  for (const std::uint64_t run : runs(tx, source)) {
    bench_.memory.write(run, bytes.data() + at, tx.length);
    at += tx.length;
  }
  at = 0;
  for (const std::uint64_t run : runs(rx, target)) {
    const auto* begin = bytes.data() + at;
    expected_.push_back({run, {begin, begin + rx.length}, 0, {}});
    at += rx.length;
  }
  add_with_slots(ring, UnitBench::copy_pair(source, tx.length, target, rx.length, true, true), ext,
                 tx, rx);
}

// memory += data.
void RingProgram::accumulate(unsigned ring) {
  const unsigned elements = pick(1, shape_.longest / 4);
  std::vector<int> more, before;
  const auto data = random_floats(elements, TERN_DMA_DTYPE_FP32, more);
  const auto there = random_floats(elements, TERN_DMA_DTYPE_FP32, before);
  const std::uint64_t source = take(source_[ring], data.size(), 1);
  const std::uint64_t target = take(target_[ring], data.size(), 4);
  bench_.memory.write(source, data.data(), data.size());
  bench_.memory.write(target, there.data(), there.size());
  std::vector<std::uint8_t> sums;
  for (unsigned i = 0; i < elements; ++i) {
    append(sums, encode(more[i] + before[i], TERN_DMA_DTYPE_FP32), 4);
  }
  expected_.push_back({target, sums, 0, {}});
  const auto bytes = static_cast<std::uint32_t>(data.size());
  Words words = UnitBench::copy_pair(source, bytes, target, bytes, true, true);
  words.rx[1] |= TERN_DMA_WRITE_OP_ADD_FP32 << TERN_DESC_WRITE_OP_LSB;
  add(ring, words);
}

void RingProgram::operation(unsigned ring) {
  const unsigned op = pick(TERN_DMA_OP_CAST, TERN_DMA_OP_FMA);
  const unsigned from = pick(0, 2), to = pick(0, 2);
  const unsigned elements = chance(20) ? pick(1, 16) : pick(1, shape_.longest / 4);
  const unsigned sources = op == TERN_DMA_OP_CAST ? 1 : chance(20) ? 16 : pick(1, 4);
  std::vector<int> result(elements), values;
  const std::uint32_t bytes = elements * size_of(from), to_bytes = elements * size_of(to);
  const std::uint64_t target = take(target_[ring], to_bytes, 64);
  for (unsigned s = 0; s < sources; ++s) {
    const auto data = random_floats(elements, from, values);
    const std::uint64_t source = take(source_[ring], bytes, 64);
    bench_.memory.write(source, data.data(), data.size());
    const int scale = static_cast<int>(pick(1, 2));
    for (unsigned i = 0; i < elements; ++i) {
      const int term = op == TERN_DMA_OP_FMA ? scale * values[i] : values[i];
      if (s == 0)
        result[i] = term;
      else if (op == TERN_DMA_OP_MIN)
        result[i] = std::min(result[i], term);
      else if (op == TERN_DMA_OP_MAX)
        result[i] = std::max(result[i], term);
      else
        result[i] += term;
    }
    Words words = UnitBench::copy_pair(source, bytes, s == 0 ? target : 0, s == 0 ? to_bytes : 0,
                                       s == 0, s + 1 == sources);
    if (s == 0) {
      words.rx[1] = op | from << TERN_DESC_SRC_DTYPE_LSB | to << TERN_DESC_DST_DTYPE_LSB;
    }
    if (op == TERN_DMA_OP_FMA) words.tx[1] = encode(scale, TERN_DMA_DTYPE_FP32);
    add(ring, words);
  }
  std::vector<std::uint8_t> data;
  for (const int value : result) append(data, encode(value, to), size_of(to));
  expected_.push_back({target, data, 0, {}});
}

void RingProgram::transpose(unsigned ring) {
  const unsigned dtype = pick(0, 1), size = size_of(dtype), rows = 64 / size;
  const std::uint32_t blocks = pick(1, 3);
  std::uint64_t source = take(source_[ring], 0, 64), target = take(target_[ring], 0, 4);
  std::uint64_t source_span = 0, target_span = 0;
  const Pattern tx = lay_out(64, {rows, blocks}, 64, source_span, source);
  const Pattern rx = lay_out(64, {rows, blocks}, 4, target_span, target);
  source_[ring] = source + source_span;
  target_[ring] = target + target_span;
  const auto from = runs(tx, source), to = runs(rx, target);
  for (std::uint32_t b = 0; b < blocks; ++b) {
    const auto block = random_bytes(std::size_t{64} * rows);
    for (unsigned r = 0; r < rows; ++r) {
      bench_.memory.write(from[b * rows + r], block.data() + 64 * r, 64);
      std::vector<std::uint8_t> column;
      for (unsigned i = 0; i < rows; ++i) {
        for (unsigned byte = 0; byte < size; ++byte)
          column.push_back(block[64 * i + r * size + byte]);
      }
      expected_.push_back({to[b * rows + r], column, 0, {}});
    }
  }
  Words head = UnitBench::copy_pair(source, 64, target, 64, true, true);
  head.rx[1] =
      TERN_DMA_OP_TRANSPOSE | dtype << TERN_DESC_SRC_DTYPE_LSB | dtype << TERN_DESC_DST_DTYPE_LSB;
  add_with_slots(ring, head, 1, tx, rx);
}

void RingProgram::immediate(unsigned ring) {
  const std::uint64_t target = take(target_[ring], 4, 4);
  const auto value = static_cast<std::uint32_t>(random_());
  std::vector<std::uint8_t> data;
  append(data, value, 4);
  expected_.push_back({target, data, 0, {}});
  Words words = UnitBench::copy_pair(value, 4, target, 4, true, true);
  words.rx[1] = TERN_DMA_OP_IMMEDIATE;
  add(ring, words);
}

MismatchLog RingProgram::differences() const {
  MismatchLog log;
  for (const Expected& e : expected_) {
    const auto is = bench_.memory.get(e.address, e.bytes.size());
    for (std::size_t i = 0; i < is.size(); ++i) {
      const std::uint64_t address = e.address + i;
      log.compare(e.bytes[i], is[i], 8, [&] {
        Where where{"port write_data_o, address " + hex(address, 48) + ", never written",
                    "packet of ring " + std::to_string(e.ring) + ", TX " + hex_list(e.pair.tx) +
                        ", RX " + hex_list(e.pair.rx)};
        for (const SeenRequest& r : bench_.requests) {
          if (r.port != dma::Port::kWrite || address < r.address || address >= r.address + r.bytes)
            continue;
          where.place = "port write_data_o, address " + hex(address, 48);
          where.cycle = UnitBench::wave_cycle(r.cycle);
        }
        return where;
      });
    }
  }
  return log;
}

void RingProgram::run() {
  std::vector<std::uint32_t> released(rings(), 0);
  while (true) {
    bool more = false;
    for (unsigned ring = 0; ring < rings(); ++ring) {
      if (todo_[ring].empty()) continue;
      more = true;
      if (chance(30)) continue;
      const std::uint32_t head = bench_.ring_register(ring, TERN_REG_DMA_RING_HEAD);
      const std::uint32_t room = sizes_[ring] - (released[ring] - head);
      const std::uint32_t most = std::min(room, static_cast<std::uint32_t>(todo_[ring].size()));
      if (most == 0) {
        if (bench_.ring_register(ring, TERN_REG_DMA_RING_STATUS) > 1) todo_[ring].clear();
        continue;
      }
      const std::uint32_t now = chance(40) ? most : pick(1, most);
      for (std::uint32_t i = 0; i < now; ++i) {
        bench_.put(ring, todo_[ring].front());
        todo_[ring].pop_front();
      }
      released[ring] += now;
      bench_.release(ring, now);
    }
    if (!more) break;
    bench_.run_to(bench_.now() + (chance(50) ? pick(1, 20) : pick(1, 1000)));
  }
  bench_.run();
}

}  // namespace tern::tb
