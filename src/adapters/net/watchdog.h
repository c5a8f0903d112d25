#pragma once

#include "adapters/net/stream.h"
#include "base/time.h"
#include "ports/clock.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/intrusive/list.hpp>

namespace muster::net {

// Deadlines for many connections at the price of one timer: a sweep every `interval` interrupts
// what is overdue, so a deadline may be late by one interval. Arming is a store, where a timer a
// connection would cost a heap operation at every request.
//
// Lives on one event loop, like what it watches.
class watchdog {
public:
    // Something under watch while this object lives.
    class timed : public boost::intrusive::list_base_hook<
                      boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
    public:
        timed(const timed&) = delete;
        timed& operator=(const timed&) = delete;
        virtual ~timed() = default;

        void arm(instant deadline) { deadline_ = deadline; }
        void disarm() { deadline_ = instant::max(); }
        // Interrupts at the next sweep, whatever the deadline was: for a drain.
        void arm_now() { deadline_ = instant::min(); }
        bool expired() const { return expired_; }

    protected:
        explicit timed(watchdog& by) { by.all_.push_back(*this); }

    private:
        friend class watchdog;

        // Must not end or begin a watch.
        virtual void interrupt() = 0;

        instant deadline_ = instant::max();
        bool expired_ = false;
    };

    // A stream: its waits end with an error.
    class watched final : public timed {
    public:
        watched(watchdog& by, stream& what) : timed(by), stream_(what) {}

    private:
        void interrupt() override { stream_.interrupt(); }

        stream& stream_;
    };

    // A coroutine that was spawned with slot(): it is cancelled, once.
    class limited final : public timed {
    public:
        explicit limited(watchdog& by) : timed(by) {}

        boost::asio::cancellation_slot slot() { return signal_.slot(); }
        void cancel(boost::asio::cancellation_type how) { signal_.emit(how); }

    private:
        void interrupt() override {
            disarm();
            cancel(boost::asio::cancellation_type::terminal);
        }

        boost::asio::cancellation_signal signal_;
    };

    void sweep(instant now) {
        for (auto& each : all_) {
            if (each.deadline_ > now) continue;
            each.expired_ = true;
            each.interrupt();
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
    boost::intrusive::list<timed, boost::intrusive::constant_time_size<false>> all_;
};

}  // namespace muster::net
