#include "apps/agent/service/notifier.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace muster::agent {
namespace {

std::string environment(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): one thread
    return value == nullptr ? "" : value;
}

std::optional<std::int64_t> parse_number(const std::string& text) {
    std::int64_t number = 0;
    const auto* end = text.data() + text.size();
    const auto [stopped, failed] = std::from_chars(text.data(), end, number);
    if (failed != std::errc() || stopped != end || text.empty()) return std::nullopt;
    return number;
}

}  // namespace

notifier::notifier() : socket_(environment("NOTIFY_SOCKET")) {
    const auto microseconds = parse_number(environment("WATCHDOG_USEC"));
    const auto process = parse_number(environment("WATCHDOG_PID"));
    const bool for_this_process = !process || *process == ::getpid();
    if (microseconds && *microseconds > 1 && for_this_process)
        interval_ = std::chrono::microseconds(*microseconds / 2);
}

void notifier::send(const std::string& state) const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (socket_.empty() || socket_.size() >= sizeof address.sun_path) return;
    std::memcpy(address.sun_path, socket_.data(), socket_.size());
    if (address.sun_path[0] == '@') address.sun_path[0] = '\0';  // abstract socket name
    const int descriptor = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return;
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
    // Best effort: systemd may not listen.
    [[maybe_unused]] const auto sent = ::sendto(
        descriptor,
        state.data(),
        state.size(),
        MSG_NOSIGNAL | MSG_DONTWAIT,
        reinterpret_cast<const sockaddr*>(&address),
        size);
    ::close(descriptor);
}

void notifier::ready(std::string_view status) const {
    send("READY=1\nSTATUS=" + std::string(status));
}

void notifier::status(std::string_view text) const {
    send("STATUS=" + std::string(text));
}

void notifier::stopping(std::string_view status) const {
    send("STOPPING=1\nSTATUS=" + std::string(status));
}

void notifier::alive() const {
    send("WATCHDOG=1");
}

}  // namespace muster::agent
