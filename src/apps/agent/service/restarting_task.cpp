#include "apps/agent/service/restarting_task.h"

#include <boost/asio/this_coro.hpp>

#include <exception>

namespace muster::agent {

namespace asio = boost::asio;

std::string text_of(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const std::exception& exception) {
        return exception.what();
    } catch (...) {
        return "an exception of an unknown kind";
    }
}

asio::awaitable<void> run_with_restart(
    lasting_part part, backoff pauses, muster::clock& clock, muster::agent::log& log) {
    while (true) {
        std::exception_ptr thrown;
        try {
            co_await part.make();
        } catch (...) {
            thrown = std::current_exception();
        }
        const auto request = co_await asio::this_coro::cancellation_state;
        if (!thrown || request.cancelled() != asio::cancellation_type::none) co_return;
        log.error(
            "a part of the agent failed and is started again",
            {{"part", part.name}, {"error", text_of(thrown)}});
        const auto slept = co_await clock.sleep_for(pauses.next());
        if (!slept) co_return;
    }
}

}  // namespace muster::agent
