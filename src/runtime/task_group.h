#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <exception>
#include <functional>
#include <list>
#include <string>

namespace muster::runtime {

// Owns the coroutines spawned into it. It reports their failures, and no coroutine outlives it.
// After cancel() an exception of a task is not reported as a failure. A task spawned after cancel()
// is cancelled at once.
//
// Not thread-safe: construct, spawn, cancel and join on the strand it was given.
class task_group {
public:
    using failure_handler = std::function<void(const std::string& task, std::exception_ptr)>;

    task_group(boost::asio::any_io_executor strand, failure_handler on_failure);
    task_group(const task_group&) = delete;
    task_group& operator=(const task_group&) = delete;
    ~task_group();

    void spawn(std::string name, boost::asio::awaitable<void> task);
    void cancel();
    boost::asio::awaitable<void> join();

    std::size_t size() const { return running_.size(); }

private:
    void emit_if_running(const boost::asio::cancellation_signal* signal);
    void on_task_end(
        std::list<boost::asio::cancellation_signal>::iterator slot,
        const std::string& name,
        std::exception_ptr failure);

    boost::asio::any_io_executor strand_;
    failure_handler on_failure_;
    std::list<boost::asio::cancellation_signal> running_;
    boost::asio::steady_timer idle_;
    bool cancelled_ = false;
};

}  // namespace muster::runtime
