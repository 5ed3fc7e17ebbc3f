// SPDX-License-Identifier: Apache-2.0
#include "sw/nrt/requests.h"

#include <fmt/format.h>

#include "sw/nrt/api.h"

namespace tern::nrt {

using runtime::Status;
using runtime::StatusError;

CompletionPtr schedule_access(Instance& instance, const nrt_tensor_t* tensor, void* buffer,
                              std::uint64_t offset, std::uint64_t bytes, bool write,
                              const Report& report) {
  const TensorPtr of = instance.tensors.find(tensor);
  check_range(*of, offset, bytes);
  if (bytes != 0) check_pointers(buffer);
  return instance.schedule(
      of->core, write ? NRTA_XU_TENSOR_WRITE : NRTA_XU_TENSOR_READ, {{of->storage, write}},
      [view = View(*of), buffer, offset, bytes, write](System& system) {
        if (write) {
          write_tensor(system, view, offset, buffer, bytes);
        } else {
          read_tensor(system, view, offset, buffer, bytes);
        }
      },
      report);
}

CompletionPtr schedule_copy(Instance& instance, const nrt_tensor_t* from, std::uint64_t from_offset,
                            const nrt_tensor_t* to, std::uint64_t to_offset, std::uint64_t bytes,
                            const Report& report) {
  const TensorPtr source = instance.tensors.find(from), target = instance.tensors.find(to);
  check_range(*source, from_offset, bytes);
  check_range(*target, to_offset, bytes);
  const Storage &a = *source->storage, &b = *target->storage;
  if (!a.on_host() && !b.on_host() && a.device() != b.device())
    throw StatusError(Status::kInvalid, fmt::format("tensors '{}' and '{}' are on different chips",
                                                    source->name, target->name));
  const std::uint64_t source_begin = source->offset + from_offset,
                      target_begin = target->offset + to_offset;
  if (&a == &b && source_begin < target_begin + bytes && target_begin < source_begin + bytes)
    throw StatusError(Status::kInvalid,
                      fmt::format("a copy of tensor '{}' onto itself", source->name));
  const unsigned core = a.on_host() ? target->core : source->core;
  return instance.schedule(
      core, NRTA_XU_TENSOR_OP, {{source->storage, false}, {target->storage, true}},
      [x = View(*source), y = View(*target), from_offset, to_offset, bytes](System& system) {
        copy_tensor(system, x, from_offset, y, to_offset, bytes);
      },
      report);
}

CompletionPtr schedule_execution(Instance& instance, const nrt_model_t* model,
                                 const nrt_tensor_set_t* inputs, const nrt_tensor_set_t* outputs,
                                 const Report& report) {
  const ModelPtr of = instance.models.find(model);
  const auto input_set = instance.sets.find(inputs), output_set = instance.sets.find(outputs);
  const Model::Views views = of->bind(*input_set, *output_set);
  std::vector<Instance::Use> uses;
  std::vector<TensorPtr> written;
  for (const TensorInfo& info : of->tensors()) {
    uses.push_back({views.at(info.name).storage, Model::is_output(info)});
    if (Model::is_output(info)) written.push_back(output_set->at(info.name));
  }
  return instance.schedule(
      of->cores().number, NRTA_XU_COMPUTE, uses,
      [of, views](System& system) { of->execute(system, views); }, report,
      [written] {
        for (const TensorPtr& tensor : written) ++tensor->completions;
      });
}

}  // namespace tern::nrt
