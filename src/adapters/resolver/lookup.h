#pragma once

#include "adapters/resolver/resolver.h"
#include "base/result.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <ares.h>
#include <chrono>
#include <optional>

namespace muster::resolver {

// One question put to c-ares. Its sockets are gathered in one epoll descriptor, so that there is a
// single thing to wait for however many servers are asked.
class lookup {
public:
    explicit lookup(const boost::asio::any_io_executor& on);
    lookup(const lookup&) = delete;
    lookup& operator=(const lookup&) = delete;
    ~lookup();

    void ask(const question& question);
    // Goes on with what has arrived and with what is overdue.
    void proceed();

    const std::optional<result<addresses>>& outcome() const { return outcome_; }
    // Readable when there is something to proceed with.
    boost::asio::posix::stream_descriptor& ready() { return ready_; }
    // When to proceed even if nothing arrives.
    std::chrono::milliseconds timeout() const;

private:
    static void watch(void* self, ares_socket_t socket, int readable, int writable);
    static void answered(void* self, int status, int timeouts, ares_addrinfo* ares_addrinfo);
    void take(int status, const ares_addrinfo* ares_addrinfo);

    boost::asio::posix::stream_descriptor ready_;
    ares_channel channel_ = nullptr;
    question asked_;
    std::optional<result<addresses>> outcome_;
};

}  // namespace muster::resolver
