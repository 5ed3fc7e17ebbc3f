// SPDX-License-Identifier: Apache-2.0
// Tensors and sets of them.
#include <fmt/format.h>

#include <cstring>

#include "sw/nrt/api.h"
#include "sw/nrt/include/nrt/nrt.h"
#include "sw/nrt/include/nrt/nrt_experimental.h"
#include "sw/nrt/requests.h"
#include "sw/spec/generated/address_map.h"

using namespace tern::nrt;  // NOLINT(google-build-using-namespace): what follows is C
using tern::runtime::Status;
using tern::runtime::StatusError;

namespace {

constexpr std::size_t kMostName = NRT_TENSOR_NAME_MAX - 1;

// Names are for messages and for sets; a control character would reach a terminal.
std::string name_of(const char* name, bool needed) {
  const std::string text = name == nullptr ? "" : std::string(name, strnlen(name, kMostName + 1));
  if (text.size() > kMostName || (needed && text.empty()))
    throw StatusError(Status::kInvalid,
                      fmt::format("a tensor's name of {} characters", text.size()));
  for (const unsigned char c : text) {
    if (c < 0x20 || c == 0x7F)
      throw StatusError(Status::kInvalid, "a tensor's name with a control character");
  }
  return text;
}

std::shared_ptr<Tensor> make_tensor(const char* name, std::shared_ptr<Storage> storage,
                                    std::size_t offset, std::size_t bytes) {
  auto tensor = std::make_shared<Tensor>();
  tensor->name = name_of(name, false);
  tensor->storage = std::move(storage);
  tensor->offset = offset;
  tensor->bytes = bytes;
  return tensor;
}

nrt_tensor_t* handle_of(Instance& instance, std::shared_ptr<Tensor> tensor) {
  Tensor& made = *tensor;
  made.handle = instance.tensors.add(std::move(tensor));
  return static_cast<nrt_tensor_t*>(made.handle);
}

void read_or_write(const nrt_tensor_t* tensor, void* buffer, std::uint64_t offset,
                   std::uint64_t bytes, bool write) {
  Instance::get().finish(
      [&](Instance& i) { return schedule_access(i, tensor, buffer, offset, bytes, write, {}); });
}

NRT_STATUS batch(const nrt_tensor_batch_t* batches, std::uint64_t count, bool write) {
  return guarded([&](Instance&) {
    if (count != 0) check_pointers(batches);
    for (std::uint64_t b = 0; b < count; ++b) {
      if (batches[b].num_ops != 0) check_pointers(batches[b].ops);
      for (std::uint32_t n = 0; n < batches[b].num_ops; ++n) {
        const nrt_tensor_batch_op_t& op = batches[b].ops[n];
        read_or_write(batches[b].tensor, op.buffer, op.offset, op.size, write);
      }
    }
  });
}

// Frees bytes where the simulation knows of them, once nothing uses them.
void release(Instance& instance, std::shared_ptr<Storage> storage) {
  if (storage == nullptr) return;
  instance.finish([&](Instance& i) {
    Engine::Request request;
    request.after = Instance::uses_of(*storage);
    request.work = [own = std::make_shared<std::shared_ptr<Storage>>(std::move(storage))](System&) {
      own->reset();
    };
    return i.engine().submit(std::move(request));
  });
}

}  // namespace

NRT_STATUS nrt_tensor_allocate(nrt_tensor_placement_t tensor_placement, int vnc, size_t size,
                               const char* name, nrt_tensor_t** tensor) {
  return guarded([&](Instance& instance) {
    check_pointers(tensor);
    *tensor = nullptr;
    if (size == 0) throw StatusError(Status::kInvalid, "a tensor of 0 bytes");
    instance.locked([&](Instance& i) {
      std::shared_ptr<Storage> storage;
      CoreSet cores;
      if (tensor_placement == NRT_TENSOR_PLACEMENT_DEVICE) {
        cores = i.cores(vnc);
        try {
          storage = std::make_shared<Storage>(
              i.engine()
                  .system()
                  .device(cores.device)
                  .runtime->allocate(name_of(name, false), size, cores.first),
              cores.device);
        } catch (const tern::UserError& error) {
          throw StatusError(Status::kResource, error.what());
        }
      } else if (tensor_placement == NRT_TENSOR_PLACEMENT_HOST ||
                 tensor_placement == NRT_TENSOR_PLACEMENT_VIRTUAL) {
        storage = std::make_shared<Storage>(size);
      } else {
        throw StatusError(Status::kInvalid, "an unknown placement of a tensor");
      }
      auto made = make_tensor(name, std::move(storage), 0, size);
      made->core = cores.number;
      *tensor = handle_of(i, std::move(made));
      return 0;
    });
  });
}

