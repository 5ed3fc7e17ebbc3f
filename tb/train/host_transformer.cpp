// SPDX-License-Identifier: Apache-2.0
#include "tb/train/host_transformer.h"

#include <algorithm>
#include <cmath>

namespace tern::tb {

namespace {

constexpr double kEpsilon = 1e-5;

void add(std::vector<double>* to, const std::vector<double>& more) {
  for (std::size_t i = 0; i < to->size(); ++i) (*to)[i] += more[i];
}

double normal_share(double x) {  // of a standard normal distribution below x
  return std::erfc(-x / std::sqrt(2.0)) / 2;
}

double gelu_slope(double x) {
  constexpr double kPi = 3.14159265358979323846;
  return normal_share(x) + x * std::exp(-x * x / 2) / std::sqrt(2 * kPi);
}

}  // namespace

void HostTransformer::clear_counts(std::size_t characters) {
  const std::size_t groups = (characters + sizes_.group - 1) / sizes_.group;
  characters_ = characters;
  so_far_.assign(sizes_.blocks, {groups, std::vector<std::size_t>(sizes_.experts)});
  left_out_ = 0;
}

double HostTransformer::loss(const std::vector<std::int32_t>& x,
                             const std::vector<std::int32_t>& next) {
  double sum = 0;
  clear_counts(x.size());
  for (at_ = 0; at_ < x.size(); at_ += sizes_.context) sum += window(&x[at_], &next[at_], 0, false);
  return sum / static_cast<double>(x.size());
}

double HostTransformer::imbalance(const std::vector<std::int32_t>& x,
                                  const std::vector<std::int32_t>& next) {
  if (sizes_.experts == 1) return 0;
  probabilities_of_all_.assign(sizes_.blocks, {});
  loss(x, next);
  const std::size_t experts = sizes_.experts;
  double sum = 0;
  for (std::size_t b = 0; b < sizes_.blocks; ++b) {
    for (std::size_t t = 0; t < x.size(); ++t) {
      const std::size_t group = t / sizes_.group;
      const std::size_t size = std::min(sizes_.group, x.size() - group * sizes_.group);
      for (std::size_t e = 0; e < experts; ++e)
        sum += sizes_.balance * static_cast<double>(experts) *
               static_cast<double>(so_far_[b][group][e]) / static_cast<double>(size) *
               probabilities_of_all_[b][t * experts + e] / static_cast<double>(x.size());
    }
  }
  probabilities_of_all_.clear();
  return sum;
}

double HostTransformer::backward(const std::vector<std::int32_t>& x,
                                 const std::vector<std::int32_t>& next) {
  for (auto& [name, p] : parameters) p.gradient.assign(p.value.size(), 0.0);
  loss(x, next);  // how often each expert is chosen
  counts_ = so_far_;
  clear_counts(x.size());
  double sum = 0;
  for (at_ = 0; at_ < x.size(); at_ += sizes_.context)
    sum += window(&x[at_], &next[at_], 1 / static_cast<double>(x.size()), true);
  return sum / static_cast<double>(x.size());
}

void HostTransformer::update(const Rules& rules, double rate) {
  steps_ += 1;
  for (auto& [name, p] : parameters) {
    p.m.resize(p.value.size());
    p.v.resize(p.value.size());
    for (std::size_t i = 0; i < p.value.size(); ++i) {
      const double g = p.gradient[i];
      p.m[i] = rules.beta1 * p.m[i] + (1 - rules.beta1) * g;
      p.v[i] = rules.beta2 * p.v[i] + (1 - rules.beta2) * g * g;
      const double m = p.m[i] / (1 - std::pow(rules.beta1, steps_));
      const double v = p.v[i] / (1 - std::pow(rules.beta2, steps_));
      p.value[i] -= rate * (m / (std::sqrt(v) + rules.epsilon) + rules.weight_decay * p.value[i]);
    }
  }
}

// The sum of the losses; with `back` each loss times `share` is added to the gradients.
double HostTransformer::window(const std::int32_t* x, const std::int32_t* next, double share,
                               bool back) {
  const std::size_t n = sizes_.context, d = sizes_.width, v = sizes_.alphabet;
  const Values& table = parameters.at("embedding").value;
  Values values(n * d);
  for (std::size_t t = 0; t < n; ++t) {
    for (std::size_t i = 0; i < d; ++i)
      values[t * d + i] = table[static_cast<std::size_t>(x[t]) * d + i] + table[(v + t) * d + i];
  }
  std::vector<Block> blocks(sizes_.blocks);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    Block& k = blocks[b];
    const std::string name = "b" + std::to_string(b) + ".";
    k.x = values;
    k.h1 = norm(name + "norm1", k.x, &k.norm1);
    k.qkv = dense(name + "qkv", k.h1, d, 3 * d);
    attention(&k);
    k.y = dense(name + "out", k.heads, d, d);
    add(&k.y, k.x);
    k.h2 = norm(name + "norm2", k.y, &k.norm2);
    values = sizes_.experts == 1 ? gelu_layer(name, k.h2, &k) : experts(b, &k);
    add(&values, k.y);
  }
  Normal last;
  const Values h = norm("norm", values, &last);
  logits_ = dense("logits", h, d, v);

