#include "roles/node/dispatch/output_relay.h"

#include <algorithm>

namespace muster::dispatch {
namespace {

using namespace std::chrono_literals;
using muster::agent_protocol::Frame;

constexpr auto renewal_interval = 250ms;

std::uint32_t milliseconds(monotonic::duration duration) {
    return static_cast<std::uint32_t>(
        std::chrono::ceil<std::chrono::milliseconds>(duration).count());
}

}  // namespace

Frame output_relay::build_request(const task& task) const {
    Frame frame;
    auto& message = *frame.mutable_output_wanted();
    message.mutable_task()->set_job(task.job.value());  // any attempt
    message.set_lease_ms(milliseconds(options_.lease));
    return frame;
}

void output_relay::send(frames frames_to_send) const {
    // An agent without a connection gets the request later, or has nothing to stop.
    for (auto& [system, frame] : frames_to_send) sender_.send(system, std::move(frame));
}

result<std::unique_ptr<output_relay::watcher>> output_relay::watch(task task, position from) {
    const auto now = clock_.now();
    frames frames_to_send;
    std::unique_ptr<watcher> result;
    {
        const std::scoped_lock lock(mutex_);
        const auto it = watched_tasks_.find(task);
        const auto tasks_of_system = std::ranges::count_if(
            watched_tasks_, [&](const auto& entry) { return entry.first.system == task.system; });
        const bool is_full =
            watchers_ >= options_.watchers_max
            || (it == watched_tasks_.end()
                && static_cast<std::size_t>(tasks_of_system) >= options_.tasks_of_system_max)
            || (it != watched_tasks_.end()
                && it->second.watchers.size() >= options_.watchers_of_task_max);
        if (is_full) {
            ++refused_;
            return fail(
                errc::unavailable, "limit of output watchers on this node reached; retry later");
        }
        auto& watched = watched_tasks_
                            .try_emplace(
                                task,
                                watched_task{
                                    .tail = session::output_tail(options_.tail_bytes_max),
                                    .reported_at = {},
                                    .requested_at = now,
                                    .watchers = {}})
                            .first->second;
        result.reset(new watcher(*this, task, from));  // private constructor
        watched.watchers.insert(result.get());
        ++watchers_;
        frames_to_send.emplace_back(task.system, build_request(task));
    }
    send(std::move(frames_to_send));
    return result;
}

void output_relay::remove(watcher& watcher) {
    frames frames_to_send;
    {
        const std::scoped_lock lock(mutex_);
        const auto it = watched_tasks_.find(watcher.task_);
        it->second.watchers.erase(&watcher);
        --watchers_;
        if (!it->second.watchers.empty()) return;
        watched_tasks_.erase(it);
        auto stop = build_request(watcher.task_);
        stop.mutable_output_wanted()->set_stop(true);
        frames_to_send.emplace_back(watcher.task_.system, std::move(stop));
    }
    send(std::move(frames_to_send));
}

async<jobs::output_piece> output_relay::watcher::next() {
    while (true) {
        if (auto piece = relay_.next_piece(*this)) co_return *std::move(piece);
        CO_CHECK_OK(co_await wakeup_.wait());
    }
}

std::optional<jobs::output_piece> output_relay::next_piece(watcher& watcher) {
    const std::scoped_lock lock(mutex_);
    const auto& watched = watched_tasks_.at(watcher.task_);
    if (watched.attempt == 0) return std::nullopt;
    if (watcher.position_.attempt != watched.attempt) {
        watcher.position_ = {
            .attempt = watched.attempt,
            .offset = watcher.position_.attempt == 0 ? watcher.position_.offset : 0};
        watcher.end_sent_ = false;
    }
    if (auto piece = watched.tail.read(watcher.position_.offset, jobs::output_piece_bytes_max)) {
        skipped_ += piece->offset - watcher.position_.offset;
        bytes_ += piece->content.size();
        watcher.position_.offset = piece->offset + piece->content.size();
        return jobs::output_piece{
            .attempt = watched.attempt,
            .offset = piece->offset,
            .content = std::move(piece->content),
            .ended = false};
    }
    if (!watched.ended || watcher.end_sent_) return std::nullopt;
    watcher.end_sent_ = true;
    return jobs::output_piece{
        .attempt = watched.attempt, .offset = watched.tail.end(), .content = {}, .ended = true};
}

output_relay::watched_task* output_relay::find(system_number system, std::int64_t job) {
    const auto it = watched_tasks_.find({.system = system, .job = job_id(job)});
    return it == watched_tasks_.end() ? nullptr : &it->second;
}

void output_relay::restart(watched_task& watched, std::uint32_t attempt) {
    watched.attempt = attempt;
    watched.tail = session::output_tail(options_.tail_bytes_max);
    watched.ended = false;
    watched.reported_at.reset();
    for (auto* watcher : watched.watchers) {
        if (watcher->position_.attempt == attempt) watcher->position_.offset = 0;
        watcher->end_sent_ = false;
    }
}

void output_relay::on_frame(system_number system, const Frame& frame) {
    if (watchers_ == 0) return;
    frames frames_to_send;
    {
        const std::scoped_lock lock(mutex_);
        if (frame.has_output()) {
            if (auto* watched = find(system, frame.output().task().job()))
                on_output(*watched, frame.output());
        } else if (frame.has_tasks_held()) {
            on_tasks_held(system, frame.tasks_held(), frames_to_send);
        } else if (frame.has_reports()) {
            for (const auto& report : frame.reports().reports()) on_report(system, report);
        }
    }
    send(std::move(frames_to_send));
}

void output_relay::on_output(watched_task& watched, const muster::agent_protocol::Output& output) {
    const auto attempt = output.task().attempt();
    if (attempt < watched.attempt) return;
    if (attempt > watched.attempt) {
        const bool first = watched.attempt == 0;
        watched.attempt = attempt;
        if (!first) restart(watched, attempt);
    }
    // Output only grows: a smaller end means that the agent ran the task again.
    const auto end = output.offset() + output.content().size();
    if (end < watched.tail.end()) restart(watched, attempt);
    watched.tail.add(output.offset(), output.content());
    watched.tail.extend_to(end);
    watched.ended = output.ended();
    for (auto* watcher : watched.watchers) watcher->wakeup_.notify();
}

// The agent just attached, or just got the task: it does not have the request yet.
void output_relay::on_tasks_held(
    system_number system,
    const muster::agent_protocol::TasksHeld& tasks_held,
    frames& frames_to_send) {
    for (auto it = watched_tasks_.lower_bound({.system = system, .job = {}});
         it != watched_tasks_.end() && it->first.system == system;
         ++it) {
        const bool is_listed = std::ranges::any_of(tasks_held.held(), [&](const auto& held) {
            return held.task().job() == it->first.job.value() && !held.unknown();
        });
        if (tasks_held.all() || is_listed)
            frames_to_send.emplace_back(system, build_request(it->first));
    }
}

// Reports precede output: the last output may arrive a moment later.
void output_relay::on_report(system_number system, const muster::agent_protocol::Report& report) {
    auto* watched = find(system, report.task().job());
    if (watched == nullptr || report.task().attempt() < watched->attempt) return;
    if (report.task().attempt() > watched->attempt) restart(*watched, report.task().attempt());
    if (!watched->ended && !watched->reported_at) watched->reported_at = clock_.now();
}

boost::asio::awaitable<void> output_relay::run() {
    while (true) {
        frames frames_to_send;
        if (watchers_ > 0) {
            const std::scoped_lock lock(mutex_);
            renew_requests(clock_.now(), frames_to_send);
        }
        send(std::move(frames_to_send));
        const auto slept = co_await clock_.sleep_for(renewal_interval);
        if (!slept) co_return;
    }
}

void output_relay::renew_requests(instant now, frames& frames_to_send) {
    for (auto& [task, watched] : watched_tasks_) {
        if (now >= watched.requested_at + options_.renewal) {
            watched.requested_at = now;
            frames_to_send.emplace_back(task.system, build_request(task));
        }
        if (watched.ended || !watched.reported_at
            || now < *watched.reported_at + options_.tail_wait)
            continue;
        watched.ended = true;
        for (auto* watcher : watched.watchers) watcher->wakeup_.notify();
    }
}

void output_relay::export_to(runtime::metrics& metrics) {
    metrics.watch_gauge(
        {"muster_output_watchers",
         "Number of clients that watch output of running tasks on this node."},
        [this] { return static_cast<double>(watchers_.load()); });
    metrics.watch_counter(
        {"muster_output_bytes_total", "Total bytes of task output sent to watchers since start."},
        [this] { return static_cast<double>(bytes_.load()); });
    metrics.watch_counter(
        {"muster_output_skipped_bytes_total",
         "Total bytes of task output skipped since start for slow watchers."},
        [this] { return static_cast<double>(skipped_.load()); });
    metrics.watch_counter(
        {"muster_output_watches_refused_total",
         "Total number of output watchers refused since start because of the limit."},
        [this] { return static_cast<double>(refused_.load()); });
}

}  // namespace muster::dispatch
