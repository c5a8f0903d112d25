#include "adapters/net/http/worker.h"

#include "adapters/net/http/serialise.h"
#include "ports/deadline.h"

#include <utility>

namespace muster::net::http {

namespace asio = boost::asio;

namespace {

asio::awaitable<void> run_connection(std::unique_ptr<worker_task> task) {
    co_await task->serve();
}

async<void> join(runtime::task_group* tasks) {
    co_await tasks->join();
    co_return result<void>();
}

}  // namespace

worker::worker(options options)
    : executor_(std::move(options.executor)),
      clock_(*options.clock),
      limits_(*options.limits),
      metrics_(*options.metrics),
      connections_(executor_, options.on_failure),
      housekeeping_(executor_, options.on_failure) {}

std::string_view worker::date() {
    const auto now = std::chrono::floor<std::chrono::seconds>(clock_.wall());
    if (date_.empty() || now != date_second_) {
        date_second_ = now;
        date_ = http_date(now);
    }
    return date_;
}

void worker::start() {
    run_housekeeping("deadlines", deadlines_.run(clock_, limits_.deadline_sweep));
}

void worker::run_housekeeping(std::string name, asio::awaitable<void> task) {
    housekeeping_.spawn(std::move(name), std::move(task));
}

void worker::serve(std::unique_ptr<worker_task> task) {
    if (stopping_) return;
    tasks_.push_back(*task);
    connections_.spawn("connection", run_connection(std::move(task)));
}

void worker::end_idle_connections() {
    stopping_ = true;
    for (auto& task : tasks_) task.drain();
    deadlines_.sweep(clock_.now());
}

asio::awaitable<std::size_t> worker::drain(monotonic::duration timeout) {
    end_idle_connections();
    const auto finished = co_await within(clock_, timeout, join(&connections_));
    if (finished) co_return 0;
    const auto remaining = tasks_.size();
    connections_.cancel();
    co_await connections_.join();
    co_return remaining;
}

void worker::stop() {
    stopping_ = true;
    connections_.cancel();
    housekeeping_.cancel();
}

}  // namespace muster::net::http
