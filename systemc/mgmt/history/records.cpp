// SPDX-License-Identifier: Apache-2.0
// What a history keeps, and what it forgets.
#include <algorithm>
#include <utility>

#include "systemc/mgmt/history/history.h"

namespace tern::mgmt {

namespace {

constexpr std::size_t kFewRecords = 16;  // with fewer a step back would take too long

constexpr std::uint64_t kMaxEvents = 1000;         // between two
constexpr std::size_t kPagesAnInterval = 8 << 20;  // bytes

}  // namespace

void History::restart() {
  records_.clear();
  events_.clear();
  event_bytes_ = 0;
  forgotten_ = next_;
  if (InputLog* log = board_.input_log()) log->cut_future();
  leave_past();
  ended_.reset();
  end_ = board_.moment();
  pages_.take();
  add_record();
}

// Called where the board may be saved.
void History::boundary() {
  const Record& last = records_.back();
  const Moment here = board_.moment();
  if (here == last.at) return;
  const bool wanted = wanted_ && here.at == *wanted_ && here.turn == 0;
  // Who writes many pages has fewer records: to copy them all takes time.
  const std::uint64_t interval = limits_.instructions * (1 + pages_.bytes() / kPagesAnInterval);
  if (wanted || here.at >= last.at.at + limits_.time || pages_.overflowed() ||
      next_ >= last.events + kMaxEvents || board_.instructions() >= last.instructions + interval)
    add_record();
}

void History::add_record() {
  if (pages_.overflowed()) {  // what came before cannot be reached any more
    records_.clear();
    forget_events_before(next_);
    pages_.take();
  } else if (!records_.empty()) {
    records_.back().page_bytes = pages_.bytes();
    records_.back().pages = pages_.take();
  }
  Record record;
  record.at = board_.moment();
  record.board = board_.save_devices();
  record.newest = board_.before_newest();
  if (const InputLog* log = board_.input_log()) record.input = log->position();
  record.events = next_;
  record.instructions = board_.instructions();
  records_.push_back(std::move(record));
  bound();
}

std::size_t History::bytes() const {
  std::size_t bytes = pages_.bytes() + event_bytes_;
  if (const InputLog* log = board_.input_log()) bytes += log->bytes();
  const std::vector<std::uint8_t>* flash = nullptr;  // records share equal contents
  for (const Record& record : records_) {
    bytes += sizeof(Record) + record.page_bytes + board_.harts() * sizeof(HartRunner::State);
    if (!record.board.domain) continue;
    const std::vector<std::uint8_t>* its = record.board.domain->flash.bytes.get();
    if (std::exchange(flash, its) != its) bytes += its->size();
  }
  return bytes;
}

void History::bound() {
  while (records_.size() > limits_.records) thin();
  while (records_.size() > 1 && bytes() > limits_.bytes)
    records_.size() > kFewRecords ? thin() : drop_oldest();
}

// Joins two stretches: those that are short for how long ago they were. So the farther back, the
// fewer records, and the first one stays.
void History::thin() {
  const std::uint64_t now = records_.back().at.cycles;
  std::size_t best = 1;
  double least = 0;
  for (std::size_t i = 1; i + 1 < records_.size(); ++i) {
    const std::uint64_t from = records_[i - 1].at.cycles, to = records_[i + 1].at.cycles;
    const double length = static_cast<double>(to - from) / static_cast<double>(now - from + 1);
    if (i != 1 && length >= least) continue;
    best = i;
    least = length;
  }
  Record& before = records_[best - 1];
  Record& gone = records_[best];
  before.pages.merge(gone.pages);  // a page that both have is kept as it was first
  before.page_bytes += gone.page_bytes - PageLog::bytes_of(gone.pages);
  records_.erase(records_.begin() + static_cast<std::ptrdiff_t>(best));
}

void History::drop_oldest() {
  records_.pop_front();
  forget_events_before(records_.front().events);
  if (InputLog* log = board_.input_log()) log->cut_past(records_.front().input);
}

void History::forget_events_before(std::uint64_t number) {
  for (; forgotten_ < number; ++forgotten_) {
    event_bytes_ -= events_.front().size();
    events_.pop_front();
  }
}

void History::forget_future() {
  while (forgotten_ + events_.size() > next_) {
    event_bytes_ -= events_.back().size();
    events_.pop_back();
  }
  if (InputLog* log = board_.input_log()) log->cut_future();
  leave_past();
}

void History::note(Event event) {
  if (past_) forget_future();
  ended_.reset();
  event_bytes_ += event.size();
  events_.push_back(std::move(event));
  ++next_;
  end_ = board_.moment();
  boundary();  // the board stands still, and may do nothing but stand still and step
  if (bytes() > limits_.bytes) restart();
}

bool History::write_memory(std::uint64_t address, const void* data, unsigned bytes) {
  Event event;
  event.at = board_.moment();
  event.address = address;
  event.bytes.assign(static_cast<const char*>(data), bytes);
  if (!board_.poke(address, data, bytes)) return false;
  note(std::move(event));
  return true;
}

void History::hart_written(unsigned hart) {
  Event event;
  event.at = board_.moment();
  event.registers = std::make_unique<Event::Registers>();
  event.registers->hart = hart;
  event.registers->state = board_.hart(hart).save();
  note(std::move(event));
}

std::optional<std::size_t> History::record_before(const Moment& moment, bool or_at) const {
  std::size_t count = 0;
  while (count < records_.size() &&
         (records_[count].at < moment || (or_at && records_[count].at == moment)))
    ++count;
  if (count == 0) return std::nullopt;
  return count - 1;
}

void History::restore(std::size_t number) {
  pages_.undo(pages_.take());
  for (std::size_t i = records_.size() - 1; i-- > number;) pages_.undo(records_[i].pages);
  records_.erase(records_.begin() + static_cast<std::ptrdiff_t>(number) + 1, records_.end());
  Record& record = records_.back();
  record.pages.clear();
  record.page_bytes = 0;
  board_.go_back(record.board, record.at, record.newest);
  if (InputLog* log = board_.input_log()) log->set_position(record.input);
  next_ = record.events;
  past_ = true;
}

}  // namespace tern::mgmt
