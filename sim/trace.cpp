#include "sim/trace.h"

#include <fmt/format.h>

#include <chrono>

namespace muster::sim {

std::uint64_t digest(std::string_view bytes) {
    std::uint64_t hash = 0xcbf29ce484222325 + bytes.size();
    for (const char byte : bytes) {
        hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    }
    return hash ^ (hash >> 31);
}

void trace::note(
    instant when, std::string_view kind, std::string_view subject, std::uint64_t payload) {
    fold(static_cast<std::uint64_t>(when.time_since_epoch().count()));
    fold(digest(kind));
    fold(digest(subject));
    fold(payload);
    if (!print_) return;
    const auto micros = std::chrono::floor<std::chrono::microseconds>(when.time_since_epoch());
    print_(fmt::format(
        "{:>14.6f} {:<16} {:<24} {:016x}",
        static_cast<double>(micros.count()) / 1e6,
        kind,
        subject,
        payload));
}

}  // namespace muster::sim
