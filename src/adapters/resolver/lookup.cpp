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

std::optional<tcp::endpoint> to_endpoint(const ares_addrinfo_node& node) {
    tcp::endpoint endpoint;
    if (node.ai_addrlen > endpoint.capacity()) return std::nullopt;
    if (node.ai_family != AF_INET && node.ai_family != AF_INET6) return std::nullopt;
    std::memcpy(endpoint.data(), node.ai_addr, node.ai_addrlen);
    endpoint.resize(node.ai_addrlen);
    return endpoint;
}

}  // namespace

lookup::lookup(const asio::any_io_executor& executor)
    : ready_(executor, ::epoll_create1(EPOLL_CLOEXEC)) {
    ares_options options{};
    std::array<char, 3> files_then_dns{'f', 'b', '\0'};
    options.timeout = static_cast<int>(attempt_time.count());
    options.tries = attempts;
    options.lookups = files_then_dns.data();
    options.sock_state_cb = watch;
    options.sock_state_cb_data = this;
    const int result = ares_init_options(
        &channel_,
        &options,
        ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_LOOKUPS | ARES_OPT_SOCK_STATE_CB);
    if (result != ARES_SUCCESS) {
        channel_ = nullptr;
        outcome_ = fail(errc::unavailable, ares_strerror(result));
    }
}

lookup::~lookup() {
    if (channel_ != nullptr) ares_destroy(channel_);  // calls watch and on_response a last time
}

void lookup::start(const query& query) {
    if (outcome_) return;
    query_ = query;
    if (!query.servers.empty()
        && ares_set_servers_ports_csv(channel_, query.servers.c_str()) != ARES_SUCCESS) {
        outcome_ = fail(errc::invalid, "\"" + query.servers + "\" is not a list of DNS servers");
        return;
    }
    ares_addrinfo_hints ares_addrinfo_hints{};
    ares_addrinfo_hints.ai_family = AF_UNSPEC;
    ares_addrinfo_hints.ai_socktype = SOCK_STREAM;
    ares_getaddrinfo(
        channel_, query_.host.c_str(), nullptr, &ares_addrinfo_hints, on_response, this);
}

void lookup::process() {
    std::array<epoll_event, events_max> events{};
    const int count = ::epoll_wait(ready_.native_handle(), events.data(), events_max, 0);
    for (int index = 0; index < count; ++index) {
        const auto& event = events.at(static_cast<std::size_t>(index));
        const bool writable = (event.events & EPOLLOUT) != 0;
        const bool readable = (event.events & ~EPOLLOUT) != 0;
        ares_process_fd(
            channel_,
            readable ? event.data.fd : ARES_SOCKET_BAD,
            writable ? event.data.fd : ARES_SOCKET_BAD);
    }
    if (count <= 0) ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
}

std::chrono::milliseconds lookup::timeout() const {
    timeval longest{.tv_sec = 1, .tv_usec = 0};
    timeval next{};
    const timeval* remaining = ares_timeout(channel_, &longest, &next);
    // Rounded up: a wake-up before the timeout would be useless.
    return std::chrono::milliseconds(remaining->tv_sec * 1000 + remaining->tv_usec / 1000 + 1);
}

void lookup::watch(void* self, ares_socket_t socket, int readable, int writable) {
    const int epoll = static_cast<lookup*>(self)->ready_.native_handle();
    epoll_event epoll_event{};
    epoll_event.data.fd = socket;
    if (readable != 0) epoll_event.events |= EPOLLIN;
    if (writable != 0) epoll_event.events |= EPOLLOUT;
    if (epoll_event.events == 0) {
        ::epoll_ctl(epoll, EPOLL_CTL_DEL, socket, nullptr);
    } else if (::epoll_ctl(epoll, EPOLL_CTL_MOD, socket, &epoll_event) != 0) {
        ::epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &epoll_event);
    }
}

void lookup::on_response(void* self, int status, int /*timeouts*/, ares_addrinfo* ares_addrinfo) {
    static_cast<lookup*>(self)->store_result(status, ares_addrinfo);
    if (ares_addrinfo != nullptr) ares_freeaddrinfo(ares_addrinfo);
}

void lookup::store_result(int status, const ares_addrinfo* ares_addrinfo) {
    resolver::addresses addresses;
    for (const auto* node = ares_addrinfo == nullptr ? nullptr : ares_addrinfo->nodes;
         node != nullptr;
         node = node->ai_next) {
        if (auto endpoint = to_endpoint(*node)) {
            endpoint->port(query_.port);
            addresses.push_back(*endpoint);
        }
    }
    if (addresses.empty()) {
        const auto* reason = status == ARES_SUCCESS ? "no address found" : ares_strerror(status);
        outcome_ = fail(errc::unavailable, "looking up " + query_.host + ": " + reason);
        return;
    }
    outcome_ = std::move(addresses);
}

}  // namespace muster::resolver
