// SPDX-License-Identifier: Apache-2.0
// The transformer's steps on the chip against an FP64 one on the host, and that one's gradients
// against finite differences of its loss.
#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include "sw/base/user_error.h"
#include "sw/train/transformer_training.h"
#include "tb/common/seed.h"
#include "tb/train/chip_model.h"
#include "tb/train/host_transformer.h"

using namespace tern;  // NOLINT: test file
using tb::ChipModel;
using tb::HostTransformer;
using train::TransformerSpec;

namespace {

using Characters = std::vector<std::int32_t>;

TransformerSpec small_spec(train::Precision precision) {
  TransformerSpec spec;
  spec.alphabet = 11;
  spec.context = 16;
  spec.batch = 10;  // 160 characters: a slab and a part of one
  spec.width = 32;
  spec.heads = 2;
  spec.blocks = 2;
  spec.hidden = 72;
  spec.precision = precision;
  spec.optimiser = train::Optimiser::kAdamW;
  spec.weight_decay = 0.01f;
  // Beside the gradients, which are about as large: else AdamW makes whole steps of rounding where
  // a gradient is zero, as that of the keys' bias is.
  spec.epsilon = 1e-3f;
  return spec;
}

// Random weights everywhere: gains and offsets, too, are then something else than one and zero.
train::State random_state(const train::Model& model, std::uint64_t seed) {
  train::State state = train::initial_state(model.state, seed);
  std::mt19937_64 random(seed + 1);
  std::normal_distribution<float> normal(0.0f, 0.1f);
  for (std::size_t t = 0; t < state.size(); ++t) {
    const std::string& name = model.state[t].name;
    if (name.compare(0, 2, "m.") == 0 || name.compare(0, 2, "v.") == 0) continue;
    for (std::size_t at = 0; at < state[t].size(); at += 4) {
      float value = 0;
      std::memcpy(&value, &state[t][at], 4);
      value += normal(random);
      std::memcpy(&state[t][at], &value, 4);
    }
  }
  return state;
}

// Some characters find no slot.
TransformerSpec experts_spec(train::Precision precision) {
  TransformerSpec spec = small_spec(precision);
  spec.experts = 4;
  spec.capacity = 0.5f;
  spec.balance = 0.1f;
  return spec;
}

HostTransformer host_of(const TransformerSpec& spec, const train::State& state) {
  HostTransformer host({spec.alphabet, spec.context, spec.width, spec.heads, spec.blocks,
                        spec.hidden, spec.experts, spec.slots(), 128, double{spec.balance}});
  const train::Model model = train::transformer_model(spec);
  for (std::size_t t = 0; t < model.state.size(); ++t) {
    const std::string& name = model.state[t].name;
    if (name.compare(0, 2, "m.") == 0 || name.compare(0, 2, "v.") == 0) continue;
    std::vector<double>& values = host.parameters[name].value;
    for (std::size_t at = 0; at < state[t].size(); at += 4) {
      float value = 0;
      std::memcpy(&value, &state[t][at], 4);
      values.push_back(static_cast<double>(value));
    }
  }
  return host;
}

HostTransformer::Rules rules_of(const TransformerSpec& spec) {
  return {static_cast<double>(spec.beta1), static_cast<double>(spec.beta2),
          static_cast<double>(spec.epsilon), static_cast<double>(spec.weight_decay)};
}

// Text with a regularity to learn: a character mostly follows from the two before it.
struct Text {
  Characters x, next;
};
Text random_text(const TransformerSpec& spec, std::mt19937_64& random) {
  Text text;
  for (std::uint32_t w = 0; w < spec.batch; ++w) {
    auto a = static_cast<std::int32_t>(random() % spec.alphabet);
    auto b = static_cast<std::int32_t>(random() % spec.alphabet);
    for (std::uint32_t t = 0; t < spec.context; ++t) {
      std::int32_t c = (2 * a + b + 1) % static_cast<std::int32_t>(spec.alphabet);
      if (random() % 8 == 0) c = static_cast<std::int32_t>(random() % spec.alphabet);
      text.x.push_back(b);
      text.next.push_back(c);
      a = b;
      b = c;
    }
  }
  return text;
}

std::vector<std::uint8_t> bytes_of(const Characters& characters) {
  std::vector<std::uint8_t> bytes(4 * characters.size());
  std::memcpy(bytes.data(), characters.data(), bytes.size());
  return bytes;
}

// rms(a - b) / rms(b)
double relative_error(const std::vector<double>& a, const std::vector<double>& b) {
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    error += (a[i] - b[i]) * (a[i] - b[i]);
    norm += b[i] * b[i];
  }
  return norm == 0 ? std::sqrt(error) : std::sqrt(error / norm);
}

}  // namespace

