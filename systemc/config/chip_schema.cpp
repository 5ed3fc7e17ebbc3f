// SPDX-License-Identifier: Apache-2.0
#include "systemc/config/chip_schema.h"

#include <cmath>

#include "sw/spec/generated/address_map.h"

namespace tern::config {

namespace {

constexpr double kMib = 1024.0 * 1024.0;
constexpr double kMaxNs = 1e9;
// Time is counted in whole femtoseconds, up to five hours: beyond these a clock would stand still
// and a transfer would not fit.
constexpr double kMinGhz = 0.001, kMaxGhz = 1000;
constexpr unsigned kMaxMoving = 4096;  // FP32 columns of a PSUM partition
constexpr double kMinGbPerS = 0.001, kMaxGbPerS = 100000;

ChipField gigahertz(const std::string& key, const std::function<double&(ChipConfig&)>& place) {
  return {key,
          [place](const YamlValue& v, ChipConfig& c) { place(c) = v.as_number(kMinGhz, kMaxGhz); }};
}

ChipField gb_per_s(const std::string& key, const std::function<double&(ChipConfig&)>& place) {
  return {key, [place](const YamlValue& v, ChipConfig& c) {
            place(c) = v.as_number(kMinGbPerS, kMaxGbPerS);
          }};
}

ChipField nanoseconds(const std::string& key, const std::function<double&(ChipConfig&)>& place) {
  return {key, [place](const YamlValue& v, ChipConfig& c) { place(c) = v.as_number(0, kMaxNs); }};
}

ChipField count(const std::string& key, unsigned minimum, unsigned maximum,
                const std::function<unsigned&(ChipConfig&)>& place) {
  return {key, [=](const YamlValue& v, ChipConfig& c) {
            place(c) = static_cast<unsigned>(v.as_integer(minimum, maximum));
          }};
}

void add_engine(std::vector<ChipField>& fields, const std::string& name,
                EngineConfig CoreConfig::*engine) {
  const std::string prefix = "core." + name + ".";
  fields.push_back(gigahertz(prefix + "clock_ghz", [engine](ChipConfig& c) -> double& {
    return (c.core.*engine).clock_ghz;
  }));
  fields.push_back(count(prefix + "min_interval", 0, 65535, [engine](ChipConfig& c) -> unsigned& {
    return (c.core.*engine).min_interval;
  }));
  fields.push_back(count(prefix + "latency_cycles", 0, 65535, [engine](ChipConfig& c) -> unsigned& {
    return (c.core.*engine).latency_cycles;
  }));
}

void add_programs(std::vector<ChipField>& fields) {
  const auto cycles = [&](const std::string& name, unsigned minimum, unsigned maximum,
                          unsigned GpsimdProgramConfig::*value) {
    fields.push_back(
        count("core.gpsimd.programs." + name, minimum, maximum,
              [value](ChipConfig& c) -> unsigned& { return c.core.gpsimd_programs.*value; }));
  };
  cycles("start_cycles", 0, 65535, &GpsimdProgramConfig::start_cycles);
  cycles("local_load_cycles", 1, 1000, &GpsimdProgramConfig::local_load_cycles);
  cycles("sbuf_load_cycles", 1, 1000, &GpsimdProgramConfig::sbuf_load_cycles);
  cycles("limit_cycles", 1, 2'000'000'000, &GpsimdProgramConfig::limit_cycles);
}

void add_features(std::vector<ChipField>& fields) {
  const auto flag = [&](const std::string& name, bool TensorFeatures::*feature) {
    fields.push_back({"core.tensor.features." + name, [feature](const YamlValue& v, ChipConfig& c) {
                        c.core.tensor.*feature = v.as_bool();
                      }});
  };
  flag("mx", &TensorFeatures::mx);
  flag("quad", &TensorFeatures::quad);
  flag("e4m3fn", &TensorFeatures::e4m3fn);
  flag("bf16_result", &TensorFeatures::bf16_result);
  fields.push_back(count("core.tensor.features.max_moving", 1, kMaxMoving,
                         [](ChipConfig& c) -> unsigned& { return c.core.tensor.max_moving; }));
}

void add_scalar_features(std::vector<ChipField>& fields) {
  const auto scalar_flag = [&](const std::string& name, bool ScalarFeatures::*feature) {
    fields.push_back({"core.scalar.features." + name, [feature](const YamlValue& v, ChipConfig& c) {
                        c.core.scalar_features.*feature = v.as_bool();
                      }});
  };
  scalar_flag("double_rate", &ScalarFeatures::double_rate);
  scalar_flag("all_operators", &ScalarFeatures::all_operators);
}

std::vector<ChipField> make_schema() {
  std::vector<ChipField> fields;
  fields.push_back({"name", [](const YamlValue& v, ChipConfig& c) { c.name = v.as_string(); }});
  fields.push_back(
      count("cores", 1, TERN_CORE_COUNT, [](ChipConfig& c) -> unsigned& { return c.cores; }));
  fields.push_back(gigahertz("core.tensor.clock_ghz",
                             [](ChipConfig& c) -> double& { return c.core.tensor_clock_ghz; }));
  add_features(fields);
  add_engine(fields, "vector", &CoreConfig::vector);
  fields.push_back(count("core.vector.exp_per_cycle", 0, 4,
                         [](ChipConfig& c) -> unsigned& { return c.core.vector.exp_per_cycle; }));
  add_engine(fields, "scalar", &CoreConfig::scalar);
  add_scalar_features(fields);
  add_engine(fields, "gpsimd", &CoreConfig::gpsimd);
  add_programs(fields);
  add_engine(fields, "sync", &CoreConfig::sync);
  // At least one cycle: time must pass in a loop of control instructions.
  fields.push_back(count("core.control.cycles", 1, 65535,
                         [](ChipConfig& c) -> unsigned& { return c.core.control.cycles; }));
  fields.push_back(count("core.control.sbuf_cycles", 0, 65535,
                         [](ChipConfig& c) -> unsigned& { return c.core.control.sbuf_cycles; }));
  fields.push_back({"core.sbuf_kib_per_partition", [](const YamlValue& v, ChipConfig& c) {
                      const auto kib = v.as_integer(1, TERN_CORE_SBUF_STRIDE / 1024);
                      c.core.sbuf_partition_bytes = static_cast<std::uint64_t>(kib) * 1024;
                    }});
  fields.push_back(nanoseconds("core.fetch_latency_ns",
                               [](ChipConfig& c) -> double& { return c.core.fetch_latency_ns; }));
  fields.push_back(gb_per_s("dma.engine_gb_per_s",
                            [](ChipConfig& c) -> double& { return c.dma.engine_gb_per_s; }));
  fields.push_back({"dma.efficiency", [](const YamlValue& v, ChipConfig& c) {
                      c.dma.efficiency = v.as_number(0.01, 1);
                    }});
  fields.push_back(nanoseconds("dma.start_latency_ns",
                               [](ChipConfig& c) -> double& { return c.dma.start_latency_ns; }));
  fields.push_back(nanoseconds("dma.descriptor_overhead_ns", [](ChipConfig& c) -> double& {
    return c.dma.descriptor_overhead_ns;
  }));
  fields.push_back(count("hbm.stacks", 1, TERN_HBM_COUNT,
                         [](ChipConfig& c) -> unsigned& { return c.hbm.stacks; }));
  fields.push_back({"hbm.stack_gib", [](const YamlValue& v, ChipConfig& c) {
                      // The capacity register counts MiB.
                      const double mib = v.as_number(1.0 / 1024, 64) * 1024;
                      if (mib != std::floor(mib)) v.fail("a whole number of MiB");
                      c.hbm.stack_bytes = static_cast<std::uint64_t>(mib * kMib);
                    }});
  fields.push_back(gb_per_s("hbm.bandwidth_gb_per_s",
                            [](ChipConfig& c) -> double& { return c.hbm.bandwidth_gb_per_s; }));
  fields.push_back(
      nanoseconds("hbm.latency_ns", [](ChipConfig& c) -> double& { return c.hbm.latency_ns; }));
  fields.push_back(gb_per_s("host.bandwidth_gb_per_s",
                            [](ChipConfig& c) -> double& { return c.host.bandwidth_gb_per_s; }));
  fields.push_back(
      nanoseconds("host.latency_ns", [](ChipConfig& c) -> double& { return c.host.latency_ns; }));
  return fields;
}

}  // namespace

const std::vector<ChipField>& chip_schema() {
  static const std::vector<ChipField> kSchema = make_schema();
  return kSchema;
}

}  // namespace tern::config
