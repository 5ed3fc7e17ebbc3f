// SPDX-License-Identifier: Apache-2.0
#include "systemc/system/chip_network.h"

#include <fmt/format.h>

#include "sw/base/user_error.h"
#include "systemc/trace/sim_time.h"

namespace tern::system {

ChipPlace place_of_chip(const Fabric& fabric, unsigned number) {
  const Node& node = fabric.nodes().at(number);
  return {node.group, node.tray, node.place};
}

ChipNetwork::ChipNetwork(sc_core::sc_module_name name, const Fabric& fabric,
                         std::unique_ptr<fabric::Transport> transport)
    : sc_module(name), transport_(std::move(transport)), ports_(fabric.chips()) {
  const SystemConfig& config = fabric.config();
  const auto check = [&](unsigned count, unsigned most, const char* what) {
    if (count <= most) return;
    throw UserError(
        fmt::format("{}: {} {}: addresses can name {}", config.source, count, what, most));
  };
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

void ChipNetwork::leave(LinkPort& port, Payload& payload) {
  const std::uint64_t address = payload.get_address();
  const auto target = by_base_.find(address - address_in_chip(address));
  if (target == by_base_.end() || ports_[target->second] == nullptr) return refuse(port, payload);
  Access& access = new_access();
  access.original = &payload;
  access.source = chips_.at(&port);
  access.target = target->second;
  access.answered = false;
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
}

void ChipNetwork::finish(Access& access) {
  Payload& payload = *access.original;
  payload.set_response_status(access.get_response_status());
  auto* traffic = payload.get_extension<Traffic>();
  traffic->fault = access.traffic->fault;
  if (traffic->fault != MemoryFault::kNone)
    traffic->fault_address = bases_[access.target] | access.traffic->fault_address;
  LinkPort& port = *ports_[access.source];
  free_.push_back(&access);
  port.answer(payload);
}

// Accesses of an initiator to a chip, and the answers to them, stay in order.
void ChipNetwork::send(const Access& access, std::uint32_t from, std::uint32_t to,
                       std::uint64_t bytes) {
  fabric::Transfer transfer;
  transfer.source = from;
  transfer.target = to;
  transfer.bytes = bytes;
  transfer.traffic_class = static_cast<std::uint8_t>(access.traffic->traffic_class);
  transfer.stream = access.original->get_extension<Traffic>()->initiator;
  transfer.tag = access.number;
  transport_->send(transfer, now_fs());
  schedule();
}

void ChipNetwork::step() {
  while (transport_->next_time() <= now_fs()) {
    arrived_.clear();
    transport_->advance(now_fs(), arrived_);
    for (const fabric::Delivery& delivery : arrived_) arrive(delivery);
  }
  schedule();
}

void ChipNetwork::arrive(const fabric::Delivery& delivery) {
  Access& access = accesses_[delivery.transfer.tag];
  if (delivery.lost) {
    access.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    access.traffic->fault = MemoryFault::kAddress;
    access.traffic->fault_address = access.get_address();
    return finish(access);
  }
  access.answered ? finish(access) : begin(access);
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
  return access;
}

void ChipNetwork::schedule() {
  const fabric::Time next = transport_->next_time();
  if (next == fabric::kNever) return;
  wake_.notify(from_fs(next > now_fs() ? next - now_fs() : 0));
}

}  // namespace tern::system
