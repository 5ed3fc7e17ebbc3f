// SPDX-License-Identifier: Apache-2.0
// Life, cores, versions, threads.
#include "sw/nrt/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <systemc>

#include "nrt/version.h"
#include "sw/nrt/include/nrt/nrt.h"
#include "sw/nrt/include/nrt/nrt_version.h"
#include "sw/nrt/include/nrt/tern.h"

// libsystemc's own main() calls it; a program of this library has a main() of its own.
int sc_main(int /*argc*/, char** /*argv*/) {
  return 0;
}

namespace tern::nrt {

using runtime::Status;
using runtime::StatusError;

std::string& last_error() {
  thread_local std::string text;
  return text;
}

namespace {

void copy_text(char* to, std::size_t bytes, const std::string& text) {
  const std::size_t length = std::min(bytes - 1, text.size());
  std::memcpy(to, text.data(), length);
  std::memset(to + length, 0, bytes - length);
}

NRT_STATUS count(std::uint32_t* result, unsigned (*of)(const Settings&)) {
  return guarded([&](Instance&) {
    check_pointers(result);
    *result = of(read_settings());
  });
}
unsigned total(const Settings& s) {
  return s.all_logical();
}
unsigned visible(const Settings& s) {
  return static_cast<unsigned>(s.visible.size());
}

std::uint32_t family_of(const std::string& chip) {
  if (chip == "trn1") return NRT_INSTANCE_TRN1;
  if (chip == "trn2") return NRT_INSTANCE_TRN2;
  if (chip == "trn3") return NRT_INSTANCE_TRN3;
  return NRT_INSTANCE_UNKNOWN;
}

}  // namespace

}  // namespace tern::nrt

using namespace tern::nrt;  // NOLINT(google-build-using-namespace): what follows is C

NRT_STATUS nrt_init(nrt_framework_type_t framework, const char* /*fw_version*/,
                    const char* /*fal_version*/) {
  return guarded([&](Instance& instance) {
    if (framework == NRT_FRAMEWORK_TYPE_INVALID)
      throw StatusError(Status::kInvalid, "nrt_init: no framework");
    instance.open();
  });
}

void nrt_close(void) {
  guarded([](Instance& instance) { instance.close(); });
}

const char* nrt_get_status_as_str(NRT_STATUS status) {
  switch (status) {
#define TERN_NAME(name) \
  case name:            \
    return #name;
    TERN_NAME(NRT_SUCCESS)
    TERN_NAME(NRT_FAILURE)
    TERN_NAME(NRT_INVALID)
    TERN_NAME(NRT_INVALID_HANDLE)
    TERN_NAME(NRT_RESOURCE)
    TERN_NAME(NRT_TIMEOUT)
    TERN_NAME(NRT_HW_ERROR)
    TERN_NAME(NRT_QUEUE_FULL)
    TERN_NAME(NRT_LOAD_NOT_ENOUGH_NC)
    TERN_NAME(NRT_UNSUPPORTED_NEFF_VERSION)
    TERN_NAME(NRT_FAIL_HOST_MEM_ALLOC)
    TERN_NAME(NRT_UNINITIALIZED)
    TERN_NAME(NRT_CLOSED)
    TERN_NAME(NRT_QUEUE_EMPTY)
    TERN_NAME(NRT_EXEC_UNIT_UNRECOVERABLE)
    TERN_NAME(NRT_EXEC_BAD_INPUT)
    TERN_NAME(NRT_EXEC_COMPLETED_WITH_NUM_ERR)
    TERN_NAME(NRT_EXEC_COMPLETED_WITH_ERR)
    TERN_NAME(NRT_EXEC_NC_BUSY)
    TERN_NAME(NRT_EXEC_OOB)
    TERN_NAME(NRT_COLL_PENDING)
    TERN_NAME(NRT_EXEC_HW_ERR_COLLECTIVES)
    TERN_NAME(NRT_EXEC_HW_ERR_HBM_UE)
    TERN_NAME(NRT_EXEC_HW_ERR_NC_UE)
    TERN_NAME(NRT_EXEC_HW_ERR_DMA_ABORT)
    TERN_NAME(NRT_EXEC_SW_NQ_OVERFLOW)
    TERN_NAME(NRT_EXEC_HW_ERR_REPAIRABLE_HBM_UE)
    TERN_NAME(NRT_NETWORK_PROXY_FAILURE)
#undef TERN_NAME
  }
  return "UNKNOWN";
}

NRT_STATUS nrt_get_version(nrt_version_t* version, size_t size) {
  return guarded([&](Instance&) {
    check_pointers(version);
    nrt_version_t result{};
    result.rt_major = kMajor;
    result.rt_minor = kMinor;
    result.rt_patch = kPatch;
    copy_text(result.rt_detail, sizeof result.rt_detail,
              fmt::format("Tern {}.{}.{}, a simulated device", kMajor, kMinor, kPatch));
    std::memcpy(version, &result, std::min(size, sizeof result));
  });
}

NRT_STATUS nrt_get_instance_info(nrt_instance_info_t* info, size_t instance_info_len) {
  return guarded([&](Instance&) {
    check_pointers(info);
    const Settings settings = read_settings();
    nrt_instance_info_t result{};
    result.family = family_of(settings.chip.name);
    result.size = settings.chips;
    copy_text(result.arch_name, sizeof result.arch_name, settings.chip.name);
    copy_text(result.device_revision, sizeof result.device_revision, "tern");
    std::memcpy(info, &result, std::min(instance_info_len, sizeof result));
  });
}

NRT_STATUS nrt_get_total_nc_count(uint32_t* vnc_count) {
  return count(vnc_count, total);
}
NRT_STATUS nrt_get_total_vnc_count(uint32_t* vnc_count) {
  return count(vnc_count, total);
}
NRT_STATUS nrt_get_visible_nc_count(uint32_t* vnc_count) {
  return count(vnc_count, visible);
}
NRT_STATUS nrt_get_visible_vnc_count(uint32_t* vnc_count) {
  return count(vnc_count, visible);
}

NRT_STATUS nrt_get_vnc_memory_stats(uint32_t vnc, nrt_vnc_memory_stats_t* stats,
                                    size_t stats_size_in, size_t* stats_size_out) {
  return guarded([&](Instance& instance) {
    check_pointers(stats, stats_size_out);
    const nrt_vnc_memory_stats_t result = instance.locked([&](Instance& i) {
      const CoreSet cores = i.cores(vnc);
      const std::uint64_t all =
          std::uint64_t{i.settings().chip.hbm.stacks} * i.settings().chip.hbm.stack_bytes;
      const std::uint64_t free = i.engine().system().device(cores.device).runtime->free_bytes();
      return nrt_vnc_memory_stats_t{all - free, all};
    });
    *stats_size_out = std::min(stats_size_in, sizeof result);
    std::memcpy(stats, &result, *stats_size_out);
  });
}

NRT_STATUS nrt_barrier(int32_t vnc, uint32_t g_device_id, uint32_t g_device_count) {
  return guarded([&](Instance& instance) {
    instance.locked([&](Instance& i) { return i.cores(vnc); });
    instance.barrier(g_device_id, g_device_count);
  });
}

const char* tern_last_error(void) {
  return last_error().c_str();
}

uint64_t tern_time_ns(void) {
  std::uint64_t time = 0;
  guarded([&](Instance& instance) {
    constexpr std::uint64_t kFsPerNs = 1'000'000;
    time = instance.locked([](Instance& i) { return i.engine().time_fs(); }) / kFsPerNs;
  });
  return time;
}
