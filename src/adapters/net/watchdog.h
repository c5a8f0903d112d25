#pragma once

#include "adapters/net/stream.h"
#include "base/time.h"
#include "ports/clock.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/intrusive/list.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace muster::net {

// Deadlines for many connections at the price of one timer: a sweep every `interval` interrupts
// what is overdue, so a deadline may be late by one interval. Arming is a store, where a timer a
// connection would cost a heap operation at every request; a sweep looks at those only whose
// deadline was near when it last saw them, because most are put off again and again.
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

        void arm(instant deadline) {
            deadline_ = deadline;
            if (deadline < looked_at_) by_.file(*this);
        }
        void disarm() { deadline_ = instant::max(); }
        // Interrupts at the next sweep, whatever the deadline was: for a drain.
        void arm_now() { arm(instant::min()); }
        bool expired() const { return expired_; }

    protected:
        explicit timed(watchdog& by) : by_(by) { by.file(*this); }

    private:
        friend class watchdog;

        // Must not end or begin a watch.
        virtual void interrupt() = 0;

        watchdog& by_;
        instant deadline_ = instant::max();
        instant looked_at_;  // no sweep before that sees it
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
        void cancel(boost::asio::cancellation_type cancellation_type) {
            signal_.emit(cancellation_type);
        }

    private:
        void interrupt() override {
            disarm();
            cancel(boost::asio::cancellation_type::terminal);
        }

        boost::asio::cancellation_signal signal_;
    };

    void sweep(instant now) {
        watch_list watch_list;
        const auto until = span_of(now);
        const auto ahead = static_cast<std::int64_t>(spans);
        for (auto at = std::max(swept_, until - ahead + 1); at <= until; ++at)
            watch_list.splice(watch_list.end(), list_of(at));
        swept_ = std::max(swept_, until);
        while (!watch_list.empty()) {
            auto& each = watch_list.front();
            file(each);
            if (each.deadline_ > now) continue;
            each.expired_ = true;
            each.interrupt();
        }
    }

    // Sweeps until it is cancelled.
    boost::asio::awaitable<void> run(muster::clock& clock, monotonic::duration interval) {
        while (true) {
            const auto slept = co_await clock.sleep_for(interval);
            if (!slept) co_return;
            sweep(clock.now());
        }
    }

private:
    using watch_list = boost::intrusive::list<timed, boost::intrusive::constant_time_size<false>>;
    static constexpr monotonic::duration span = std::chrono::milliseconds(500);
    static constexpr std::size_t spans = 64;

    static std::int64_t span_of(instant when) { return when.time_since_epoch() / span; }
    watch_list& list_of(std::int64_t index) {
        return lists_.at(static_cast<std::size_t>(index) % spans);
    }

    // Among those that are looked at when the deadline is near, or as late as can be.
    void file(timed& timed) {
        const auto last = swept_ + static_cast<std::int64_t>(spans) - 1;
        const auto which = std::clamp(span_of(timed.deadline_), swept_, last);
        timed.unlink();
        list_of(which).push_back(timed);
        timed.looked_at_ = instant(span * which);
    }

    std::array<watch_list, spans> lists_;  // those of one span of time each, in turn
    std::int64_t swept_ = 0;               // the span of the last sweep
};

}  // namespace muster::net
