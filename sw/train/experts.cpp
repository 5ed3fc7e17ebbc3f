// SPDX-License-Identifier: Apache-2.0
#include "sw/train/experts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tern::train {

using layers::Activation;
using layers::Alu;
using layers::Epilogue;
using layers::TileView;

namespace {

constexpr std::uint32_t kSlab = Matrix::kSlab;
constexpr unsigned kFound = 8;  // of one search for the largest
constexpr float kNone = -3.0e38f;

// The rows of one slab.
Matrix slab_of(const Matrix& matrix, unsigned slab) {
  return matrix.part_rows(slab * kSlab, matrix.slab_rows(slab));
}

}  // namespace

Experts::Experts(std::shared_ptr<const Parameters> parameters, const TransformerSpec& spec,
                 ExpertExchange& exchange, const std::string& block)
    : parameters_(std::move(parameters)),
      l_(parameters_->layers()),
      spec_(spec),
      exchange_(exchange),
      name_(block + "experts"),
      router_(parameters_, block + "router") {
  for (std::uint32_t i = 0; i < exchange.own(); ++i) {
    const std::string name = fmt::format("{}e{}.", block, exchange.first() + i);
    own_.push_back({Dense(parameters_, name + "up"), Dense(parameters_, name + "down"), Matrix{}});
  }
  before_ = l_.filled(kSlab, kSlab, spec_.operand(), 1.0f);
  const TileView all = before_.slab(0);
  l_.builder().affine_select(all, all, {0, -1, {1}}, Alu::kIsGt, 0.0f);
}

// The first of the largest, and its probability.
void Experts::choose(const Matrix& logits) {
  kernels::KernelBuilder& kb = l_.builder();
  const std::uint32_t columns = std::max(kFound, logits.columns);
  Matrix searched = logits;
  if (columns > logits.columns) {
    searched = l_.filled(logits.rows, columns, DType::kFp32, kNone);
    l_.convert(searched.part_columns(0, logits.columns), logits);
  }
  numbers_ = l_.make(logits.rows, 1, DType::kFp32);
  for (unsigned s = 0; s < logits.slabs(); ++s) {
    const Matrix top = l_.make(logits.slab_rows(s), kFound, DType::kFp32);
    const Matrix index = l_.make(logits.slab_rows(s), kFound, DType::kUint32);
    kb.max8(top.slab(0), searched.slab(s));
    kb.nc_find_index8(index.slab(0), searched.slab(s), top.slab(0));
    kb.tensor_copy(numbers_.slab(s), index.block(0, 0, 1));
  }
  chosen_ = l_.make(logits.rows, logits.columns, spec_.operand());
  l_.one_hot(chosen_, numbers_);
  const Matrix of_chosen = l_.make(logits.rows, logits.columns, DType::kFp32);
  l_.combine(of_chosen, probabilities_, Alu::kMultiply, chosen_);
  gates_ = row_sums(of_chosen);
}

// A character's slot is the number of those in front of it in the slab that chose the same expert.
// Behind the last one there is none: its number is then behind those of all experts.
Matrix Experts::slots() const {
  const std::uint32_t rows = chosen_.rows, experts = spec_.experts;
  const auto slots = static_cast<float>(spec_.slots());
  const Matrix in_front = l_.make(rows, experts, DType::kFp32);
  for (unsigned s = 0; s < chosen_.slabs(); ++s) {
    const std::uint32_t count = chosen_.slab_rows(s);
    l_.product(slab_of(in_front, s), before_.part_rows(0, count).part_columns(0, count),
               slab_of(chosen_, s));
  }
  l_.combine(in_front, in_front, Alu::kMultiply, chosen_);
  const Matrix number = row_sums(in_front);
  const Matrix behind = l_.make(rows, 1, DType::kFp32);
  const auto pieces = number.pieces(), to = behind.pieces();
  for (std::size_t i = 0; i < pieces.size(); ++i)
    l_.builder().tensor_scalar(to[i], pieces[i], Alu::kIsGe, slots, Alu::kMultiply,
                               slots * static_cast<float>(experts));
  l_.combine(number, number, Alu::kAdd, behind);
  l_.scale_combine(number, numbers_, slots, Alu::kAdd, number);
  Matrix hot = l_.make(rows, experts * spec_.slots(), spec_.operand());
  l_.one_hot(hot, number);
  return hot;
}

void Experts::route(const Matrix& in) {
  const Matrix logits = router_.forward(in, DType::kFp32);
  probabilities_ = l_.make(logits.rows, logits.columns, DType::kFp32);
  l_.softmax(probabilities_, logits);
  choose(logits);
  slots_ = slots();
  slots_by_slab_.clear();
  for (unsigned s = 0; s < slots_.slabs(); ++s)
    slots_by_slab_.push_back(l_.transpose(slab_of(slots_, s)));
}

