// SPDX-License-Identifier: Apache-2.0
// Models, and requests that do not wait.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>

#include "sw/nrt/api.h"
#include "sw/nrt/include/nrt/nrt_async.h"
#include "sw/nrt/include/nrt/nrt_experimental.h"
#include "sw/nrt/include/nrt/tern.h"
#include "sw/nrt/requests.h"
#include "sw/runtime/program_file.h"

using namespace tern::nrt;  // NOLINT(google-build-using-namespace): what follows is C
using tern::runtime::Status;
using tern::runtime::StatusError;

namespace {

// The first core that has no model. StatusError kNotEnoughCores.
CoreSet free_core(Instance& instance) {
  std::set<unsigned> taken;
  for (const auto& entry : instance.models.all()) taken.insert(entry.second->cores().number);
  for (unsigned n = 0; n < instance.settings().visible.size(); ++n) {
    if (taken.count(n) == 0) return instance.cores(n);
  }
  throw StatusError(Status::kNotEnoughCores, "nrt_load: every visible core has a model");
}

nrt_dtype_t dtype_of(tern::numerics::DType dtype) {
  using tern::numerics::DType;
  switch (dtype) {
    case DType::kInt8:
      return NRT_DTYPE_INT8;
    case DType::kUint8:
      return NRT_DTYPE_UINT8;
    case DType::kInt16:
      return NRT_DTYPE_INT16;
    case DType::kUint16:
      return NRT_DTYPE_UINT16;
    case DType::kBf16:
      return NRT_DTYPE_BFLOAT16;
    case DType::kFp16:
      return NRT_DTYPE_FLOAT16;
    case DType::kInt32:
      return NRT_DTYPE_INT32;
    case DType::kUint32:
      return NRT_DTYPE_UINT32;
    case DType::kFp32:
      return NRT_DTYPE_FLOAT32;
    case DType::kTf32:
      return NRT_DTYPE_FP32R;
    case DType::kE4m3:
    case DType::kE4m3Fn:
      return NRT_DTYPE_FP8_E4;
    case DType::kE5m2:
      return NRT_DTYPE_FP8_E5;
    default:
      return NRT_DTYPE_UNKNOWN;
  }
}

NRT_STATUS count_of(const nrt_model_t* model, std::uint32_t* count) {
  return guarded([&](Instance& instance) {
    check_pointers(count);
    instance.locked([&](Instance& i) { return i.models.find(model); });
    *count = 1;
  });
}

void check_queue(int queue) {
  if (queue != 0) throw StatusError(Status::kInvalid, fmt::format("queue {}: there is 0", queue));
}

}  // namespace

NRT_STATUS nrt_load(const void* neff_bytes, size_t size, int32_t vnc, int32_t vnc_count,
                    nrt_model_t** model) {
  return guarded([&](Instance& instance) {
    check_pointers(neff_bytes, model);
    *model = nullptr;
    if (vnc_count != -1 && vnc_count != 1)
      throw StatusError(Status::kInvalid, fmt::format("nrt_load: on {} logical cores", vnc_count));
    instance.locked([](Instance&) { return 0; });
    tern::runtime::ProgramFile file =
        tern::runtime::load_program({static_cast<const char*>(neff_bytes), size});
    if (file.ranks)
      throw StatusError(Status::kInvalid, fmt::format("program '{}' has ranks, which only kernels "
                                                      "in Python run",
                                                      file.parts.front().name));
    instance.locked([&](Instance& i) {
      if (file.chip != i.settings().chip.name)
        log(LogLevel::kWarn,
            fmt::format("program '{}' was built for {}, the chip is {}", file.parts.front().name,
                        file.chip, i.settings().chip.name));
      const CoreSet cores = vnc == -1 ? free_core(i) : i.cores(vnc);
      try {
        *model = static_cast<nrt_model_t*>(i.models.add(std::make_shared<Model>(
            std::move(file), cores, i.engine().system(), i.settings().execution_seconds)));
      } catch (const tern::UserError& error) {
        throw StatusError(Status::kResource, error.what());
      }
      return 0;
    });
  });
}

