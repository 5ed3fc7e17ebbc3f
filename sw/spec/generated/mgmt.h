// SPDX-License-Identifier: Apache-2.0
// Generated from docs/spec/mgmt.yaml by tern_spec_gen: do not edit.
// Plain C11, also valid C++17.
#ifndef TERN_SPEC_MGMT_H
#define TERN_SPEC_MGMT_H

#include <stdint.h>

#include <assert.h>

// PLIC source of error class 0; class c has 16 + c
#define TERN_MGMT_IRQ_ERROR 0x10u
// PLIC source: first stage of the watchdog
#define TERN_MGMT_IRQ_WATCHDOG 0x18u
// PLIC source: a request waits, and its response has room
#define TERN_MGMT_IRQ_MAILBOX 0x19u
// training unit of HBM stack 0, up to 8 stacks
#define TERN_MGMT_UNIT_HBM 0x0u
// training unit of the link between the two dies
#define TERN_MGMT_UNIT_DIE 0x8u
// training unit of NeuronLink port 0, up to 16 ports
#define TERN_MGMT_UNIT_LINK 0x10u
// in ECC errors: SRAM of core 0; lower units are HBM stacks
#define TERN_MGMT_UNIT_SRAM 0x10u
// bytes that one erase clears
#define TERN_MGMT_FLASH_SECTOR 0x1000u
// bytes of an image slot: slot 0 (A) at flash offset 0, slot 1 (B) follows
#define TERN_MGMT_FLASH_SLOT 0x80000u
// flash offset of the boot data
#define TERN_MGMT_FLASH_DATA 0x100000u
// starts of a slot without success after which the other one is first
#define TERN_MGMT_BOOT_ATTEMPTS 0x3u
// size of the flash
#define TERN_MGMT_FLASH_BYTES 0x110000u
// upper half of a flash command
#define TERN_MGMT_FLASH_KEY 0xf1a50000u
// upper half of an OTP command
#define TERN_MGMT_OTP_KEY 0xf5e0000u
// fuse words 0..7: SHA-256 of the public key (X, Y)
#define TERN_MGMT_OTP_KEY_HASH 0x0u
// fuse words 8..9: the number of ones is the least security version that boots
#define TERN_MGMT_OTP_ROLLBACK 0x8u
// words of it
#define TERN_MGMT_OTP_ROLLBACK_WORDS 0x2u
// fuse word 10: bit 0: production, bit 1: returned, which no firmware boots on
#define TERN_MGMT_OTP_LIFE_CYCLE 0xau
// fuse words
#define TERN_MGMT_OTP_WORDS 0x10u
// the value that restarts the watchdog
#define TERN_MGMT_WATCHDOG_KEY 0x5afeu
// ticks of mtime in a second
#define TERN_MGMT_TIMEBASE_HZ 0x989680u
// bytes at the start of memory that belong to the boot ROM; no image is loaded there
#define TERN_MGMT_ROM_SCRATCH 0x20000u
// a request or a response with its header
#define TERN_MGMT_MAILBOX_BYTES 0x400u
// version of the mailbox protocol
#define TERN_MGMT_MAILBOX_VERSION 0x1u
// addresses in one read_registers
#define TERN_MGMT_MAILBOX_MOST_REGISTERS 0x64u
// 'TFW1'
#define TERN_MGMT_MANIFEST_MAGIC 0x31574654u
// format of the manifest
#define TERN_MGMT_MANIFEST_FORMAT 0x1u
// the signature covers these first bytes of the manifest
#define TERN_MGMT_MANIFEST_SIGNED 0xc0u
// 'TNBR'
#define TERN_MGMT_BOOT_RECORD_MAGIC 0x52424e54u
// 'TBMC'
#define TERN_MGMT_BMC_MAGIC 0x434d4254u
// version of the BMC table
#define TERN_MGMT_BMC_VERSION 0x1u
// newest errors that the firmware keeps
#define TERN_MGMT_ERROR_LOG_ENTRIES 0x40u

