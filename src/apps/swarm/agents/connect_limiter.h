#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/experimental/channel.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace muster::swarm {

// So many agents of one event loop open a connection at the same time, the others stand in line:
// they share one core, and all of them at once would each take longer than a server waits. Lives on
// its event loop.
class connect_limiter {
public:
    connect_limiter(const boost::asio::any_io_executor& executor, std::size_t width)
        : free_(executor, width) {
        for (std::size_t n = 0; n < width; ++n) free_.try_send(boost::system::error_code());
    }

    // A place in the connect limiter; gives itself back at its end.
    class passage {
    public:
        explicit passage(connect_limiter& of) : of_(&of) {}
        passage(passage&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
        passage(const passage&) = delete;
        passage& operator=(const passage&) = delete;
        passage& operator=(passage&&) = delete;
        ~passage() {
            if (of_ != nullptr) of_->free_.try_send(boost::system::error_code());
        }

    private:
        connect_limiter* of_;
    };

    // Nothing when the wait was cancelled.
    boost::asio::awaitable<std::optional<passage>> enter() {
        const auto [failed] =
            co_await free_.async_receive(boost::asio::as_tuple(boost::asio::use_awaitable));
        if (failed) co_return std::nullopt;
        co_return std::optional<passage>(std::in_place, *this);
    }

private:
    boost::asio::experimental::channel<void(boost::system::error_code)> free_;
};

}  // namespace muster::swarm
