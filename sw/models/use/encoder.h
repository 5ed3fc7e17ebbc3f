// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sw/collectives/rank_grid.h"
#include "sw/collectives/schedule.h"
#include "sw/config/chip_config.h"
#include "sw/models/use/batches.h"
#include "sw/models/use/model.h"
#include "sw/runtime/executable.h"

namespace tern::use {

// Formats of the products with the blocks' weights; those between queries, keys and values are
// BF16. Sums and the residual stream are FP32, and so are the attention of block 0 and the last
// layer in every format: short sentences would suffer (README.md).
enum class Format : std::uint8_t {
  kBf16,
  kMxfp8,     // both operands E4M3 in blocks of 32; scales by the rule `aws`
  kMxfp8Ocp,  // by the rule `ocp`
  kW4a8,      // weights E2M1 in HBM, expanded on the chip; activations as in kMxfp8
};
struct FormatName {
  Format format;
  const char* name;
};
const std::vector<FormatName>& formats();
const char* name_of(Format format);

// Bytes of a tensor of the program.
struct HostTensor {
  std::string name;
  std::vector<std::uint8_t> bytes;
};

// A rank's part of the encoder. Stages have some of the blocks each, and hand what they have to the
// next one. Of a stage several ranks have some heads and some columns of the hidden layers each:
// what they have is added where heads and hidden layers end. Of each batch ranks have some tokens:
// they tell each other what all of them attend to. In a program rank
// (sequence * stages + stage) * parts + part.
struct EncoderPart {
  unsigned parts = 1, part = 0;                             // parts: a divisor of the heads
  std::shared_ptr<const collectives::Schedule> sum{};       // verified AllReduce of that many ranks
  unsigned stages = 1, stage = 0;                           // at most as many as blocks
  std::shared_ptr<const collectives::Schedule> handover{};  // verified, from one rank to another
  unsigned sequences = 1, sequence = 0;                     // parts of a batch's tokens: 1, 2 or 4
  std::shared_ptr<const collectives::Schedule> gather{};    // verified AllGather of that many ranks

  bool first() const { return stage == 0; }
  bool last() const { return stage + 1 == stages; }
  bool has_block(unsigned block) const { return block * stages / Model::kBlocks == stage; }
  collectives::RankGrid grid() const {
    collectives::RankGrid ranks;
    ranks.sequence = sequences;
    ranks.pipeline = stages;
    ranks.tensor = parts;
    return ranks;
  }
  unsigned rank() const { return (sequence * stages + stage) * parts + part; }
};

// The weights as the program takes them. Gains and offsets of the norms, the scale of the queries
// and the biases of the values are folded into the matrices and biases after them.
std::vector<HostTensor> encoder_weights(const Model& model, Format format,
                                        const EncoderPart& part = {});

// Of all but the tables.
std::uint64_t bytes_of_products(const std::vector<HostTensor>& weights);

// The encoder as a program of one core for `batches` batches, at most kMaxBatches. Besides the
// weights it has the inputs tokens, positions (int32) and slots (fp32), [batches, 128] each, and
// the output embeddings (fp32), [batches * kSlots, 512]. All ranks of the last stage have the
// embeddings; other stages lack what they do not use.
constexpr unsigned kMaxBatches = 16;
constexpr unsigned kBatchesAtOnce = 4;  // 512 tokens: the longest moving operand
constexpr bool is_exact(unsigned block) {
  return block == 0;  // its attention
}
// UserError unless its blocks suffice for the stages, and heads, hidden layers and a batch's tokens
// divide.
void check_parts(const Model& model, const collectives::RankGrid& grid);
Executable build_encoder(const Model& model, Format format, unsigned batches,
                         const ChipConfig& chip, const EncoderPart& part = {});

// The inputs for these batches.
std::vector<HostTensor> encoder_inputs(const Batch* batches, std::size_t count);

}  // namespace tern::use