NRT_STATUS nrt_tensor_allocate_empty(const char* name, nrt_tensor_t** tensor) {
  return guarded([&](Instance& instance) {
    check_pointers(tensor);
    instance.locked([&](Instance& i) {
      *tensor = handle_of(i, make_tensor(name, nullptr, 0, 0));
      return 0;
    });
  });
}

NRT_STATUS nrt_tensor_attach_buffer(nrt_tensor_t* tensor, void* buffer, size_t size) {
  return guarded([&](Instance& instance) {
    check_pointers(buffer);
    if (size == 0) throw StatusError(Status::kInvalid, "a buffer of 0 bytes");
    std::shared_ptr<Storage> before;
    instance.locked([&](Instance& i) {
      const TensorPtr of = i.tensors.find(tensor);
      before = std::move(of->storage);
      of->storage = std::make_shared<Storage>(buffer, size);
      of->offset = 0;
      of->bytes = size;
      return 0;
    });
    release(instance, std::move(before));
  });
}

NRT_STATUS nrt_tensor_allocate_slice(const nrt_tensor_t* tensor_source, size_t offset, size_t size,
                                     const char* name, nrt_tensor_t** tensor_slice) {
  return guarded([&](Instance& instance) {
    check_pointers(tensor_slice);
    *tensor_slice = nullptr;
    instance.locked([&](Instance& i) {
      const TensorPtr source = i.tensors.find(tensor_source);
      check_range(*source, offset, size);
      if (size == 0) throw StatusError(Status::kInvalid, "a slice of 0 bytes");
      auto made = make_tensor(name, source->storage, source->offset + offset, size);
      made->core = source->core;
      *tensor_slice = handle_of(i, std::move(made));
      return 0;
    });
  });
}

void nrt_tensor_free(nrt_tensor_t** tensor) {
  if (tensor == nullptr || *tensor == nullptr) return;
  const NRT_STATUS status = guarded([&](Instance& instance) {
    // Sets may still have the tensor: it has no bytes from here on.
    release(instance, instance.locked([&](Instance& i) {
      return std::move(i.tensors.remove(*tensor)->storage);
    }));
  });
  if (status == NRT_SUCCESS) *tensor = nullptr;
}

NRT_STATUS nrt_tensor_read(const nrt_tensor_t* tensor, void* buf, size_t offset, size_t size) {
  return guarded([&](Instance&) { read_or_write(tensor, buf, offset, size, false); });
}

NRT_STATUS nrt_tensor_write(nrt_tensor_t* tensor, const void* buf, size_t offset, size_t size) {
  // Read only: the pointer is shared with reads.
  return guarded(
      [&](Instance&) { read_or_write(tensor, const_cast<void*>(buf), offset, size, true); });
}

NRT_STATUS nrt_tensor_memset(nrt_tensor_t* tensor, uint64_t offset, int value, size_t size) {
  return guarded([&](Instance& instance) {
    instance.finish([&](Instance& i) {
      const TensorPtr to = i.tensors.find(tensor);
      check_range(*to, offset, size);
      return i.schedule(to->core, NRTA_XU_TENSOR_OP, {{to->storage, true}},
                        [view = View(*to), offset, value, size](System& system) {
                          fill_tensor(system, view, offset, value, size);
                        });
    });
  });
}

NRT_STATUS nrt_tensor_copy(const nrt_tensor_t* src, size_t src_offset, nrt_tensor_t* dst,
                           size_t dst_offset, size_t size) {
  return guarded([&](Instance& instance) {
    instance.finish(
        [&](Instance& i) { return schedule_copy(i, src, src_offset, dst, dst_offset, size, {}); });
  });
}

NRT_STATUS nrt_tensor_read_batch(const nrt_tensor_batch_t* batches, uint64_t num_batches,
                                 bool /*unsafe*/) {
  return batch(batches, num_batches, false);
}

NRT_STATUS nrt_tensor_write_batch(const nrt_tensor_batch_t* batches, uint64_t num_batches,
                                  bool /*unsafe*/) {
  return batch(batches, num_batches, true);
}

size_t nrt_tensor_get_size(const nrt_tensor_t* tensor) {
  std::size_t size = 0;
  guarded([&](Instance& instance) {
    size = instance.locked([&](Instance& i) { return i.tensors.find(tensor)->bytes; });
  });
  return size;
}

