#include "adapters/net/http/worker.h"

#include "adapters/net/http/serialise.h"
#include "ports/deadline.h"

#include <utility>

namespace muster::net::http {

namespace asio = boost::asio;

namespace {

asio::awaitable<void> run_connection(std::unique_ptr<served> served) {
    co_await served->serve();
}

async<void> joined(runtime::task_group* tasks) {
    co_await tasks->join();
    co_return result<void>();
}

}  // namespace

worker::worker(options options)
    : executor_(std::move(options.executor)),
      clock_(*options.clock),
      allowed_(*options.allowed),
      counted_(*options.counted),
      connections_(executor_, options.on_failure),
      housekeeping_(executor_, options.on_failure) {}

std::string_view worker::date() {
    const auto now = std::chrono::floor<std::chrono::seconds>(clock_.wall());
    if (date_.empty() || now != date_of_) {
        date_of_ = now;
        date_ = http_date(now);
    }
    return date_;
}

void worker::start() {
    run_beside("deadlines", deadlines_.run(clock_, allowed_.deadline_sweep));
}

void worker::run_beside(std::string name, asio::awaitable<void> task) {
    housekeeping_.spawn(std::move(name), std::move(task));
}

void worker::serve(std::unique_ptr<served> next) {
    if (stopping_) return;
    open_.push_back(*next);
    connections_.spawn("connection", run_connection(std::move(next)));
}

void worker::end_idle_connections() {
    stopping_ = true;
    for (auto& each : open_) each.drain();
    deadlines_.sweep(clock_.now());
}

asio::awaitable<std::size_t> worker::drain(monotonic::duration timeout) {
    end_idle_connections();
    const auto finished = co_await within(clock_, timeout, joined(&connections_));
    if (finished) co_return 0;
    const auto left = open_.size();
    connections_.cancel();
    co_await connections_.join();
    co_return left;
}

void worker::stop() {
    stopping_ = true;
    connections_.cancel();
    housekeeping_.cancel();
}

}  // namespace muster::net::http
