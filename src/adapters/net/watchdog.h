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

// Deadlines of many connections with a single timer. A sweep every `interval` interrupts overdue
// entries, so a deadline may be late by one interval. Arming is one store; a timer per connection
// would cost a heap operation per request. A sweep visits only entries whose deadline was near at
// their last visit, because most deadlines are postponed again and again.
//
// Not thread-safe; lives on one event loop with its entries.
class watchdog {
public:
    // A deadline that is watched while this object lives.
    class deadline_entry : public boost::intrusive::list_base_hook<
                               boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
    public:
        deadline_entry(const deadline_entry&) = delete;
        deadline_entry& operator=(const deadline_entry&) = delete;
        virtual ~deadline_entry() = default;

        void arm(instant deadline) {
            deadline_ = deadline;
            if (deadline < next_check_) watchdog_.schedule(*this);
        }
        void disarm() { deadline_ = instant::max(); }
        // Expires at the next sweep: for a drain.
        void arm_now() { arm(instant::min()); }
        bool expired() const { return expired_; }

    protected:
        explicit deadline_entry(watchdog& watchdog) : watchdog_(watchdog) {
            watchdog.schedule(*this);
        }

    private:
        friend class watchdog;

        // Must not create or destroy an entry.
        virtual void interrupt() = 0;

        watchdog& watchdog_;
        instant deadline_ = instant::max();
        instant next_check_;  // sweeps before this time skip the entry
        bool expired_ = false;
    };

    // Deadline of a stream: its waits end with an error.
    class stream_deadline final : public deadline_entry {
    public:
        stream_deadline(watchdog& watchdog, stream& stream)
            : deadline_entry(watchdog), stream_(stream) {}

    private:
        void interrupt() override { stream_.interrupt(); }

        net::stream& stream_;
    };

    // Deadline of a coroutine spawned with slot(): it is cancelled once.
    class task_deadline final : public deadline_entry {
    public:
        explicit task_deadline(watchdog& watchdog) : deadline_entry(watchdog) {}

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
        watch_list due;
        const auto current_span = span_of(now);
        const auto span_count = static_cast<std::int64_t>(spans);
        for (auto index = std::max(swept_, current_span - span_count + 1); index <= current_span;
             ++index)
            due.splice(due.end(), list_for(index));
        swept_ = std::max(swept_, current_span);
        while (!due.empty()) {
            auto& entry = due.front();
            schedule(entry);
            if (entry.deadline_ > now) continue;
            entry.expired_ = true;
            entry.interrupt();
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
    using watch_list =
        boost::intrusive::list<deadline_entry, boost::intrusive::constant_time_size<false>>;
    static constexpr monotonic::duration span = std::chrono::milliseconds(500);
    static constexpr std::size_t spans = 64;

    static std::int64_t span_of(instant time) { return time.time_since_epoch() / span; }
    watch_list& list_for(std::int64_t index) {
        return lists_.at(static_cast<std::size_t>(index) % spans);
    }

    // Puts the entry into the span of its deadline, or into the last span.
    void schedule(deadline_entry& entry) {
        const auto last_index = swept_ + static_cast<std::int64_t>(spans) - 1;
        const auto index = std::clamp(span_of(entry.deadline_), swept_, last_index);
        entry.unlink();
        list_for(index).push_back(entry);
        entry.next_check_ = instant(span * index);
    }

    std::array<watch_list, spans> lists_;  // ring of spans
    std::int64_t swept_ = 0;               // span of the last sweep
};

}  // namespace muster::net