// of the boot, register phase
#define TERN_PHASE_RESET 0u  // nothing has run
#define TERN_PHASE_ROM 1u  // the boot ROM runs
#define TERN_PHASE_VERIFY 2u  // it checks an image
#define TERN_PHASE_RUNTIME 3u  // the firmware runs
#define TERN_PHASE_HBM 4u  // HBM training
#define TERN_PHASE_DIE 5u  // training of the link between the dies
#define TERN_PHASE_CORES 6u  // NeuronCores leave reset
#define TERN_PHASE_POWER 7u  // power ramps up
#define TERN_PHASE_READY 8u  // all units work
#define TERN_PHASE_DEGRADED 9u  // ready, but some unit has failed: health says which
#define TERN_PHASE_SHUTDOWN 10u  // no image boots: boot_error says why
#define TERN_PHASE_COUNT 11u

// why a slot was refused; one byte a slot in register boot_error. Classes only, as a verifier should not teach an attacker
#define TERN_BOOT_ERROR_NONE 0u  // accepted, or not tried
#define TERN_BOOT_ERROR_EMPTY 1u  // no manifest is there
#define TERN_BOOT_ERROR_FORMAT 2u  // lengths, addresses or versions that cannot be
#define TERN_BOOT_ERROR_KEY 3u  // a key that is not that of the fuses
#define TERN_BOOT_ERROR_SIGNATURE 4u  // manifest or payload do not belong to the signature
#define TERN_BOOT_ERROR_ROLLBACK 5u  // older than the fuses allow
#define TERN_BOOT_ERROR_LIFE_CYCLE 6u  // the part is marked as returned
#define TERN_BOOT_ERROR_ENGINE 7u  // the crypto engine did not answer
#define TERN_BOOT_ERROR_ATTEMPTS 8u  // verified, but boot_attempts starts did not come to the end of the bring-up: tried last
#define TERN_BOOT_ERROR_COUNT 9u

// register reset_cause
#define TERN_RESET_CAUSE_POWER_ON 0u  // power on, or a debugger
#define TERN_RESET_CAUSE_SOFTWARE 1u  // the finisher
#define TERN_RESET_CAUSE_WATCHDOG 2u  // second stage of the watchdog
#define TERN_RESET_CAUSE_COUNT 3u

// status of a training unit
#define TERN_TRAINING_ABSENT 0u  // the chip has no such unit
#define TERN_TRAINING_IDLE 1u  // not trained since reset
#define TERN_TRAINING_BUSY 2u  // in training
#define TERN_TRAINING_PASSED 3u  // trained; training_margin holds
#define TERN_TRAINING_FAILED 4u  // the newest attempt failed
#define TERN_TRAINING_COUNT 5u

// classes of errors; NRT: the status code that AWS's runtime reports for it
#define TERN_ERROR_CLASS_ECC_CORRECTED 0u  // a bit was corrected; counted, nothing is lost (no NRT code)
#define TERN_ERROR_CLASS_ECC_UNCORRECTABLE 1u  // data are lost; the HBM stack or core is unhealthy (NRT 1201 HBM, 1202 SRAM)
#define TERN_ERROR_CLASS_ECC_REPAIRABLE 2u  // data are lost, a spare row is left: repair at the next reset (NRT 1205)
#define TERN_ERROR_CLASS_DMA_ABORT 3u  // a DMA engine stopped; its core needs a reset (NRT 1203)
#define TERN_ERROR_CLASS_SEMAPHORE_OVERFLOW 4u  // a semaphore left its range; its core needs a reset (NRT 1004, by our choice)
#define TERN_ERROR_CLASS_SEQUENCER_FATAL 5u  // a queue cannot continue; its core needs a reset (NRT 1202, by our choice)
#define TERN_ERROR_CLASS_HANG 6u  // no progress: of a core (NRT 5, of a collective operation 1200), or unit 0xffff: of the firmware, by the watchdog
#define TERN_ERROR_CLASS_COUNT 7u

