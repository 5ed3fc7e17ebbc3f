// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/trace/signature.h"

namespace tern::nki {

namespace {

constexpr auto kRead = Access::kRead, kWrite = Access::kWrite, kUpdate = Access::kUpdate;
constexpr unsigned kElementEngines = kOnVector | kOnScalar | kOnGpsimd;

std::vector<Signature> make() {
  const OperandRule dst{"dst", kWrite};
  const OperandRule column0{"operand0", kRead, kOnChip, Fit::kColumn, true};
  const OperandRule column1{"operand1", kRead, kOnChip, Fit::kColumn, true};
  const OperandRule reduce_res{"reduce_res", kWrite, kOnChip, Fit::kColumn, true};
  // What the accumulators begin with: the tensor of reduce_res.
  const OperandRule reduce_init{"reduce_init", kRead, kOnChip, Fit::kColumn, true};
  return {
      {"dma_copy",
       kOnDma,
       {{"dst", kWrite, kAnyButPsum, Fit::kFree},
        {"src", kRead, kAnyButPsum, Fit::kFree},
        {"dst_index", kRead, kInSbuf, Fit::kFree, true},
        {"src_index", kRead, kInSbuf, Fit::kFree, true}}},
      {"sendrecv",
       kOnDma,
       {{"dst", kWrite, kInSbuf, Fit::kFree}, {"src", kRead, kInSbuf, Fit::kFree}}},
      {"core_barrier", kOnDma, {{"data", kUpdate, kInHbm, Fit::kFree}}},
      {"collective",
       kOnDma,
       {{"dst", kWrite, kAnyButPsum, Fit::kFree}, {"src", kRead, kAnyButPsum, Fit::kFree}}},
      {"register_move", kOnSequencers, {}},
      {"register_load", kOnSequencers, {{"src", kRead, kInSbuf, Fit::kFree}}},
      {"register_store", kOnSequencers, {{"dst", kWrite, kInSbuf, Fit::kFree}}},
      {"loop_begin", kOnSequencers, {}},
      {"loop_end", kOnSequencers, {}},
      {"tensor_copy", kElementEngines, {dst, {"src"}}},
      {"memset", kOnVector | kOnGpsimd, {dst}},
      {"tensor_tensor", kOnVector | kOnGpsimd, {dst, {"data1"}, {"data2"}}, 1},
      {"tensor_scalar",
       kElementEngines,
       {dst, {"data"}, column0, column1, reduce_res, reduce_init}},
      {"activation",
       kOnScalar,
       {dst,
        {"data"},
        {"scale", kRead, kOnChip, Fit::kColumn, true},
        {"bias", kRead, kOnChip, Fit::kColumn, true},
        reduce_res,
        reduce_init}},
      {"reciprocal", kOnVector, {dst, {"data"}}},
      {"tensor_reduce", kOnVector, {dst, {"data", kRead, kOnChip, Fit::kPartitions}}},
      {"nc_matmul",
       kOnTensor,
       {{"dst", kUpdate, kInPsum, Fit::kFree},
        {"stationary", kRead, kInSbuf, Fit::kFree},
        {"moving", kRead, kInSbuf, Fit::kFree}}},
      {"nc_transpose",
       kOnTensor | kOnVector,
       {{"dst", kWrite, kOnChip, Fit::kFree}, {"data", kRead, kOnChip, Fit::kFree}}},
  };
}

OperandRule column(const char* role) {
  return {role, kRead, kOnChip, Fit::kColumn, true};
}

// Of other shapes on as many partitions.
OperandRule rows(const char* role, Access access = kRead, unsigned memories = kOnChip) {
  return {role, access, memories, Fit::kPartitions};
}

// dst = sum of the sources; with an index dst += src0, by rows of one side.
Signature sum_of_transfers() {
  static constexpr const char* kSources[] = {"src0",  "src1",  "src2",  "src3", "src4",  "src5",
                                             "src6",  "src7",  "src8",  "src9", "src10", "src11",
                                             "src12", "src13", "src14", "src15"};
  Signature signature{"dma_compute", kOnDma, {{"dst", kWrite, kAnyButPsum, Fit::kFree}}};
  for (const char* source : kSources) {
    signature.operands.push_back({source, kRead, kAnyButPsum, Fit::kFree, true});
  }
  signature.operands.push_back({"dst_index", kRead, kInSbuf, Fit::kFree, true});
  signature.operands.push_back({"src_index", kRead, kInSbuf, Fit::kFree, true});
  return signature;
}

std::vector<Signature> make_more() {
  const OperandRule dst{"dst", kWrite}, kept{"dst", kUpdate};
  const OperandRule result{"dst", kWrite, kInSbuf};  // of GpSimd
  const OperandRule reduce_res{"reduce_res", kWrite, kOnChip, Fit::kColumn, true};
  return {
      {"tensor_copy_predicated", kOnVector, {kept, {"src"}, {"predicate"}}, 1},
      {"scalar_tensor_tensor", kOnVector, {dst, {"data"}, column("operand0"), {"operand1"}}, 1},
      {"tensor_tensor_scan",
       kOnVector,
       {dst, {"data0"}, {"data1"}, column("initial")},
       1,
       Dependence::kOrder},
      {"tensor_scalar_cumulative",
       kOnVector,
       {dst, {"src"}, column("imm0"), column("imm1")},
       0,
       Dependence::kOrder},
      {"dropout", kOnVector, {dst, {"data"}, column("prob")}},
      {"exponential",
       kOnVector,
       {dst, {"src"}, column("max_value"), reduce_res, column("reduce_init")}},
      {"activate2",
       kOnScalar,
       {dst, {"data"}, column("imm0"), column("imm1"), reduce_res, column("reduce_init")}},
      {"select_reduce",
       kOnVector,
       {dst, {"on_true"}, {"predicate"}, column("on_false"), reduce_res},
       1},
      {"range_select",
       kOnVector,
       {dst, {"on_true_tile"}, column("bound0"), column("bound1"), reduce_res},
       0,
       Dependence::kIndex},
      {"bn_stats", kOnVector, {dst, rows("data")}},
      {"bn_aggr", kOnVector, {dst, rows("data")}},
      {"max8", kOnVector, {dst, rows("src")}},
      {"nc_find_index8", kOnVector, {dst, rows("data"), rows("vals")}},
      {"nc_match_replace8", kOnVector, {dst, {"data"}, rows("vals")}},
      {"nc_stream_shuffle", kOnVector, {dst, {"src", kRead, kOnChip, Fit::kFree}}},
      {"iota", kOnGpsimd, {result}},
      {"affine_select", kOnGpsimd, {result, {"on_true_tile", kRead, kInSbuf}}},
      {"nc_n_gather",
       kOnGpsimd,
       {result, rows("data", kRead, kInSbuf), {"indices", kRead, kInSbuf}}},
      {"local_gather",
       kOnGpsimd,
       {result, rows("src_buffer", kRead, kInSbuf), rows("index", kRead, kInSbuf)}},
      {"nonzero_with_count", kOnGpsimd, {result, rows("src", kRead, kInSbuf)}},
      {"topk",
       kOnGpsimd,
       {rows("dst", kWrite, kInSbuf), rows("src", kRead, kInSbuf),
        rows("indices", kWrite, kInSbuf)}},
      {"sequence_bounds", kOnGpsimd, {result, rows("segment_ids", kRead, kInSbuf)}},
      {"tensor_partition_reduce",
       kOnGpsimd,
       {{"dst", kWrite, kInSbuf, Fit::kFree}, {"data", kRead, kInSbuf, Fit::kFree}}},
      {"rng", kOnVector | kOnGpsimd, {dst}},
      {"rand2", kOnVector, {dst, column("min"), column("max")}},
      {"set_rng_seed", kOnVector | kOnScalar | kOnGpsimd, {{"src", kRead, kInSbuf, Fit::kFree}}},
      {"rand_set_state", kOnVector | kOnScalar | kOnGpsimd, {{"src", kRead, kInSbuf, Fit::kFree}}},
      {"rand_get_state", kOnVector | kOnScalar | kOnGpsimd, {result}},
      {"quantize_mx",
       kOnVector,
       {rows("dst", kWrite, kInSbuf),
        rows("src", kRead, kInSbuf),
        {"dst_scale", kWrite, kInSbuf, Fit::kScales}}},
      {"nc_matmul_mx",
       kOnTensor,
       {{"dst", kUpdate, kInPsum, Fit::kFree},
        {"stationary", kRead, kInSbuf, Fit::kFree},
        {"moving", kRead, kInSbuf, Fit::kFree},
        {"stationary_scale", kRead, kInSbuf, Fit::kScales},
        {"moving_scale", kRead, kInSbuf, Fit::kScales}}},
      sum_of_transfers(),
      {"dma_transpose",
       kOnDma,
       {{"dst", kWrite, kAnyButPsum, Fit::kFree}, {"src", kRead, kAnyButPsum, Fit::kFree}}},
  };
}

}  // namespace

const OperandRule* Signature::operand(std::string_view role) const {
  for (const OperandRule& rule : operands) {
    if (role == rule.role) return &rule;
  }
  return nullptr;
}

const std::vector<Signature>& signatures() {
  static const std::vector<Signature> all = [] {
    std::vector<Signature> both = make();
    for (Signature& signature : make_more()) both.push_back(std::move(signature));
    return both;
  }();
  return all;
}

const Signature* find_signature(std::string_view name) {
  for (const Signature& signature : signatures()) {
    if (name == signature.name) return &signature;
  }
  return nullptr;
}

}  // namespace tern::nki
