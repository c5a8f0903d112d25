#include "adapters/resolver/lookup.h"

#include "base/assert.h"

#include <netinet/in.h>
#include <sys/epoll.h>

#include <array>
#include <cstring>
#include <string>
#include <utility>

namespace muster::resolver {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr int events_max = 16;

std::optional<tcp::endpoint> endpoint_of(const ares_addrinfo_node& node) {
    tcp::endpoint made;
    if (node.ai_addrlen > made.capacity()) return std::nullopt;
    if (node.ai_family != AF_INET && node.ai_family != AF_INET6) return std::nullopt;
    std::memcpy(made.data(), node.ai_addr, node.ai_addrlen);
    made.resize(node.ai_addrlen);
    return made;
}

}  // namespace

lookup::lookup(const asio::any_io_executor& on) : ready_(on, ::epoll_create1(EPOLL_CLOEXEC)) {
    ares_options how{};
    std::array<char, 3> files_then_dns{'f', 'b', '\0'};
    how.timeout = static_cast<int>(attempt_time.count());
    how.tries = attempts;
    how.lookups = files_then_dns.data();
    how.sock_state_cb = watch;
    how.sock_state_cb_data = this;
    const int made = ares_init_options(
        &channel_,
        &how,
        ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_LOOKUPS | ARES_OPT_SOCK_STATE_CB);
    if (made != ARES_SUCCESS) {
        channel_ = nullptr;
        outcome_ = fail(errc::unavailable, ares_strerror(made));
    }
}

lookup::~lookup() {
    if (channel_ != nullptr) ares_destroy(channel_);  // calls watch and answered a last time
}

void lookup::ask(const question& what) {
    if (outcome_) return;
    asked_ = what;
    if (!what.servers.empty()
        && ares_set_servers_ports_csv(channel_, what.servers.c_str()) != ARES_SUCCESS) {
        outcome_ = fail(errc::invalid, "'" + what.servers + "' is no list of DNS servers");
        return;
    }
    ares_addrinfo_hints wanted{};
    wanted.ai_family = AF_UNSPEC;
    wanted.ai_socktype = SOCK_STREAM;
    ares_getaddrinfo(channel_, asked_.host.c_str(), nullptr, &wanted, answered, this);
}

void lookup::proceed() {
    std::array<epoll_event, events_max> events{};
    const int count = ::epoll_wait(ready_.native_handle(), events.data(), events_max, 0);
    for (int at = 0; at < count; ++at) {
        const auto& event = events.at(static_cast<std::size_t>(at));
        const bool writable = (event.events & EPOLLOUT) != 0;
        const bool readable = (event.events & ~EPOLLOUT) != 0;
        ares_process_fd(
            channel_,
            readable ? event.data.fd : ARES_SOCKET_BAD,
            writable ? event.data.fd : ARES_SOCKET_BAD);
    }
    if (count <= 0) ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
}

std::chrono::milliseconds lookup::patience() const {
    timeval longest{.tv_sec = 1, .tv_usec = 0};
    timeval next{};
    const timeval* left = ares_timeout(channel_, &longest, &next);
    // One more, because what is cut off would make us come too early and turn for nothing.
    return std::chrono::milliseconds(left->tv_sec * 1000 + left->tv_usec / 1000 + 1);
}

void lookup::watch(void* self, ares_socket_t socket, int readable, int writable) {
    const int gathered = static_cast<lookup*>(self)->ready_.native_handle();
    epoll_event wanted{};
    wanted.data.fd = socket;
    if (readable != 0) wanted.events |= EPOLLIN;
    if (writable != 0) wanted.events |= EPOLLOUT;
    if (wanted.events == 0) {
        ::epoll_ctl(gathered, EPOLL_CTL_DEL, socket, nullptr);
    } else if (::epoll_ctl(gathered, EPOLL_CTL_MOD, socket, &wanted) != 0) {
        ::epoll_ctl(gathered, EPOLL_CTL_ADD, socket, &wanted);
    }
}

void lookup::answered(void* self, int status, int /*timeouts*/, ares_addrinfo* found) {
    static_cast<lookup*>(self)->take(status, found);
    if (found != nullptr) ares_freeaddrinfo(found);
}

void lookup::take(int status, const ares_addrinfo* found) {
    addresses all;
    for (const auto* node = found == nullptr ? nullptr : found->nodes; node != nullptr;
         node = node->ai_next) {
        if (auto each = endpoint_of(*node)) {
            each->port(asked_.port);
            all.push_back(*each);
        }
    }
    if (all.empty()) {
        const auto* reason = status == ARES_SUCCESS ? "it has no address" : ares_strerror(status);
        outcome_ = fail(errc::unavailable, "looking up " + asked_.host + ": " + reason);
        return;
    }
    outcome_ = std::move(all);
}

}  // namespace muster::resolver
