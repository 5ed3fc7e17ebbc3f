// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <stdexcept>

#include "sw/base/bytes.h"
#include "sw/base/math.h"
#include "sw/kernels/pack/mx_pack.h"
#include "sw/models/use/encoder.h"
#include "sw/models/use/folded.h"
#include "sw/numerics/bf16.h"

namespace tern::use {

namespace {

std::vector<std::uint16_t> bf16(const std::vector<float>& values) {
  std::vector<std::uint16_t> bits(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) bits[i] = numerics::bf16_from_float(values[i]);
  return bits;
}

class Weights {
 public:
  explicit Weights(Format format) : format_(format) {}

  void fp32(const std::string& name, const std::vector<float>& values) {
    tensors_.push_back({name, base::bytes_of(values)});
  }
  void matrix(const std::string& name, const Dense& dense) {
    if (format_ == Format::kBf16) {
      tensors_.push_back({name, base::bytes_of(bf16(dense.weight))});
      return;
    }
    // Whole groups of 512 rows: the layout of layers::MxMatrix.
    constexpr unsigned kGroup = 512;
    const unsigned rows = round_up(dense.in, kGroup);
    std::vector<float> values = dense.weight;
    values.resize(std::size_t{rows} * dense.out, 0.0f);
    const auto packed = kernels::pack_mx(
        values, rows, dense.out,
        format_ == Format::kW4a8 ? numerics::DType::kE2m1X4 : numerics::DType::kE4m3FnX4,
        format_ == Format::kMxfp8 ? numerics::MxRule::kAws : numerics::MxRule::kOcp);
    tensors_.push_back({name, packed.data});
    tensors_.push_back({name + ".scales", packed.scales});
  }
  std::vector<HostTensor> take() { return std::move(tensors_); }

 private:
  const Format format_;
  std::vector<HostTensor> tensors_;
};

}  // namespace

const std::vector<FormatName>& formats() {
  static const std::vector<FormatName> all = {{Format::kBf16, "bf16"},
                                              {Format::kMxfp8, "mxfp8"},
                                              {Format::kMxfp8Ocp, "mxfp8_ocp"},
                                              {Format::kW4a8, "w4a8"}};
  return all;
}

const char* name_of(Format format) {
  for (const FormatName& entry : formats()) {
    if (entry.format == format) return entry.name;
  }
  throw std::logic_error("name_of: no such format");
}

std::vector<HostTensor> encoder_weights(const Model& model, Format format,
                                        const EncoderPart& part) {
  Weights weights(format);
  if (part.first()) {
    weights.fp32("table", model.table);
    weights.fp32("position_table", model.positions());
  }
  for (unsigned i = 0; i < Model::kBlocks; ++i) {
    if (!part.has_block(i)) continue;
    const FoldedBlock block =
        part_of(fold(model.blocks[i]), model.blocks[i].width, part.parts, part.part);
    const std::string name = "b" + std::to_string(i) + ".";
    const auto attention = [&](const char* what, const Dense& dense) {
      if (is_exact(i)) return weights.fp32(name + what, dense.weight);
      weights.matrix(name + what, dense);
    };
    attention("qk", block.qk);
    weights.fp32(name + "qk_bias", block.qk.bias);
    attention("v", block.v);
    attention("out", block.out);
    weights.fp32(name + "out_bias", block.out.bias);
    weights.matrix(name + "feed_in", block.feed_in);
    weights.fp32(name + "in_bias", block.feed_in.bias);
    weights.matrix(name + "feed_out", block.feed_out);
    weights.fp32(name + "feed_bias", block.feed_out.bias);
  }
  if (part.last()) {
    weights.fp32("last", model.last.weight);
    weights.fp32("last_bias", model.last.bias);
  }
  return weights.take();
}

std::uint64_t bytes_of_products(const std::vector<HostTensor>& weights) {
  std::uint64_t bytes = 0;
  for (const HostTensor& tensor : weights) {
    if (tensor.name != "table" && tensor.name != "position_table") bytes += tensor.bytes.size();
  }
  return bytes;
}

std::vector<HostTensor> encoder_inputs(const Batch* batches, std::size_t count) {
  std::vector<std::int32_t> tokens, positions;
  std::vector<float> slots;
  for (std::size_t i = 0; i < count; ++i) {
    const Batch& batch = batches[i];
    tokens.insert(tokens.end(), batch.tokens.begin(), batch.tokens.end());
    positions.insert(positions.end(), batch.positions.begin(), batch.positions.end());
    slots.insert(slots.end(), batch.slots.begin(), batch.slots.end());
  }
  return {{"tokens", base::bytes_of(tokens)},
          {"positions", base::bytes_of(positions)},
          {"slots", base::bytes_of(slots)}};
}

}  // namespace tern::use
