// SPDX-License-Identifier: Apache-2.0
// Generated from docs/spec/address_map.yaml by tern_spec_gen: do not edit.
// Plain C11, also valid C++17.
#ifndef TERN_SPEC_ADDRESS_MAP_H
#define TERN_SPEC_ADDRESS_MAP_H

#include <stdint.h>

#define TERN_ADDR_RACK_LSB 56
#define TERN_ADDR_RACK_WIDTH 8
#define TERN_ADDR_SERVER_LSB 48
#define TERN_ADDR_SERVER_WIDTH 8
#define TERN_ADDR_CHIP_LSB 42
#define TERN_ADDR_CHIP_WIDTH 6
// HBM stack s; a window of 64 GiB each, of which the preset's capacity exists
#define TERN_HBM_BASE UINT64_C(0x0)
#define TERN_HBM_STRIDE UINT64_C(0x1000000000)
#define TERN_HBM_COUNT 16
// memory of the host, for the chip's DMA engines: bus address = offset
#define TERN_HOST_BASE UINT64_C(0x10000000000)
#define TERN_HOST_STRIDE UINT64_C(0x10000000000)
#define TERN_HOST_COUNT 1
// NeuronCore n
#define TERN_CORE_BASE UINT64_C(0x20000000000)
#define TERN_CORE_STRIDE UINT64_C(0x100000000)
#define TERN_CORE_COUNT 64
// chip registers
#define TERN_CHIP_REGS_BASE UINT64_C(0x30000000000)
#define TERN_CHIP_REGS_STRIDE UINT64_C(0x0)
#define TERN_CHIP_REGS_COUNT 1
// SBUF partition p
#define TERN_CORE_SBUF_BASE UINT64_C(0x0)
#define TERN_CORE_SBUF_STRIDE UINT64_C(0x40000)
#define TERN_CORE_SBUF_COUNT 128
// PSUM partition p: 8 banks x 2 KiB
#define TERN_CORE_PSUM_BASE UINT64_C(0x10000000)
#define TERN_CORE_PSUM_STRIDE UINT64_C(0x4000)
#define TERN_CORE_PSUM_COUNT 128
// queue, semaphore and error registers
#define TERN_CORE_REGS_BASE UINT64_C(0x20000000)
#define TERN_CORE_REGS_STRIDE UINT64_C(0x0)
#define TERN_CORE_REGS_COUNT 1
// registers of DMA engine e
#define TERN_CORE_DMA_BASE UINT64_C(0x30000000)
#define TERN_CORE_DMA_STRIDE UINT64_C(0x10000)
#define TERN_CORE_DMA_COUNT 16
// local memory: code, stack, data, heap
#define TERN_GPSIMD_LOCAL_BASE UINT64_C(0x10000)
#define TERN_GPSIMD_LOCAL_STRIDE UINT64_C(0x10000)
#define TERN_GPSIMD_LOCAL_COUNT 1
// its registers (registers.md, gpsimd)
#define TERN_GPSIMD_REGISTERS_BASE UINT64_C(0x10000000)
#define TERN_GPSIMD_REGISTERS_STRIDE UINT64_C(0x1000)
#define TERN_GPSIMD_REGISTERS_COUNT 1
// its partition i of SBUF = partition 16 * processor + i, whole pages of 4 KiB
#define TERN_GPSIMD_PARTITION_BASE UINT64_C(0x20000000)
#define TERN_GPSIMD_PARTITION_STRIDE UINT64_C(0x40000)
#define TERN_GPSIMD_PARTITION_COUNT 16
// reset vector
#define TERN_MGMT_BOOT_ROM_BASE UINT64_C(0x1000)
#define TERN_MGMT_BOOT_ROM_STRIDE UINT64_C(0xf000)
#define TERN_MGMT_BOOT_ROM_COUNT 1
// ends or restarts the machine (sifive_test)
#define TERN_MGMT_FINISHER_BASE UINT64_C(0x100000)
#define TERN_MGMT_FINISHER_STRIDE UINT64_C(0x1000)
#define TERN_MGMT_FINISHER_COUNT 1
// clock of the day (goldfish-rtc)
#define TERN_MGMT_RTC_BASE UINT64_C(0x101000)
#define TERN_MGMT_RTC_STRIDE UINT64_C(0x1000)
#define TERN_MGMT_RTC_COUNT 1
// software interrupts and timer of the harts
#define TERN_MGMT_CLINT_BASE UINT64_C(0x2000000)
#define TERN_MGMT_CLINT_STRIDE UINT64_C(0x10000)
#define TERN_MGMT_CLINT_COUNT 1
// interrupts of devices
#define TERN_MGMT_PLIC_BASE UINT64_C(0xc000000)
#define TERN_MGMT_PLIC_STRIDE UINT64_C(0x4000000)
#define TERN_MGMT_PLIC_COUNT 1
// serial port (16550)
#define TERN_MGMT_UART_BASE UINT64_C(0x10000000)
#define TERN_MGMT_UART_STRIDE UINT64_C(0x100)
#define TERN_MGMT_UART_COUNT 1
// fuses (mgmt.md, otp); from here to flash only where the board has a management domain
#define TERN_MGMT_OTP_BASE UINT64_C(0x18000000)
#define TERN_MGMT_OTP_STRIDE UINT64_C(0x1000)
#define TERN_MGMT_OTP_COUNT 1
// hash and signature engine (mgmt.md, crypto)
#define TERN_MGMT_CRYPTO_BASE UINT64_C(0x18001000)
#define TERN_MGMT_CRYPTO_STRIDE UINT64_C(0x1000)
#define TERN_MGMT_CRYPTO_COUNT 1
// commands of the flash (mgmt.md, flash)
#define TERN_MGMT_FLASH_CONTROL_BASE UINT64_C(0x18002000)
#define TERN_MGMT_FLASH_CONTROL_STRIDE UINT64_C(0x1000)
#define TERN_MGMT_FLASH_CONTROL_COUNT 1
// chip control: training, resets, errors (mgmt.md, control)
#define TERN_MGMT_CONTROL_BASE UINT64_C(0x18003000)
#define TERN_MGMT_CONTROL_STRIDE UINT64_C(0x1000)
#define TERN_MGMT_CONTROL_COUNT 1
// watchdog (mgmt.md, watchdog)
#define TERN_MGMT_WATCHDOG_BASE UINT64_C(0x18004000)
#define TERN_MGMT_WATCHDOG_STRIDE UINT64_C(0x1000)
#define TERN_MGMT_WATCHDOG_COUNT 1
// mailbox to the host (mgmt.md, mailbox)
#define TERN_MGMT_MAILBOX_BASE UINT64_C(0x18005000)
#define TERN_MGMT_MAILBOX_STRIDE UINT64_C(0x1000)
#define TERN_MGMT_MAILBOX_COUNT 1
// sensors (mgmt.md, sensors)
#define TERN_MGMT_SENSORS_BASE UINT64_C(0x18006000)
#define TERN_MGMT_SENSORS_STRIDE UINT64_C(0x1000)
#define TERN_MGMT_SENSORS_COUNT 1
// power level and its ramp (mgmt.md, power)
#define TERN_MGMT_POWER_BASE UINT64_C(0x18007000)
#define TERN_MGMT_POWER_STRIDE UINT64_C(0x1000)
#define TERN_MGMT_POWER_COUNT 1
// table for the board management controller (mgmt.md, bmc)
#define TERN_MGMT_BMC_BASE UINT64_C(0x18008000)
#define TERN_MGMT_BMC_STRIDE UINT64_C(0x1000)
#define TERN_MGMT_BMC_COUNT 1
// flash for reads
#define TERN_MGMT_FLASH_BASE UINT64_C(0x19000000)
#define TERN_MGMT_FLASH_STRIDE UINT64_C(0x1000000)
#define TERN_MGMT_FLASH_COUNT 1
// memory of the core, as much as is configured
#define TERN_MGMT_MEMORY_BASE UINT64_C(0x80000000)
#define TERN_MGMT_MEMORY_STRIDE UINT64_C(0x0)
#define TERN_MGMT_MEMORY_COUNT 1

#endif
