#include "tests/harness/free_port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace muster::harness {
namespace {

// Below the ports that Linux gives to outgoing connections (32768 and up): such a connection could
// take the port of an engine that a test has killed and is about to start again. Browser tests and
// scripts use 28000 to 31999.
constexpr std::uint16_t first_port = 10'000;
constexpr std::uint16_t last_port = 27'999;

// Reserves the port among all test programs of this machine until this process ends: the kernel
// frees the name of an abstract socket with its last descriptor.
bool reserve(std::uint16_t port) {
    const int holder = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (holder < 0) throw std::runtime_error("no socket");
    const auto name = "muster-test-port-" + std::to_string(port);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, name.data(), name.size());
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    if (::bind(holder, reinterpret_cast<const sockaddr*>(&address), size) == 0) return true;
    ::close(holder);
    return false;
}

bool can_listen(std::uint16_t port) {
    const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (probe < 0) throw std::runtime_error("no socket");
    const int on = 1;  // as servers do: connections of an earlier test may still be closing
    ::setsockopt(probe, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    const bool free =
        ::bind(probe, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0
        && ::listen(probe, 1) == 0;
    ::close(probe);
    return free;
}

}  // namespace

std::uint16_t free_port() {
    static std::mutex guard;
    // Each program begins elsewhere, so that it seldom meets the ports of the one before it.
    static auto next =
        static_cast<std::uint16_t>(first_port + ::getpid() * 101 % (last_port - first_port + 1));
    const std::lock_guard lock(guard);
    for (int tries = first_port; tries <= last_port; ++tries) {
        const auto port = next;
        next = port == last_port ? first_port : static_cast<std::uint16_t>(port + 1);
        if (can_listen(port) && reserve(port)) return port;
    }
    throw std::runtime_error("no free loopback port");
}

}  // namespace muster::harness