  double loss = 0;
  Values error(n * v);
  for (std::size_t t = 0; t < n; ++t) {
    const double* logit = &logits_[t * v];
    const double max = *std::max_element(logit, logit + v);
    double sum = 0;
    for (std::size_t c = 0; c < v; ++c) sum += std::exp(logit[c] - max);
    const auto wanted = static_cast<std::size_t>(next[t]);
    loss += std::log(sum) + max - logit[wanted];
    for (std::size_t c = 0; c < v; ++c)
      error[t * v + c] = share * (std::exp(logit[c] - max) / sum - (c == wanted ? 1 : 0));
  }
  if (!back) return loss;

  error = norm_back("norm", last, dense_back("logits", h, error, d, v));
  for (std::size_t b = blocks.size(); b-- > 0;) {
    const Block& k = blocks[b];
    const std::string name = "b" + std::to_string(b) + ".";
    Values inner =
        sizes_.experts == 1 ? gelu_layer_back(name, k, k.h2, error) : experts_back(b, k, error);
    add(&error, norm_back(name + "norm2", k.norm2, inner));
    inner = attention_back(k, dense_back(name + "out", k.heads, error, d, d));
    add(&error,
        norm_back(name + "norm1", k.norm1, dense_back(name + "qkv", k.h1, inner, d, 3 * d)));
  }
  Values& gradient = parameters.at("embedding").gradient;
  for (std::size_t t = 0; t < n; ++t) {
    for (std::size_t i = 0; i < d; ++i) {
      gradient[static_cast<std::size_t>(x[t]) * d + i] += error[t * d + i];
      gradient[(v + t) * d + i] += error[t * d + i];
    }
  }
  return loss;
}

// Appends to the sums and the hidden values of the block.
HostTransformer::Values HostTransformer::gelu_layer(const std::string& name, const Values& in,
                                                    Block* block) {
  const std::size_t d = sizes_.width;
  const Values sums = dense(name + "up", in, d, sizes_.hidden);
  Values hidden;
  for (const double sum : sums) hidden.push_back(sum * normal_share(sum));
  block->sums.insert(block->sums.end(), sums.begin(), sums.end());
  block->hidden.insert(block->hidden.end(), hidden.begin(), hidden.end());
  return dense(name + "down", hidden, sizes_.hidden, d);
}

HostTransformer::Values HostTransformer::gelu_layer_back(const std::string& name,
                                                         const Block& block, const Values& in,
                                                         const Values& error) {
  const std::size_t d = sizes_.width;
  Values inner = dense_back(name + "down", block.hidden, error, sizes_.hidden, d);
  for (std::size_t i = 0; i < inner.size(); ++i) inner[i] *= gelu_slope(block.sums[i]);
  return dense_back(name + "up", in, inner, d, sizes_.hidden);
}

// Character by character.
HostTransformer::Values HostTransformer::experts(std::size_t b, Block* block) {
  const std::size_t n = sizes_.context, d = sizes_.width, count = sizes_.experts;
  const std::string name = "b" + std::to_string(b) + ".";
  Values& p = block->probabilities;
  p = dense(name + "router", block->h2, d, count);
  block->results.assign(n * d, 0.0);
  Values out(n * d);
  for (std::size_t t = 0; t < n; ++t) {
    const auto first = p.begin() + static_cast<std::ptrdiff_t>(t * count);
    const double max = *std::max_element(first, first + static_cast<std::ptrdiff_t>(count));
    double sum = 0;
    for (std::size_t e = 0; e < count; ++e) sum += std::exp(p[t * count + e] - max);
    const auto chosen = static_cast<std::size_t>(
        std::max_element(first, first + static_cast<std::ptrdiff_t>(count)) - first);
    for (std::size_t e = 0; e < count; ++e)
      p[t * count + e] = std::exp(p[t * count + e] - max) / sum;
    std::size_t& before = so_far_[b][(at_ + t) / sizes_.group][chosen];
    block->chosen.push_back(chosen);
    block->taken.push_back(before < sizes_.slots);
    before += 1;
    if (!block->taken.back()) {
      left_out_ += 1;
      block->sums.resize(block->sums.size() + sizes_.hidden);
      block->hidden.resize(block->hidden.size() + sizes_.hidden);
      continue;
    }
    const Values in(&block->h2[t * d], &block->h2[t * d] + d);
    const Values result = gelu_layer(name + "e" + std::to_string(chosen) + ".", in, block);
    for (std::size_t i = 0; i < d; ++i) {
      block->results[t * d + i] = result[i];
      out[t * d + i] = p[t * count + chosen] * result[i];
    }
  }
  if (!probabilities_of_all_.empty())
    probabilities_of_all_[b].insert(probabilities_of_all_[b].end(), p.begin(), p.end());
  return out;
}