namespace {

void check_differences(const TransformerSpec& spec) {
  std::mt19937_64 random(tb::test_seed());
  HostTransformer host =
      host_of(spec, random_state(train::transformer_model(spec), tb::test_seed()));
  const Text text = random_text(spec, random);
  CHECK(host.backward(text.x, text.next) == Approx(host.loss(text.x, text.next)).epsilon(1e-12));
  const auto minimised = [&] {
    return host.loss(text.x, text.next) + host.imbalance(text.x, text.next);
  };
  constexpr double kStep = 1e-5;
  for (auto& [name, parameter] : host.parameters) {
    for (unsigned sample = 0; sample < 12; ++sample) {
      double& value = parameter.value[random() % parameter.value.size()];
      const auto at = static_cast<std::size_t>(&value - parameter.value.data());
      const double kept = value;
      value = kept + kStep;
      const double above = minimised();
      value = kept - kStep;
      const double below = minimised();
      value = kept;
      INFO(name << " [" << at << "]");
      CHECK(parameter.gradient[at] ==
            Approx((above - below) / (2 * kStep)).margin(1e-8).epsilon(1e-5));
    }
  }
}

}  // namespace

TEST_CASE("transformer: the FP64 trainer's gradients against finite differences") {
  check_differences(small_spec(train::Precision::kFp32));
}

TEST_CASE("transformer: the FP64 trainer's gradients of experts against finite differences") {
  check_differences(experts_spec(train::Precision::kFp32));
}

namespace {

void check_gradients(TransformerSpec (*spec_of)(train::Precision), double bf16_limit) {
  tb::Platform platform;
  platform.run([&] {
    for (const auto& [precision, limit] :
         {std::pair(train::Precision::kFp32, 3e-6), {train::Precision::kBf16, bf16_limit}}) {
      const TransformerSpec spec = spec_of(precision);
      std::mt19937_64 random(tb::test_seed() + 1);
      const train::Model model = train::transformer_model(spec);
      const train::State state = random_state(model, tb::test_seed());
      const Text text = random_text(spec, random);
      HostTransformer host = host_of(spec, state);
      ChipModel chip(platform, model, spec, state, true);
      const double want = host.backward(text.x, text.next);
      CHECK(chip.step(bytes_of(text.x), text.next, 0.001).loss == Approx(want).epsilon(limit));
      double worst = 0;
      std::string worst_name;
      for (const auto& [name, parameter] : host.parameters) {
        std::vector<double> got = chip.values("gradient of " + name);
        got.resize(parameter.gradient.size());  // of 128 equal rows the first
        const double error = relative_error(got, parameter.gradient);
        INFO(name << " differs by " << error);
        CHECK(error <= limit);
        if (error > worst) worst_name = name;
        worst = std::max(worst, error);
      }
      UNSCOPED_INFO(fmt::format("precision {}: worst gradient {}, off by {:.2g}",
                                static_cast<int>(precision), worst_name, worst));
      CHECK(worst > 0);
      if (spec.experts > 1) CHECK(host.left_out() > 0);
    }
  });
}

}  // namespace

TEST_CASE("transformer: every gradient of a step against the FP64 trainer") {
  check_gradients(small_spec, 0.03);
}

TEST_CASE("transformer: every gradient of experts and their router against the FP64 trainer") {
  // In BF16 some characters choose another expert.
  check_gradients(experts_spec, 0.3);
}

