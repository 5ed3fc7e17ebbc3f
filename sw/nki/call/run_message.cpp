// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/call/run_message.h"

#include <cstring>

#include "sw/base/user_error.h"

namespace tern::nki {

namespace {

// One function visits the fields for both directions.
class Writer {
 public:
  explicit Writer(const PutBytes& put) : put_(put) {}

  void number(const std::uint64_t& value) {
    waiting_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view value) {
    number(value.size());
    constexpr std::size_t kLong = 1 << 16;
    if (value.size() < kLong) {
      waiting_ += value;
      if (waiting_.size() >= kLong) flush();
    } else {
      flush();
      put_(value);
    }
  }
  void text(const std::vector<std::uint8_t>& value) {
    text({reinterpret_cast<const char*>(value.data()), value.size()});
  }
  template <typename T, typename Visit>
  void list(const std::vector<T>& values, Visit visit) {
    number(values.size());
    for (const T& value : values) visit(value);
  }
  void flush() {
    put_(waiting_);
    waiting_.clear();
  }

 private:
  const PutBytes& put_;
  std::string waiting_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  void number(std::uint64_t& value) { std::memcpy(&value, next(sizeof value), sizeof value); }
  void text(std::string& value) {
    std::uint64_t size = 0;
    number(size);
    value.assign(next(size), size);
  }
  void text(std::vector<std::uint8_t>& value) {
    std::string_view bytes;
    text(bytes);
    value.assign(bytes.begin(), bytes.end());
  }
  void text(std::string_view& value) {
    std::uint64_t size = 0;
    number(size);
    const char* begin = next(size);
    value = {begin, size};
  }
  template <typename T, typename Visit>
  void list(std::vector<T>& values, Visit visit) {
    std::uint64_t count = 0;
    number(count);
    if (count > bytes_.size() - at_) throw RunError("a message of a simulation is cut");
    values.resize(count);
    for (T& value : values) visit(value);
  }

 private:
  const char* next(std::uint64_t size) {
    if (size > bytes_.size() - at_) throw RunError("a message of a simulation is cut");
    at_ += size;
    return bytes_.data() + at_ - size;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

template <typename Archive, typename Request>
void visit_request(Archive& archive, Request& request) {
  archive.text(request.chip);
  archive.list(request.settings, [&](auto& setting) {
    archive.text(setting.first);
    archive.text(setting.second);
  });
  archive.text(request.system);
  archive.number(request.chips);
  archive.text(request.program);
  archive.list(request.inputs, [&](auto& tensor) {
    archive.text(tensor.name);
    archive.text(tensor.bytes);
  });
  archive.text(request.trace_file);
  archive.text(request.report_folder);
  archive.text(request.kernel);
  archive.text(request.command);
  archive.text(request.wave_file);
}

template <typename Archive, typename Response>
void visit_response(Archive& archive, Response& response) {
  archive.text(response.error);
  archive.number(response.latency_fs);
  archive.number(response.start_fs);
  archive.number(response.end_fs);
  archive.list(response.outputs, [&](auto& tensor) {
    archive.text(tensor.name);
    archive.text(tensor.bytes);
  });
  archive.list(response.spans, [&](auto& span) {
    archive.text(span.lane);
    archive.text(span.name);
    archive.text(span.source);
    archive.number(span.begin_fs);
    archive.number(span.end_fs);
  });
}

}  // namespace

void send(const RunRequest& request, const PutBytes& put) {
  Writer writer(put);
  writer.number(request.wants_spans ? 1 : 0);
  visit_request(writer, request);
  writer.flush();
}

void send(const RunResponse& response, const PutBytes& put) {
  Writer writer(put);
  writer.number(static_cast<std::uint64_t>(response.status));
  visit_response(writer, response);
  writer.flush();
}

RunRequest request_from(std::string_view bytes) {
  Reader reader(bytes);
  RunRequest request;
  std::uint64_t spans = 0;
  reader.number(spans);
  request.wants_spans = spans != 0;
  visit_request(reader, request);
  return request;
}

RunResponse response_from(std::string_view bytes) {
  Reader reader(bytes);
  RunResponse response;
  std::uint64_t status = 0;
  reader.number(status);
  response.status = static_cast<RunResponse::Status>(status);
  visit_response(reader, response);
  return response;
}

}  // namespace tern::nki
