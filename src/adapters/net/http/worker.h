#pragma once

#include "adapters/net/http/counters.h"
#include "adapters/net/http/limits.h"
#include "adapters/net/watchdog.h"
#include "ports/clock.h"
#include "runtime/task_group.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/intrusive/list.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace muster::net::http {

// A task of a worker: runs until it ends or is drained.
class worker_task : public boost::intrusive::list_base_hook<
                        boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
public:
    worker_task() = default;
    worker_task(const worker_task&) = delete;
    worker_task& operator=(const worker_task&) = delete;
    virtual ~worker_task() = default;

    virtual boost::asio::awaitable<void> serve() = 0;
    // The server stops: ends waits that have no end of their own.
    virtual void drain() = 0;
};

// Shares buffers, limits and deadlines among the connections of one event loop. Not thread-safe
// except where noted; constructed and destroyed while the loop is not running.
class worker {
public:
    struct options {
        boost::asio::any_io_executor executor;
        muster::clock* clock;
        const http::limits* limits;
        counters* metrics;
        runtime::task_group::failure_handler on_failure;
    };

    // Counts a connection of this loop, from its acceptance on.
    struct uncount {
        void operator()(std::atomic<std::size_t>* count) const { count->fetch_sub(1); }
    };
    using connection_count = std::unique_ptr<std::atomic<std::size_t>, uncount>;

    explicit worker(options options);

    // These two are thread-safe.
    connection_count count_connection() {
        connections_count_.fetch_add(1);
        return connection_count(&connections_count_);
    }
    std::size_t connections() const { return connections_count_.load(); }

    const boost::asio::any_io_executor& executor() const { return executor_; }
    muster::clock& clock() const { return clock_; }
    const http::limits& limits() const { return limits_; }
    counters& metrics() const { return metrics_; }
    watchdog& deadlines() { return deadlines_; }
    const bool& stopping() const { return stopping_; }
    std::string_view date();  // the current time, for the Date field

    // Valid within one step of one connection; never used across a wait.
    std::array<char, 16384>& read_buffer() { return read_buffer_; }
    std::string& scratch() { return scratch_; }

    void start();
    void serve(std::unique_ptr<worker_task> task);
    // Lets running requests finish and ends everything else. Cuts the remaining connections after
    // `timeout` and returns their number.
    boost::asio::awaitable<std::size_t> drain(monotonic::duration timeout);
    void run_housekeeping(std::string name, boost::asio::awaitable<void> task);
    void stop();

private:
    void end_idle_connections();

    boost::asio::any_io_executor executor_;
    muster::clock& clock_;
    const http::limits& limits_;
    counters& metrics_;
    watchdog deadlines_;
    std::atomic<std::size_t> connections_count_ = 0;
    bool stopping_ = false;
    std::chrono::sys_seconds date_second_{};
    std::string date_;
    std::array<char, 16384> read_buffer_{};
    std::string scratch_;
    boost::intrusive::list<worker_task, boost::intrusive::constant_time_size<false>> tasks_;
    runtime::task_group connections_;
    runtime::task_group housekeeping_;
};

}  // namespace muster::net::http