// of a mailbox request
#define TERN_COMMAND_GET_VERSION 1u  // -> u32 protocol, u32 firmware version, u32 security version, u32 slot
#define TERN_COMMAND_GET_STATUS 2u  // -> status_reply
#define TERN_COMMAND_READ_REGISTERS 3u  // u32 addresses[1..100] -> u32 values[]; words of otp, control, sensors and power
#define TERN_COMMAND_GET_COUNTERS 4u  // -> u32 counts[7], by error_class
#define TERN_COMMAND_GET_LOG 5u  // u32 first -> error_entry[], the oldest kept entry at or after number first; at most 31
#define TERN_COMMAND_CLEAR_ERRORS 6u  // u32 classes, a bit each -> nothing; counters of these classes become 0
#define TERN_COMMAND_GET_SENSORS 7u  // -> sensor_reading[]
#define TERN_COMMAND_SET_POWER_LIMIT 8u  // u32 permille, 100..1000 -> nothing
#define TERN_COMMAND_RESET_CORES 9u  // u32 cores, a bit each -> u32 ready; ends their error state
#define TERN_COMMAND_GET_TRAINING 10u  // -> training_reply[], of the units that exist
#define TERN_COMMAND_TRAIN_LINKS 11u  // u32 ports, a bit each -> u32 passed; trains NeuronLink ports
#define TERN_COMMAND_COUNT 11u

// of a mailbox response
#define TERN_MAILBOX_STATUS_OK 0u  // done
#define TERN_MAILBOX_STATUS_FAILED 1u  // the command could not be done
#define TERN_MAILBOX_STATUS_UNKNOWN 2u  // no such command; do not retry
#define TERN_MAILBOX_STATUS_CRC 3u  // the CRC does not belong to the request; retry
#define TERN_MAILBOX_STATUS_SIZE 4u  // the size does not belong to the command, or to the buffer
#define TERN_MAILBOX_STATUS_ARGUMENT 5u  // a value that is not allowed
#define TERN_MAILBOX_STATUS_COUNT 6u

// types of notifications of a core, each with a queue of its own
#define TERN_NOTIFICATION_ERROR 0u  // a queue or a DMA ring has reported an error
#define TERN_NOTIFICATION_DONE 1u  // a queue has halted
#define TERN_NOTIFICATION_PACKET 2u  // a DMA ring has completed a packet
#define TERN_NOTIFICATION_COUNT 3u

// what a sensor measures, and its unit
#define TERN_SENSOR_KIND_TEMPERATURE 1u  // millidegrees Celsius
#define TERN_SENSOR_KIND_POWER 2u  // milliwatts
#define TERN_SENSOR_KIND_VOLTAGE 3u  // millivolts
#define TERN_SENSOR_KIND_COUNT 3u

// register status of the crypto engine
#define TERN_CRYPTO_STATUS_IDLE 0u  // no command since reset
#define TERN_CRYPTO_STATUS_BUSY 1u  // it computes
#define TERN_CRYPTO_STATUS_DONE 2u  // the result is there
#define TERN_CRYPTO_STATUS_ERROR 3u  // the command, the length or the address was refused
#define TERN_CRYPTO_STATUS_COUNT 4u

// the first bytes of an image; the payload follows. Numbers of the key and of the signature are big endian
#define TERN_MANIFEST_BYTES 256u
struct tern_manifest {
  uint32_t magic;  // 0: manifest_magic
  uint32_t format;  // 4: manifest_format
  uint32_t length;  // 8: bytes of the payload, a multiple of 8
  uint32_t security_version;  // 12: at least the rollback fuses, at most 64
  uint32_t version;  // 16: major << 24, minor << 16, patch
  uint32_t flags;  // 20: 0
  uint64_t load_address;  // 24: where the payload goes, a multiple of 8, after rom_scratch
  uint64_t entry;  // 32: inside the payload, a multiple of 4
  uint8_t reserved[24];  // 40: 0
  uint8_t digest[32];  // 64: SHA-256 of the payload
  uint8_t name[32];  // 96: text, padded with 0
  uint8_t public_key[64];  // 128: ECDSA P-256: X, Y
  uint8_t signature[64];  // 192: R, S of SHA-256 of the first manifest_signed bytes
};
static_assert(sizeof(struct tern_manifest) == TERN_MANIFEST_BYTES, "manifest");

