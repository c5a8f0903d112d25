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
        clock* time;
        const limits* allowed;
        counters* counted;
        runtime::task_group::failure_handler on_failure;
    };

    explicit worker(options wanted);

    const boost::asio::any_io_executor& executor() const { return executor_; }
    clock& time() const { return time_; }
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
    // Lets requests under way finish, ends everything else, cuts what is left after `patience`.
    boost::asio::awaitable<void> drain(monotonic::duration patience);
    void run_beside(std::string name, boost::asio::awaitable<void> task);
    void stop();

    std::size_t connections() const { return connections_.size(); }

private:
    void end_idle_connections();

    boost::asio::any_io_executor executor_;
    clock& time_;
    const limits& allowed_;
    counters& counted_;
    watchdog deadlines_;
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
