// SPDX-License-Identifier: Apache-2.0
// Generated from docs/spec/registers.yaml by tern_spec_gen: do not edit.
// Plain C11, also valid C++17.
#ifndef TERN_SPEC_REGISTERS_H
#define TERN_SPEC_REGISTERS_H

#include <stdint.h>

// address of the first instruction of queue q, 64-byte aligned (rw)
#define TERN_REG_CORE_QUEUE_BASE 0x0000u
#define TERN_REG_CORE_QUEUE_BASE_STRIDE 0x100u
#define TERN_REG_CORE_QUEUE_BASE_COUNT 7u
// instructions in the program of queue q (rw)
#define TERN_REG_CORE_QUEUE_LENGTH 0x0008u
#define TERN_REG_CORE_QUEUE_LENGTH_STRIDE 0x100u
#define TERN_REG_CORE_QUEUE_LENGTH_COUNT 7u
// 1 starts queue q at its first instruction (wo)
#define TERN_REG_CORE_QUEUE_START 0x000cu
#define TERN_REG_CORE_QUEUE_START_STRIDE 0x100u
#define TERN_REG_CORE_QUEUE_START_COUNT 7u
// what queue q does (ro)
#define TERN_REG_CORE_QUEUE_STATUS 0x0010u
#define TERN_REG_CORE_QUEUE_STATUS_STRIDE 0x100u
#define TERN_REG_CORE_QUEUE_STATUS_COUNT 7u
#define TERN_REG_CORE_QUEUE_STATUS_IDLE 0u
#define TERN_REG_CORE_QUEUE_STATUS_RUNNING 1u
#define TERN_REG_CORE_QUEUE_STATUS_HALTED 2u
#define TERN_REG_CORE_QUEUE_STATUS_ERROR 3u
#define TERN_REG_CORE_QUEUE_STATUS_STOPPING 4u
// index of the instruction in execution (ro)
#define TERN_REG_CORE_QUEUE_PC 0x0014u
#define TERN_REG_CORE_QUEUE_PC_STRIDE 0x100u
#define TERN_REG_CORE_QUEUE_PC_COUNT 7u
// what queue q waits for (ro)
#define TERN_REG_CORE_QUEUE_WAIT 0x0018u
#define TERN_REG_CORE_QUEUE_WAIT_STRIDE 0x100u
#define TERN_REG_CORE_QUEUE_WAIT_COUNT 7u
#define TERN_REG_CORE_QUEUE_WAIT_SEMAPHORE_LSB 0u
#define TERN_REG_CORE_QUEUE_WAIT_SEMAPHORE_WIDTH 8u
#define TERN_REG_CORE_QUEUE_WAIT_SEMAPHORE_MASK 0xffu
#define TERN_REG_CORE_QUEUE_WAIT_CONDITION_LSB 8u
#define TERN_REG_CORE_QUEUE_WAIT_CONDITION_WIDTH 3u
#define TERN_REG_CORE_QUEUE_WAIT_CONDITION_MASK 0x700u
// value that queue q compares the semaphore or event with, registers added (ro)
#define TERN_REG_CORE_QUEUE_WAIT_VALUE 0x001cu
#define TERN_REG_CORE_QUEUE_WAIT_VALUE_STRIDE 0x100u
#define TERN_REG_CORE_QUEUE_WAIT_VALUE_COUNT 7u
// instructions queue q has executed since its start, modulo 2^32 (ro)
#define TERN_REG_CORE_QUEUE_EXECUTED 0x0020u
#define TERN_REG_CORE_QUEUE_EXECUTED_STRIDE 0x100u
#define TERN_REG_CORE_QUEUE_EXECUTED_COUNT 7u
// 1 stops queue q: what it has issued still ends, but changes no semaphore and no event and reports no error; then it is idle (wo)
#define TERN_REG_CORE_QUEUE_RESET 0x0024u
#define TERN_REG_CORE_QUEUE_RESET_STRIDE 0x100u
#define TERN_REG_CORE_QUEUE_RESET_COUNT 7u
// what the core does (ro)
#define TERN_REG_CORE_CORE_STATUS 0x0800u
#define TERN_REG_CORE_CORE_STATUS_RUNNING_LSB 0u
#define TERN_REG_CORE_CORE_STATUS_RUNNING_WIDTH 1u
#define TERN_REG_CORE_CORE_STATUS_RUNNING_MASK 0x1u
#define TERN_REG_CORE_CORE_STATUS_DONE_LSB 1u
#define TERN_REG_CORE_CORE_STATUS_DONE_WIDTH 1u
#define TERN_REG_CORE_CORE_STATUS_DONE_MASK 0x2u
#define TERN_REG_CORE_CORE_STATUS_ERROR_LSB 2u
#define TERN_REG_CORE_CORE_STATUS_ERROR_WIDTH 1u
#define TERN_REG_CORE_CORE_STATUS_ERROR_MASK 0x4u
#define TERN_REG_CORE_CORE_STATUS_STALLED_LSB 3u
#define TERN_REG_CORE_CORE_STATUS_STALLED_WIDTH 1u
#define TERN_REG_CORE_CORE_STATUS_STALLED_MASK 0x8u
#define TERN_REG_CORE_CORE_STATUS_RESETTING_LSB 4u
#define TERN_REG_CORE_CORE_STATUS_RESETTING_WIDTH 1u
#define TERN_REG_CORE_CORE_STATUS_RESETTING_MASK 0x10u
#define TERN_REG_CORE_CORE_STATUS_HELD_LSB 5u
#define TERN_REG_CORE_CORE_STATUS_HELD_WIDTH 1u
#define TERN_REG_CORE_CORE_STATUS_HELD_MASK 0x20u
// 1 clears done and error and lowers the interrupt (wo)
#define TERN_REG_CORE_IRQ_CLEAR 0x0804u
// 1 resets the core: stops all queues, aborts all rings and, once nothing is under way, clears semaphores, events and errors; SBUF and PSUM keep their contents (wo)
#define TERN_REG_CORE_CORE_RESET 0x0808u
// first error: code (docs/reference/isa.md) (ro)
#define TERN_REG_CORE_ERROR_CODE 0x0810u
// first error: queue 0..6, or dma + the number of the DMA engine (ro)
#define TERN_REG_CORE_ERROR_QUEUE 0x0814u
#define TERN_REG_CORE_ERROR_QUEUE_DMA 16u
// first error: instruction index, or ring of a DMA engine (ro)
#define TERN_REG_CORE_ERROR_INDEX 0x0818u
// first error: detail, by code (ro)
#define TERN_REG_CORE_ERROR_DETAIL 0x081cu
// error custom_op: the processor, 0..7 (ro)
#define TERN_REG_CORE_ERROR_PROCESSOR 0x0820u
// error custom_op: program_fault (docs/reference/isa.md) (ro)
#define TERN_REG_CORE_ERROR_REASON 0x0824u
// error custom_op: the address or value that belongs to the reason; dma_index, or bad_access_pattern of an index of a gather on chip: the index; else 0 (ro)
#define TERN_REG_CORE_ERROR_VALUE 0x0828u
// address of the queue for notifications of type t (docs/reference/mgmt.md); to be written while it is off (rw)
#define TERN_REG_CORE_NOTIFY_BASE 0x0900u
#define TERN_REG_CORE_NOTIFY_BASE_STRIDE 0x20u
#define TERN_REG_CORE_NOTIFY_BASE_COUNT 3u
#define TERN_REG_CORE_NOTIFY_BASE_ALIGNMENT 64u
// its entries of 16 bytes; 0: off. Writing it empties the queue (rw)
#define TERN_REG_CORE_NOTIFY_SIZE 0x0908u
#define TERN_REG_CORE_NOTIFY_SIZE_STRIDE 0x20u
#define TERN_REG_CORE_NOTIFY_SIZE_COUNT 3u
// entries that software has taken since then, modulo 2^32 (rw)
#define TERN_REG_CORE_NOTIFY_HEAD 0x090cu
#define TERN_REG_CORE_NOTIFY_HEAD_STRIDE 0x20u
#define TERN_REG_CORE_NOTIFY_HEAD_COUNT 3u
// entries written since then, modulo 2^32 (ro)
#define TERN_REG_CORE_NOTIFY_TAIL 0x0910u
#define TERN_REG_CORE_NOTIFY_TAIL_STRIDE 0x20u
#define TERN_REG_CORE_NOTIFY_TAIL_COUNT 3u
// notifications since then that found the queue full, or its memory out of reach (ro)
#define TERN_REG_CORE_NOTIFY_LOST 0x0914u
#define TERN_REG_CORE_NOTIFY_LOST_STRIDE 0x20u
#define TERN_REG_CORE_NOTIFY_LOST_COUNT 3u
// bit t: the core's interrupt is up while queue t has entries that software has not taken (rw)
#define TERN_REG_CORE_NOTIFY_IRQ 0x0960u
#define TERN_REG_CORE_NOTIFY_IRQ_BITS 3u
#define TERN_REG_CORE_NOTIFY_IRQ_MASK 0x7u
// bit r: packets of ring r of every DMA engine are notified (rw)
#define TERN_REG_CORE_NOTIFY_RINGS 0x0964u
#define TERN_REG_CORE_NOTIFY_RINGS_BITS 16u
#define TERN_REG_CORE_NOTIFY_RINGS_MASK 0xffffu
#define TERN_REG_CORE_NOTIFY_RINGS_RESET 0xffffu
// value of semaphore i (ro)
#define TERN_REG_CORE_SEMAPHORE_READ 0x1000u
#define TERN_REG_CORE_SEMAPHORE_READ_STRIDE 0x4u
#define TERN_REG_CORE_SEMAPHORE_READ_COUNT 256u
// semaphore i = data (wo)
#define TERN_REG_CORE_SEMAPHORE_SET 0x1400u
#define TERN_REG_CORE_SEMAPHORE_SET_STRIDE 0x4u
#define TERN_REG_CORE_SEMAPHORE_SET_COUNT 256u
// semaphore i += data (wo)
#define TERN_REG_CORE_SEMAPHORE_INC 0x1800u
#define TERN_REG_CORE_SEMAPHORE_INC_STRIDE 0x4u
#define TERN_REG_CORE_SEMAPHORE_INC_COUNT 256u
// semaphore i -= data (wo)
#define TERN_REG_CORE_SEMAPHORE_DEC 0x1c00u
#define TERN_REG_CORE_SEMAPHORE_DEC_STRIDE 0x4u
#define TERN_REG_CORE_SEMAPHORE_DEC_COUNT 256u
// event i (ro)
#define TERN_REG_CORE_EVENT_READ 0x2000u
#define TERN_REG_CORE_EVENT_READ_STRIDE 0x4u
#define TERN_REG_CORE_EVENT_READ_COUNT 256u
#define TERN_REG_CORE_EVENT_READ_BITS 1u
#define TERN_REG_CORE_EVENT_READ_MASK 0x1u
// 1 sets event i; refused if it is set (wo)
#define TERN_REG_CORE_EVENT_SET 0x2400u
#define TERN_REG_CORE_EVENT_SET_STRIDE 0x4u
#define TERN_REG_CORE_EVENT_SET_COUNT 256u
#define TERN_REG_CORE_EVENT_SET_BITS 1u
#define TERN_REG_CORE_EVENT_SET_MASK 0x1u
// 1 clears event i; refused if it is clear (wo)
#define TERN_REG_CORE_EVENT_CLEAR 0x2800u
#define TERN_REG_CORE_EVENT_CLEAR_STRIDE 0x4u
#define TERN_REG_CORE_EVENT_CLEAR_COUNT 256u
#define TERN_REG_CORE_EVENT_CLEAR_BITS 1u
#define TERN_REG_CORE_EVENT_CLEAR_MASK 0x1u
// source descriptors of ring r (rw)
#define TERN_REG_DMA_RING_TX_BASE 0x0000u
#define TERN_REG_DMA_RING_TX_BASE_STRIDE 0x40u
#define TERN_REG_DMA_RING_TX_BASE_COUNT 16u
#define TERN_REG_DMA_RING_TX_BASE_ALIGNMENT 256u
// destination descriptors of ring r (rw)
#define TERN_REG_DMA_RING_RX_BASE 0x0008u
#define TERN_REG_DMA_RING_RX_BASE_STRIDE 0x40u
#define TERN_REG_DMA_RING_RX_BASE_COUNT 16u
#define TERN_REG_DMA_RING_RX_BASE_ALIGNMENT 256u
// descriptors in each of the two rings; writing it restarts the ring empty and clears its error (rw)
#define TERN_REG_DMA_RING_SIZE 0x0010u
#define TERN_REG_DMA_RING_SIZE_STRIDE 0x40u
#define TERN_REG_DMA_RING_SIZE_COUNT 16u
#define TERN_REG_DMA_RING_SIZE_BITS 24u
#define TERN_REG_DMA_RING_SIZE_MASK 0xffffffu
#define TERN_REG_DMA_RING_SIZE_MIN 32u
#define TERN_REG_DMA_RING_SIZE_STEP 16u
#define TERN_REG_DMA_RING_SIZE_MAX 16777200u
// doorbell: this many more descriptor pairs may be processed (wo)
#define TERN_REG_DMA_RING_TAIL 0x0014u
#define TERN_REG_DMA_RING_TAIL_STRIDE 0x40u
#define TERN_REG_DMA_RING_TAIL_COUNT 16u
// descriptor pairs processed since the ring was set up (ro)
#define TERN_REG_DMA_RING_HEAD 0x0018u
#define TERN_REG_DMA_RING_HEAD_STRIDE 0x40u
#define TERN_REG_DMA_RING_HEAD_COUNT 16u
// what ring r does (ro)
#define TERN_REG_DMA_RING_STATUS 0x001cu
#define TERN_REG_DMA_RING_STATUS_STRIDE 0x40u
#define TERN_REG_DMA_RING_STATUS_COUNT 16u
#define TERN_REG_DMA_RING_STATUS_IDLE 0u
#define TERN_REG_DMA_RING_STATUS_ACTIVE 1u
#define TERN_REG_DMA_RING_STATUS_STOPPED 3u
#define TERN_REG_DMA_RING_STATUS_ABORTED 4u
// descriptor pairs released by doorbells since the ring was set up (ro)
#define TERN_REG_DMA_RING_RELEASED 0x0020u
#define TERN_REG_DMA_RING_RELEASED_STRIDE 0x40u
#define TERN_REG_DMA_RING_RELEASED_COUNT 16u
// class of service of ring r: 0 (most urgent) .. 3 (rw)
#define TERN_REG_DMA_RING_CLASS 0x0024u
#define TERN_REG_DMA_RING_CLASS_STRIDE 0x40u
#define TERN_REG_DMA_RING_CLASS_COUNT 16u
#define TERN_REG_DMA_RING_CLASS_BITS 2u
#define TERN_REG_DMA_RING_CLASS_MASK 0x3u
#define TERN_REG_DMA_RING_CLASS_RESET 0x3u
// why the ring stopped: dma_fault (docs/reference/isa.md) (ro)
#define TERN_REG_DMA_RING_FAULT 0x0028u
#define TERN_REG_DMA_RING_FAULT_STRIDE 0x40u
#define TERN_REG_DMA_RING_FAULT_COUNT 16u
#define TERN_REG_DMA_RING_FAULT_BITS 5u
#define TERN_REG_DMA_RING_FAULT_MASK 0x1fu
// the descriptor concerned, its position in the ring (ro)
#define TERN_REG_DMA_RING_FAULT_INDEX 0x002cu
#define TERN_REG_DMA_RING_FAULT_INDEX_STRIDE 0x40u
#define TERN_REG_DMA_RING_FAULT_INDEX_COUNT 16u
#define TERN_REG_DMA_RING_FAULT_INDEX_BITS 24u
#define TERN_REG_DMA_RING_FAULT_INDEX_MASK 0xffffffu
// the address concerned (faults read, write, ecc), else 0 (ro)
#define TERN_REG_DMA_RING_FAULT_ADDRESS 0x0030u
#define TERN_REG_DMA_RING_FAULT_ADDRESS_STRIDE 0x40u
#define TERN_REG_DMA_RING_FAULT_ADDRESS_COUNT 16u
// CRC-32C of the newest packet of the ring that requested it (ro)
#define TERN_REG_DMA_RING_CRC 0x0038u
#define TERN_REG_DMA_RING_CRC_STRIDE 0x40u
#define TERN_REG_DMA_RING_CRC_COUNT 16u
// 1 aborts the ring: nothing of it is written any more (wo)
#define TERN_REG_DMA_RING_ABORT 0x003cu
#define TERN_REG_DMA_RING_ABORT_STRIDE 0x40u
#define TERN_REG_DMA_RING_ABORT_COUNT 16u
// what the engine does (ro)
#define TERN_REG_DMA_ENGINE_STATE 0x0400u
#define TERN_REG_DMA_ENGINE_STATE_IDLE 1u
#define TERN_REG_DMA_ENGINE_STATE_NORMAL 2u
// qos_policy (docs/reference/isa.md) (rw)
#define TERN_REG_DMA_QOS_POLICY 0x0408u
#define TERN_REG_DMA_QOS_POLICY_BITS 2u
#define TERN_REG_DMA_QOS_POLICY_MASK 0x3u
// share of class c in 1/256 byte per cycle of the engine (rw)
#define TERN_REG_DMA_QOS_RATE 0x0410u
#define TERN_REG_DMA_QOS_RATE_STRIDE 0x4u
#define TERN_REG_DMA_QOS_RATE_COUNT 4u
#define TERN_REG_DMA_QOS_RATE_BITS 16u
#define TERN_REG_DMA_QOS_RATE_MASK 0xffffu
// depth of its token bucket in bytes (rw)
#define TERN_REG_DMA_QOS_DEPTH 0x0420u
#define TERN_REG_DMA_QOS_DEPTH_STRIDE 0x4u
#define TERN_REG_DMA_QOS_DEPTH_COUNT 4u
#define TERN_REG_DMA_QOS_DEPTH_BITS 20u
#define TERN_REG_DMA_QOS_DEPTH_MASK 0xfffffu
// number of the processor, 0..7 (ro)
#define TERN_REG_GPSIMD_PROCESSOR 0x0000u
// bytes of a partition that it reaches (ro)
#define TERN_REG_GPSIMD_PARTITION_BYTES 0x0004u
// cycles since its start, without the instruction that reads it. Reading the low word latches the high one (ro)
#define TERN_REG_GPSIMD_CYCLE 0x0008u
// a character of its log; 10 ends the line (wo)
#define TERN_REG_GPSIMD_LOG 0x0010u
// ends the program; anything but 0 is an error (wo)
#define TERN_REG_GPSIMD_EXIT 0x0014u
// argument i of the instruction (ro)
#define TERN_REG_GPSIMD_ARGUMENT 0x0020u
#define TERN_REG_GPSIMD_ARGUMENT_STRIDE 0x4u
#define TERN_REG_GPSIMD_ARGUMENT_COUNT 8u
// 'TERN' (ro)
#define TERN_REG_CHIP_CHIP_ID 0x0000u
#define TERN_REG_CHIP_CHIP_ID_RESET 0x5445524eu
// NeuronCores (ro)
#define TERN_REG_CHIP_CORE_COUNT 0x0004u
// HBM stacks (ro)
#define TERN_REG_CHIP_HBM_STACKS 0x0008u
// capacity of one stack in MiB (ro)
#define TERN_REG_CHIP_HBM_STACK_MIB 0x000cu
// bit n: core n is done or in error (ro)
#define TERN_REG_CHIP_IRQ_STATUS 0x0010u
// writing bit n resets core n as its own core_reset does; bit n reads 1 until that has ended (rw)
#define TERN_REG_CHIP_CORE_RESET 0x0014u
// bit n: the management core holds core n in reset (ro)
#define TERN_REG_CHIP_CORE_HELD 0x0018u
// bit s: HBM stack s is trained; accesses to others are refused as addresses that do not exist (ro)
#define TERN_REG_CHIP_HBM_READY 0x001cu
// bursts of stack s whose wrong bit was corrected, by reads, partial writes or the scrubber; a write sets it to 0 (rw)
#define TERN_REG_CHIP_HBM_CORRECTED 0x0100u
#define TERN_REG_CHIP_HBM_CORRECTED_STRIDE 0x4u
#define TERN_REG_CHIP_HBM_CORRECTED_COUNT 16u
// bursts of stack s found with more wrong bits than the code corrects; likewise (rw)
#define TERN_REG_CHIP_HBM_UNCORRECTABLE 0x0140u
#define TERN_REG_CHIP_HBM_UNCORRECTABLE_STRIDE 0x4u
#define TERN_REG_CHIP_HBM_UNCORRECTABLE_COUNT 16u
// system address of the newest of either (ro)
#define TERN_REG_CHIP_HBM_ERROR_ADDRESS 0x0180u
#define TERN_REG_CHIP_HBM_ERROR_ADDRESS_STRIDE 0x8u
#define TERN_REG_CHIP_HBM_ERROR_ADDRESS_COUNT 16u
// rate of the scrubber of stack s in MB/s, at most 10000; 0: it rests (rw)
#define TERN_REG_CHIP_HBM_SCRUB 0x0200u
#define TERN_REG_CHIP_HBM_SCRUB_STRIDE 0x4u
#define TERN_REG_CHIP_HBM_SCRUB_COUNT 16u
// bit n: a message interrupt of vector n to the host when the interrupt of core n rises; bit 63: vector 63, when a response of the mailbox is there (rw)
#define TERN_REG_CHIP_MSI_ENABLE 0x0020u
#define TERN_REG_CHIP_MSI_ENABLE_MAILBOX 63u
// phase (docs/reference/mgmt.md) that the management core's firmware has reported; this and the mailbox exist where the chip has one (ro)
#define TERN_REG_CHIP_FIRMWARE_PHASE 0x0030u
// errors that core n has reported, all and not only the first; a write sets it to 0 (rw)
#define TERN_REG_CHIP_CORE_ERRORS 0x0300u
#define TERN_REG_CHIP_CORE_ERRORS_STRIDE 0x4u
#define TERN_REG_CHIP_CORE_ERRORS_COUNT 64u
// word of the host's request (docs/reference/mailbox.md); bursts of words may go here (wo)
#define TERN_REG_CHIP_MAILBOX_REQUEST 0x1000u
#define TERN_REG_CHIP_MAILBOX_REQUEST_STRIDE 0x4u
#define TERN_REG_CHIP_MAILBOX_REQUEST_COUNT 256u
// word of the response; likewise (ro)
#define TERN_REG_CHIP_MAILBOX_RESPONSE 0x1400u
#define TERN_REG_CHIP_MAILBOX_RESPONSE_STRIDE 0x4u
#define TERN_REG_CHIP_MAILBOX_RESPONSE_COUNT 256u
// state of the mailbox (ro)
#define TERN_REG_CHIP_MAILBOX_STATUS 0x1800u
#define TERN_REG_CHIP_MAILBOX_STATUS_REQUEST_LSB 0u
#define TERN_REG_CHIP_MAILBOX_STATUS_REQUEST_WIDTH 1u
#define TERN_REG_CHIP_MAILBOX_STATUS_REQUEST_MASK 0x1u
#define TERN_REG_CHIP_MAILBOX_STATUS_RESPONSE_LSB 1u
#define TERN_REG_CHIP_MAILBOX_STATUS_RESPONSE_WIDTH 1u
#define TERN_REG_CHIP_MAILBOX_STATUS_RESPONSE_MASK 0x2u
// 1: the request is complete (wo)
#define TERN_REG_CHIP_MAILBOX_DOORBELL 0x1804u
// 1: the response has been read (wo)
#define TERN_REG_CHIP_MAILBOX_TAKE 0x1808u

