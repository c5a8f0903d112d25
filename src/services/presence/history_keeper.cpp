#include "services/presence/history_keeper.h"

#include "ports/deadline.h"
#include "services/presence/history_rows.h"

#include <utility>

namespace muster::presence::history {
namespace {

constexpr monotonic::duration not_ready_pause = std::chrono::seconds(1);

}  // namespace

bool keeper::ready() {
    if (kept_) return true;
    const auto node = around_.node();
    const auto start = around_.start();
    if (!node || start == 0) return false;
    kept_.emplace(
        diary::options{
            .node = node, .start = static_cast<std::int64_t>(start), .turn_max = how_.turn_max},
        around_.time.wall());
    return true;
}

// The publisher tells nobody of anything before the node has its number, so nothing is missed.
void keeper::note(const attendance::changes& seen) {
    if (!ready()) return;
    kept_->note(seen.arrivals, seen.departures);
}

bool keeper::has_room() const {
    return waiting_.size() < how_.waiting_max && waiting_bytes_ < how_.waiting_bytes_max;
}

void keeper::wait_with(const diary::page& told) {
    waiting_.push_back(encode(told));
    waiting_bytes_ += size_bytes(waiting_.back());
}

async<void> keeper::end_turn() {
    if (!ready()) co_return result<void>();
    const auto now = around_.time.wall();
    if (has_room()) {
        wait_with(kept_->end_turn(now));
    } else {
        kept_->skip(now);
        ++lost_;
    }
    co_return co_await write_waiting();
}

// The turns behind one that the ledger will never take would speak for its time, too.
void keeper::lose_waiting() {
    lost_ += waiting_.size();
    waiting_.clear();
    waiting_bytes_ = 0;
    kept_->skip(around_.time.wall());
}

// Not for longer than a turn: the next one must end, however slow the ledger is.
async<void> keeper::write_waiting() {
    const instant until = around_.time.now() + how_.turn;
    while (!waiting_.empty() && around_.time.now() < until) {
        auto writing = around_.records.write(waiting_.front());
        const auto written = co_await within(around_.time, how_.patience, std::move(writing));
        if (!written && written.error().code() != errc::invalid) co_return fail(written.error());
        if (!written) {
            around_.log.error(
                "who came and went is not taken", {{"reason", to_string(written.error())}});
            lose_waiting();
            co_return result<void>();
        }
        waiting_bytes_ -= size_bytes(waiting_.front());
        waiting_.pop_front();
    }
    co_return result<void>();
}

// The first turn ends at once, so that a node which dies soon after it began is known to have
// begun.
boost::asio::awaitable<void> keeper::run() {
    while (true) {
        const auto done = co_await end_turn();
        if (!done && done.error().code() == errc::cancelled) co_return;
        if (!done && !std::exchange(losing_, true))
            around_.log.warning(
                "who comes and goes waits for the ledger", {{"reason", to_string(done.error())}});
        if (done) losing_ = false;
        const auto slept = co_await around_.time.sleep_for(kept_ ? how_.turn : not_ready_pause);
        if (!slept) co_return;
    }
}

async<void> keeper::finish(attendance::changes last) {
    if (!ready()) co_return result<void>();
    kept_->note(last.arrivals, last.departures);
    wait_with(kept_->stop(around_.time.wall()));
    co_return co_await write_waiting();
}

void keeper::export_to(runtime::metrics& counted) const {
    counted.watch_counter(
        {"muster_presence_turns_lost_total",
         "Turns of systems' comings and goings that were not brought on record."},
        [this] { return static_cast<double>(lost_); });
}

}  // namespace muster::presence::history