HostTransformer::Values HostTransformer::experts_back(std::size_t b, const Block& block,
                                                      const Values& error) {
  const std::size_t n = sizes_.context, d = sizes_.width, count = sizes_.experts;
  const std::string name = "b" + std::to_string(b) + ".";
  Values back(n * d), logits(n * count);
  for (std::size_t t = 0; t < n; ++t) {
    const std::size_t chosen = block.chosen[t], group = (at_ + t) / sizes_.group;
    const double* p = &block.probabilities[t * count];
    const std::size_t size = std::min(sizes_.group, characters_ - group * sizes_.group);
    Values slope(count);
    for (std::size_t e = 0; e < count; ++e)
      slope[e] = sizes_.balance * static_cast<double>(count) *
                 static_cast<double>(counts_[b][group][e]) / static_cast<double>(size) /
                 static_cast<double>(characters_);
    for (std::size_t i = 0; i < d; ++i)
      slope[chosen] += error[t * d + i] * block.results[t * d + i];
    double mean = 0;
    for (std::size_t e = 0; e < count; ++e) mean += p[e] * slope[e];
    for (std::size_t e = 0; e < count; ++e) logits[t * count + e] = p[e] * (slope[e] - mean);
    if (!block.taken[t]) continue;
    Block one;
    const std::size_t h = sizes_.hidden;
    one.sums.assign(&block.sums[t * h], &block.sums[t * h] + h);
    one.hidden.assign(&block.hidden[t * h], &block.hidden[t * h] + h);
    Values weighted(&error[t * d], &error[t * d] + d);
    for (double& value : weighted) value *= p[chosen];
    const Values in(&block.h2[t * d], &block.h2[t * d] + d);
    const Values front =
        gelu_layer_back(name + "e" + std::to_string(chosen) + ".", one, in, weighted);
    for (std::size_t i = 0; i < d; ++i) back[t * d + i] = front[i];
  }
  add(&back, dense_back(name + "router", block.h2, logits, d, count));
  return back;
}

HostTransformer::Values HostTransformer::dense(const std::string& name, const Values& x,
                                               std::size_t in, std::size_t out) {
  const Values &w = parameters.at(name + ".w").value, &b = parameters.at(name + ".b").value;
  const std::size_t rows = x.size() / in;
  Values y;
  for (std::size_t r = 0; r < rows; ++r) {
    Values sums = b;
    for (std::size_t i = 0; i < in; ++i) {
      for (std::size_t o = 0; o < out; ++o) sums[o] += x[r * in + i] * w[i * out + o];
    }
    y.insert(y.end(), sums.begin(), sums.end());
  }
  return y;
}

HostTransformer::Values HostTransformer::dense_back(const std::string& name, const Values& x,
                                                    const Values& error, std::size_t in,
                                                    std::size_t out) {
  Parameter &w = parameters.at(name + ".w"), &b = parameters.at(name + ".b");
  Values back(x.size());
  for (std::size_t r = 0; r < x.size() / in; ++r) {
    for (std::size_t o = 0; o < out; ++o) b.gradient[o] += error[r * out + o];
    for (std::size_t i = 0; i < in; ++i) {
      double sum = 0;
      for (std::size_t o = 0; o < out; ++o) {
        w.gradient[i * out + o] += x[r * in + i] * error[r * out + o];
        sum += error[r * out + o] * w.value[i * out + o];
      }
      back[r * in + i] = sum;
    }
  }
  return back;
}

