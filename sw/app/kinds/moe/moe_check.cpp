// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/moe/moe_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tern::app {
namespace {

constexpr std::size_t kMaxComputed = 256;  // tokens whose experts are computed in FP64

class Check {
 public:
  Check(const reference::Moe& moe, const MoeResult& result)
      : moe_(moe), result_(result), logits_(reference::moe_logits(moe)) {
    // An FP32 chain of `width` sums, each off by half a unit of what it is, and the bias added.
    check_.logit_bound =
        0x1p-24 * (static_cast<double>(moe.width) * logits_.products + logits_.largest);
    // Differences of two logits in the exponent; the function, the sum, its inverse, the product.
    check_.gate_tolerance = 4 * check_.logit_bound + 16 * 0x1p-24;
    check_.tokens = moe.tokens;
  }

  MoeCheck run() {
    std::vector<std::uint32_t> counts(moe_.experts);
    const std::size_t step = std::max<std::size_t>(1, moe_.tokens / kMaxComputed);
    for (std::size_t t = 0; t < moe_.tokens; ++t) {
      const std::vector<std::size_t> experts = experts_of(t);
      if (experts.empty()) continue;
      for (const std::size_t e : experts) ++counts[e];
      check_choice(t, experts);
      const reference::Values weights =
          reference::moe_weights(&logits_.values[t * moe_.experts], experts);
      check_gates(t, experts, weights);
      if (t % step == 0) compute(t, experts, weights);
    }
    check_.counts_agree = counts == result_.counts;
    if (!check_.counts_agree) fault("the counts are not those of the choices");
    check_outputs();
    return check_;
  }

 private:
  void fault(const std::string& text) {
    if (check_.first_fault.empty()) check_.first_fault = text;
  }

  // None: not ascending numbers of experts.
  std::vector<std::size_t> experts_of(std::size_t t) {
    std::vector<std::size_t> experts;
    double before = -1;
    for (std::size_t i = 0; i < moe_.top_k; ++i) {
      const double e = result_.chosen[t * moe_.top_k + i];
      if (!(e > before) || !(e < static_cast<double>(moe_.experts)) || e != std::floor(e)) {
        ++check_.wrong_choices;
        fault(fmt::format("chosen[{}, {}] = {}: expected ascending numbers of experts", t, i, e));
        return {};
      }
      experts.push_back(static_cast<std::size_t>(e));
      before = e;
    }
    return experts;
  }

  void check_choice(std::size_t t, const std::vector<std::size_t>& experts) {
    double least = INFINITY, most = -INFINITY;
    for (std::size_t e = 0; e < moe_.experts; ++e) {
      const bool chosen = std::find(experts.begin(), experts.end(), e) != experts.end();
      const double logit = logits_.values[t * moe_.experts + e];
      if (chosen) least = std::min(least, logit);
      if (!chosen) most = std::max(most, logit);
    }
    if (most - least <= 2 * check_.logit_bound) return;
    ++check_.wrong_choices;
    fault(fmt::format("token {}: an expert with logit {} was chosen, one with {} was not", t, least,
                      most));
  }

  void check_gates(std::size_t t, const std::vector<std::size_t>& experts,
                   const reference::Values& weights) {
    for (std::size_t e = 0; e < moe_.experts; ++e) {
      const auto at = std::find(experts.begin(), experts.end(), e);
      const double expected =
          at == experts.end() ? 0 : weights[static_cast<std::size_t>(at - experts.begin())];
      const double got = result_.gates[t * moe_.experts + e];
      const double error = std::fabs(got - expected);
      check_.gate_error = std::isnan(error) ? INFINITY : std::max(check_.gate_error, error);
      if (!(error <= (at == experts.end() ? 0 : check_.gate_tolerance)))
        fault(fmt::format("gates[{}, {}] = {}, expected {}", t, e, got, expected));
    }
  }

  void compute(std::size_t t, const std::vector<std::size_t>& experts,
               const reference::Values& weights) {
    computed_.emplace_back(t, reference::moe_token(moe_, t, experts, weights, &hidden_norm_));
  }

  // As of `transformer_mlp`: hidden values are rounded to BF16, off by at most 2^-8 of themselves,
  // independently; five standard deviations of what their sum makes of it. The weights of a token
  // add up to one. Its weights' own errors change the output by as much of an output.
  void check_outputs() {
    double weight = 0;
    for (const float w : *moe_.w2) weight = std::max(weight, std::fabs(static_cast<double>(w)));
    check_.out_tolerance =
        5 / std::sqrt(3.0) * 0x1p-8 * weight * hidden_norm_ +
        static_cast<double>(moe_.top_k) * check_.gate_tolerance * weight * hidden_norm_;
    check_.tokens_computed = computed_.size();
    for (const auto& [t, expected] : computed_) {
      for (std::size_t i = 0; i < moe_.width; ++i) {
        const double got = result_.out[t * moe_.width + i];
        const double error = std::fabs(got - expected[i]) / std::max(1.0, std::fabs(expected[i]));
        check_.out_error = std::isnan(error) ? INFINITY : std::max(check_.out_error, error);
        if (!(error <= check_.out_tolerance))
          fault(fmt::format("out[{}, {}] = {}, expected {}", t, i, got, expected[i]));
      }
    }
  }

  const reference::Moe& moe_;
  const MoeResult& result_;
  const reference::MoeLogits logits_;
  MoeCheck check_;
  double hidden_norm_ = 0;
  std::vector<std::pair<std::size_t, reference::Values>> computed_;
};

}  // namespace

MoeCheck check_moe(const reference::Moe& moe, const MoeResult& result) {
  return Check(moe, result).run();
}

}  // namespace tern::app
