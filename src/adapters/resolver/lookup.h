#pragma once

#include "adapters/resolver/resolver.h"
#include "base/result.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <ares.h>
#include <chrono>
#include <optional>

namespace muster::resolver {

// One c-ares query. One epoll descriptor holds all its sockets, so that callers wait for a single
// descriptor. Not thread-safe.
class lookup {
public:
    explicit lookup(const boost::asio::any_io_executor& executor);
    lookup(const lookup&) = delete;
    lookup& operator=(const lookup&) = delete;
    ~lookup();

    void start(const query& query);
    // Handles received data and timeouts.
    void process();

    const std::optional<result<addresses>>& outcome() const { return outcome_; }
    // Readable when process() has something to do.
    boost::asio::posix::stream_descriptor& ready() { return ready_; }
    // Longest wait before process() must be called.
    std::chrono::milliseconds timeout() const;

private:
    static void watch(void* self, ares_socket_t socket, int readable, int writable);
    static void on_response(void* self, int status, int timeouts, ares_addrinfo* ares_addrinfo);
    void store_result(int status, const ares_addrinfo* ares_addrinfo);

    boost::asio::posix::stream_descriptor ready_;
    ares_channel channel_ = nullptr;
    query query_;
    std::optional<result<addresses>> outcome_;
};

}  // namespace muster::resolver
