#include "services/presence/presence_history_writer.h"

#include "ports/deadline.h"
#include "services/presence/history_rows.h"

#include <utility>

namespace muster::presence::history {
namespace {

constexpr monotonic::duration not_ready_pause = std::chrono::seconds(1);

}  // namespace

node_number presence_history_writer::number() const {
    const auto topology = deps_.topology.read();
    const auto own = topology->nodes.find(options_.node);
    return own == topology->nodes.end() ? node_number() : own->second.number;
}

bool presence_history_writer::ready() {
    if (kept_) return true;
    const auto node = number();
    const auto start = deps_.start.first_listed();
    if (!node || start == 0) return false;
    kept_.emplace(
        presence_recorder::options{.node = node, .start = start, .turn_max = options_.turn_max},
        deps_.clock.wall());
    return true;
}

// The publisher tells nobody of anything before the node has its number, so nothing is missed.
void presence_history_writer::note(const attached_agents::changes& changes) {
    if (!ready()) return;
    kept_->note(changes.arrivals, changes.departures);
}

bool presence_history_writer::has_room() const {
    return waiting_.size() < options_.waiting_max && waiting_bytes_ < options_.waiting_bytes_max;
}

void presence_history_writer::wait_with(const presence_recorder::page& page) {
    waiting_.push_back(encode(page));
    waiting_bytes_ += size_bytes(waiting_.back());
}

async<void> presence_history_writer::end_turn() {
    if (!ready()) co_return result<void>();
    const auto now = deps_.clock.wall();
    if (has_room()) {
        wait_with(kept_->end_turn(now));
    } else {
        kept_->skip(now);
        ++lost_;
    }
    co_return co_await write_waiting();
}

// The turns behind one that the ledger will never take would speak for its time, too.
void presence_history_writer::lose_waiting() {
    lost_ += waiting_.size();
    waiting_.clear();
    waiting_bytes_ = 0;
    kept_->skip(deps_.clock.wall());
}

// Not for longer than a turn: the next one must end, however slow the ledger is.
async<void> presence_history_writer::write_waiting() {
    const instant until = deps_.clock.now() + options_.turn;
    while (!waiting_.empty() && deps_.clock.now() < until) {
        auto writing = deps_.ledger.write(waiting_.front());
        const auto written = co_await within(deps_.clock, options_.timeout, std::move(writing));
        if (!written && written.error().code() != errc::invalid) co_return fail(written.error());
        if (!written) {
            deps_.log.error(
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
boost::asio::awaitable<void> presence_history_writer::run() {
    while (true) {
        const auto done = co_await end_turn();
        if (!done && done.error().code() == errc::cancelled) co_return;
        if (!done && !std::exchange(losing_, true))
            deps_.log.warning(
                "who comes and goes waits for the ledger", {{"reason", to_string(done.error())}});
        if (done) losing_ = false;
        const auto slept = co_await deps_.clock.sleep_for(kept_ ? options_.turn : not_ready_pause);
        if (!slept) co_return;
    }
}

async<void> presence_history_writer::finish(attached_agents::changes last) {
    if (!ready()) co_return result<void>();
    kept_->note(last.arrivals, last.departures);
    wait_with(kept_->stop(deps_.clock.wall()));
    co_return co_await write_waiting();
}

void presence_history_writer::export_to(runtime::metrics& metrics) const {
    metrics.watch_counter(
        {"muster_presence_turns_lost_total",
         "Turns of systems' comings and goings that were not brought on record."},
        [this] { return static_cast<double>(lost_); });
}

}  // namespace muster::presence::history