NRT_STATUS nrt_load_collectives(const void* neff_bytes, size_t size, int32_t vnc, int32_t vnc_count,
                                uint32_t ctx_device_id, uint32_t ctx_device_count,
                                nrt_model_t** model) {
  if (ctx_device_id == 0 && ctx_device_count == 1)
    return nrt_load(neff_bytes, size, vnc, vnc_count, model);
  return guarded([&](Instance&) {
    throw StatusError(Status::kInvalid,
                      fmt::format("nrt_load_collectives: device {} of {}: collectives between "
                                  "devices are not modelled",
                                  ctx_device_id, ctx_device_count));
  });
}

NRT_STATUS nrt_unload(nrt_model_t* model) {
  return guarded([&](Instance& instance) {
    // Its memory is freed behind its executions, which are requests of the same unit.
    instance.finish([&](Instance& i) {
      auto own = std::make_shared<ModelPtr>(i.models.remove(model));
      return i.schedule((*own)->cores().number, NRTA_XU_COMPUTE, {},
                        [own](System&) { own->reset(); });
    });
  });
}

NRT_STATUS nrt_get_model_nc_count(const nrt_model_t* model, uint32_t* vnc_count) {
  return count_of(model, vnc_count);
}
NRT_STATUS nrt_get_model_vnc_count(const nrt_model_t* model, uint32_t* vnc_count) {
  return count_of(model, vnc_count);
}
NRT_STATUS nrt_get_model_instance_count(nrt_model_t* model, uint32_t* instance_count) {
  return count_of(model, instance_count);
}

NRT_STATUS nrt_execute(nrt_model_t* model, const nrt_tensor_set_t* input_set,
                       nrt_tensor_set_t* output_set) {
  return guarded([&](Instance& instance) {
    instance.finish(
        [&](Instance& i) { return schedule_execution(i, model, input_set, output_set, {}); });
  });
}

NRT_STATUS nrt_execute_repeat(nrt_model_t* model, const nrt_tensor_set_t* input_set,
                              nrt_tensor_set_t* output_set, int repeat_count) {
  if (repeat_count < 1)
    return guarded([&](Instance&) {
      throw StatusError(Status::kInvalid,
                        fmt::format("nrt_execute_repeat: {} times", repeat_count));
    });
  NRT_STATUS status = NRT_SUCCESS;
  for (int n = 0; n < repeat_count && status == NRT_SUCCESS; ++n)
    status = nrt_execute(model, input_set, output_set);
  return status;
}

NRT_STATUS nrt_get_model_tensor_info(nrt_model_t* model, nrt_tensor_info_array_t** tensor_info) {
  return guarded([&](Instance& instance) {
    check_pointers(tensor_info);
    *tensor_info = nullptr;
    const ModelPtr of = instance.locked([&](Instance& i) { return i.models.find(model); });
    const std::vector<tern::TensorInfo>& tensors = of->tensors();
    // One block, freed as one: the array, then the shapes.
    std::size_t dimensions = 0;
    for (const tern::TensorInfo& tensor : tensors) dimensions += tensor.shape.size();
    const std::size_t array =
        sizeof(nrt_tensor_info_array_t) + tensors.size() * sizeof(nrt_tensor_info_t);
    void* block = std::calloc(1, array + dimensions * sizeof(std::uint32_t));
    if (block == nullptr) throw std::bad_alloc();
    auto* result = static_cast<nrt_tensor_info_array_t*>(block);
    auto* shape = reinterpret_cast<std::uint32_t*>(static_cast<char*>(block) + array);
    result->tensor_count = tensors.size();
    for (std::size_t t = 0; t < tensors.size(); ++t) {
      nrt_tensor_info_t& info = result->tensor_array[t];
      const std::size_t length = std::min(tensors[t].name.size(), sizeof info.name - 1);
      std::memcpy(info.name, tensors[t].name.data(), length);
      info.usage = Model::is_output(tensors[t]) ? NRT_TENSOR_USAGE_OUTPUT : NRT_TENSOR_USAGE_INPUT;
      info.size = tensors[t].bytes();
      info.dtype = dtype_of(tensors[t].dtype);
      info.ndim = static_cast<std::uint32_t>(tensors[t].shape.size());
      info.shape = shape;
      for (const std::uint64_t size : tensors[t].shape) *shape++ = static_cast<std::uint32_t>(size);
    }
    *tensor_info = result;
  });
}

