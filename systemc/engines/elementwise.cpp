// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/elementwise.h"

#include <cstring>

#include "sw/spec/generated/formats.h"
#include "systemc/engines/mx_convert.h"
#include "systemc/numerics/activation.h"
#include "systemc/numerics/alu.h"
#include "systemc/numerics/convert.h"
#include "systemc/numerics/fp_modes.h"

namespace tern {

namespace {

using numerics::DType;

// Calls visit with the function of an ALU operation, so that each gets a loop of its own.
template <typename Visit>
void with_alu(unsigned op, Visit visit) {
  switch (op) {
    case TERN_ALU_OP_ADD:
      return visit([](float a, float b) { return numerics::add(a, b); });
    case TERN_ALU_OP_SUBTRACT:
      return visit([](float a, float b) { return numerics::subtract(a, b); });
    case TERN_ALU_OP_MULTIPLY:
      return visit([](float a, float b) { return numerics::multiply(a, b); });
    case TERN_ALU_OP_MAX:
      return visit([](float a, float b) { return numerics::maximum(a, b); });
    case TERN_ALU_OP_MIN:
      return visit([](float a, float b) { return numerics::minimum(a, b); });
    case TERN_ALU_OP_IS_EQ:
      return visit([](float a, float b) { return numerics::equal(a, b); });
    case TERN_ALU_OP_IS_NE:
      return visit([](float a, float b) { return numerics::not_equal(a, b); });
    case TERN_ALU_OP_IS_GE:
      return visit([](float a, float b) { return numerics::greater_equal(a, b); });
    case TERN_ALU_OP_IS_GT:
      return visit([](float a, float b) { return numerics::greater(a, b); });
    case TERN_ALU_OP_IS_LE:
      return visit([](float a, float b) { return numerics::less_equal(a, b); });
    case TERN_ALU_OP_IS_LT:
      return visit([](float a, float b) { return numerics::less(a, b); });
    default:
      return visit([](float a, float) { return numerics::canonical(a); });
  }
}

void apply_scalar(unsigned op, const float* a, float scalar, float* out, std::size_t n) {
  with_alu(op, [=](auto f) {
    for (std::size_t i = 0; i < n; ++i) out[i] = f(a[i], scalar);
  });
}

void activate(unsigned function, const float* x, float scale, float bias, float* out,
              std::size_t n) {
  switch (function) {
    case TERN_ACT_FUNC_RELU:
      for (std::size_t i = 0; i < n; ++i) {
        out[i] = numerics::relu(numerics::activation_input(x[i], scale, bias));
      }
      return;
    case TERN_ACT_FUNC_EXP:
      for (std::size_t i = 0; i < n; ++i) {
        out[i] = numerics::exp(numerics::activation_input(x[i], scale, bias));
      }
      return;
    default:
      for (std::size_t i = 0; i < n; ++i) {
        out[i] = numerics::identity(numerics::activation_input(x[i], scale, bias));
      }
  }
}

// Element i1, i0 of a strided pattern and its place in a contiguous row.
template <typename Element, typename Copy>
void for_each(const AccessPattern& ap, Element* first, Element* row, Copy copy) {
  for (std::uint32_t i1 = 0; i1 < ap.num1; ++i1) {
    Element* outer = first + i1 * ap.step1;
    for (std::uint32_t i0 = 0; i0 < ap.num0; ++i0) copy(outer[i0 * ap.step0], *row++);
  }
}

template <typename Element>
void gather_as(const AccessPattern& ap, void* memory, void* row) {
  for_each(ap, static_cast<Element*>(memory), static_cast<Element*>(row),
           [](const Element& from, Element& to) { to = from; });
}

template <typename Element>
void scatter_as(const AccessPattern& ap, void* memory, void* row) {
  for_each(ap, static_cast<Element*>(memory), static_cast<Element*>(row),
           [](Element& to, const Element& from) { to = from; });
}

void gather(const AccessPattern& ap, std::size_t size, void* memory, void* row) {
  if (size == 1) return gather_as<std::uint8_t>(ap, memory, row);
  if (size == 2) return gather_as<std::uint16_t>(ap, memory, row);
  gather_as<std::uint32_t>(ap, memory, row);
}

void scatter(const AccessPattern& ap, std::size_t size, void* memory, void* row) {
  if (size == 1) return scatter_as<std::uint8_t>(ap, memory, row);
  if (size == 2) return scatter_as<std::uint16_t>(ap, memory, row);
  scatter_as<std::uint32_t>(ap, memory, row);
}

}  // namespace

void Elementwise::open(Source& source, const tern_ap_t& ap, unsigned dtype, unsigned partitions) {
  source.used = dtype != TERN_DTYPE_NONE;
  if (!source.used) return;
  source.ap = AccessPattern(ap);
  source.type = static_cast<DType>(dtype);
  source.row.resize(source.ap.count());
  if (!source.ap.psum) return;
  const auto size = static_cast<std::int64_t>(numerics::dtype_size(source.type));
  const std::int64_t first = source.ap.byte + size * source.ap.lowest();
  const std::int64_t end = source.ap.byte + size * (source.ap.highest() + 1);
  source.pitch = static_cast<std::size_t>((end + 3) / 4 - first / 4);
  source.offset = static_cast<std::size_t>(source.ap.byte - first / 4 * 4);
  source.psum.resize(source.pitch * partitions);
  PsumTransfer transfer;
  transfer.partition = source.ap.partition;
  transfer.partitions = partitions;
  transfer.column = static_cast<unsigned>(first / 4);
  transfer.columns = static_cast<unsigned>(source.pitch);
  transfer.data = source.psum.data();
  transfer.stride = source.pitch;
  psum_.transfer(transfer);
}

const float* Elementwise::load(Source& source, unsigned lane) {
  const AccessPattern& ap = source.ap;
  std::uint8_t* first = nullptr;
  if (ap.psum) {
    float* words = source.psum.data() + lane * source.pitch;
    if (source.type == DType::kFp32 && ap.contiguous()) return words + source.offset / 4;
    first = reinterpret_cast<std::uint8_t*>(words) + source.offset;
  } else {
    first = sbuf_.partition(ap.partition + lane) + ap.byte;
  }
  if (ap.contiguous()) {
    numerics::widen(source.type, first, source.row.data(), source.row.size());
    return source.row.data();
  }
  const std::size_t size = numerics::dtype_size(source.type);
  source.raw.resize(source.row.size() * size);
  gather(ap, size, first, source.raw.data());
  numerics::widen(source.type, source.raw.data(), source.row.data(), source.row.size());
  return source.row.data();
}

// One partition of the result, into result_.
void Elementwise::compute(const tern_instr_elementwise_t& in, unsigned lane) {
  float* out = result_.data();
  const std::size_t n = result_.size();
  if (in.header.opcode == TERN_OPCODE_MEMSET) {
    for (std::size_t i = 0; i < n; ++i) out[i] = in.imm0;
    return;
  }
  const float* a = load(source0_, lane);
  const float* b = source1_.used ? load(source1_, lane) : nullptr;
  switch (in.header.opcode) {
    case TERN_OPCODE_TENSOR_COPY:
      std::memcpy(out, a, n * sizeof(float));
      return;
    case TERN_OPCODE_TENSOR_TENSOR:
      return with_alu(in.op0, [=](auto f) {
        for (std::size_t i = 0; i < n; ++i) out[i] = f(a[i], b[i]);
      });
    case TERN_OPCODE_TENSOR_SCALAR:
      apply_scalar(in.op0, a, b != nullptr ? *b : in.imm0, out, n);
      if (in.op1 != TERN_ALU_OP_BYPASS) apply_scalar(in.op1, out, in.imm1, out, n);
      return;
    case TERN_OPCODE_TENSOR_REDUCE: {
      const std::size_t inner = source0_.ap.num0;
      with_alu(in.op0, [=](auto f) {
        for (std::size_t i = 0; i < n; ++i) out[i] = numerics::reduce(a + i * inner, inner, 1, f);
      });
      if (in.op1 != TERN_ALU_OP_SUBTRACT) return;
      for (std::size_t i = 0; i < n; ++i) out[i] = numerics::negate(out[i]);
      return;
    }
    case TERN_OPCODE_RECIPROCAL:
      for (std::size_t i = 0; i < n; ++i) out[i] = numerics::reciprocal(a[i]);
      return;
    default:
      return activate(in.op0, a, in.imm0, b != nullptr ? *b : in.imm1, out, n);
  }
}

void Elementwise::store(const AccessPattern& dst, DType type, unsigned lane) {
  if (dst.psum) {
    numerics::narrow(DType::kFp32, result_.data(), &psum_result_[lane * result_.size()],
                     result_.size());
    return;
  }
  std::uint8_t* first = sbuf_.partition(dst.partition + lane) + dst.byte;
  if (dst.contiguous()) {
    numerics::narrow(type, result_.data(), first, result_.size());
    return;
  }
  const std::size_t size = numerics::dtype_size(type);
  raw_.resize(result_.size() * size);
  numerics::narrow(type, result_.data(), raw_.data(), result_.size());
  scatter(dst, size, first, raw_.data());
}

// One transfer for every run of neighbouring columns.
void Elementwise::write_psum(const AccessPattern& dst, unsigned partitions) {
  AccessPattern runs = dst;
  std::uint32_t length = 1;
  if (dst.contiguous()) {
    length = static_cast<std::uint32_t>(dst.count());
    runs.num0 = runs.num1 = 1;
  } else if (dst.inner_contiguous()) {
    length = dst.num0;
    runs.num0 = 1;
  }
  PsumTransfer transfer;
  transfer.write = true;
  transfer.partition = dst.partition;
  transfer.partitions = partitions;
  transfer.columns = length;
  transfer.data = psum_result_.data();
  transfer.stride = result_.size();
  for (std::uint32_t i1 = 0; i1 < runs.num1; ++i1) {
    for (std::uint32_t i0 = 0; i0 < runs.num0; ++i0) {
      transfer.column = static_cast<unsigned>(dst.byte / 4 + i1 * runs.step1 + i0 * runs.step0);
      psum_.transfer(transfer);
      transfer.data += length;
    }
  }
}

void Elementwise::run(const tern_instr_elementwise_t& in) {
  if (in.header.opcode == TERN_OPCODE_QUANTIZE_MX) return quantize_mx(in, sbuf_);
  if (in.header.opcode == TERN_OPCODE_DEQUANTIZE_MX) return dequantize_mx(in, sbuf_);
  const AccessPattern dst(in.dst);
  open(source0_, in.src0, in.src0_dtype, in.partitions);
  open(source1_, in.src1, in.src1_dtype, in.partitions);
  result_.resize(dst.count());
  if (dst.psum) psum_result_.resize(result_.size() * in.partitions);
  {
    const numerics::ScopedFpModes modes;
    for (unsigned lane = 0; lane < in.partitions; ++lane) {
      compute(in, lane);
      store(dst, static_cast<DType>(in.dst_dtype), lane);
    }
  }
  if (dst.psum) write_psum(dst, in.partitions);
}

}  // namespace tern
