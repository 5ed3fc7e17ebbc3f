// SPDX-License-Identifier: Apache-2.0
#include "systemc/system/chip_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sw/base/user_error.h"
#include "systemc/trace/sim_time.h"

namespace tern::system {

ChipPlace place_of_chip(const Fabric& fabric, unsigned number) {
  const Node& node = fabric.nodes().at(number);
  return {node.group, node.tray, node.place};
}

ChipNetwork::ChipNetwork(sc_core::sc_module_name name, const Fabric& fabric,
                         std::unique_ptr<fabric::Transport> transport, unsigned rank)
    : sc_module(name),
      rank_(rank),
      transport_(std::move(transport)),
      ports_(fabric.chips()),
      elsewhere_(fabric.chips()) {
  transport_->announce();
  const SystemConfig& config = fabric.config();
  const auto check = [&](unsigned count, unsigned most, const char* what) {
    if (count <= most) return;
    throw UserError(
        fmt::format("{}: {} {}: addresses can name {}", config.source, count, what, most));
  };
  if (config.scale_out.units > 1)
    throw UserError(
        fmt::format("{}: several units with a network between them: at levels flow and ideal, not "
                    "with simulated chips",
                    config.source));
  check(config.groups, kAddressRacks, "groups");
  check(config.trays, kAddressServers, "trays of a group");
  check(config.chips_per_tray, kAddressChips, "chips of a tray");
  for (std::uint32_t chip = 0; chip < fabric.chips(); ++chip) {
    bases_.push_back(chip_base(place_of_chip(fabric, chip)));
    by_base_[bases_.back()] = chip;
  }
  SC_METHOD(step);
  sensitive << wake_;
  dont_initialize();
}

void ChipNetwork::attach(unsigned chip, LinkPort& port) {
  ports_.at(chip) = &port;
  chips_[&port] = chip;
  port.connect(this);
}

void ChipNetwork::attach_elsewhere(unsigned chip) {
  if (transport_->notice() < transport_->lookahead())
    throw UserError("faults of links while programs run: in one process, not in several");
  elsewhere_.at(chip) = true;
  alone_ = false;
}

void ChipNetwork::leave(LinkPort& port, Payload& payload) {
  const std::uint64_t address = payload.get_address();
  const auto target = by_base_.find(address - address_in_chip(address));
  if (target == by_base_.end() ||
      (ports_[target->second] == nullptr && !elsewhere_[target->second]))
    return refuse(port, payload);
  Access& access = new_access();
  access.original = &payload;
  access.source = chips_.at(&port);
  access.target = target->second;
  access.tag = std::uint64_t{rank_} << 32 | access.number;
  access.stream = payload.get_extension<Traffic>()->initiator;
  access.traffic->copy_from(*payload.get_extension<Traffic>());
  access.set_command(payload.get_command());
  access.set_address(address_in_chip(address));
  access.set_data_ptr(payload.get_data_ptr());
  access.set_data_length(payload.get_data_length());
  access.set_streaming_width(payload.get_data_length());
  access.set_byte_enable_ptr(nullptr);
  access.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  if (access.source == access.target) return begin(access);
  send(access, access.source, access.target, payload.is_write() ? payload.get_data_length() : 0);
}

// In the instant in which it has come.
void ChipNetwork::refuse(LinkPort& port, Payload& payload) {
  auto* traffic = payload.get_extension<Traffic>();
  traffic->fault = MemoryFault::kAddress;
  traffic->fault_address = payload.get_address();
  payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  port.answer(payload);
}

void ChipNetwork::begin(Access& access) {
  ports_[access.target]->enter(access);
}

void ChipNetwork::served(LinkPort&, Payload& payload) {
  Access& access = static_cast<Access&>(payload);
  access.answered = true;
  if (access.source == access.target) return finish(access);
  const bool data = payload.is_read() && payload.is_response_ok();
  send(access, access.target, access.source, data ? payload.get_data_length() : 0);
  if (access.original != nullptr) return;
  foreign_.erase(access.tag);
  release(access);
}

void ChipNetwork::finish(Access& access) {
  Payload& payload = *access.original;
  payload.set_response_status(access.get_response_status());
  auto* traffic = payload.get_extension<Traffic>();
  traffic->fault = access.traffic->fault;
  if (traffic->fault != MemoryFault::kNone)
    traffic->fault_address = bases_[access.target] | access.traffic->fault_address;
  LinkPort& port = *ports_[access.source];
  release(access);
  port.answer(payload);
}

// Accesses of an initiator to a chip, and the answers to them, stay in order.
void ChipNetwork::send(Access& access, std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
  Departure departure;
  fabric::Transfer& transfer = departure.transfer;
  transfer.source = from;
  transfer.target = to;
  transfer.bytes = bytes;
  transfer.traffic_class = static_cast<std::uint8_t>(access.traffic->traffic_class);
  transfer.stream = access.stream;
  transfer.tag = access.tag;
  if (alone_) {
    transport_->send(transfer, now_fs());
    return schedule();
  }
  departure.at = now_fs();
  departure.answer = access.answered;
  departure.write = access.is_write();
  departure.address = access.get_address();
  departure.length = access.get_data_length();
  departure.op = access.traffic->op;
  departure.status = access.get_response_status();
  departure.fault = access.traffic->fault;
  departure.fault_address = access.traffic->fault_address;
  if (elsewhere_[to] && bytes > 0)
    departure.bytes.assign(reinterpret_cast<const char*>(access.get_data_ptr()), bytes);
  departures_.push_back(std::move(departure));
}

std::string ChipNetwork::take_departures() {
  std::string bytes = bytes_of(departures_);
  departures_.clear();
  return bytes;
}

void ChipNetwork::insert(const std::vector<std::string>& departures, fabric::Time until) {
  std::vector<Departure> all;
  for (const std::string& bytes : departures) departures_of(bytes, &all);
  std::stable_sort(all.begin(), all.end(),
                   [](const Departure& a, const Departure& b) { return a.at < b.at; });
  for (const Departure& departure : all) {
    enter(departure);
    advance_before(departure.at);
    transport_->send(departure.transfer, departure.at);
  }
  advance_before(until);
  schedule();
}

// What it means for this process.
void ChipNetwork::enter(const Departure& d) {
  const bool own = d.transfer.tag >> 32 == rank_;
  if (own && d.answer) {
    Access& access = accesses_.at(static_cast<std::uint32_t>(d.transfer.tag));
    if (!elsewhere_[access.target]) return;
    access.answered = true;
    access.set_response_status(static_cast<tlm::tlm_response_status>(d.status));
    access.traffic->fault = d.fault;
    access.traffic->fault_address = d.fault_address;
    if (!d.bytes.empty()) std::memcpy(access.get_data_ptr(), d.bytes.data(), d.bytes.size());
    return;
  }
  if (own || d.answer || ports_[d.transfer.target] == nullptr) return;
  Access& access = new_access();
  access.original = nullptr;
  access.source = d.transfer.source;
  access.target = d.transfer.target;
  access.tag = d.transfer.tag;
  access.stream = d.transfer.stream;
  *access.traffic = Traffic();
  access.traffic->traffic_class = d.transfer.traffic_class;
  access.traffic->op = d.op;
  access.bytes.assign(d.length, 0);
  std::copy(d.bytes.begin(), d.bytes.end(), access.bytes.begin());
  access.set_command(d.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  access.set_address(d.address);
  access.set_data_ptr(access.bytes.data());
  access.set_data_length(d.length);
  access.set_streaming_width(d.length);
  access.set_byte_enable_ptr(nullptr);
  access.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  foreign_[access.tag] = &access;
}

fabric::Time ChipNetwork::next_time() const {
  const fabric::Time next = transport_->next_time();
  return coming_.empty() ? next : std::min(next, std::get<0>(coming_.begin()->first));
}

void ChipNetwork::step() {
  if (alone_) advance_before(now_fs());
  while (!coming_.empty() && std::get<0>(coming_.begin()->first) <= now_fs()) {
    const fabric::Delivery delivery = coming_.begin()->second;
    coming_.erase(coming_.begin());
    arrive(delivery);
  }
  schedule();
}

// Events between the chips: of an instant when it has passed, so that all that is sent then is
// known. A sender learns of a loss when an answer could have come at the earliest.
void ChipNetwork::advance_before(fabric::Time time) {
  if (time == 0) return;
  arrived_.clear();
  transport_->advance(time - 1, arrived_);
  const auto expect = [this](const fabric::Delivery& d, fabric::Time time) {
    const fabric::Transfer& t = d.transfer;
    coming_.emplace(ArrivalKey{time, t.target, t.source, t.traffic_class, t.stream}, d);
  };
  for (const fabric::Delivery& d : arrived_) {
    if (!d.lost) continue;
    if (!first_loss_) first_loss_ = d;
    expect(d, d.arrived + transport_->lookahead());
  }
  for (const fabric::Delivery& d : transport_->take_announced()) expect(d, d.arrived);
}

ChipNetwork::Access* ChipNetwork::access_of(const fabric::Transfer& transfer) {
  if (transfer.tag >> 32 == rank_) return &accesses_.at(static_cast<std::uint32_t>(transfer.tag));
  const auto found = foreign_.find(transfer.tag);
  return found == foreign_.end() ? nullptr : found->second;
}

// At a chip of this process, or of another one.
void ChipNetwork::arrive(const fabric::Delivery& delivery) {
  Access* access = access_of(delivery.transfer);
  if (access == nullptr) return;
  if (delivery.lost) {
    if (access->original == nullptr) {
      foreign_.erase(access->tag);
      return release(*access);
    }
    access->set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    access->traffic->fault = MemoryFault::kAddress;
    access->traffic->fault_address = access->get_address();
    return finish(*access);
  }
  if (ports_[delivery.transfer.target] == nullptr) return;
  access->answered ? finish(*access) : begin(*access);
}

ChipNetwork::Access& ChipNetwork::new_access() {
  if (free_.empty()) {
    accesses_.emplace_back();
    Access& access = accesses_.back();
    access.number = static_cast<std::uint32_t>(accesses_.size() - 1);
    access.set_extension(new Traffic);  // the payload's from here on
    access.traffic = access.get_extension<Traffic>();
    free_.push_back(&access);
  }
  Access& access = *free_.back();
  free_.pop_back();
  access.answered = false;
  return access;
}

void ChipNetwork::release(Access& access) {
  free_.push_back(&access);
}

void ChipNetwork::schedule() {
  fabric::Time next = fabric::kNever;
  if (!coming_.empty()) next = std::get<0>(coming_.begin()->first);
  if (alone_ && transport_->next_time() != fabric::kNever) {
    const fabric::Time event = transport_->next_time();
    // An instant before what happens then, too, where it is announced no earlier.
    const bool soon = transport_->notice() < transport_->lookahead() && event > now_fs();
    next = std::min(next, soon ? event : event + 1);
  }
  if (next == fabric::kNever) return;
  wake_.notify(from_fs(next > now_fs() ? next - now_fs() : 0));
}

}  // namespace tern::system