NRT_STATUS nrt_free_model_tensor_info(nrt_tensor_info_array_t* tensor_info) {
  std::free(tensor_info);  // NOLINT(cppcoreguidelines-no-malloc): it was handed out to C
  return NRT_SUCCESS;
}

uint64_t tern_model_time_ns(const nrt_model_t* model) {
  std::uint64_t time = 0;
  guarded([&](Instance& instance) {
    time = instance.locked([&](Instance& i) { return i.models.find(model)->newest_ns(); });
  });
  return time;
}

NRT_STATUS nrta_tensor_write(nrt_tensor_t* tensor, const void* buf, uint64_t offset, uint64_t size,
                             int queue, NRT_STATUS* ret, nrta_seq_t* req_sequence) {
  return guarded([&](Instance& instance) {
    check_queue(queue);
    instance.locked([&](Instance& i) {
      // Read only: the pointer is shared with reads.
      return schedule_access(i, tensor, const_cast<void*>(buf), offset, size, true,
                             {true, ret, req_sequence});
    });
  });
}

NRT_STATUS nrta_tensor_read(void* buf, nrt_tensor_t* tensor, uint64_t offset, uint64_t size,
                            int queue, NRT_STATUS* ret, nrta_seq_t* req_sequence) {
  return guarded([&](Instance& instance) {
    check_queue(queue);
    instance.locked([&](Instance& i) {
      return schedule_access(i, tensor, buf, offset, size, false, {true, ret, req_sequence});
    });
  });
}

NRT_STATUS nrta_tensor_copy(nrt_tensor_t* src, uint64_t src_offset, nrt_tensor_t* dst,
                            uint64_t dst_offset, uint64_t size, int queue, NRT_STATUS* ret,
                            nrta_seq_t* req_sequence) {
  return guarded([&](Instance& instance) {
    check_queue(queue);
    instance.locked([&](Instance& i) {
      return schedule_copy(i, src, src_offset, dst, dst_offset, size, {true, ret, req_sequence});
    });
  });
}

NRT_STATUS nrta_execute_schedule(nrt_model_t* model, const nrt_tensor_set_t* input,
                                 nrt_tensor_set_t* output, int queue, NRT_STATUS* ret,
                                 nrta_seq_t* req_sequence) {
  return guarded([&](Instance& instance) {
    check_queue(queue);
    instance.locked([&](Instance& i) {
      return schedule_execution(i, model, input, output, {true, ret, req_sequence});
    });
  });
}

NRT_STATUS nrta_is_completed(nrta_seq_t seq, bool* is_completed) {
  return guarded([&](Instance& instance) {
    check_pointers(is_completed);
    *is_completed = instance.locked([&](Instance& i) { return i.completed(seq); });
  });
}

NRT_STATUS nrta_get_sequence(uint32_t lnc, nrta_xu_t xu, int queue, nrta_seq_t* seq) {
  return guarded([&](Instance& instance) {
    check_pointers(seq);
    check_queue(queue);
    if (xu < 0 || xu >= NRTA_XU_TYPE_NUM)
      throw StatusError(Status::kInvalid, fmt::format("execution unit {}", static_cast<int>(xu)));
    *seq =
        instance.locked([&](Instance& i) { return i.newest_completed(i.cores(lnc).number, xu); });
  });
}
