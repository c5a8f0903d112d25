#include "apps/agent/service/restarting_task.h"

#include <boost/asio/this_coro.hpp>

#include <exception>

namespace muster::agent {

namespace asio = boost::asio;

std::string to_text(const std::exception_ptr& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "unknown exception";
    }
}

asio::awaitable<void> run_with_restart(
    restarting_part part, backoff pauses, muster::clock& clock, muster::agent::log& log) {
    while (true) {
        std::exception_ptr exception;
        try {
            co_await part.create();
        } catch (...) {
            exception = std::current_exception();
        }
        const auto cancellation = co_await asio::this_coro::cancellation_state;
        if (!exception || cancellation.cancelled() != asio::cancellation_type::none) co_return;
        log.error(
            "agent component failed; restarting",
            {{"component", part.name}, {"error", to_text(exception)}});
        const auto waited = co_await clock.sleep_for(pauses.next());
        if (!waited) co_return;
    }
}

}  // namespace muster::agent
