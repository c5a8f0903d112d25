#pragma once

#include "adapters/net/stream.h"
#include "base/time.h"
#include "ports/clock.h"

#include <boost/asio/awaitable.hpp>
#include <boost/intrusive/list.hpp>

namespace muster::net {

// Deadlines for many connections at the price of one timer: a sweep every `interval` interrupts the
// streams whose deadline has passed, so a deadline may be late by one interval. Arming is a store,
// where a timer a connection would cost a heap operation at every request.
//
// Lives on one event loop, like the streams it watches.
class watchdog {
public:
    // A stream under watch while this object lives.
    class watched : public boost::intrusive::list_base_hook<
                        boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
    public:
        watched(watchdog& by, stream& what) : stream_(what) { by.all_.push_back(*this); }
        watched(const watched&) = delete;
        watched& operator=(const watched&) = delete;
        ~watched() = default;

        void arm(instant deadline) { deadline_ = deadline; }
        void disarm() { deadline_ = instant::max(); }
        // Interrupts at the next sweep, whatever the deadline was: for a drain.
        void arm_now() { deadline_ = instant::min(); }
        bool expired() const { return expired_; }

    private:
        friend class watchdog;

        stream& stream_;
        instant deadline_ = instant::max();
        bool expired_ = false;
    };

    void sweep(instant now) {
        for (auto& each : all_) {
            if (each.deadline_ > now) continue;
            each.expired_ = true;
            each.stream_.interrupt();
        }
    }

    // Sweeps until it is cancelled.
    boost::asio::awaitable<void> run(clock& time, monotonic::duration interval) {
        while (true) {
            const auto slept = co_await time.sleep_for(interval);
            if (!slept) co_return;
            sweep(time.now());
        }
    }

private:
    boost::intrusive::list<watched, boost::intrusive::constant_time_size<false>> all_;
};

}  // namespace muster::net
