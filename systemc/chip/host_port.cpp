// SPDX-License-Identifier: Apache-2.0
#include "systemc/chip/host_port.h"

#include <algorithm>

#include "systemc/trace/sim_time.h"

namespace tern {

namespace {

// An access for as long as it lasts, also one that is interrupted.
class Counted {
 public:
  explicit Counted(unsigned& count) : count_(count) { ++count_; }
  ~Counted() { --count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  unsigned& count_;
};

}  // namespace

HostPort::HostPort(sc_core::sc_module_name name, pcie::HostLink& link)
    : sc_module(name), host("host"), bus("bus"), link_(link) {
  host.register_b_transport(this, &HostPort::b_transport);
  host.register_nb_transport_fw(this, &HostPort::post);
  host.register_transport_dbg(this, &HostPort::transport_dbg);
  SC_THREAD(forward_posted);  // from the first one on
  sensitive << post_;
  dont_initialize();
}

void HostPort::archive_state(base::StateArchive& archive) {
  archive.section("host port");
  archive.numbers(counters_.reads, counters_.writes, counters_.read_bytes, counters_.write_bytes);
}

void HostPort::wait_until(std::uint64_t time_fs) {
  if (time_fs > now_fs()) sc_core::wait(from_fs(time_fs - now_fs()));
}

void HostPort::b_transport(Payload& transaction, sc_core::sc_time& delay) {
  const Counted counted(in_flight_);
  wait_until(now_fs() + to_fs(delay));
  delay = sc_core::SC_ZERO_TIME;
  if (transaction.get_byte_enable_ptr() != nullptr) {
    transaction.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  } else if (transaction.get_streaming_width() < transaction.get_data_length()) {
    transaction.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
  } else if (transaction.is_read()) {
    ++counters_.reads;
    counters_.read_bytes += transaction.get_data_length();
    transaction.set_response_status(read(transaction));
  } else if (transaction.is_write()) {
    ++counters_.writes;
    counters_.write_bytes += transaction.get_data_length();
    transaction.set_response_status(write(transaction));
  } else {
    transaction.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
  }
}

// The request does not use the link's rate; each piece is fetched while the previous one
// returns.
tlm::tlm_response_status HostPort::read(Payload& transaction) {
  wait_until(now_fs() + link_.latency_fs());
  wait_for_posted();
  std::uint64_t landed = now_fs();
  for (unsigned at = 0; at < transaction.get_data_length(); at += kPieceBytes) {
    const unsigned bytes = std::min(kPieceBytes, transaction.get_data_length() - at);
    std::uint64_t ready = 0;
    const auto status = forward(transaction, at, bytes, ready);
    if (status != tlm::TLM_OK_RESPONSE) return status;
    const std::uint64_t sent = link_.send_to_host(ready, bytes);
    landed = sent + link_.latency_fs();
    wait_until(sent - link_.transfer(bytes));
  }
  wait_until(landed);
  return tlm::TLM_OK_RESPONSE;
}

tlm::tlm_response_status HostPort::write(Payload& transaction) {
  const std::uint64_t called = now_fs();
  for (unsigned at = 0; at < transaction.get_data_length(); at += kPieceBytes) {
    const unsigned bytes = std::min(kPieceBytes, transaction.get_data_length() - at);
    wait_until(link_.send_to_chip(called, bytes) + link_.latency_fs());
    wait_for_posted();
    std::uint64_t done = 0;
    const auto status = forward(transaction, at, bytes, done);
    if (status != tlm::TLM_OK_RESPONSE) return status;
    if (at + bytes == transaction.get_data_length()) wait_until(done);
  }
  return tlm::TLM_OK_RESPONSE;
}

tlm::tlm_sync_enum HostPort::post(Payload& transaction, tlm::tlm_phase& phase,
                                  sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ || !transaction.is_write() ||
      transaction.get_data_length() > kPieceBytes) {
    transaction.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
  }
  ++counters_.writes;
  counters_.write_bytes += transaction.get_data_length();
  const std::uint64_t sent =
      link_.send_to_chip(now_fs() + to_fs(delay), transaction.get_data_length());
  const unsigned char* data = transaction.get_data_ptr();
  posted_.push_back({sent + link_.latency_fs(),
                     transaction.get_address(),
                     {data, data + transaction.get_data_length()}});
  post_.notify(sc_core::SC_ZERO_TIME);
  transaction.set_response_status(tlm::TLM_OK_RESPONSE);
  return tlm::TLM_COMPLETED;
}

void HostPort::forward_posted() {
  for (;;) {
    while (posted_.empty()) wait(post_);
    wait_until(posted_.front().at_fs);
    Posted& posted = posted_.front();
    Payload write;
    write.set_write();
    write.set_address(posted.address);
    write.set_data_ptr(posted.bytes.data());
    write.set_data_length(static_cast<unsigned>(posted.bytes.size()));
    write.set_streaming_width(write.get_data_length());
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    bus->b_transport(write, delay);
    if (delay > sc_core::SC_ZERO_TIME) wait(delay);
    posted_.pop_front();
    if (posted_.empty()) all_forwarded_.notify(sc_core::SC_ZERO_TIME);
  }
}

// An access does not pass writes that were posted before it.
void HostPort::wait_for_posted() {
  while (!posted_.empty()) sc_core::wait(all_forwarded_);
}

tlm::tlm_response_status HostPort::forward(const Payload& whole, unsigned at, unsigned bytes,
                                           std::uint64_t& done_fs) {
  Payload piece;
  piece.set_command(whole.get_command());
  piece.set_address(whole.get_address() + at);
  piece.set_data_ptr(whole.get_data_ptr() + at);
  piece.set_data_length(bytes);
  piece.set_streaming_width(bytes);
  piece.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  bus->b_transport(piece, delay);
  done_fs = now_fs() + to_fs(delay);
  return piece.get_response_status();
}

}  // namespace tern
