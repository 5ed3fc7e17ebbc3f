// SPDX-License-Identifier: Apache-2.0
// Windows that are too long for a core, in parts on several chips, against the FP64 trainer.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "sw/app/kinds/train/training_chip.h"
#include "sw/train/initial_state.h"
#include "systemc/chip/simulation.h"
#include "tb/common/seed.h"
#include "tb/train/host_transformer.h"
#include "tb/train/plan_bench.h"

using namespace tern;      // NOLINT: test file
using namespace tern::tb;  // NOLINT: test file
using app::TrainingChip;

namespace {

// Of each parameter, by its name.
std::vector<double> values_of(const train::Model& model, const train::State& state,
                              const std::string& name) {
  std::vector<double> values;
  for (std::size_t t = 0; t < model.state.size(); ++t) {
    if (model.state[t].name != name) continue;
    for (std::size_t at = 0; at < state[t].size(); at += sizeof(float))
      values.push_back(double{float_at(state[t], at)});
  }
  return values;
}

double relative_error(const std::vector<double>& got, const std::vector<double>& want) {
  REQUIRE(got.size() == want.size());
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    error += (got[i] - want[i]) * (got[i] - want[i]);
    norm += want[i] * want[i];
  }
  return std::sqrt(error / norm);
}

}  // namespace

// With SGD and no momentum the state keeps the gradient: m = 0 m + g.
TEST_CASE("plan: gradients of windows of 512 characters against the FP64 trainer") {
  std::mt19937_64 random(test_seed());
  train::TransformerSpec spec = small_spec(2);
  spec.context = 512;
  spec.precision = train::Precision::kFp32;
  spec.momentum = 0;
  const app::Plan plan = plan_of("system: trn3-nl16-2d, chips: 4, cores: 2, data: 2, sequence: 4");
  const std::vector<train::Model> models = models_of(spec, plan);
  const train::Model& model = models.front();
  const system::Fabric fabric(plan.system);
  Simulation simulation;
  TrainingChip chips(fabric, plan.chips, plan.level, trn3(), models);
  simulation.run([&] {
    const train::State begin = train::initial_state(model.state, test_seed());
    HostTransformer host(
        {spec.alphabet, spec.context, spec.width, spec.heads, spec.blocks, spec.hidden});
    for (const train::StateTensor& parameter : train::transformer_parameters(spec))
      host.parameters[parameter.name].value = values_of(model, begin, parameter.name);

    const train::Batch batch = random_batch(spec, &random);
    std::vector<std::int32_t> x(spec.tokens());
    std::memcpy(x.data(), batch.x.data(), batch.x.size());
    const double loss = host.backward(x, batch.labels);
    chips.set_state(begin);
    const std::vector<float> losses = chips.evaluate(batch);
    double sum = 0;
    for (const float one : losses) sum += double{one};
    CHECK(sum / spec.tokens() == Approx(loss).epsilon(3e-6));
    const std::vector<float> logits =
        chips.predict({x.end() - std::ptrdiff_t{spec.context}, x.end()});
    CHECK(relative_error({logits.begin(), logits.end()}, host.logits()) <= 3e-6);

    CHECK(double{chips.step(batch, train::hyper_of(spec, 1, 0.1)).loss} ==
          Approx(loss).epsilon(3e-6));
    const train::State state = chips.state();
    for (const auto& [name, parameter] : host.parameters) {
      INFO(name);
      CHECK(relative_error(values_of(model, state, "m." + name), parameter.gradient) <= 3e-6);
    }
  });
}