TEST_CASE("transformer: ten steps follow the FP64 trainer and learn") {
  tb::Platform platform;
  platform.run([&] {
    struct Case {
      train::Precision precision;
      double loss, change;  // largest difference of a loss; relative error of the weights' change
    };
    for (const Case& c :
         {Case{train::Precision::kFp32, 2e-6, 5e-5}, Case{train::Precision::kBf16, 0.006, 0.08}}) {
      const TransformerSpec spec = small_spec(c.precision);
      std::mt19937_64 random(tb::test_seed() + 2);
      const train::Model model = train::transformer_model(spec);
      const train::State state = train::initial_state(model.state, tb::test_seed());
      HostTransformer host = host_of(spec, state);
      const auto before = host.parameters;
      ChipModel chip(platform, model, spec, state);
      const Text unseen = random_text(spec, random);
      const double at_first = host.loss(unseen.x, unseen.next);
      double worst = 0;
      for (unsigned step = 0; step < 10; ++step) {
        const Text text = random_text(spec, random);
        const double want = host.backward(text.x, text.next);
        host.update(rules_of(spec), 0.01);
        worst =
            std::max(worst, std::fabs(chip.step(bytes_of(text.x), text.next, 0.01).loss - want));
      }
      CHECK(worst <= c.loss);
      double change = 0;
      for (const auto& [name, parameter] : host.parameters) {
        std::vector<double> got = chip.values(name), want = parameter.value;
        for (std::size_t i = 0; i < want.size(); ++i) {
          got[i] -= before.at(name).value[i];
          want[i] -= before.at(name).value[i];
        }
        INFO(name);
        CHECK(relative_error(got, want) <= c.change);
        change = std::max(change, relative_error(got, want));
      }
      UNSCOPED_INFO(fmt::format("precision {}: loss off by {:.2g}, weights by {:.2g}",
                                static_cast<int>(c.precision), worst, change));
      double sum = 0;
      for (const double one : chip.evaluate(bytes_of(unseen.x), unseen.next)) sum += one;
      const double loss = host.loss(unseen.x, unseen.next);
      CHECK(sum / spec.tokens() == Approx(loss).margin(c.loss));
      CHECK(loss < at_first);
    }
  });
}

TEST_CASE("transformer: contexts from 2 to 128, one head and many, no block") {
  tb::Platform platform;
  platform.run([&] {
    for (const auto& [context, batch, heads, blocks] : std::vector<std::array<std::uint32_t, 4>>{
             {2, 3, 1, 1}, {32, 5, 4, 1}, {128, 2, 1, 1}, {64, 1, 2, 0}}) {
      TransformerSpec spec = small_spec(train::Precision::kFp32);
      spec.context = context;
      spec.batch = batch;
      spec.heads = heads;
      spec.blocks = blocks;
      INFO(context << " characters, " << heads << " heads");
      std::mt19937_64 random(tb::test_seed() + 3);
      const train::Model model = train::transformer_model(spec);
      const train::State state = random_state(model, tb::test_seed());
      HostTransformer host = host_of(spec, state);
      ChipModel chip(platform, model, spec, state);
      for (unsigned step = 0; step < 2; ++step) {
        const Text text = random_text(spec, random);
        const double want = host.backward(text.x, text.next);
        CHECK(chip.step(bytes_of(text.x), text.next, 0.01).loss == Approx(want).epsilon(1e-4));
        host.update(rules_of(spec), 0.01);
      }
    }
  });
}

TEST_CASE("transformer: a debugging build computes the same") {
  tb::Platform platform;
  platform.run([&] {
    const TransformerSpec spec = small_spec(train::Precision::kBf16);
    std::mt19937_64 random(tb::test_seed() + 4);
    const train::Model model = train::transformer_model(spec);
    const train::State state = train::initial_state(model.state, tb::test_seed());
    const Text text = random_text(spec, random);
    ChipModel plain(platform, model, spec, state), probed(platform, model, spec, state, true);
    plain.step(bytes_of(text.x), text.next, 0.01);
    probed.step(bytes_of(text.x), text.next, 0.01);
    CHECK(plain.state() == probed.state());
    CHECK(plain.state() != state);
  });
}

TEST_CASE("transformer: sizes that cannot be are refused") {
  const auto refused = [](const std::function<void(TransformerSpec*)>& change) {
    TransformerSpec spec = small_spec(train::Precision::kBf16);
    change(&spec);
    try {
      train::transformer_model(spec);
    } catch (const UserError& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  using Catch::Contains;
  CHECK_THAT(refused([](TransformerSpec* s) { s->context = 24; }), Contains("a power of two"));
  CHECK_THAT(refused([](TransformerSpec* s) { s->context = 256; }), Contains("has space for 128"));
  CHECK_THAT(refused([](TransformerSpec* s) { s->context = 16384; }), Contains("a power of two"));
  CHECK_THAT(refused([](TransformerSpec* s) { s->experts = 65; }), Contains("1 to 64 experts"));
  CHECK_THAT(refused([](TransformerSpec* s) { s->heads = 3; }), Contains("that the heads divide"));
  CHECK_THAT(refused([](TransformerSpec* s) { s->precision = train::Precision::kMxfp8; }),
             Contains("precision bf16 or fp32"));
}
