// SPDX-License-Identifier: Apache-2.0
#include "sw/app/host/program_watch.h"

namespace tern::app {

ProgramWatch::ProgramWatch(HostedChip& chip)
    : chip_(chip),
      spans_(std::make_shared<trace::SpanLog>("core0")),
      profile_(std::make_shared<ProfileLog>("core0")),
      bounds_(std::make_shared<BoundLog>(chip.config(), 0)),
      energy_(std::make_shared<EnergyLog>(chip.config())) {
  chip.trace().add_sink(spans_);
  chip.trace().add_sink(profile_);
  chip.trace().add_sink(bounds_);
  chip.trace().add_sink(energy_);
}

void ProgramWatch::begin() {
  before_ = chip_counters(chip_.chip());
  energy_->begin();
}

std::shared_ptr<const ProgramRecord> ProgramWatch::finish(const runtime::RunResult& run,
                                                          const std::string& title) {
  trace::Bus& bus = chip_.trace();
  for (const std::shared_ptr<trace::Sink>& sink :
       std::initializer_list<std::shared_ptr<trace::Sink>>{spans_, profile_, bounds_, energy_})
    bus.remove_sink(sink);
  auto record = std::make_shared<ProgramRecord>();
  record->title = title;
  record->begin_fs = run.start.value();
  record->end_fs = run.end.value();
  record->log = spans_;
  record->phases = bounds_->phases(record->begin_fs, record->end_fs);
  ChipCounters counters = chip_counters(chip_.chip());
  counters -= before_;
  record->energy = energy_->use(record->begin_fs, record->end_fs, counters.hbm_bus_bytes());
  record->parts = profile_->parts();
  record->lines = profile_->lines();
  return record;
}

}  // namespace tern::app
