/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "nrt/nrt.h"

/*
 * Requests that do not wait. Each logical core has an execution unit of every kind; a unit does its
 * requests in order, different units work at the same time. A request waits for those scheduled
 * before it that write what it reads or writes, or read what it writes.
 */

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  NRTA_XU_TENSOR_READ = 0,
  NRTA_XU_TENSOR_WRITE,
  NRTA_XU_TENSOR_OP,
  NRTA_XU_COMPUTE,
  NRTA_XU_COLLECTIVES, /* not modelled */
  NRTA_XU_TYPE_NUM
} nrta_xu_t;

/* Number of the unit in the upper 16 bits, of its request in the lower 48, from 1 on. */
typedef uint64_t nrta_seq_t;
typedef uint16_t nrta_xu_id_t;
#define NRTA_SEQ_NUM_MAX ((1ull << 48) - 1)

/*
 * queue: 0. ret, which may be null, gets the status before the request counts as completed.
 * NRT_QUEUE_FULL: the unit has as many requests as NEURON_RT_ASYNC_EXEC_MAX_INFLIGHT_REQUESTS says.
 */
NRT_STATUS nrta_tensor_write(nrt_tensor_t* tensor, const void* buf, uint64_t offset, uint64_t size,
                             int queue, NRT_STATUS* ret, nrta_seq_t* req_sequence);
NRT_STATUS nrta_tensor_read(void* buf, nrt_tensor_t* tensor, uint64_t offset, uint64_t size,
                            int queue, NRT_STATUS* ret, nrta_seq_t* req_sequence);
NRT_STATUS nrta_tensor_copy(nrt_tensor_t* src, uint64_t src_offset, nrt_tensor_t* dst,
                            uint64_t dst_offset, uint64_t size, int queue, NRT_STATUS* ret,
                            nrta_seq_t* req_sequence);
NRT_STATUS nrta_execute_schedule(nrt_model_t* model, const nrt_tensor_set_t* input,
                                 nrt_tensor_set_t* output, int queue, NRT_STATUS* ret,
                                 nrta_seq_t* req_sequence);

NRT_STATUS nrta_is_completed(nrta_seq_t seq, bool* is_completed);
/* The newest request of a unit up to which all are completed; number 0: none. */
NRT_STATUS nrta_get_sequence(uint32_t lnc, nrta_xu_t xu, int queue, nrta_seq_t* seq);

#ifdef __cplusplus
}
#endif
