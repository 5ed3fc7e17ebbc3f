// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/moe/moe_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sw/app/report/text.h"

namespace tern::app {
namespace {

using config::YamlMap;
using config::YamlValue;
using kernels::Activation;

constexpr double kMaxBias = 1000;

// uniform, {zipf: 1.5} or {bias: [0, -1, ...]}.
MoeWorkload::Routing load_routing(const YamlValue& item, unsigned experts) {
  MoeWorkload::Routing routing{"uniform", std::vector<float>(experts)};
  if (!item.is_map()) {
    if (item.text() != "uniform") item.fail("uniform, {zipf: EXPONENT} or {bias: [..]}");
    return routing;
  }
  const YamlMap map = item.as_map();
  if (auto zipf = map.find("zipf")) {
    const double exponent = zipf->as_number(0, 100);
    routing.name = fmt::format("zipf {:g}", exponent);
    for (unsigned e = 0; e < experts; ++e)
      routing.bias[e] = static_cast<float>(-exponent * std::log(e + 1.0));
    return routing;
  }
  const YamlValue bias = map.get("bias");
  const auto values = bias.as_list();
  if (values.size() != experts) bias.fail(fmt::format("{} numbers, one per expert", experts));
  for (unsigned e = 0; e < experts; ++e)
    routing.bias[e] = static_cast<float>(values[e].as_number(-kMaxBias, kMaxBias));
  routing.name = "bias " + bias.text();
  return routing;
}

}  // namespace

MoeWorkload load_moe(const YamlMap& top, std::uint64_t /*seed*/) {
  constexpr std::int64_t kTile = 128;
  constexpr std::uint64_t kMaxWeights = 1u << 21;  // of a matrix: two experts' fit into SBUF
  constexpr std::uint64_t kMaxChoices = 1u << 17;  // tokens x experts
  MoeWorkload w;
  const auto number = [&](const char* key, std::uint32_t* value, std::int64_t least,
                          std::int64_t most) {
    if (auto v = top.find(key)) {
      *value = static_cast<std::uint32_t>(v->as_integer(least, most));
      if (*value % least != 0) v->fail(fmt::format("a multiple of {}", least));
    }
  };
  number("tokens", &w.spec.tokens, kTile, 16384);
  number("width", &w.spec.width, kTile, 1024);
  number("hidden", &w.spec.hidden, kTile, 8192);
  number("experts", &w.spec.experts, 1, 64);
  number("top_k", &w.spec.top_k, 1, 8);
  if (w.spec.top_k > w.spec.experts) {
    if (auto v = top.find("top_k"))
      v->fail(fmt::format("at most {}, the experts there are", w.spec.experts));
    top.get("experts").fail(fmt::format("at least {}, the top_k", w.spec.top_k));
  }
  if (std::uint64_t{w.spec.width} * w.spec.hidden > kMaxWeights)
    (top.find("hidden") ? *top.find("hidden") : top.get("width"))
        .fail("width x hidden of at most 2^21: two experts' weights lie in SBUF");
  if (std::uint64_t{w.spec.tokens} * w.spec.experts > kMaxChoices)
    (top.find("tokens") ? *top.find("tokens") : top.get("experts"))
        .fail("tokens x experts of at most 2^17: the gate's matrices lie in SBUF");
  if (auto v = top.find("function")) w.function = v->as_choice({"gelu", "silu", "relu"});
  w.spec.function = w.function == "gelu"   ? Activation::kGelu
                    : w.function == "silu" ? Activation::kSilu
                                           : Activation::kRelu;
  if (auto list = top.find("routing")) {
    for (const YamlValue& item : list->as_list())
      w.routings.push_back(load_routing(item, w.spec.experts));
    if (w.routings.empty()) list->fail("at least one routing");
  } else {
    w.routings.push_back({"uniform", std::vector<float>(w.spec.experts)});
  }
  w.outputs = load_outputs(top);
  return w;
}

std::string MoeWorkload::describe() const {
  return fmt::format("{} experts {}-{}-{}, {}, the best {} for each of {} tokens", spec.experts,
                     spec.width, spec.hidden, spec.width, function, spec.top_k,
                     grouped(spec.tokens));
}

}  // namespace tern::app
