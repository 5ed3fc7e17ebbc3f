// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/vector/mx_convert.h"

#include <cstring>
#include <vector>

#include "sw/numerics/dtype.h"
#include "sw/numerics/mx.h"
#include "sw/spec/access_pattern.h"
#include "sw/spec/generated/formats.h"

namespace tern {

namespace {

using numerics::kMxBlockRows;

constexpr unsigned kBlocksInQuadrant = kMxQuadrant / kMxBlockRows;

// The elements of an operand, `size` bytes each in the lower bits of a word, partition by
// partition.
class Words {
 public:
  Words(const tern_ap_t& ap, unsigned dtype, unsigned partitions)
      : ap_(ap),
        size_(numerics::dtype_size(static_cast<numerics::DType>(dtype))),
        columns_(static_cast<std::size_t>(ap_.count())),
        words_(columns_ * partitions) {}

  std::size_t columns() const { return columns_; }
  std::uint32_t* data() { return words_.data(); }

  void read(const SbufAccess& sbuf) {
    visit(sbuf, [this](std::uint8_t* byte, std::uint32_t& word) {
      word = 0;
      std::memcpy(&word, byte, size_);
    });
  }
  void write(const SbufAccess& sbuf) {
    visit(sbuf, [this](std::uint8_t* byte, const std::uint32_t& word) {
      std::memcpy(byte, &word, size_);
    });
  }

 private:
  template <typename Visit>
  void visit(const SbufAccess& sbuf, Visit visit_element) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      std::uint8_t* first =
          sbuf.partition(ap_.partition + static_cast<unsigned>(i / columns_)) + ap_.byte;
      visit_element(first + ap_.offset(i % columns_) * static_cast<std::int64_t>(size_), words_[i]);
    }
  }

  AccessPattern ap_;
  std::size_t size_, columns_;
  std::vector<std::uint32_t> words_;
};

// Scales: block b of the operand (eight partitions) has its bytes in partition first + 32 * (b / 4)
// + b % 4.
class Scales {
 public:
  Scales(const SbufAccess& sbuf, const tern_ap_t& ap) : sbuf_(sbuf), ap_(ap) {}

  std::uint8_t& at(unsigned block, std::size_t column) const {
    const unsigned partition =
        ap_.partition + kMxQuadrant * (block / kBlocksInQuadrant) + block % kBlocksInQuadrant;
    return sbuf_.partition(partition)[ap_.byte + ap_.offset(column)];
  }

 private:
  SbufAccess sbuf_;
  AccessPattern ap_;
};

std::string name_of(const EngineUnit& unit) {
  return unit.describe ? unit.describe(unit.index) : std::string();
}

}  // namespace

void quantize_mx(EngineUnit& unit, const tern_instr_elementwise_t& in) {
  const SbufAccess& sbuf = unit.memory.sbuf;
  Words source(in.src0, in.src0_dtype, in.partitions), result(in.dst, in.dst_dtype, in.partitions);
  source.read(sbuf);
  const std::size_t columns = result.columns();
  std::vector<std::uint8_t> scales(in.partitions / kMxBlockRows * columns);

  MxQuantizeRequest request;
  request.shape = {in.partitions, columns};
  request.fp16 = in.src0_dtype == TERN_DTYPE_FP16;
  request.x4_type = in.dst_dtype;
  request.rule = static_cast<numerics::MxRule>(in.op0);
  request.elements = source.data();
  request.x4 = result.data();
  request.scales = scales.data();
  request.name = name_of(unit);
  unit.mx->quantize(request);

  result.write(sbuf);
  const Scales places(sbuf, in.src1);
  for (std::size_t i = 0; i < scales.size(); ++i)
    places.at(static_cast<unsigned>(i / columns), i % columns) = scales[i];
}

void dequantize_mx(EngineUnit& unit, const tern_instr_elementwise_t& in) {
  const SbufAccess& sbuf = unit.memory.sbuf;
  Words source(in.src0, in.src0_dtype, in.partitions), result(in.dst, in.dst_dtype, in.partitions);
  source.read(sbuf);
  const std::size_t columns = source.columns();
  std::vector<std::uint8_t> scales;

  MxDequantizeRequest request;
  request.shape = {in.partitions, columns};
  request.x4_type = in.src0_dtype;
  request.result_type = in.dst_dtype;
  request.x4 = source.data();
  if (in.src1_dtype != TERN_DTYPE_NONE) {
    scales.resize(in.partitions / kMxBlockRows * columns);
    const Scales places(sbuf, in.src1);
    for (std::size_t i = 0; i < scales.size(); ++i)
      scales[i] = places.at(static_cast<unsigned>(i / columns), i % columns);
    request.scales = scales.data();
  }
  request.elements = result.data();
  request.name = name_of(unit);
  unit.mx->dequantize(request);
  result.write(sbuf);
}

}  // namespace tern