// DMA descriptor
#define TERN_DESCRIPTOR_BYTES 16u
#define TERN_DESCRIPTOR_MAX_LENGTH 65536u
// bytes of one contiguous run, 0 means 64 KiB
#define TERN_DESC_LENGTH_WORD 0u
#define TERN_DESC_LENGTH_LSB 0u
#define TERN_DESC_LENGTH_WIDTH 16u
// phase: 1 on the first pass through the ring, then 2, 3, 0, 1 ...
#define TERN_DESC_RING_ID_WORD 0u
#define TERN_DESC_RING_ID_LSB 24u
#define TERN_DESC_RING_ID_WIDTH 2u
// first descriptor of a packet
#define TERN_DESC_FIRST_WORD 0u
#define TERN_DESC_FIRST_LSB 26u
#define TERN_DESC_FIRST_WIDTH 1u
// last descriptor of a packet
#define TERN_DESC_LAST_WORD 0u
#define TERN_DESC_LAST_LSB 27u
#define TERN_DESC_LAST_WIDTH 1u
// not modelled: must be 0
#define TERN_DESC_INT_EN_WORD 0u
#define TERN_DESC_INT_EN_LSB 28u
#define TERN_DESC_INT_EN_WIDTH 1u
// TX: barrier, the engine is empty and all its writes are complete before this pair is read
#define TERN_DESC_DMB_WORD 0u
#define TERN_DESC_DMB_LSB 30u
#define TERN_DESC_DMB_WIDTH 1u
// the whole word; its meaning: the fields below
#define TERN_DESC_META_WORD 1u
#define TERN_DESC_META_LSB 0u
#define TERN_DESC_META_WIDTH 32u
// TX: operation fma: the scale of this source (FP32); crc check: the expected value, in the packet's first pair; else 0
#define TERN_DESC_SCALE_WORD 1u
#define TERN_DESC_SCALE_LSB 0u
#define TERN_DESC_SCALE_WIDTH 32u
// RX, first pair of a packet: dma_op (docs/reference/isa.md); else 0
#define TERN_DESC_OP_WORD 1u
#define TERN_DESC_OP_LSB 0u
#define TERN_DESC_OP_WIDTH 4u
// RX, first pair: dma_dtype of the sources
#define TERN_DESC_SRC_DTYPE_WORD 1u
#define TERN_DESC_SRC_DTYPE_LSB 4u
#define TERN_DESC_SRC_DTYPE_WIDTH 4u
// RX, first pair: dma_dtype of the destination
#define TERN_DESC_DST_DTYPE_WORD 1u
#define TERN_DESC_DST_DTYPE_LSB 8u
#define TERN_DESC_DST_DTYPE_WIDTH 4u
// RX, first pair of a copy: 0 none, 1 keep the packet's CRC-32C in ring_crc, 2 keep and check it
#define TERN_DESC_CRC_WORD 1u
#define TERN_DESC_CRC_LSB 12u
#define TERN_DESC_CRC_WIDTH 2u
// RX: pattern slots that follow this pair in both rings: 0 .. 2
#define TERN_DESC_EXT_WORD 1u
#define TERN_DESC_EXT_LSB 16u
#define TERN_DESC_EXT_WIDTH 2u
// RX: dma_write_op: what the memory does with the bytes
#define TERN_DESC_WRITE_OP_WORD 1u
#define TERN_DESC_WRITE_OP_LSB 20u
#define TERN_DESC_WRITE_OP_WIDTH 2u
// system address of the buffer; TX of operation immediate: the value
#define TERN_DESC_ADDRESS_WORD 2u
#define TERN_DESC_ADDRESS_LSB 0u
#define TERN_DESC_ADDRESS_WIDTH 64u
// pattern slot: repetitions of all below in its first dimension
#define TERN_DESC_COUNT0_WORD 1u
#define TERN_DESC_COUNT0_LSB 0u
#define TERN_DESC_COUNT0_WIDTH 16u
// pattern slot: repetitions in its second dimension
#define TERN_DESC_COUNT1_WORD 1u
#define TERN_DESC_COUNT1_LSB 16u
#define TERN_DESC_COUNT1_WIDTH 16u
// pattern slot: distance in bytes of the first dimension, signed
#define TERN_DESC_STRIDE0_WORD 2u
#define TERN_DESC_STRIDE0_LSB 0u
#define TERN_DESC_STRIDE0_WIDTH 32u
// pattern slot: distance in bytes of the second dimension, signed
#define TERN_DESC_STRIDE1_WORD 3u
#define TERN_DESC_STRIDE1_LSB 0u
#define TERN_DESC_STRIDE1_WIDTH 32u
// Bits that are zero: of word 0; of word 1 as an operation
#define TERN_DESC_CONTROL_RESERVED 0xa0ff0000u
#define TERN_DESC_OPERATION_RESERVED 0xffccc000u

#endif
