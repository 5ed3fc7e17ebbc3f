// SPDX-License-Identifier: Apache-2.0
// Operation cast through the data path: every element of 16 bits, every FP32 value at which
// rounding to a narrower format decides.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "sw/numerics/bf16.h"
#include "sw/numerics/fp16.h"
#include "sw/spec/generated/isa.h"
#include "tb/common/check_mismatch.h"
#include "tb/dma/back/packets.h"

using namespace tern;  // NOLINT: a test uses the names of what it tests
using namespace tern::tb;

namespace {

constexpr std::uint64_t kTo = 1 << 20;
constexpr std::size_t kMemory = 2 << 20;

// Casts `elements` elements at address 0 in packets of 16,384.
void cast(BackDriver& driver, unsigned src, unsigned dst, unsigned elements) {
  const unsigned src_size = src == TERN_DMA_DTYPE_FP32 ? 4 : 2;
  const unsigned dst_size = dst == TERN_DMA_DTYPE_FP32 ? 4 : 2;
  std::vector<Packet> packets;
  for (unsigned done = 0; done < elements; done += 16384) {
    const unsigned n = std::min(16384U, elements - done);
    Packet packet;
    packet.op = TERN_DMA_OP_CAST;
    packet.src_dtype = src;
    packet.dst_dtype = dst;
    append_pair(packet, {done * src_size, n * src_size}, {kTo + done * dst_size, n * dst_size});
    packets.push_back(packet);
  }
  driver.run(packets);
}

std::uint16_t half_at(const BackDriver& driver, std::size_t index) {
  std::uint16_t half;
  std::memcpy(&half, driver.memory().data() + kTo + 2 * index, 2);
  return half;
}

// The element that was cast to this address.
Where element(const BackDriver& driver, std::uint64_t address, const std::string& source) {
  Where where = driver.where(address);
  where.input = "element " + source + ", " + where.input;
  return where;
}

}  // namespace

TEST_CASE("DMA cast in RTL: every 16-bit element to FP32") {
  for (unsigned src : {TERN_DMA_DTYPE_BF16, TERN_DMA_DTYPE_FP16}) {
    BackDriver driver({}, kMemory);
    for (std::uint32_t i = 0; i < 65536; ++i) {
      std::memcpy(driver.memory().data() + 2 * i, &i, 2);
    }
    cast(driver, src, TERN_DMA_DTYPE_FP32, 65536);
    MismatchLog log;
    for (std::uint32_t i = 0; i < 65536; ++i) {
      std::uint32_t bits;
      std::memcpy(&bits, driver.memory().data() + kTo + 4 * i, 4);
      const auto half = static_cast<std::uint16_t>(i);
      const float value = src == TERN_DMA_DTYPE_BF16 ? numerics::bf16_to_float(half)
                                                     : numerics::fp16_to_float(half);
      log.compare(numerics::bits_of(numerics::canonical(value)), bits, 32,
                  [&] { return element(driver, kTo + 4 * i, hex(i, 16)); });
    }
    CAPTURE(src);
    CHECK_NO_MISMATCH(log);
  }
}

TEST_CASE("DMA cast in RTL: FP32 to BF16 and FP16 at and next to every tie") {
  for (unsigned dst : {TERN_DMA_DTYPE_BF16, TERN_DMA_DTYPE_FP16}) {
    std::vector<std::uint32_t> values;
    for (std::uint32_t i = 0; i < 65536; ++i) {
      // The value itself and the neighbourhood of the midpoint to the next one.
      const auto half = static_cast<std::uint16_t>(i);
      const std::uint32_t bits =
          numerics::bits_of(dst == TERN_DMA_DTYPE_BF16 ? numerics::bf16_to_float(half)
                                                       : numerics::fp16_to_float(half));
      const auto next = static_cast<std::uint16_t>(i + 1);
      const std::uint32_t above =
          numerics::bits_of(dst == TERN_DMA_DTYPE_BF16 ? numerics::bf16_to_float(next)
                                                       : numerics::fp16_to_float(next));
      const std::uint32_t middle = bits + (above - bits) / 2;
      for (std::uint32_t value : {bits, middle - 1, middle, middle + 1}) values.push_back(value);
    }
    BackDriver driver({}, kMemory);
    std::memcpy(driver.memory().data(), values.data(), 4 * values.size());
    cast(driver, TERN_DMA_DTYPE_FP32, dst, static_cast<unsigned>(values.size()));
    MismatchLog log;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const float value = numerics::float_of(values[i]);
      const unsigned expected = dst == TERN_DMA_DTYPE_BF16 ? numerics::bf16_from_float(value)
                                                           : numerics::fp16_from_float(value);
      log.compare(expected, half_at(driver, i), 16,
                  [&] { return element(driver, kTo + 2 * i, hex(values[i])); });
    }
    CAPTURE(dst);
    CHECK_NO_MISMATCH(log);
  }
}
