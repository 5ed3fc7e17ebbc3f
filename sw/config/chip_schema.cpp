// SPDX-License-Identifier: Apache-2.0
#include "sw/config/chip_schema.h"

#include <cmath>

#include "sw/spec/generated/address_map.h"

namespace tern::config {

namespace {

constexpr double kMib = 1024.0 * 1024.0;
constexpr double kMaxNs = 1e9;
constexpr double kMinEfficiency = 0.51;  // at most one pause after each beat
// Time is counted in whole femtoseconds, up to five hours: beyond these a clock would stop and a
// transfer would not fit.
constexpr double kMinGhz = 0.001, kMaxGhz = 1000;
constexpr unsigned kMaxMoving = 4096;  // FP32 columns of a PSUM partition
constexpr double kMaxElementCycles = 64;
constexpr double kMaxEnergy = 1e6;  // pJ of an event, W
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
  fields.push_back(
      count(prefix + "overhead_cycles", 0, 65535,
            [engine](ChipConfig& c) -> unsigned& { return (c.core.*engine).overhead_cycles; }));
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

void add_vector_features(std::vector<ChipField>& fields) {
  const auto flag = [&](const std::string& name, bool VectorFeatures::*feature) {
    fields.push_back({"core.vector.features." + name, [feature](const YamlValue& v, ChipConfig& c) {
                        c.core.vector_features.*feature = v.as_bool();
                      }});
  };
  flag("fast_modes", &VectorFeatures::fast_modes);
  flag("fast_fp8", &VectorFeatures::fast_fp8);
  fields.push_back(
      {"core.vector.features.reciprocal_cycles", [](const YamlValue& v, ChipConfig& c) {
         c.core.vector_features.reciprocal_cycles = v.as_number(1, kMaxElementCycles);
       }});
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

// <prefix>.policy, .shares and .bucket_bytes.
void add_qos(std::vector<ChipField>& fields, const std::string& prefix,
             const std::function<QosConfig&(ChipConfig&)>& place) {
  fields.push_back({prefix + ".policy", [place](const YamlValue& v, ChipConfig& c) {
                      const std::string name = v.as_choice({"round_robin", "strict", "weighted"});
                      place(c).policy = name == "strict"     ? qos::Policy::kStrict
                                        : name == "weighted" ? qos::Policy::kWeighted
                                                             : qos::Policy::kRoundRobin;
                    }});
  fields.push_back({prefix + ".shares", [place](const YamlValue& v, ChipConfig& c) {
                      const std::vector<YamlValue> items = v.as_list();
                      if (items.size() != qos::kClasses)
                        v.fail("a list of 4 shares, class 0 first");
                      double sum = 0;
                      for (unsigned n = 0; n < qos::kClasses; ++n) {
                        sum += place(c).shares[n] = items[n].as_number(0, 1);
                      }
                      if (sum > 1) v.fail("shares of at most 1 together");
                    }});
  fields.push_back({prefix + ".bucket_bytes", [place](const YamlValue& v, ChipConfig& c) {
                      place(c).bucket_bytes =
                          static_cast<std::uint32_t>(v.as_integer(0, (1 << qos::kDepthBits) - 1));
                    }});
}

void add_hbm_timing(std::vector<ChipField>& fields) {
  using hbm::TimingNs;
  const std::pair<const char*, double TimingNs::*> times[] = {
      {"t_rcd", &TimingNs::t_rcd},       {"t_rp", &TimingNs::t_rp},
      {"t_ras", &TimingNs::t_ras},       {"t_rc", &TimingNs::t_rc},
      {"t_cl", &TimingNs::t_cl},         {"t_wl", &TimingNs::t_wl},
      {"t_rrd_s", &TimingNs::t_rrd_s},   {"t_rrd_l", &TimingNs::t_rrd_l},
      {"t_faw", &TimingNs::t_faw},       {"t_rtp", &TimingNs::t_rtp},
      {"t_wr", &TimingNs::t_wr},         {"t_wtr_s", &TimingNs::t_wtr_s},
      {"t_wtr_l", &TimingNs::t_wtr_l},   {"t_refi", &TimingNs::t_refi},
      {"t_rfc_ab", &TimingNs::t_rfc_ab}, {"t_rfc_pb", &TimingNs::t_rfc_pb},
      {"t_rrefd", &TimingNs::t_rrefd}};
  for (const auto& [name, time] : times) {
    fields.push_back(
        {std::string("hbm.timing.") + name, [time = time](const YamlValue& v, ChipConfig& c) {
           c.hbm.timing.*time = v.as_number(0.1, 100000);
         }});
  }
  const std::pair<const char*, unsigned TimingNs::*> clocks[] = {
      {"ccd_s_clocks", &TimingNs::ccd_s_clocks},
      {"ccd_l_clocks", &TimingNs::ccd_l_clocks},
      {"ccd_r_clocks", &TimingNs::ccd_r_clocks},
      {"rtw_gap_clocks", &TimingNs::rtw_gap_clocks}};
  for (const auto& [name, number] : clocks) {
    fields.push_back(
        count(std::string("hbm.timing.") + name, 1, 64,
              [number = number](ChipConfig& c) -> unsigned& { return c.hbm.timing.*number; }));
  }
}

void add_hbm(std::vector<ChipField>& fields) {
  fields.push_back(count("hbm.stacks", 1, TERN_HBM_COUNT,
                         [](ChipConfig& c) -> unsigned& { return c.hbm.stacks; }));
  fields.push_back({"hbm.stack_gib", [](const YamlValue& v, ChipConfig& c) {
                      // The capacity register counts MiB.
                      const double mib = v.as_number(1.0 / 1024, 64) * 1024;
                      if (mib != std::floor(mib)) v.fail("a whole number of MiB");
                      c.hbm.stack_bytes = static_cast<std::uint64_t>(mib * kMib);
                    }});
  fields.push_back(count("hbm.stack_ids", 1, hbm::kMaxStackIds,
                         [](ChipConfig& c) -> unsigned& { return c.hbm.stack_ids; }));
  fields.push_back({"hbm.pin_gbps", [](const YamlValue& v, ChipConfig& c) {
                      c.hbm.pin_gbps = v.as_number(0.1, 100);
                    }});
  fields.push_back(
      nanoseconds("hbm.front_ns", [](ChipConfig& c) -> double& { return c.hbm.front_ns; }));
  fields.push_back(
      nanoseconds("hbm.back_ns", [](ChipConfig& c) -> double& { return c.hbm.back_ns; }));
  fields.push_back(
      nanoseconds("hbm.update_ns", [](ChipConfig& c) -> double& { return c.hbm.update_ns; }));
  fields.push_back(
      nanoseconds("hbm.age_cap_ns", [](ChipConfig& c) -> double& { return c.hbm.age_cap_ns; }));
  fields.push_back(nanoseconds("hbm.write_idle_ns",
                               [](ChipConfig& c) -> double& { return c.hbm.write_idle_ns; }));
  fields.push_back(
      {"hbm.refresh", [](const YamlValue& v, ChipConfig& c) {
         const std::string name = v.as_choice({"off", "per_bank", "all_bank", "blocking"});
         c.hbm.refresh = name == "off"        ? hbm::Refresh::kOff
                         : name == "per_bank" ? hbm::Refresh::kPerBank
                         : name == "all_bank" ? hbm::Refresh::kAllBank
                                              : hbm::Refresh::kBlocking;
       }});
  fields.push_back(count("hbm.refresh_postpone", 0, 8,
                         [](ChipConfig& c) -> unsigned& { return c.hbm.refresh_postpone; }));
  add_hbm_timing(fields);
  fields.push_back({"hbm.scrub_gb_per_s", [](const YamlValue& v, ChipConfig& c) {
                      c.hbm.scrub_gb_per_s = v.as_number(0, 1000);
                    }});
  fields.push_back({"hbm.faults_per_s", [](const YamlValue& v, ChipConfig& c) {
                      c.hbm.faults_per_s = v.as_number(0, 1e9);
                    }});
  fields.push_back({"hbm.fault_seed", [](const YamlValue& v, ChipConfig& c) {
                      c.hbm.fault_seed = static_cast<std::uint64_t>(v.as_integer(0, INT64_MAX));
                    }});
}

void add_noc(std::vector<ChipField>& fields) {
  fields.push_back(count("noc.dies", 1, 2, [](ChipConfig& c) -> unsigned& { return c.noc.dies; }));
  // Everything that arrives in one instant from several sides must be known before the decision.
  fields.push_back({"noc.hop_ns", [](const YamlValue& v, ChipConfig& c) {
                      c.noc.hop_ns = v.as_number(0.001, kMaxNs);
                    }});
  fields.push_back(gb_per_s("noc.core_port_gb_per_s",
                            [](ChipConfig& c) -> double& { return c.noc.core_port_gb_per_s; }));
  fields.push_back(gb_per_s("noc.die_link_gb_per_s",
                            [](ChipConfig& c) -> double& { return c.noc.die_link_gb_per_s; }));
  fields.push_back(
      nanoseconds("noc.die_link_ns", [](ChipConfig& c) -> double& { return c.noc.die_link_ns; }));
  fields.push_back(gb_per_s("noc.host_port_gb_per_s",
                            [](ChipConfig& c) -> double& { return c.noc.host_port_gb_per_s; }));
  add_qos(fields, "noc", [](ChipConfig& c) -> QosConfig& { return c.noc.qos; });
}

void add_energy(std::vector<ChipField>& fields) {
  const std::pair<const char*, double EnergyConfig::*> numbers[] = {
      {"array_a_pj", &EnergyConfig::array_a_pj},
      {"array_x_pj", &EnergyConfig::array_x_pj},
      {"weight_pj", &EnergyConfig::weight_pj},
      {"element_pj", &EnergyConfig::element_pj},
      {"exponential_pj", &EnergyConfig::exponential_pj},
      {"sbuf_byte_pj", &EnergyConfig::sbuf_byte_pj},
      {"psum_byte_pj", &EnergyConfig::psum_byte_pj},
      {"dma_byte_pj", &EnergyConfig::dma_byte_pj},
      {"hbm_byte_pj", &EnergyConfig::hbm_byte_pj},
      {"links_w", &EnergyConfig::links_w},
      {"idle_w", &EnergyConfig::idle_w}};
  for (const auto& [name, number] : numbers) {
    fields.push_back(
        {std::string("energy.") + name, [number = number](const YamlValue& v, ChipConfig& c) {
           c.energy.*number = v.as_number(0, kMaxEnergy);
         }});
  }
}

std::vector<ChipField> make_schema() {
  std::vector<ChipField> fields;
  fields.push_back({"name", [](const YamlValue& v, ChipConfig& c) { c.name = v.as_string(); }});
  fields.push_back(
      count("cores", 1, TERN_CORE_COUNT, [](ChipConfig& c) -> unsigned& { return c.cores; }));
  fields.push_back(gigahertz("core.tensor.clock_ghz",
                             [](ChipConfig& c) -> double& { return c.core.tensor_clock_ghz; }));
  fields.push_back(count("core.tensor.ramp_cycles", 0, 65535,
                         [](ChipConfig& c) -> unsigned& { return c.core.tensor_ramp_cycles; }));
  fields.push_back({"core.tensor.stages", [](const YamlValue& v, ChipConfig& c) {
                      const std::string stages = v.as_choice({"1", "3", "5"});
                      c.core.tensor_stages = static_cast<unsigned>(stages.front() - '0');
                    }});
  add_features(fields);
  add_engine(fields, "vector", &CoreConfig::vector);
  fields.push_back(count("core.vector.exp_per_cycle", 0, 4,
                         [](ChipConfig& c) -> unsigned& { return c.core.vector.exp_per_cycle; }));
  add_engine(fields, "scalar", &CoreConfig::scalar);
  add_vector_features(fields);
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
  fields.push_back(nanoseconds("core.scalar.table_load_ns",
                               [](ChipConfig& c) -> double& { return c.core.table_load_ns; }));
  fields.push_back(nanoseconds("core.semaphore_latency_ns", [](ChipConfig& c) -> double& {
    return c.core.semaphore_latency_ns;
  }));
  fields.push_back(nanoseconds("core.fetch_latency_ns",
                               [](ChipConfig& c) -> double& { return c.core.fetch_latency_ns; }));
  fields.push_back(nanoseconds("core.kernel_start_ns",
                               [](ChipConfig& c) -> double& { return c.core.kernel_start_ns; }));
  fields.push_back(nanoseconds("core.kernel_end_ns",
                               [](ChipConfig& c) -> double& { return c.core.kernel_end_ns; }));
  fields.push_back({"dma.efficiency", [](const YamlValue& v, ChipConfig& c) {
                      c.dma.efficiency = v.as_number(kMinEfficiency, 1);
                    }});
  fields.push_back(
      gigahertz("dma.clock_ghz", [](ChipConfig& c) -> double& { return c.dma.clock_ghz; }));
  fields.push_back(count("dma.descriptor_cycles", 0, 255,
                         [](ChipConfig& c) -> unsigned& { return c.dma.descriptor_cycles; }));
  fields.push_back(nanoseconds("dma.doorbell_latency_ns",
                               [](ChipConfig& c) -> double& { return c.dma.doorbell_latency_ns; }));
  fields.push_back(nanoseconds("dma.completion_latency_ns", [](ChipConfig& c) -> double& {
    return c.dma.completion_latency_ns;
  }));
  add_qos(fields, "dma", [](ChipConfig& c) -> QosConfig& { return c.dma.qos; });
  fields.push_back(
      {"dma.hwdge", [](const YamlValue& v, ChipConfig& c) { c.dma.hwdge = v.as_bool(); }});
  fields.push_back({"dma.descriptors", [](const YamlValue& v, ChipConfig& c) {
                      const std::string name = v.as_choice({"host", "hardware", "by_length"});
                      c.dma.descriptors = name == "host"       ? DescriptorChoice::kHost
                                          : name == "hardware" ? DescriptorChoice::kHardware
                                                               : DescriptorChoice::kByLength;
                    }});
  fields.push_back(nanoseconds("dma.hwdge_latency_ns",
                               [](ChipConfig& c) -> double& { return c.dma.hwdge_latency_ns; }));
  fields.push_back(gigahertz("dma.hwdge_clock_ghz",
                             [](ChipConfig& c) -> double& { return c.dma.hwdge_clock_ghz; }));
  fields.push_back({"dma.hwdge_gb_per_s", [](const YamlValue& v, ChipConfig& c) {
                      c.dma.hwdge_gb_per_s = v.as_number(0, kMaxGbPerS);
                    }});
  fields.push_back(count("dma.swdge_start_cycles", 0, 65535,
                         [](ChipConfig& c) -> unsigned& { return c.dma.swdge_start_cycles; }));
  fields.push_back(count("dma.swdge_row_cycles", 1, 65535,
                         [](ChipConfig& c) -> unsigned& { return c.dma.swdge_row_cycles; }));
  fields.push_back({"dma.near_memory_add", [](const YamlValue& v, ChipConfig& c) {
                      c.dma.near_memory_add = v.as_bool();
                    }});
  add_hbm(fields);
  add_noc(fields);
  fields.push_back(gb_per_s("host.bandwidth_gb_per_s",
                            [](ChipConfig& c) -> double& { return c.host.bandwidth_gb_per_s; }));
  fields.push_back(
      nanoseconds("host.latency_ns", [](ChipConfig& c) -> double& { return c.host.latency_ns; }));
  add_energy(fields);
  return fields;
}

}  // namespace

const std::vector<ChipField>& chip_schema() {
  static const std::vector<ChipField> kSchema = make_schema();
  return kSchema;
}

}  // namespace tern::config
