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
    tcp::endpoint endpoint;
    if (node.ai_addrlen > endpoint.capacity()) return std::nullopt;
    if (node.ai_family != AF_INET && node.ai_family != AF_INET6) return std::nullopt;
    std::memcpy(endpoint.data(), node.ai_addr, node.ai_addrlen);
    endpoint.resize(node.ai_addrlen);
    return endpoint;
}

}  // namespace

lookup::lookup(const asio::any_io_executor& on) : ready_(on, ::epoll_create1(EPOLL_CLOEXEC)) {
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
    if (channel_ != nullptr) ares_destroy(channel_);  // calls watch and answered a last time
}

void lookup::ask(const question& question) {
    if (outcome_) return;
    asked_ = question;
    if (!question.servers.empty()
        && ares_set_servers_ports_csv(channel_, question.servers.c_str()) != ARES_SUCCESS) {
        outcome_ = fail(errc::invalid, "'" + question.servers + "' is no list of DNS servers");
        return;
    }
    ares_addrinfo_hints ares_addrinfo_hints{};
    ares_addrinfo_hints.ai_family = AF_UNSPEC;
    ares_addrinfo_hints.ai_socktype = SOCK_STREAM;
    ares_getaddrinfo(channel_, asked_.host.c_str(), nullptr, &ares_addrinfo_hints, answered, this);
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

std::chrono::milliseconds lookup::timeout() const {
    timeval longest{.tv_sec = 1, .tv_usec = 0};
    timeval next{};
    const timeval* left = ares_timeout(channel_, &longest, &next);
    // One more, because what is cut off would make us come too early and turn for nothing.
    return std::chrono::milliseconds(left->tv_sec * 1000 + left->tv_usec / 1000 + 1);
}

void lookup::watch(void* self, ares_socket_t socket, int readable, int writable) {
    const int gathered = static_cast<lookup*>(self)->ready_.native_handle();
    epoll_event epoll_event{};
    epoll_event.data.fd = socket;
    if (readable != 0) epoll_event.events |= EPOLLIN;
    if (writable != 0) epoll_event.events |= EPOLLOUT;
    if (epoll_event.events == 0) {
        ::epoll_ctl(gathered, EPOLL_CTL_DEL, socket, nullptr);
    } else if (::epoll_ctl(gathered, EPOLL_CTL_MOD, socket, &epoll_event) != 0) {
        ::epoll_ctl(gathered, EPOLL_CTL_ADD, socket, &epoll_event);
    }
}

void lookup::answered(void* self, int status, int /*timeouts*/, ares_addrinfo* ares_addrinfo) {
    static_cast<lookup*>(self)->take(status, ares_addrinfo);
    if (ares_addrinfo != nullptr) ares_freeaddrinfo(ares_addrinfo);
}

void lookup::take(int status, const ares_addrinfo* ares_addrinfo) {
    addresses all;
    for (const auto* node = ares_addrinfo == nullptr ? nullptr : ares_addrinfo->nodes;
         node != nullptr;
         node = node->ai_next) {
        if (auto endpoint = endpoint_of(*node)) {
            endpoint->port(asked_.port);
            all.push_back(*endpoint);
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
