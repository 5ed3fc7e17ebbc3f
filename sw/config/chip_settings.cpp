// SPDX-License-Identifier: Apache-2.0
#include "sw/config/chip_settings.h"

#include <fmt/format.h>

#include <type_traits>

namespace tern {

namespace {

// A struct that has grown has a member that is missing below.
static_assert(sizeof(EngineConfig) == 24 && sizeof(GpsimdProgramConfig) == 16 &&
              sizeof(TensorFeatures) == 8 && sizeof(VectorFeatures) == 16 &&
              sizeof(ScalarFeatures) == 2 && sizeof(ControlConfig) == 8 &&
              sizeof(CoreConfig) == 216 && sizeof(QosConfig) == 48 && sizeof(DmaConfig) == 136 &&
              sizeof(NocConfig) == 96 && sizeof(hbm::TimingNs) == 152 &&
              sizeof(hbm::Config) == 288 && sizeof(HostLinkConfig) == 16);

class List {
 public:
  template <typename T>
  void add(const std::string& key, const T& value) {
    if constexpr (std::is_enum_v<T>) {
      settings.push_back({key, fmt::format("{}", static_cast<int>(value))});
    } else {
      settings.push_back({key, fmt::format("{}", value)});  // shortest text with these bits
    }
  }
  std::vector<ChipSetting> settings;
};

void add(List& list, const std::string& prefix, const QosConfig& qos) {
  list.add(prefix + "policy", qos.policy);
  for (unsigned c = 0; c < qos::kClasses; ++c)
    list.add(fmt::format("{}shares[{}]", prefix, c), qos.shares[c]);
  list.add(prefix + "bucket_bytes", qos.bucket_bytes);
}

void add(List& list, const std::string& prefix, const EngineConfig& engine) {
  list.add(prefix + "clock_ghz", engine.clock_ghz);
  list.add(prefix + "min_interval", engine.min_interval);
  list.add(prefix + "latency_cycles", engine.latency_cycles);
  list.add(prefix + "overhead_cycles", engine.overhead_cycles);
  list.add(prefix + "exp_per_cycle", engine.exp_per_cycle);
}

void add(List& list, const CoreConfig& core) {
  list.add("core.tensor.clock_ghz", core.tensor_clock_ghz);
  list.add("core.tensor.ramp_cycles", core.tensor_ramp_cycles);
  list.add("core.tensor.stages", core.tensor_stages);
  list.add("core.tensor.features.mx", core.tensor.mx);
  list.add("core.tensor.features.quad", core.tensor.quad);
  list.add("core.tensor.features.e4m3fn", core.tensor.e4m3fn);
  list.add("core.tensor.features.bf16_result", core.tensor.bf16_result);
  list.add("core.tensor.features.max_moving", core.tensor.max_moving);
  list.add("core.vector.features.fast_modes", core.vector_features.fast_modes);
  list.add("core.vector.features.fast_fp8", core.vector_features.fast_fp8);
  list.add("core.vector.features.reciprocal_cycles", core.vector_features.reciprocal_cycles);
  list.add("core.scalar.features.double_rate", core.scalar_features.double_rate);
  list.add("core.scalar.features.all_operators", core.scalar_features.all_operators);
  add(list, "core.vector.", core.vector);
  add(list, "core.scalar.", core.scalar);
  add(list, "core.gpsimd.", core.gpsimd);
  add(list, "core.sync.", core.sync);
  list.add("core.scalar.table_load_ns", core.table_load_ns);
  list.add("core.control.cycles", core.control.cycles);
  list.add("core.control.sbuf_cycles", core.control.sbuf_cycles);
  const GpsimdProgramConfig& programs = core.gpsimd_programs;
  list.add("core.gpsimd.programs.start_cycles", programs.start_cycles);
  list.add("core.gpsimd.programs.local_load_cycles", programs.local_load_cycles);
  list.add("core.gpsimd.programs.sbuf_load_cycles", programs.sbuf_load_cycles);
  list.add("core.gpsimd.programs.limit_cycles", programs.limit_cycles);
  list.add("core.sbuf_partition_bytes", core.sbuf_partition_bytes);
  list.add("core.semaphore_latency_ns", core.semaphore_latency_ns);
  list.add("core.fetch_latency_ns", core.fetch_latency_ns);
  list.add("core.kernel_start_ns", core.kernel_start_ns);
  list.add("core.kernel_end_ns", core.kernel_end_ns);
}

void add(List& list, const DmaConfig& dma) {
  list.add("dma.efficiency", dma.efficiency);
  list.add("dma.clock_ghz", dma.clock_ghz);
  list.add("dma.descriptor_cycles", dma.descriptor_cycles);
  list.add("dma.doorbell_latency_ns", dma.doorbell_latency_ns);
  list.add("dma.completion_latency_ns", dma.completion_latency_ns);
  add(list, "dma.qos.", dma.qos);
  list.add("dma.hwdge", dma.hwdge);
  list.add("dma.descriptors", dma.descriptors);
  list.add("dma.hwdge_latency_ns", dma.hwdge_latency_ns);
  list.add("dma.hwdge_clock_ghz", dma.hwdge_clock_ghz);
  list.add("dma.hwdge_gb_per_s", dma.hwdge_gb_per_s);
  list.add("dma.swdge_start_cycles", dma.swdge_start_cycles);
  list.add("dma.swdge_row_cycles", dma.swdge_row_cycles);
  list.add("dma.near_memory_add", dma.near_memory_add);
}

void add(List& list, const NocConfig& noc) {
  list.add("noc.dies", noc.dies);
  list.add("noc.hop_ns", noc.hop_ns);
  list.add("noc.core_port_gb_per_s", noc.core_port_gb_per_s);
  list.add("noc.die_link_gb_per_s", noc.die_link_gb_per_s);
  list.add("noc.die_link_ns", noc.die_link_ns);
  list.add("noc.host_port_gb_per_s", noc.host_port_gb_per_s);
  add(list, "noc.qos.", noc.qos);
}

void add(List& list, const hbm::TimingNs& t) {
  const struct {
    const char* name;
    double value;
  } times[] = {{"rcd", t.t_rcd},       {"rp", t.t_rp},       {"ras", t.t_ras},
               {"rc", t.t_rc},         {"cl", t.t_cl},       {"wl", t.t_wl},
               {"rrd_s", t.t_rrd_s},   {"rrd_l", t.t_rrd_l}, {"faw", t.t_faw},
               {"rtp", t.t_rtp},       {"wr", t.t_wr},       {"wtr_s", t.t_wtr_s},
               {"wtr_l", t.t_wtr_l},   {"refi", t.t_refi},   {"rfc_ab", t.t_rfc_ab},
               {"rfc_pb", t.t_rfc_pb}, {"rrefd", t.t_rrefd}};
  for (const auto& time : times) list.add(fmt::format("hbm.timing.t_{}", time.name), time.value);
  list.add("hbm.timing.ccd_s_clocks", t.ccd_s_clocks);
  list.add("hbm.timing.ccd_l_clocks", t.ccd_l_clocks);
  list.add("hbm.timing.ccd_r_clocks", t.ccd_r_clocks);
  list.add("hbm.timing.rtw_gap_clocks", t.rtw_gap_clocks);
}

void add(List& list, const hbm::Config& hbm) {
  list.add("hbm.stacks", hbm.stacks);
  list.add("hbm.stack_bytes", hbm.stack_bytes);
  list.add("hbm.channels", hbm.channels);
  list.add("hbm.pseudo_channels", hbm.pseudo_channels);
  list.add("hbm.stack_ids", hbm.stack_ids);
  list.add("hbm.page_bytes", hbm.page_bytes);
  list.add("hbm.pin_gbps", hbm.pin_gbps);
  add(list, hbm.timing);
  list.add("hbm.front_ns", hbm.front_ns);
  list.add("hbm.back_ns", hbm.back_ns);
  list.add("hbm.update_ns", hbm.update_ns);
  list.add("hbm.read_queue", hbm.read_queue);
  list.add("hbm.write_queue", hbm.write_queue);
  list.add("hbm.write_high", hbm.write_high);
  list.add("hbm.write_low", hbm.write_low);
  list.add("hbm.write_idle_ns", hbm.write_idle_ns);
  list.add("hbm.by_class", hbm.by_class);
  list.add("hbm.age_cap_ns", hbm.age_cap_ns);
  list.add("hbm.refresh", hbm.refresh);
  list.add("hbm.refresh_postpone", hbm.refresh_postpone);
  list.add("hbm.scrub_gb_per_s", hbm.scrub_gb_per_s);
  list.add("hbm.faults_per_s", hbm.faults_per_s);
  list.add("hbm.fault_seed", hbm.fault_seed);
}

}  // namespace

std::vector<ChipSetting> chip_settings(const ChipConfig& config) {
  List list;
  list.add("cores", config.cores);
  add(list, config.core);
  add(list, config.dma);
  add(list, config.hbm);
  add(list, config.noc);
  list.add("host.bandwidth_gb_per_s", config.host.bandwidth_gb_per_s);
  list.add("host.latency_ns", config.host.latency_ns);
  return list.settings;
}

}  // namespace tern
