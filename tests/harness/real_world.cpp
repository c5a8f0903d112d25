#include "tests/harness/real_world.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <utility>

namespace muster::harness {

void real_world::run(boost::asio::awaitable<void> scenario) {
    boost::asio::io_context loop(1);
    std::exception_ptr failure;
    boost::asio::co_spawn(
        loop, std::move(scenario), [&failure](std::exception_ptr thrown) { failure = thrown; });
    loop.run();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace muster::harness
