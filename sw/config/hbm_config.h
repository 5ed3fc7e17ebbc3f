// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// The HBM3E memory of a chip: shape, times and policies. JEDEC's HBM3 standard (JESD238) fixes the
// shape and leaves most times to the vendors' data sheets, which are not public. A default marked
// "assumption" is a usual value of that generation.
namespace tern::hbm {

constexpr unsigned kBankGroups = 4;     // per stack id (JESD238)
constexpr unsigned kBanksPerGroup = 4;  // JESD238
constexpr unsigned kBanksPerStackId = kBankGroups * kBanksPerGroup;
constexpr unsigned kBurstBytes = 32;  // 32 bits wide, burst length 8 (JESD238)
constexpr unsigned kBurstTicks = 2;   // 8 beats, four per clock of the command bus
constexpr unsigned kPieceBytes =
    1024;  // contiguous bytes in one pseudo-channel; unit of scheduling
constexpr unsigned kPieceBursts = kPieceBytes / kBurstBytes;
constexpr unsigned kMaxStackIds = 4;  // JESD238: up to 16 dies in four groups
constexpr unsigned kMaxRequestBytes = 65536;

enum class Refresh : std::uint8_t {
  kOff,
  kPerBank,   // REFpb: the other banks continue
  kAllBank,   // REFab: the whole pseudo-channel stops
  kBlocking,  // REFpb, one bank at a time and on time: no access starts while it waits for its bank
};

// In nanoseconds; rounded up to whole clocks of the command bus. Names are JEDEC's.
struct TimingNs {
  double t_rcd = 14;      // assumption: ACT to RD or WR
  double t_rp = 14;       // assumption: PRE to ACT
  double t_ras = 28;      // assumption: ACT to PRE
  double t_rc = 42;       // assumption: ACT to ACT, same bank
  double t_cl = 14;       // assumption: RD to first data
  double t_wl = 6;        // assumption: WR to first data
  double t_rrd_s = 2;     // assumption: ACT to ACT, other bank group
  double t_rrd_l = 3;     // assumption: ACT to ACT, same bank group
  double t_faw = 15;      // assumption: window of four ACT
  double t_rtp = 5;       // assumption: RD to PRE
  double t_wr = 16;       // assumption: last write data to PRE
  double t_wtr_s = 3;     // assumption: last write data to RD, other bank group
  double t_wtr_l = 6;     // assumption: last write data to RD, same bank group
  double t_refi = 3900;   // JESD238: average interval of REFab; every bank once in it with REFpb
  double t_rfc_ab = 450;  // assumption: 24 Gb dies
  double t_rfc_pb = 200;  // assumption
  double t_rrefd = 8;     // assumption: REFpb to REFpb or ACT, other bank
  unsigned ccd_s_clocks = 2;    // JESD238: the length of a burst
  unsigned ccd_l_clocks = 4;    // assumption: column commands, same bank group
  unsigned ccd_r_clocks = 3;    // assumption: column commands, other stack id
  unsigned rtw_gap_clocks = 2;  // assumption: bus idle between read and write data
};

struct Config {
  unsigned stacks = 4;
  std::uint64_t stack_bytes = 36ull << 30;
  unsigned channels = 16;        // JESD238: per stack, 64 bits each
  unsigned pseudo_channels = 2;  // JESD238: per channel, 32 bits each
  unsigned stack_ids = 3;        // 12 dies
  unsigned page_bytes = 1024;    // JESD238: row of a bank in one pseudo-channel
  double pin_gbps = 9.6;         // 4 stacks x 1024 pins x 9.6 Gb/s = 4.915 TB/s
  TimingNs timing;
  double front_ns = 15;   // assumption: request to scheduler
  double back_ns = 15;    // assumption: last data to response
  double update_ns = 10;  // assumption: adder of a near-memory accumulation

  unsigned read_queue = 64;  // per pseudo-channel, in pieces
  unsigned write_queue = 64;
  unsigned write_high = 48;  // drain writes from here on ...
  unsigned write_low = 16;  // ... down to here, while reads wait; a pause of reads drains from here
  double write_idle_ns = 0;  // assumption: fewer go after so long without a read, or a turnaround
  bool by_class = true;      // urgent classes go first and have more room; otherwise all are alike
  double age_cap_ns = 5000;  // older than this goes first, whatever its class or row

  Refresh refresh = Refresh::kPerBank;
  unsigned refresh_postpone = 8;  // JESD238: refresh commands that may be owed

  double scrub_gb_per_s = 0;  // per stack; 0: no scrubbing
  double faults_per_s = 0;    // random bit flips per stack and simulated second
  std::uint64_t fault_seed = 0;

  unsigned pseudo_channels_per_stack() const { return channels * pseudo_channels; }
  double pseudo_channel_gb_per_s() const { return pin_gbps * 4; }  // 32 pins
  double stack_gb_per_s() const { return pseudo_channel_gb_per_s() * pseudo_channels_per_stack(); }
  double gb_per_s() const { return stack_gb_per_s() * stacks; }
};

// Throws UserError naming the setting when settings are inconsistent.
void check(const Config& config);

}  // namespace tern::hbm
