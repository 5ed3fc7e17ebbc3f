/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nrt/nrt_status.h"

/*
 * The C interface of Tern's runtime, in the shape of the Neuron runtime's (names, types, status
 * codes): a program written for it compiles, links with libtern_nrt and runs on simulated chips.
 * Programs are Tern's program files (`tern compile`). README.md: settings, what time is, threads.
 *
 * Every function may be called from any thread of the process. Cores are logical and visible ones,
 * counted from 0. Sizes and offsets are bytes.
 */

#ifdef __cplusplus
extern "C" {
#endif

#define NRT_MAJOR_VERSION 2
#define NRT_MINOR_VERSION 0

typedef struct nrt_model nrt_model_t;
typedef struct nrt_tensor nrt_tensor_t;
typedef void nrt_tensor_set_t;

typedef enum {
  NRT_TENSOR_PLACEMENT_DEVICE,  /* HBM near the core */
  NRT_TENSOR_PLACEMENT_HOST,    /* memory of the host that the chip reaches over PCIe */
  NRT_TENSOR_PLACEMENT_VIRTUAL, /* likewise */
} nrt_tensor_placement_t;

typedef enum {
  NRT_FRAMEWORK_TYPE_INVALID = 0,
  NRT_FRAMEWORK_TYPE_NO_FW = 1,
  NRT_FRAMEWORK_TYPE_TENSORFLOW,
  NRT_FRAMEWORK_TYPE_PYTORCH,
  NRT_FRAMEWORK_TYPE_MXNET,
  NRT_FRAMEWORK_TYPE_PRECHECK,
} nrt_framework_type_t;

enum {
  NRT_INSTANCE_UNKNOWN = 0,
  NRT_INSTANCE_TRN1 = 2,
  NRT_INSTANCE_TRN2 = 5,
  NRT_INSTANCE_TRN3 = 14
};

typedef enum nrt_dtype {
  NRT_DTYPE_UNKNOWN = 0x0, /* also the formats of MX, which have no code */
  NRT_DTYPE_INVALID = 0x0,
  NRT_DTYPE_UINT64 = 0x1,
  NRT_DTYPE_INT8 = 0x2,
  NRT_DTYPE_UINT8 = 0x3,
  NRT_DTYPE_INT16 = 0x4,
  NRT_DTYPE_UINT16 = 0x5,
  NRT_DTYPE_BFLOAT16 = 0x6,
  NRT_DTYPE_FLOAT16 = 0x7,
  NRT_DTYPE_INT32 = 0x8,
  NRT_DTYPE_UINT32 = 0x9,
  NRT_DTYPE_FLOAT32 = 0xA,
  NRT_DTYPE_FP32R = 0xB,
  NRT_DTYPE_INT64 = 0xC,
  NRT_DTYPE_FP8_E3 = 0xD,
  NRT_DTYPE_FP8_E4 = 0xE,
  NRT_DTYPE_FP8_E5 = 0xF,
} nrt_dtype_t;

/* --- Life. --- */

/* Builds the chips that the environment asks for and resets their cores. NRT_INVALID: a setting
 * that cannot be. After nrt_close() it may be called again, with the same settings. */
NRT_STATUS nrt_init(nrt_framework_type_t framework, const char* fw_version,
                    const char* fal_version);
/* Waits for what is under way, then frees everything: all handles are invalid. */
void nrt_close(void);

typedef struct nrt_instance_info {
  uint32_t family; /* NRT_INSTANCE_... */
  uint32_t size;   /* chips */
  char arch_name[16];
  char device_revision[8];
} nrt_instance_info_t;
NRT_STATUS nrt_get_instance_info(nrt_instance_info_t* info, size_t instance_info_len);

/* --- Cores. These four may be called before nrt_init(). --- */

NRT_STATUS nrt_get_total_nc_count(uint32_t* vnc_count);
NRT_STATUS nrt_get_total_vnc_count(uint32_t* vnc_count);
NRT_STATUS nrt_get_visible_nc_count(uint32_t* vnc_count);
NRT_STATUS nrt_get_visible_vnc_count(uint32_t* vnc_count);

typedef struct nrt_vnc_memory_stats {
  size_t bytes_used;
  size_t bytes_limit;
} nrt_vnc_memory_stats_t;
/* Device memory of the core's chip: what this process uses of it, and all of it. */
NRT_STATUS nrt_get_vnc_memory_stats(uint32_t vnc, nrt_vnc_memory_stats_t* stats,
                                    size_t stats_size_in, size_t* stats_size_out);

/* --- Models: loaded programs. --- */

/* vnc: -1: the first core that has no model. vnc_count: -1, or 1. The bytes are not needed
 * afterwards. NRT_INVALID: not a program file, or damaged. NRT_LOAD_NOT_ENOUGH_NC: it is for
 * another number of cores than a logical core has. */
NRT_STATUS nrt_load(const void* neff_bytes, size_t size, int32_t vnc, int32_t vnc_count,
                    nrt_model_t** model);
/* Of one device only: collectives are not modelled. */
NRT_STATUS nrt_load_collectives(const void* neff_bytes, size_t size, int32_t vnc, int32_t vnc_count,
                                uint32_t ctx_device_id, uint32_t ctx_device_count,
                                nrt_model_t** model);
/* Waits for its executions. */
NRT_STATUS nrt_unload(nrt_model_t* model);

NRT_STATUS nrt_get_model_nc_count(const nrt_model_t* model, uint32_t* vnc_count);
NRT_STATUS nrt_get_model_vnc_count(const nrt_model_t* model, uint32_t* vnc_count);
NRT_STATUS nrt_get_model_instance_count(nrt_model_t* model, uint32_t* instance_count);

/* Runs the program: every input and weight of it is a tensor of the input set with its name and
 * size, every output one of the output set. After an error the core has been reset, and the next
 * program runs. */
NRT_STATUS nrt_execute(nrt_model_t* model, const nrt_tensor_set_t* input_set,
                       nrt_tensor_set_t* output_set);
NRT_STATUS nrt_execute_repeat(nrt_model_t* model, const nrt_tensor_set_t* input_set,
                              nrt_tensor_set_t* output_set, int repeat_count);

/* --- Sets of tensors, by name. They do not own them. --- */

NRT_STATUS nrt_allocate_tensor_set(nrt_tensor_set_t** result);
void nrt_destroy_tensor_set(nrt_tensor_set_t** tensor_set);
/* Adds or replaces. */
NRT_STATUS nrt_add_tensor_to_tensor_set(nrt_tensor_set_t* tensor_set, const char* tensor_name,
                                        nrt_tensor_t* tensor);
NRT_STATUS nrt_get_tensor_from_tensor_set(nrt_tensor_set_t* tensor_set, const char* tensor_name,
                                          nrt_tensor_t** tensor);

/* --- Tensors. Reads and writes wait for what has been scheduled on their bytes before. --- */

NRT_STATUS nrt_tensor_allocate(nrt_tensor_placement_t tensor_placement, int vnc, size_t size,
                               const char* name, nrt_tensor_t** tensor);
/* Without bytes, until a buffer is attached. */
NRT_STATUS nrt_tensor_allocate_empty(const char* name, nrt_tensor_t** tensor);
/* The caller's memory becomes the tensor's bytes; it must stay as long as the tensor. */
NRT_STATUS nrt_tensor_attach_buffer(nrt_tensor_t* tensor, void* buffer, size_t size);
/* A part of another one's bytes, which live as long as either. */
NRT_STATUS nrt_tensor_allocate_slice(const nrt_tensor_t* tensor_source, size_t offset, size_t size,
                                     const char* name, nrt_tensor_t** tensor_slice);
/* Waits for what has been scheduled on it. */
void nrt_tensor_free(nrt_tensor_t** tensor);

NRT_STATUS nrt_tensor_read(const nrt_tensor_t* tensor, void* buf, size_t offset, size_t size);
NRT_STATUS nrt_tensor_write(nrt_tensor_t* tensor, const void* buf, size_t offset, size_t size);
NRT_STATUS nrt_tensor_memset(nrt_tensor_t* tensor, uint64_t offset, int value, size_t size);
/* Device to device: of one chip. */
NRT_STATUS nrt_tensor_copy(const nrt_tensor_t* src, size_t src_offset, nrt_tensor_t* dst,
                           size_t dst_offset, size_t size);

typedef struct nrt_tensor_batch_op {
  uint64_t offset;
  uint64_t size;
  void* buffer;
} nrt_tensor_batch_op_t;
typedef struct nrt_tensor_batch {
  const nrt_tensor_t* tensor;
  const nrt_tensor_batch_op_t* ops;
  uint32_t num_ops;
} nrt_tensor_batch_t;
/* One after the other; the first error ends it. */
NRT_STATUS nrt_tensor_read_batch(const nrt_tensor_batch_t* batches, uint64_t num_batches,
                                 bool unsafe);
NRT_STATUS nrt_tensor_write_batch(const nrt_tensor_batch_t* batches, uint64_t num_batches,
                                  bool unsafe);

/* 0 for an invalid handle. */
size_t nrt_tensor_get_size(const nrt_tensor_t* tensor);
/* The bytes of a tensor of the host; null for one of a device. */
void* nrt_tensor_get_va(const nrt_tensor_t* tensor);

typedef struct nrt_tensor_device_allocation_info {
  uint64_t physical_address; /* the chip's */
  size_t size;
  int hbm_index;
} nrt_tensor_device_allocation_info_t;
NRT_STATUS nrt_tensor_get_device_allocation_info(const nrt_tensor_t* tensor,
                                                 nrt_tensor_device_allocation_info_t* alloc_info);

/* Executions that have written the tensor as an output since the counter was reset: waits until
 * there are so many. timeout: microseconds of simulated time; negative: without limit, which is an
 * NRT_TIMEOUT once nothing is under way. */
NRT_STATUS nrt_tensor_check_output_completion(const nrt_tensor_t* output_tensor, int64_t timeout,
                                              uint64_t expected_completion_count);
NRT_STATUS nrt_tensor_reset_output_completion(nrt_tensor_t* output_tensor);

/* --- Threads. --- */

/* Returns when g_device_count threads have called it, each with its own g_device_id. */
NRT_STATUS nrt_barrier(int32_t vnc, uint32_t g_device_id, uint32_t g_device_count);

#ifdef __cplusplus
}
#endif
