/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Status codes with the names and values that the Neuron runtime documents. */

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  NRT_SUCCESS = 0,
  NRT_FAILURE = 1,        /* anything else; tern_last_error() says what */
  NRT_INVALID = 2,        /* an argument, or a program file that cannot be */
  NRT_INVALID_HANDLE = 3, /* freed, or never handed out */
  NRT_RESOURCE = 4,       /* no device memory or no core left */
  NRT_TIMEOUT = 5,        /* a program that does not end, or whose queues wait for each other */
  NRT_HW_ERROR = 6,       /* the device does not answer */
  NRT_QUEUE_FULL = 7,     /* too many asynchronous requests */
  NRT_LOAD_NOT_ENOUGH_NC = 9,
  NRT_UNSUPPORTED_NEFF_VERSION = 10,
  NRT_FAIL_HOST_MEM_ALLOC = 11,
  NRT_UNINITIALIZED = 13, /* before nrt_init() */
  NRT_CLOSED = 14,        /* after nrt_close() */
  NRT_QUEUE_EMPTY = 15,

  NRT_EXEC_UNIT_UNRECOVERABLE =
      101, /* a core that does not end its reset, or the simulation has ended */

  NRT_EXEC_BAD_INPUT = 1002,
  NRT_EXEC_COMPLETED_WITH_NUM_ERR = 1003,
  NRT_EXEC_COMPLETED_WITH_ERR = 1004, /* an instruction that the core refuses */
  NRT_EXEC_NC_BUSY = 1005,
  NRT_EXEC_OOB = 1006, /* an address or index outside its bounds */

  NRT_COLL_PENDING = 1100,

  NRT_EXEC_HW_ERR_COLLECTIVES = 1200,
  NRT_EXEC_HW_ERR_HBM_UE = 1201, /* wrong bits in HBM that its code does not correct */
  NRT_EXEC_HW_ERR_NC_UE = 1202,  /* likewise, in a memory of a core */
  NRT_EXEC_HW_ERR_DMA_ABORT = 1203,
  NRT_EXEC_SW_NQ_OVERFLOW = 1204,
  NRT_EXEC_HW_ERR_REPAIRABLE_HBM_UE =
      1205, /* 1201, and a spare row is left for the next training */
  NRT_NETWORK_PROXY_FAILURE = 1206,
} NRT_STATUS;

/* "NRT_SUCCESS"; "UNKNOWN" for any other number. Never null. */
const char* nrt_get_status_as_str(NRT_STATUS status);

#ifdef __cplusplus
}
#endif
