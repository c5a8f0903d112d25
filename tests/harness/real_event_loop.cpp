#include "tests/harness/real_event_loop.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <stdexcept>
#include <thread>
#include <utility>

namespace muster::harness {

void real_event_loop::run(boost::asio::awaitable<void> scenario) {
    boost::asio::io_context loop(1);
    std::exception_ptr failure;
    boost::asio::co_spawn(
        loop, std::move(scenario), [&failure](std::exception_ptr thrown) { failure = thrown; });
    loop.run();
    if (failure) std::rethrow_exception(failure);
}

boost::asio::awaitable<void> beside_the_loop(std::function<void()> work) {
    std::jthread worker;
    const auto outcome = co_await await_callback<void>([&](completion<void> finished) {
        worker = std::jthread([&work, finished = std::move(finished)] {
            try {
                work();
                finished({});
            } catch (const std::exception& failure) {
                finished(fail(errc::unavailable, failure.what()));
            }
        });
    });
    if (!outcome) throw std::runtime_error(outcome.error().detail());
}

}  // namespace muster::harness