HostTransformer::Values HostTransformer::norm(const std::string& name, const Values& x,
                                              Normal* kept) {
  const Values &gain = parameters.at(name + ".gain").value,
               &offset = parameters.at(name + ".offset").value;
  const std::size_t d = sizes_.width;
  Values y(x.size());
  kept->values.resize(x.size());
  for (std::size_t r = 0; r < x.size() / d; ++r) {
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < d; ++i) mean += x[r * d + i] / static_cast<double>(d);
    for (std::size_t i = 0; i < d; ++i)
      square += (x[r * d + i] - mean) * (x[r * d + i] - mean) / static_cast<double>(d);
    kept->deviations.push_back(std::sqrt(square + kEpsilon));
    for (std::size_t i = 0; i < d; ++i) {
      kept->values[r * d + i] = (x[r * d + i] - mean) / kept->deviations.back();
      y[r * d + i] = kept->values[r * d + i] * gain[i] + offset[i];
    }
  }
  return y;
}

HostTransformer::Values HostTransformer::norm_back(const std::string& name, const Normal& kept,
                                                   const Values& error) {
  Parameter &gain = parameters.at(name + ".gain"), &offset = parameters.at(name + ".offset");
  const std::size_t d = sizes_.width;
  Values back(error.size());
  for (std::size_t r = 0; r < error.size() / d; ++r) {
    const double *e = &error[r * d], *n = &kept.values[r * d];
    double mean = 0, along = 0;
    for (std::size_t i = 0; i < d; ++i) {
      gain.gradient[i] += e[i] * n[i];
      offset.gradient[i] += e[i];
      mean += e[i] * gain.value[i] / static_cast<double>(d);
      along += e[i] * gain.value[i] * n[i] / static_cast<double>(d);
    }
    for (std::size_t i = 0; i < d; ++i)
      back[r * d + i] = (e[i] * gain.value[i] - mean - n[i] * along) / kept.deviations[r];
  }
  return back;
}

void HostTransformer::attention(Block* block) const {
  const std::size_t n = sizes_.context, d = sizes_.width, size = d / sizes_.heads;
  const double scale = 1 / std::sqrt(static_cast<double>(size));
  block->heads.assign(n * d, 0.0);
  block->weights.assign(sizes_.heads * n * n, 0.0);
  for (std::size_t h = 0; h < sizes_.heads; ++h) {
    for (std::size_t t = 0; t < n; ++t) {
      const double* q = &block->qkv[t * 3 * d + h * size];
      double* weight = &block->weights[(h * n + t) * n];
      double max = -1e300, sum = 0;
      for (std::size_t s = 0; s <= t; ++s) {
        const double* k = &block->qkv[s * 3 * d + d + h * size];
        for (std::size_t i = 0; i < size; ++i) weight[s] += scale * q[i] * k[i];
        max = std::max(max, weight[s]);
      }
      for (std::size_t s = 0; s <= t; ++s) sum += weight[s] = std::exp(weight[s] - max);
      for (std::size_t s = 0; s <= t; ++s) {
        weight[s] /= sum;
        const double* value = &block->qkv[s * 3 * d + 2 * d + h * size];
        for (std::size_t i = 0; i < size; ++i)
          block->heads[t * d + h * size + i] += weight[s] * value[i];
      }
    }
  }
}

HostTransformer::Values HostTransformer::attention_back(const Block& block,
                                                        const Values& error) const {
  const std::size_t n = sizes_.context, d = sizes_.width, size = d / sizes_.heads;
  const double scale = 1 / std::sqrt(static_cast<double>(size));
  Values back(block.qkv.size());
  for (std::size_t h = 0; h < sizes_.heads; ++h) {
    for (std::size_t t = 0; t < n; ++t) {
      const double* weight = &block.weights[(h * n + t) * n];
      const double* e = &error[t * d + h * size];
      const std::size_t q = t * 3 * d + h * size;
      Values slope(t + 1);
      double mean = 0;
      for (std::size_t s = 0; s <= t; ++s) {
        const std::size_t value = s * 3 * d + 2 * d + h * size;
        for (std::size_t i = 0; i < size; ++i) {
          back[value + i] += weight[s] * e[i];
          slope[s] += e[i] * block.qkv[value + i];
        }
        mean += weight[s] * slope[s];
      }
      for (std::size_t s = 0; s <= t; ++s) {
        const double score = weight[s] * (slope[s] - mean) * scale;
        const std::size_t k = s * 3 * d + d + h * size;
        for (std::size_t i = 0; i < size; ++i) {
          back[q + i] += score * block.qkv[k + i];
          back[k + i] += score * block.qkv[q + i];
        }
      }
    }
  }
  return back;
}

}  // namespace tern::tb
