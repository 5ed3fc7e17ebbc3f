// SPDX-License-Identifier: Apache-2.0
#include "systemc/wave/full_disk.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstring>

namespace tern::wave {

namespace {

constexpr std::size_t kLongest = 4096;
constexpr unsigned kMostParts = 1024;

std::array<char, kLongest> g_partial{}, g_shown{}, g_folder{};

// In a signal handler: no memory, no locale.
class Name {
 public:
  Name& add(const char* text) {
    const std::size_t length = std::min(std::strlen(text), text_.size() - 1 - length_);
    std::memcpy(&text_[length_], text, length);
    length_ += length;
    text_[length_] = 0;
    return *this;
  }
  Name& add(unsigned number) {
    std::array<char, 12> digits{};
    std::size_t at = digits.size() - 1;
    do {
      digits[--at] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number > 0);
    return add(&digits[at]);
  }
  const char* text() const { return text_.data(); }

 private:
  std::array<char, kLongest + 64> text_{};
  std::size_t length_ = 0;
};

void say(const char* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;  // nobody listens
}

void remove(const char* file) {
  unlink(file);
  unlink(Name().add(file).add(".hier").text());
}

void on_bus_error(int) {
  say("tern: ");
  say(g_shown.data());
  say(": write failed: the disk or a limit is full\n");
  remove(g_partial.data());
  if (g_folder[0] != 0) {
    for (unsigned part = 0; part < kMostParts; ++part) {
      for (const char* turn : {".fst", ".fst.0", ".fst.1"})
        remove(Name().add(g_folder.data()).add("/").add(part).add(turn).text());
    }
    rmdir(g_folder.data());
  }
  _exit(1);
}

bool keep(const std::string& name, std::array<char, kLongest>* place) {
  if (name.size() >= place->size()) return false;
  place->fill(0);
  name.copy(place->data(), name.size());
  return true;
}

}  // namespace

void FullDisk::watch(const std::string& partial, const std::string& shown,
                     const std::string& folder) {
  if (keep(partial, &g_partial) && keep(shown, &g_shown) && keep(folder, &g_folder))
    std::signal(SIGBUS, on_bus_error);
}

void FullDisk::stop_watching() {
  std::signal(SIGBUS, SIG_DFL);
}

std::string no_space_at(const std::string& file) {
  constexpr std::uint64_t kLittle = 1 << 20;
  struct statvfs disk {};
  if (statvfs(file.c_str(), &disk) != 0) return "";
  const bool none = std::uint64_t{disk.f_bavail} * disk.f_frsize < kLittle;
  return none ? " (no space left on its disk)" : "";
}

}  // namespace tern::wave
