#include "sim/process.h"

#include "base/assert.h"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>

#include <exception>

namespace muster::sim {

namespace asio = boost::asio;

process::process(sim::simulation& simulation, process_options options, start_function on_start)
    : simulation_(simulation),
      name_(std::move(options.name)),
      on_start_(std::move(on_start)),
      clock_(simulation, options.clock),
      disk_(simulation, clock_, name_, options.disk) {
    disk_.on_power_loss([this] { crash_soon(); });
}

process::~process() {
    if (running()) crash();
}

void process::start() {
    MUSTER_ASSERT(!running());
    life_ = &simulation_.begin_life();
    clock_.begin(*life_);
    simulation_.note("start", name_, life_->number);
    if (on_start_) on_start_(*this);
}

void process::crash() {
    MUSTER_ASSERT(running());
    simulation_.note("crash", name_, life_->number);
    simulation_.end_life(*std::exchange(life_, nullptr));
    stop_callback_ = nullptr;
    for (const auto& callback : std::exchange(crash_callbacks_, {})) callback();
    while (!owned_.empty()) {
        const auto last = std::move(owned_.back());
        owned_.pop_back();
    }
    disk_.crash();
}

void process::crash_soon() {
    const life* ending_life = &current_life();
    simulation_.post(simulation_.kernel(), [this, ending_life] {
        if (life_ == ending_life) crash();
    });
    simulation_.after(simulation_.kernel(), supervisor_delay, [this] {
        if (!running()) start();
    });
}

void process::ask_to_stop() {
    if (!running() || !stop_callback_) return;
    simulation_.note("asked to stop", name_, life_->number);
    simulation_.post(*life_, [this] { stop_callback_(); });
}

void process::pause(monotonic::duration span) {
    if (running()) simulation_.pause(*life_, simulation_.now() + span);
}

life& process::current_life() {
    MUSTER_ASSERT(running());
    return *life_;
}

asio::any_io_executor process::executor() {
    return sim::executor(simulation_, current_life(), context_);
}

void process::spawn(std::string task, asio::awaitable<void> work) {
    auto done = [this, task = std::move(task)](std::exception_ptr failure) {
        if (!failure) return;
        try {
            std::rethrow_exception(failure);
        } catch (const std::exception& thrown) {
            simulation_.violated(
                name_ + ": " + task + " ended with an exception: " + thrown.what());
        } catch (...) {
            simulation_.violated(name_ + ": " + task + " ended with a failed check");
        }
    };
    asio::co_spawn(executor(), std::move(work), asio::bind_executor(executor(), std::move(done)));
}

}  // namespace muster::sim
