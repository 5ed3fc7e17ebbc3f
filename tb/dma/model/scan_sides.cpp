// SPDX-License-Identifier: Apache-2.0
#include "tb/dma/model/scan_sides.h"

#include <cstring>
#include <string>

namespace tern::tb {

namespace {

using dma::model::PacketInfo;
using dma::model::PacketScan;
using dma::model::Pair;

void put_phase(Pair& pair, unsigned phase) {
  for (std::uint32_t* word : {&pair.tx.word[0], &pair.rx.word[0]}) {
    *word &= ~(3u << TERN_DESC_RING_ID_LSB);
    *word |= phase << TERN_DESC_RING_ID_LSB;
  }
}

// The first difference. Of faulty packets only fault and position count.
MismatchLog compare(const std::optional<DmaScanRtl::Packet>& model,
                    const std::optional<DmaScanRtl::Packet>& rtl, const std::string& record,
                    const Pair& pair) {
  MismatchLog log;
  const auto same = [&](const char* what, std::uint64_t expected, std::uint64_t got) {
    if (!log.empty()) return;
    log.compare(expected, got, 4, [&] {
      return Where{std::string("port packet_o, ") + what + ", " + record,
                   "TX " + hex_list(pair.tx.word) + ", RX " + hex_list(pair.rx.word)};
    });
  };
  same("valid", model.has_value(), rtl.has_value());
  if (!model || !rtl) return log;
  same("fault", model->fault, rtl->fault);
  same("index", model->index, rtl->index);
  if (model->fault != 0) return log;
  same("pairs", model->pairs, rtl->pairs);
  same("bytes", model->bytes, rtl->bytes);
  same("op", model->op, rtl->op);
  same("src_dtype", model->src_dtype, rtl->src_dtype);
  same("dst_dtype", model->dst_dtype, rtl->dst_dtype);
  same("crc", model->crc, rtl->crc);
  if (model->crc == 2) same("crc_expected", model->expected_crc, rtl->expected_crc);
  return log;
}

}  // namespace

void ScanSides::reset() {
  rtl_.reset();
  is_new_ = true;
}

ScanOutcome ScanSides::run(const std::uint8_t* records, std::size_t bytes) {
  ScanOutcome outcome;
  if (!is_new_) rtl_.clear(0xFFFF);
  is_new_ = false;
  rings_.fill({});
  for (std::size_t at = 0; at + kRecordBytes <= bytes; at += kRecordBytes) {
    const std::uint8_t header = records[at];
    const unsigned number = header & 15;
    Ring& ring = rings_[number];
    if ((header & kRecordRestart) != 0) {
      rtl_.clear(1u << number);
      ring = {};
      continue;
    }
    Pair pair;
    std::memcpy(&pair, records + at + 1, sizeof pair);
    const auto index = static_cast<std::uint32_t>(ring.position % kRingPairs);
    const auto phase = static_cast<unsigned>((1 + ring.position / kRingPairs) % 4);
    if ((header & kRecordPhase) != 0) put_phase(pair, phase);
    const unsigned expected_phase = (header & kRecordPushed) != 0 ? PacketScan::kPushed : phase;
    ++ring.position;
    ++outcome.pairs;

    std::optional<DmaScanRtl::Packet> model;
    if (!ring.broken) {
      if (ring.scan.packet_ended()) ring.begin = index;
      const PacketScan::Verdict verdict = ring.scan.check(pair, expected_phase);
      const PacketInfo& info = ring.scan.packet();
      if (verdict == PacketScan::Verdict::kFault) {
        ring.broken = true;
        model.emplace();
        model->fault = info.fault;
        model->index = index;
        outcome.faults.push_back(info.fault);
      } else if (verdict == PacketScan::Verdict::kReady) {
        model = DmaScanRtl::Packet{0,
                                   ring.begin,
                                   info.pairs,
                                   info.bytes,
                                   info.op,
                                   info.src_dtype,
                                   info.dst_dtype,
                                   info.crc,
                                   info.expected_crc};
        ++outcome.packets;
        outcome.bytes += info.bytes;
      }
    }
    const unsigned rtl_phase =
        expected_phase == PacketScan::kPushed ? DmaScanRtl::kAnyPhase : expected_phase;
    outcome.difference = compare(
        model, rtl_.scan(number, pair, rtl_phase, index),
        "ring " + std::to_string(number) + ", record " + std::to_string(at / kRecordBytes), pair);
    if (!outcome.difference.empty()) return outcome;
  }
  return outcome;
}

}  // namespace tern::tb
