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
    const auto node = topology->nodes.find(options_.node);
    return node == topology->nodes.end() ? node_number() : node->second.number;
}

bool presence_history_writer::ensure_recorder() {
    if (recorder_) return true;
    const auto node = number();
    const auto start = deps_.start.first_listed();
    if (!node || start == 0) return false;
    recorder_.emplace(
        presence_recorder::options{
            .node = node, .start = start, .interval_max = options_.interval_max},
        deps_.clock.wall());
    return true;
}

// The publisher reports nothing before the node has its number, so no change is missed.
void presence_history_writer::record(const attached_agents::changes& changes) {
    if (!ensure_recorder()) return;
    recorder_->record(changes.attach_events, changes.detach_events);
}

bool presence_history_writer::has_room() const {
    return queue_.size() < options_.queued_max && queue_bytes_ < options_.queued_bytes_max;
}

void presence_history_writer::enqueue(const presence_recorder::interval_record& interval) {
    queue_.push_back(encode(interval));
    queue_bytes_ += size_bytes(queue_.back());
}

async<void> presence_history_writer::end_interval() {
    if (!ensure_recorder()) co_return result<void>();
    const auto now = deps_.clock.wall();
    if (has_room()) {
        enqueue(recorder_->end_interval(now));
    } else {
        recorder_->skip(now);
        ++lost_;
    }
    co_return co_await write_queue();
}

// Later intervals would also cover the time of a rejected one, so all are dropped.
void presence_history_writer::drop_queue() {
    lost_ += queue_.size();
    queue_.clear();
    queue_bytes_ = 0;
    recorder_->skip(deps_.clock.wall());
}

// Writes for one interval at most, because the next interval must end on time.
async<void> presence_history_writer::write_queue() {
    const instant deadline = deps_.clock.now() + options_.interval;
    while (!queue_.empty() && deps_.clock.now() < deadline) {
        auto writing = deps_.ledger.write(queue_.front());
        const auto written = co_await within(deps_.clock, options_.timeout, std::move(writing));
        if (!written && written.error().code() != errc::invalid) co_return fail(written.error());
        if (!written) {
            deps_.log.error(
                "presence history write failed",
                {{"error", to_string(written.error())}, {"dropped", queue_.size()}});
            drop_queue();
            co_return result<void>();
        }
        queue_bytes_ -= size_bytes(queue_.front());
        queue_.pop_front();
    }
    co_return result<void>();
}

// The first interval ends at once, so that the start of a short-lived node is recorded.
boost::asio::awaitable<void> presence_history_writer::run() {
    while (true) {
        const auto written = co_await end_interval();
        if (!written && written.error().code() == errc::cancelled) co_return;
        if (!written && !std::exchange(failing_, true))
            deps_.log.warning(
                "presence history write delayed",
                {{"error", to_string(written.error())}, {"pending", queue_.size()}});
        if (written) failing_ = false;
        const auto slept =
            co_await deps_.clock.sleep_for(recorder_ ? options_.interval : not_ready_pause);
        if (!slept) co_return;
    }
}

async<void> presence_history_writer::finish(attached_agents::changes last) {
    if (!ensure_recorder()) co_return result<void>();
    recorder_->record(last.attach_events, last.detach_events);
    enqueue(recorder_->stop(deps_.clock.wall()));
    co_return co_await write_queue();
}

void presence_history_writer::export_to(runtime::metrics& metrics) const {
    metrics.watch_counter(
        {"muster_presence_changes_lost_total",
         "Total number of presence changes dropped without being recorded."},
        [this] { return static_cast<double>(lost_); });
}

}  // namespace muster::presence::history
