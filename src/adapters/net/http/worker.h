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

// Something a worker runs until it ends by itself or is told to.
class served : public boost::intrusive::list_base_hook<
                   boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
public:
    served() = default;
    served(const served&) = delete;
    served& operator=(const served&) = delete;
    virtual ~served() = default;

    virtual boost::asio::awaitable<void> serve() = 0;
    // The server is stopping: ends what would otherwise go on for ever.
    virtual void drain() = 0;
};

// What the connections of one event loop share. Lives on that loop, but for its construction and
// destruction, which happen while nothing runs there.
class worker {
public:
    struct options {
        boost::asio::any_io_executor executor;
        muster::clock* clock;
        const limits* allowed;
        counters* counted;
        runtime::task_group::failure_handler on_failure;
    };

    // A connection's seat on this loop, counted from the moment it is accepted.
    struct leave {
        void operator()(std::atomic<std::size_t>* reserved) const { reserved->fetch_sub(1); }
    };
    using seat = std::unique_ptr<std::atomic<std::size_t>, leave>;

    explicit worker(options options);

    // These two from any thread.
    seat take_seat() {
        taken_.fetch_add(1);
        return seat(&taken_);
    }
    std::size_t seats_taken() const { return taken_.load(); }

    const boost::asio::any_io_executor& executor() const { return executor_; }
    muster::clock& clock() const { return clock_; }
    const limits& allowed() const { return allowed_; }
    counters& counted() const { return counted_; }
    watchdog& deadlines() { return deadlines_; }
    const bool& stopping() const { return stopping_; }
    std::string_view date();  // now, for the Date field

    // Used within one step of one connection; nothing stays in them across a wait.
    std::array<char, 16384>& received() { return received_; }
    std::string& scratch() { return scratch_; }

    void start();
    void serve(std::unique_ptr<served> next);
    // Lets requests under way finish, ends everything else, cuts what is left after `timeout`: so
    // many connections.
    boost::asio::awaitable<std::size_t> drain(monotonic::duration timeout);
    void run_beside(std::string name, boost::asio::awaitable<void> task);
    void stop();

private:
    void end_idle_connections();

    boost::asio::any_io_executor executor_;
    muster::clock& clock_;
    const limits& allowed_;
    counters& counted_;
    watchdog deadlines_;
    std::atomic<std::size_t> taken_ = 0;
    bool stopping_ = false;
    std::chrono::sys_seconds date_of_{};
    std::string date_;
    std::array<char, 16384> received_{};
    std::string scratch_;
    boost::intrusive::list<served, boost::intrusive::constant_time_size<false>> open_;
    runtime::task_group connections_;
    runtime::task_group housekeeping_;
};

}  // namespace muster::net::http
