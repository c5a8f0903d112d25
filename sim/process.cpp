#include "sim/process.h"

#include "base/assert.h"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>

#include <exception>

namespace muster::sim {

namespace asio = boost::asio;

process::process(world& where, process_options options, start_function on_start)
    : where_(where),
      name_(std::move(options.name)),
      on_start_(std::move(on_start)),
      clock_(where, options.clock),
      disk_(where, clock_, name_, options.disk) {
    disk_.on_power_loss([this] { crash_soon(); });
}

process::~process() {
    if (running()) crash();
}

void process::start() {
    MUSTER_ASSERT(!running());
    life_ = &where_.begin_life();
    clock_.begin(*life_);
    where_.note("start", name_, life_->number);
    if (on_start_) on_start_(*this);
}

void process::crash() {
    MUSTER_ASSERT(running());
    where_.note("crash", name_, life_->number);
    where_.end_life(*std::exchange(life_, nullptr));
    stop_ = nullptr;
    for (const auto& each : std::exchange(let_go_, {})) each();
    while (!owned_.empty()) {
        const auto last = std::move(owned_.back());
        owned_.pop_back();
    }
    disk_.crash();
}

void process::crash_soon() {
    const life* doomed = &present();
    where_.post(where_.kernel(), [this, doomed] {
        if (life_ == doomed) crash();
    });
    where_.after(where_.kernel(), supervisor_delay, [this] {
        if (!running()) start();
    });
}

void process::ask_to_stop() {
    if (!running() || !stop_) return;
    where_.note("asked to stop", name_, life_->number);
    where_.post(*life_, [this] { stop_(); });
}

void process::pause(monotonic::duration span) {
    if (running()) where_.pause(*life_, where_.now() + span);
}

life& process::present() {
    MUSTER_ASSERT(running());
    return *life_;
}

asio::any_io_executor process::executor() {
    return sim::executor(where_, present(), context_);
}

void process::spawn(std::string task, asio::awaitable<void> work) {
    auto done = [this, task = std::move(task)](std::exception_ptr failure) {
        if (!failure) return;
        try {
            std::rethrow_exception(failure);
        } catch (const std::exception& thrown) {
            where_.violated(name_ + ": " + task + " ended with an exception: " + thrown.what());
        } catch (...) {
            where_.violated(name_ + ": " + task + " ended with a failed check");
        }
    };
    asio::co_spawn(executor(), std::move(work), asio::bind_executor(executor(), std::move(done)));
}

}  // namespace muster::sim
