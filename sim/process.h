#pragma once

#include "sim/clock.h"
#include "sim/disk.h"
#include "sim/executor.h"
#include "sim/simulation.h"

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

// A simulated program on its own machine, with a clock and a disk.
//
// crash() is kill -9 with loss of power: it destroys the coroutines, the timers and everything the
// process owns. The disk keeps what it has synced. start() begins the next life.
class process {
public:
    static constexpr auto supervisor_delay = std::chrono::seconds(1);

    using start_function = std::function<void(process& self)>;

    process(sim::simulation& simulation, process_options options, start_function on_start);
    process(const process&) = delete;
    process& operator=(const process&) = delete;
    ~process();

    void start();
    void crash();
    // Like crash(), but callable from an event of this process. The crash follows that event, and a
    // supervisor restarts the process after supervisor_delay.
    void crash_soon();
    // Asks the program to stop, like SIGTERM. The program decides what to do.
    void ask_to_stop();
    void on_stop(std::function<void()> callback) { stop_callback_ = std::move(callback); }
    bool running() const { return life_ != nullptr; }
    void pause(monotonic::duration span);

    const std::string& name() const { return name_; }
    sim::simulation& simulation() { return simulation_; }
    process_clock& clock() { return clock_; }
    disk& storage() { return disk_; }

    // The life that runs now; the process must be running.
    life& current_life();
    boost::asio::any_io_executor executor();
    void spawn(std::string task, boost::asio::awaitable<void> work);

    // Keeps an object until the crash; others must hold it weakly. Objects are destroyed in reverse
    // order.
    template <class T, class... Arguments>
    std::shared_ptr<T> own(Arguments&&... arguments) {
        auto result = std::make_shared<T>(std::forward<Arguments>(arguments)...);
        owned_.push_back(result);
        return result;
    }

    // First of all at the crash, while everything it owns still stands: for who keeps coroutines
    // waiting to let go of them. What they clean up on their way may be of one that dies earlier.
    void on_crash(std::function<void()> callback) {
        crash_callbacks_.push_back(std::move(callback));
    }

private:
    sim::simulation& simulation_;
    std::string name_;
    start_function on_start_;
    boost::asio::execution_context context_;
    process_clock clock_;
    disk disk_;
    life* life_ = nullptr;
    std::function<void()> stop_callback_;
    std::vector<std::function<void()>> crash_callbacks_;
    std::vector<std::shared_ptr<void>> owned_;
};

}  // namespace muster::sim
