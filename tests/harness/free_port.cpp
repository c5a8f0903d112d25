#include "tests/harness/free_port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <mutex>
#include <set>
#include <stdexcept>
#include <unistd.h>

namespace muster::harness {
namespace {

std::uint16_t ask_kernel() {
    const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (probe < 0) throw std::runtime_error("no socket");
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    const bool bound =
        ::bind(probe, generic, size) == 0 && ::getsockname(probe, generic, &size) == 0;
    ::close(probe);
    if (!bound) throw std::runtime_error("no free loopback port");
    return ntohs(address.sin_port);
}

}  // namespace

std::uint16_t free_port() {
    static std::mutex guard;
    static std::set<std::uint16_t> inputs;
    const std::lock_guard lock(guard);
    while (true) {
        const std::uint16_t port = ask_kernel();
        if (inputs.insert(port).second) return port;
    }
}

}  // namespace muster::harness
