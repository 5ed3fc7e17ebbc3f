// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sw/app/kinds/kind.h"

namespace tern::app {

// Three kinds of traffic on one chip, layer after layer of a network split over its cores:
// - the exchange of activations between the cores: urgent, the next layer waits for it
// - the weights of the layer after the next, from HBM: background
// - copies of the host
// Run once per batch and policy.
struct QosWorkload : Workload {
  enum Class { kExchange, kPrefetch, kHost };  // in the order of their urgency
  static constexpr unsigned kClasses = 3;

  std::vector<std::string> policies;  // off, strict, weighted
  std::vector<unsigned> batches;      // tokens of a step
  unsigned hidden = 8192;       // width of the activations, of all cores together; 2 bytes each
  unsigned weights_kib = 4096;  // of a core and layer
  double compute_ns_per_token = 26.6;  // of a core and layer
  unsigned layers = 32;
  unsigned host_kib = 64;  // of one host copy, in turns in and out; 0: none
  std::array<double, kClasses> shares = {0.6, 0.2, 0.2};  // policy weighted

  // What a core sends to each other core after a layer.
  std::uint32_t piece_bytes(unsigned batch, unsigned cores) const;  // per partition

  std::string describe() const override;
};

const char* qos_class_name(unsigned traffic_class);  // exchange, host, prefetch

QosWorkload load_qos(const config::YamlMap& top, std::uint64_t seed);

}  // namespace tern::app