std::vector<Matrix> Experts::in_slots(const Matrix& vectors) const {
  std::vector<Matrix> slabs;
  for (unsigned s = 0; s < slots_.slabs(); ++s)
    slabs.push_back(l_.product(spec_.operand(), slab_of(slots_, s), slab_of(vectors, s)));
  return slabs;
}

void Experts::of_slots(const Matrix& dst, const std::vector<Matrix>& slabs,
                       const Matrix* residual) const {
  for (unsigned s = 0; s < slabs.size(); ++s) {
    Epilogue epilogue;
    Matrix more;
    if (residual != nullptr) {
      more = slab_of(*residual, s);
      epilogue.residual = &more;
    }
    l_.product(slab_of(dst, s), slots_by_slab_[s], slabs[s], epilogue);
  }
}

void Experts::scale_rows(const Matrix& dst, const Matrix& src, const Matrix& factor,
                         const Matrix* more) const {
  for (unsigned s = 0; s < src.slabs(); ++s) {
    if (more != nullptr) {
      l_.builder().scalar_tensor_tensor(dst.slab(s), src.slab(s), Alu::kMultiply, factor.slab(s),
                                        Alu::kAdd, more->slab(s));
    } else {
      l_.builder().tensor_scalar(dst.slab(s), src.slab(s), Alu::kMultiply, factor.slab(s));
    }
  }
}

Matrix Experts::row_sums(const Matrix& matrix) const {
  Matrix sums = l_.make(matrix.rows, 1, DType::kFp32);
  for (unsigned s = 0; s < matrix.slabs(); ++s)
    l_.builder().tensor_reduce(sums.slab(s), Alu::kAdd, matrix.slab(s));
  return sums;
}

Matrix Experts::forward(const Matrix& in, const Matrix& residual) {
  route(in);
  const std::vector<Matrix> inputs = exchange_.to_experts(in_slots(in));
  std::vector<Matrix> outputs;
  for (std::size_t i = 0; i < own_.size(); ++i) {
    Expert& expert = own_[i];
    expert.sums = expert.up.forward(inputs[i], DType::kFp32);
    const Matrix hidden = l_.make(expert.sums.rows, expert.sums.columns, spec_.operand());
    l_.activate(hidden, Activation::kGelu, expert.sums);
    outputs.push_back(expert.down.forward(hidden, spec_.operand()));
  }
  results_ = l_.make(in.rows, in.columns, DType::kFp32);
  of_slots(results_, exchange_.to_slabs(outputs));
  Matrix out = l_.make(in.rows, in.columns, DType::kFp32);
  scale_rows(out, results_, gates_, &residual);
  parameters_->observe("result of " + name_, out);
  return out;
}

// Of the probabilities: that of the gate for the expert chosen; and of the balance, for each
// expert, how many characters of the slab chose it.
Matrix Experts::router_gradient(const Matrix& gates) const {
  const Matrix gradient = l_.make(chosen_.rows, chosen_.columns, DType::kFp32);
  scale_rows(gradient, chosen_, gates);
  for (unsigned s = 0; s < chosen_.slabs() && spec_.balance > 0; ++s) {
    const Matrix chosen = slab_of(chosen_, s), part = slab_of(gradient, s);
    const float factor = spec_.balance * static_cast<float>(spec_.experts) /
                         static_cast<float>(chosen.rows) / static_cast<float>(spec_.tokens());
    const Matrix counts = l_.column_sums(chosen).part_rows(0, chosen.rows);
    l_.scale_combine(part, counts, factor, Alu::kAdd, part);
  }
  Matrix logits = l_.make(chosen_.rows, chosen_.columns, spec_.operand());
  l_.softmax_gradient(logits, gradient, probabilities_);
  return logits;
}

Matrix Experts::backward(const Matrix& gradient, const Update& update) const {
  const Matrix along = l_.make(gradient.rows, gradient.columns, DType::kFp32);
  l_.combine(along, gradient, Alu::kMultiply, results_);
  const Matrix gates = row_sums(along);
  const Matrix weighted = l_.make(gradient.rows, gradient.columns, spec_.operand());
  scale_rows(weighted, gradient, gates_);
  const std::vector<Matrix> errors = exchange_.to_experts(in_slots(weighted));
  std::vector<Matrix> inputs;
  for (std::size_t i = 0; i < own_.size(); ++i) {
    const Matrix hidden = own_[i].down.backward(errors[i], DType::kFp32, update);
    const Matrix sums = l_.make(hidden.rows, hidden.columns, spec_.operand());
    l_.gelu_gradient(sums, hidden, own_[i].sums);
    inputs.push_back(own_[i].up.backward(sums, spec_.operand(), update));
  }
  const std::vector<Matrix> slabs = exchange_.to_slabs(inputs);
  const Matrix of_router = router_.backward(router_gradient(gates), DType::kFp32, update);
  Matrix result = l_.make(gradient.rows, gradient.columns, DType::kFp32);
  of_slots(result, slabs, &of_router);
  parameters_->observe("gradient in front of " + name_, result);
  return result;
}

}  // namespace tern::train
