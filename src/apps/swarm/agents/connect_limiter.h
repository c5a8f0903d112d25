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

// Limits how many agents of one event loop connect at the same time. They share one core: if all
// connected at once, each would exceed the server's handshake timeout. Not thread-safe; lives on
// its event loop.
class connect_limiter {
public:
    connect_limiter(const boost::asio::any_io_executor& executor, std::size_t permits)
        : free_(executor, permits) {
        for (std::size_t n = 0; n < permits; ++n) free_.try_send(boost::system::error_code());
    }

    // Permission to connect; released by its destructor.
    class permit {
    public:
        explicit permit(connect_limiter& limiter) : limiter_(&limiter) {}
        permit(permit&& other) noexcept : limiter_(std::exchange(other.limiter_, nullptr)) {}
        permit(const permit&) = delete;
        permit& operator=(const permit&) = delete;
        permit& operator=(permit&&) = delete;
        ~permit() {
            if (limiter_ != nullptr) limiter_->free_.try_send(boost::system::error_code());
        }

    private:
        connect_limiter* limiter_;
    };

    // nullopt if the wait was cancelled.
    boost::asio::awaitable<std::optional<permit>> acquire() {
        const auto [failed] =
            co_await free_.async_receive(boost::asio::as_tuple(boost::asio::use_awaitable));
        if (failed) co_return std::nullopt;
        co_return std::optional<permit>(std::in_place, *this);
    }

private:
    boost::asio::experimental::channel<void(boost::system::error_code)> free_;
};

}  // namespace muster::swarm
