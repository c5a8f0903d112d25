#pragma once

#include "sim/clock.h"
#include "sim/disk.h"
#include "sim/executor.h"
#include "sim/world.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/execution_context.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace muster::sim {

struct process_options {
    std::string name;
    clock_faults clock;
    disk_options disk;
};

// A simulated program on a machine of its own, with a clock and a disk.
//
// crash() is kill -9 together with loss of power: coroutines are destroyed where they stand, timers
// and what the process owns are gone, the disk keeps what it had promised to keep. start() begins
// the next life.
class process {
public:
    static constexpr auto supervisor_delay = std::chrono::seconds(1);

    using start_function = std::function<void(process& self)>;

    process(world& where, process_options options, start_function on_start);
    process(const process&) = delete;
    process& operator=(const process&) = delete;
    ~process();

    void start();
    void crash();
    // As crash(), but from within one of its own events: it happens right after that event, and a
    // supervisor starts the process again a while later.
    void crash_soon();
    // Asks the program to stop, as SIGTERM does. It does what it thinks fit, or nothing.
    void ask_to_stop();
    void on_stop(std::function<void()> callback) { stop_ = std::move(callback); }
    bool running() const { return life_ != nullptr; }
    void pause(monotonic::duration span);

    const std::string& name() const { return name_; }
    world& where() { return where_; }
    process_clock& clock() { return clock_; }
    disk& storage() { return disk_; }

    // Of the present life; the process must be running.
    life& present();
    boost::asio::any_io_executor executor();
    void spawn(std::string task, boost::asio::awaitable<void> work);

    // Keeps an object until the crash; others hold it weakly. Objects die in the reverse order.
    template <class T, class... Arguments>
    std::shared_ptr<T> own(Arguments&&... arguments) {
        auto result = std::make_shared<T>(std::forward<Arguments>(arguments)...);
        owned_.push_back(result);
        return result;
    }

    // First of all at the crash, while everything it owns still stands: for who keeps coroutines
    // waiting to let go of them. What they clean up on their way may be of one that dies earlier.
    void on_crash(std::function<void()> let_go) { let_go_.push_back(std::move(let_go)); }

private:
    world& where_;
    std::string name_;
    start_function on_start_;
    boost::asio::execution_context context_;
    process_clock clock_;
    disk disk_;
    life* life_ = nullptr;
    std::function<void()> stop_;
    std::vector<std::function<void()>> let_go_;
    std::vector<std::shared_ptr<void>> owned_;
};

}  // namespace muster::sim