void* nrt_tensor_get_va(const nrt_tensor_t* tensor) {
  void* address = nullptr;
  guarded([&](Instance& instance) {
    instance.locked([&](Instance& i) {
      const TensorPtr of = i.tensors.find(tensor);
      if (of->storage && of->storage->on_host()) address = of->storage->host() + of->offset;
      return 0;
    });
  });
  return address;
}

NRT_STATUS nrt_tensor_get_device_allocation_info(const nrt_tensor_t* tensor,
                                                 nrt_tensor_device_allocation_info_t* alloc_info) {
  return guarded([&](Instance& instance) {
    check_pointers(alloc_info);
    instance.locked([&](Instance& i) {
      const TensorPtr of = i.tensors.find(tensor);
      if (!of->storage || of->storage->on_host())
        throw StatusError(Status::kInvalid, fmt::format("tensor '{}' is on no device", of->name));
      const std::uint64_t address = of->storage->buffer().address() + of->offset;
      *alloc_info = {address, of->bytes, static_cast<int>(address / TERN_HBM_STRIDE)};
      return 0;
    });
  });
}

NRT_STATUS nrt_tensor_check_output_completion(const nrt_tensor_t* output_tensor, int64_t timeout,
                                              uint64_t expected_completion_count) {
  return guarded([&](Instance& instance) {
    check_pointers(output_tensor);
    constexpr std::int64_t kMostUs = 1'000'000'000;
    if (timeout > kMostUs)
      throw StatusError(Status::kInvalid,
                        fmt::format("a time-out of {} us: at most {}", timeout, kMostUs));
    instance.finish([&](Instance& i) {
      Engine& engine = i.engine();
      Engine::Request request;
      request.work = [&engine, tensor = i.tensors.find(output_tensor), timeout,
                      expected_completion_count](System&) {
        using sc_core::sc_time;
        const sc_time begin = sc_core::sc_time_stamp();
        const sc_time limit(timeout < 0 ? 0 : static_cast<double>(timeout), sc_core::SC_US);
        const sc_time look(1, sc_core::SC_MS);
        while (tensor->completions < expected_completion_count) {
          const sc_time passed = sc_core::sc_time_stamp() - begin;
          if (timeout >= 0 ? passed >= limit : !engine.others())
            throw StatusError(Status::kTimeout,
                              fmt::format("tensor '{}' was written {} times, not {}", tensor->name,
                                          tensor->completions.load(), expected_completion_count));
          engine.wait_for_others(timeout >= 0 ? std::min(look, limit - passed) : look);
        }
      };
      return engine.submit(std::move(request));
    });
  });
}

NRT_STATUS nrt_tensor_reset_output_completion(nrt_tensor_t* output_tensor) {
  return guarded([&](Instance& instance) {
    check_pointers(output_tensor);
    instance.locked([&](Instance& i) {
      i.tensors.find(output_tensor)->completions = 0;
      return 0;
    });
  });
}

NRT_STATUS nrt_allocate_tensor_set(nrt_tensor_set_t** result) {
  return guarded([&](Instance& instance) {
    check_pointers(result);
    instance.locked([&](Instance& i) {
      *result = i.sets.add(std::make_shared<TensorSet>());
      return 0;
    });
  });
}

void nrt_destroy_tensor_set(nrt_tensor_set_t** tensor_set) {
  if (tensor_set == nullptr || *tensor_set == nullptr) return;
  const NRT_STATUS status = guarded([&](Instance& instance) {
    instance.locked([&](Instance& i) { return i.sets.remove(*tensor_set); });
  });
  if (status == NRT_SUCCESS) *tensor_set = nullptr;
}

NRT_STATUS nrt_add_tensor_to_tensor_set(nrt_tensor_set_t* tensor_set, const char* tensor_name,
                                        nrt_tensor_t* tensor) {
  return guarded([&](Instance& instance) {
    instance.locked([&](Instance& i) {
      (*i.sets.find(tensor_set))[name_of(tensor_name, true)] = i.tensors.find(tensor);
      return 0;
    });
  });
}

NRT_STATUS nrt_get_tensor_from_tensor_set(nrt_tensor_set_t* tensor_set, const char* tensor_name,
                                          nrt_tensor_t** tensor) {
  return guarded([&](Instance& instance) {
    check_pointers(tensor);
    instance.locked([&](Instance& i) {
      const auto set = i.sets.find(tensor_set);
      const auto found = set->find(name_of(tensor_name, true));
      if (found == set->end())
        throw StatusError(Status::kInvalid,
                          fmt::format("no tensor '{}' in the set", name_of(tensor_name, true)));
      i.tensors.find(found->second->handle);  // it may have been freed since
      *tensor = static_cast<nrt_tensor_t*>(found->second->handle);
      return 0;
    });
  });
}