// in the flash at flash_data: starts of images, as bits that are cleared from bit 0 up
#define TERN_BOOT_DATA_BYTES 16u
struct tern_boot_data {
  uint32_t tries[2];  // 0: of slot A, B: a bit for each start
  uint32_t good[2];  // 8: likewise: a bit for each start that came to the end of the bring-up
};
static_assert(sizeof(struct tern_boot_data) == TERN_BOOT_DATA_BYTES, "boot_data");

// at the start of memory: what the boot ROM hands over to the firmware
#define TERN_BOOT_RECORD_BYTES 64u
struct tern_boot_record {
  uint32_t magic;  // 0: boot_record_magic
  uint32_t slot;  // 4: 0 A, 1 B
  uint32_t security_version;  // 8: of the image
  uint32_t version;  // 12: of the image
  uint32_t errors;  // 16: register boot_error
  uint32_t reset_cause;  // 20: reset_cause
  uint64_t rom_ticks;  // 24: mtime at the start of the ROM
  uint64_t verify_ticks;  // 32: mtime at the start of the verification
  uint8_t reserved[24];  // 40: 0
};
static_assert(sizeof(struct tern_boot_record) == TERN_BOOT_RECORD_BYTES, "boot_record");

// of requests and responses
#define TERN_MAILBOX_HEADER_BYTES 8u
struct tern_mailbox_header {
  uint8_t sequence;  // 0: 1..255, chosen by the host; the response repeats it
  uint8_t code;  // 1: command of a request, mailbox_status of a response
  uint16_t size;  // 2: bytes of the payload
  uint32_t crc;  // 4: CRC-32C of header and payload, this field as 0
};
static_assert(sizeof(struct tern_mailbox_header) == TERN_MAILBOX_HEADER_BYTES, "mailbox_header");

// answer of get_status
#define TERN_STATUS_REPLY_BYTES 40u
struct tern_status_reply {
  uint32_t phase;  // 0: phase
  uint32_t heartbeat;  // 4: counts up each millisecond
  uint64_t uptime_us;  // 8: since reset
  uint32_t boot_error;  // 16: register boot_error
  uint32_t reset_cause;  // 20: reset_cause
  uint32_t cores_ready;  // 24: a bit for each core
  uint32_t cores_bad;  // 28: a bit for each core with an error since its reset
  uint32_t hbm_bad;  // 32: bit s: HBM stack s failed its training or lost data; bit 16 + s: repair pending
  uint32_t link_bad;  // 36: bit 0: the link between the dies
};
static_assert(sizeof(struct tern_status_reply) == TERN_STATUS_REPLY_BYTES, "status_reply");

// an error in the firmware's log
#define TERN_ERROR_ENTRY_BYTES 32u
struct tern_error_entry {
  uint32_t number;  // 0: counts up from 0 since reset
  uint16_t error;  // 4: error_class
  uint16_t unit;  // 6: HBM stack, unit_sram + core, core, or 0xffff
  uint64_t time_us;  // 8: since reset, when the firmware took it
  uint64_t address;  // 16: where, or a detail
  uint32_t count;  // 24: errors that arrived together
  uint32_t reserved;  // 28: 0
};
static_assert(sizeof(struct tern_error_entry) == TERN_ERROR_ENTRY_BYTES, "error_entry");

// an entry of a notification queue of a core
#define TERN_NOTIFICATION_BYTES 16u
struct tern_notification {
  uint8_t type;  // 0: notification
  uint8_t pass;  // 1: 1 on the first pass through the queue, then 0, 1, ...: a reader of memory sees that the entry is new
  uint8_t queue;  // 2: queue 0..4, or 16 + DMA engine
  uint8_t code;  // 3: error: its code (docs/reference/isa.md); else 0
  uint32_t index;  // 4: instruction, or ring of a DMA engine
  uint32_t detail;  // 8: error: its detail; packet: its bytes
  uint32_t time_ns;  // 12: when it happened: simulated nanoseconds modulo 2^32
};
static_assert(sizeof(struct tern_notification) == TERN_NOTIFICATION_BYTES, "notification");

// of a mailbox response and of the BMC table
#define TERN_SENSOR_READING_BYTES 16u
struct tern_sensor_reading {
  uint16_t id;  // 0: number of the sensor
  uint16_t kind;  // 2: sensor_kind
  int32_t value;  // 4: in the unit of its kind
  int32_t low;  // 8: lower limit
  int32_t high;  // 12: upper limit
};
static_assert(sizeof(struct tern_sensor_reading) == TERN_SENSOR_READING_BYTES, "sensor_reading");

// a unit in the answer of get_training
#define TERN_TRAINING_REPLY_BYTES 8u
struct tern_training_reply {
  uint8_t unit;  // 0: training unit
  uint8_t status;  // 1: training
  uint16_t attempts;  // 2: since reset
  uint32_t margin;  // 4: permille of the unit interval
};
static_assert(sizeof(struct tern_training_reply) == TERN_TRAINING_REPLY_BYTES, "training_reply");

// at the start of the BMC table; sensor_readings follow
#define TERN_BMC_HEADER_BYTES 80u
struct tern_bmc_header {
  uint32_t magic;  // 0: bmc_magic
  uint32_t version;  // 4: bmc_version
  uint32_t generation;  // 8: odd while the firmware writes; a reader takes the table between two equal, even values
  uint32_t sensors;  // 12: sensor_readings that follow
  uint32_t phase;  // 16: phase
  uint32_t heartbeat;  // 20: as in get_status
  uint64_t uptime_us;  // 24: since reset
  uint32_t boot_error;  // 32: register boot_error
  uint32_t cores_ready;  // 36: a bit for each core
  uint32_t cores_bad;  // 40: as in get_status
  uint32_t hbm_bad;  // 44: as in get_status
  uint32_t link_bad;  // 48: as in get_status
  uint32_t counts[7];  // 52: errors by error_class
};
static_assert(sizeof(struct tern_bmc_header) == TERN_BMC_HEADER_BYTES, "bmc_header");

// fuse word i (ro)
#define TERN_REG_OTP_FUSE 0x0000u
#define TERN_REG_OTP_FUSE_STRIDE 0x4u
#define TERN_REG_OTP_FUSE_COUNT 16u
// the word that a command burns (rw)
#define TERN_REG_OTP_WORD 0x0080u
#define TERN_REG_OTP_WORD_BITS 4u
#define TERN_REG_OTP_WORD_MASK 0xfu
// its bits that become 1; the others stay (rw)
#define TERN_REG_OTP_VALUE 0x0084u
// otp_key | 1 burns; anything else, and a command while busy or locked, sets error (wo)
#define TERN_REG_OTP_COMMAND 0x0088u
// state (ro)
#define TERN_REG_OTP_STATUS 0x008cu
#define TERN_REG_OTP_STATUS_BUSY_LSB 0u
#define TERN_REG_OTP_STATUS_BUSY_WIDTH 1u
#define TERN_REG_OTP_STATUS_BUSY_MASK 0x1u
#define TERN_REG_OTP_STATUS_ERROR_LSB 1u
#define TERN_REG_OTP_STATUS_ERROR_WIDTH 1u
#define TERN_REG_OTP_STATUS_ERROR_MASK 0x2u
#define TERN_REG_OTP_STATUS_LOCKED_LSB 2u
#define TERN_REG_OTP_STATUS_LOCKED_WIDTH 1u
#define TERN_REG_OTP_STATUS_LOCKED_MASK 0x4u
// 1 refuses every command until reset (wo)
#define TERN_REG_OTP_LOCK 0x0090u
// physical address of the bytes to hash, low word; memory or flash (rw)
#define TERN_REG_CRYPTO_SOURCE_LOW 0x0000u
// high word (rw)
#define TERN_REG_CRYPTO_SOURCE_HIGH 0x0004u
// bytes to hash (rw)
#define TERN_REG_CRYPTO_LENGTH 0x0008u
// starts; ignored while busy (wo)
#define TERN_REG_CRYPTO_COMMAND 0x000cu
#define TERN_REG_CRYPTO_COMMAND_SHA256 1u
#define TERN_REG_CRYPTO_COMMAND_VERIFY 2u
// crypto_status (ro)
#define TERN_REG_CRYPTO_STATUS 0x0010u
// 1: the signature of the newest verify is valid (ro)
#define TERN_REG_CRYPTO_RESULT 0x0014u
// result of sha256, input of verify; not written while busy (rw)
#define TERN_REG_CRYPTO_DIGEST 0x0020u
#define TERN_REG_CRYPTO_DIGEST_STRIDE 0x4u
#define TERN_REG_CRYPTO_DIGEST_COUNT 8u
// X, Y, each 32 bytes big endian (rw)
#define TERN_REG_CRYPTO_PUBLIC_KEY 0x0040u
#define TERN_REG_CRYPTO_PUBLIC_KEY_STRIDE 0x4u
#define TERN_REG_CRYPTO_PUBLIC_KEY_COUNT 16u
// R, S likewise (rw)
#define TERN_REG_CRYPTO_SIGNATURE 0x0080u
#define TERN_REG_CRYPTO_SIGNATURE_STRIDE 0x4u
#define TERN_REG_CRYPTO_SIGNATURE_COUNT 16u
// offset in the flash, a multiple of 4 (rw)
#define TERN_REG_FLASH_ADDRESS 0x0000u
// the word to program (rw)
#define TERN_REG_FLASH_DATA 0x0004u
// flash_key | 1 erases the sector of address to ones, flash_key | 2 clears the bits of the word that data has as 0 (wo)
#define TERN_REG_FLASH_COMMAND 0x0008u
// state (ro)
#define TERN_REG_FLASH_STATUS 0x000cu
#define TERN_REG_FLASH_STATUS_BUSY_LSB 0u
#define TERN_REG_FLASH_STATUS_BUSY_WIDTH 1u
#define TERN_REG_FLASH_STATUS_BUSY_MASK 0x1u
#define TERN_REG_FLASH_STATUS_ERROR_LSB 1u
#define TERN_REG_FLASH_STATUS_ERROR_WIDTH 1u
#define TERN_REG_FLASH_STATUS_ERROR_MASK 0x2u
// bit s protects slot s; a bit stays 1 until reset (rw)
#define TERN_REG_FLASH_PROTECT 0x0010u
#define TERN_REG_FLASH_PROTECT_BITS 2u
#define TERN_REG_FLASH_PROTECT_MASK 0x3u
// flash_bytes (ro)
#define TERN_REG_FLASH_SIZE 0x0014u
// 'TGMT' (ro)
#define TERN_REG_CONTROL_ID 0x0000u
#define TERN_REG_CONTROL_ID_RESET 0x544d4754u
// HBM stacks (ro)
#define TERN_REG_CONTROL_HBM_STACKS 0x0004u
// NeuronCores (ro)
#define TERN_REG_CONTROL_CORES 0x0008u
// 1 or 2; with 2 training unit unit_die exists (ro)
#define TERN_REG_CONTROL_DIES 0x000cu
// NeuronLink ports (ro)
#define TERN_REG_CONTROL_LINKS 0x0010u
// phase, of software; the time of each write is kept for reports (rw)
#define TERN_REG_CONTROL_PHASE 0x0014u
// of software (rw)
#define TERN_REG_CONTROL_HEARTBEAT 0x0018u
// boot_error of slot A in bits 7..0, of slot B in bits 15..8 (rw)
#define TERN_REG_CONTROL_BOOT_ERROR 0x001cu
// reset_cause (ro)
#define TERN_REG_CONTROL_RESET_CAUSE 0x0020u
// resets since power on (ro)
#define TERN_REG_CONTROL_RESETS 0x0024u
// memory of the management core (ro)
#define TERN_REG_CONTROL_MEMORY_BYTES 0x0028u
// bit n: core n is held in reset; all ones of existing cores after reset (rw)
#define TERN_REG_CONTROL_CORE_RESET 0x0030u
// bit n: core n has finished its initialisation (ro)
#define TERN_REG_CONTROL_CORE_READY 0x0034u
// 1 starts an attempt of unit u; ignored while busy (wo)
#define TERN_REG_CONTROL_TRAINING_START 0x0100u
#define TERN_REG_CONTROL_TRAINING_START_STRIDE 0x10u
#define TERN_REG_CONTROL_TRAINING_START_COUNT 32u
// training (ro)
#define TERN_REG_CONTROL_TRAINING_STATUS 0x0104u
#define TERN_REG_CONTROL_TRAINING_STATUS_STRIDE 0x10u
#define TERN_REG_CONTROL_TRAINING_STATUS_COUNT 32u
// attempts since reset (ro)
#define TERN_REG_CONTROL_TRAINING_ATTEMPTS 0x0108u
#define TERN_REG_CONTROL_TRAINING_ATTEMPTS_STRIDE 0x10u
#define TERN_REG_CONTROL_TRAINING_ATTEMPTS_COUNT 32u
// of a unit that passed, permille of the unit interval, otherwise 0 (ro)
#define TERN_REG_CONTROL_TRAINING_MARGIN 0x010cu
#define TERN_REG_CONTROL_TRAINING_MARGIN_STRIDE 0x10u
#define TERN_REG_CONTROL_TRAINING_MARGIN_COUNT 32u
// bit c: a pending error of class c interrupts (rw)
#define TERN_REG_CONTROL_ERROR_ENABLE 0x0300u
#define TERN_REG_CONTROL_ERROR_ENABLE_BITS 7u
#define TERN_REG_CONTROL_ERROR_ENABLE_MASK 0x7fu
// bit c: an error of class c has arrived; a write of 1 ends it (rw)
#define TERN_REG_CONTROL_ERROR_PENDING 0x0304u
#define TERN_REG_CONTROL_ERROR_PENDING_BITS 7u
#define TERN_REG_CONTROL_ERROR_PENDING_MASK 0x7fu
// errors of class c since reset; stays at 2^32-1 (ro)
#define TERN_REG_CONTROL_ERROR_COUNT 0x0400u
#define TERN_REG_CONTROL_ERROR_COUNT_STRIDE 0x10u
#define TERN_REG_CONTROL_ERROR_COUNT_COUNT 7u
// unit of the newest one (ro)
#define TERN_REG_CONTROL_ERROR_UNIT 0x0404u
#define TERN_REG_CONTROL_ERROR_UNIT_STRIDE 0x10u
#define TERN_REG_CONTROL_ERROR_UNIT_COUNT 7u
// its address or detail, low word (ro)
#define TERN_REG_CONTROL_ERROR_ADDRESS_LOW 0x0408u
#define TERN_REG_CONTROL_ERROR_ADDRESS_LOW_STRIDE 0x10u
#define TERN_REG_CONTROL_ERROR_ADDRESS_LOW_COUNT 7u
// high word (ro)
#define TERN_REG_CONTROL_ERROR_ADDRESS_HIGH 0x040cu
#define TERN_REG_CONTROL_ERROR_ADDRESS_HIGH_STRIDE 0x10u
#define TERN_REG_CONTROL_ERROR_ADDRESS_HIGH_COUNT 7u
// control; writing it restarts the time (rw)
#define TERN_REG_WATCHDOG_CONTROL 0x0000u
#define TERN_REG_WATCHDOG_CONTROL_BITS 2u
#define TERN_REG_WATCHDOG_CONTROL_MASK 0x3u
#define TERN_REG_WATCHDOG_CONTROL_ENABLE_LSB 0u
#define TERN_REG_WATCHDOG_CONTROL_ENABLE_WIDTH 1u
#define TERN_REG_WATCHDOG_CONTROL_ENABLE_MASK 0x1u
#define TERN_REG_WATCHDOG_CONTROL_LOCK_LSB 1u
#define TERN_REG_WATCHDOG_CONTROL_LOCK_WIDTH 1u
#define TERN_REG_WATCHDOG_CONTROL_LOCK_MASK 0x2u
// from the restart to the interrupt, at least 1 (rw)
#define TERN_REG_WATCHDOG_STAGE1_US 0x0004u
#define TERN_REG_WATCHDOG_STAGE1_US_RESET 0x186a0u
// from there to the reset, at least 1 (rw)
#define TERN_REG_WATCHDOG_STAGE2_US 0x0008u
#define TERN_REG_WATCHDOG_STAGE2_US_RESET 0x186a0u
// watchdog_key restarts the time and ends the interrupt; other values are ignored (wo)
#define TERN_REG_WATCHDOG_RESTART 0x000cu
// bit 0: the first stage is over (ro)
#define TERN_REG_WATCHDOG_STATUS 0x0010u
// mailbox_version (ro)
#define TERN_REG_MAILBOX_VERSION 0x0000u
// state (ro)
#define TERN_REG_MAILBOX_STATUS 0x0004u
#define TERN_REG_MAILBOX_STATUS_REQUEST_LSB 0u
#define TERN_REG_MAILBOX_STATUS_REQUEST_WIDTH 1u
#define TERN_REG_MAILBOX_STATUS_REQUEST_MASK 0x1u
#define TERN_REG_MAILBOX_STATUS_RESPONSE_LSB 1u
#define TERN_REG_MAILBOX_STATUS_RESPONSE_WIDTH 1u
#define TERN_REG_MAILBOX_STATUS_RESPONSE_MASK 0x2u
// 1: the response is complete; the request is taken, and the host may send the next one (wo)
#define TERN_REG_MAILBOX_DONE 0x0008u
// doorbells of the host while a request was waiting (ro)
#define TERN_REG_MAILBOX_IGNORED 0x000cu
// of the host (ro)
#define TERN_REG_MAILBOX_REQUEST_BUFFER 0x0400u
#define TERN_REG_MAILBOX_REQUEST_BUFFER_STRIDE 0x4u
#define TERN_REG_MAILBOX_REQUEST_BUFFER_COUNT 256u
// for the host (rw)
#define TERN_REG_MAILBOX_RESPONSE_BUFFER 0x0800u
#define TERN_REG_MAILBOX_RESPONSE_BUFFER_STRIDE 0x4u
#define TERN_REG_MAILBOX_RESPONSE_BUFFER_COUNT 256u
// sensors (ro)
#define TERN_REG_SENSORS_COUNT 0x0000u
// sensor_kind of sensor i (ro)
#define TERN_REG_SENSORS_KIND 0x0100u
#define TERN_REG_SENSORS_KIND_STRIDE 0x4u
#define TERN_REG_SENSORS_KIND_COUNT 32u
// its value, signed, in the unit of its kind (ro)
#define TERN_REG_SENSORS_VALUE 0x0180u
#define TERN_REG_SENSORS_VALUE_STRIDE 0x4u
#define TERN_REG_SENSORS_VALUE_COUNT 32u
// lower limit, signed (ro)
#define TERN_REG_SENSORS_LOW 0x0200u
#define TERN_REG_SENSORS_LOW_STRIDE 0x4u
#define TERN_REG_SENSORS_LOW_COUNT 32u
// upper limit, signed (ro)
#define TERN_REG_SENSORS_HIGH 0x0280u
#define TERN_REG_SENSORS_HIGH_STRIDE 0x4u
#define TERN_REG_SENSORS_HIGH_COUNT 32u
// 0..1000; larger values count as 1000 (rw)
#define TERN_REG_POWER_TARGET 0x0000u
// now (ro)
#define TERN_REG_POWER_LEVEL 0x0004u
// permille per interval, 1 .. max_step; others are brought into this range (rw)
#define TERN_REG_POWER_STEP 0x0008u
// the largest step that the supply allows (ro)
#define TERN_REG_POWER_MAX_STEP 0x000cu
// of a step (ro)
#define TERN_REG_POWER_INTERVAL_US 0x0010u
// bmc_header, then sensor_readings (rw)
#define TERN_REG_BMC_TABLE 0x0000u
#define TERN_REG_BMC_TABLE_STRIDE 0x4u
#define TERN_REG_BMC_TABLE_COUNT 256u
// line to the BMC: 1 asks it to look (rw)
#define TERN_REG_BMC_ATTENTION 0x0400u
#define TERN_REG_BMC_ATTENTION_BITS 1u
#define TERN_REG_BMC_ATTENTION_MASK 0x1u

#endif
