#include "roles/node/dispatch/output_relay.h"

#include <algorithm>

namespace muster::dispatch {
namespace {

using namespace std::chrono_literals;
using muster::agent_protocol::Frame;

constexpr auto look_interval = 250ms;

std::uint32_t milliseconds(monotonic::duration span) {
    return static_cast<std::uint32_t>(std::chrono::ceil<std::chrono::milliseconds>(span).count());
}

}  // namespace

Frame output_relay::want(const task& task) const {
    Frame frame;
    auto& message = *frame.mutable_output_wanted();
    message.mutable_task()->set_job(task.job.value());  // whichever attempt there is
    message.set_lease_ms(milliseconds(options_.lease));
    return frame;
}

void output_relay::send(frames out) const {
    // An agent without a channel is asked again, or has nothing to stop.
    for (auto& [to, frame] : out) sender_.send(to, std::move(frame));
}

result<std::unique_ptr<output_relay::watcher>> output_relay::watch(task task, position from) {
    const auto now = clock_.now();
    frames out;
    std::unique_ptr<watcher> result;
    {
        const std::scoped_lock lock(guard_);
        const auto it = watched_.find(task);
        const auto of_system = std::ranges::count_if(
            watched_, [&](const auto& each) { return each.first.system == task.system; });
        const bool many =
            watchers_ >= options_.watchers_max
            || (it == watched_.end()
                && static_cast<std::size_t>(of_system) >= options_.tasks_of_system_max)
            || (it != watched_.end()
                && it->second.watchers.size() >= options_.watchers_of_task_max);
        if (many) {
            ++refused_;
            return fail(
                errc::unavailable, "too many watch tasks of this node now; try again later");
        }
        auto& one = watched_
                        .try_emplace(
                            task,
                            watched{
                                .tail = session::output_tail(options_.tail_bytes_max),
                                .reported = {},
                                .asked = now,
                                .watchers = {}})
                        .first->second;
        result.reset(new watcher(*this, task, from));  // its constructor is for us only
        one.watchers.insert(result.get());
        ++watchers_;
        out.emplace_back(task.system, want(task));
    }
    send(std::move(out));
    return result;
}

void output_relay::leave(watcher& watcher) {
    frames out;
    {
        const std::scoped_lock lock(guard_);
        const auto it = watched_.find(watcher.what_);
        it->second.watchers.erase(&watcher);
        --watchers_;
        if (!it->second.watchers.empty()) return;
        watched_.erase(it);
        auto stop = want(watcher.what_);
        stop.mutable_output_wanted()->set_stop(true);
        out.emplace_back(watcher.what_.system, std::move(stop));
    }
    send(std::move(out));
}

async<jobs::output_piece> output_relay::watcher::next() {
    while (true) {
        if (auto piece = of_.take(*this)) co_return *std::move(piece);
        CO_CHECK_OK(co_await bell_.wait());
    }
}

std::optional<jobs::output_piece> output_relay::take(watcher& watcher) {
    const std::scoped_lock lock(guard_);
    const auto& of = watched_.at(watcher.what_);
    if (of.attempt == 0) return std::nullopt;
    if (watcher.at_.attempt != of.attempt) {
        watcher.at_ = {
            .attempt = of.attempt, .offset = watcher.at_.attempt == 0 ? watcher.at_.offset : 0};
        watcher.told_end_ = false;
    }
    if (auto next = of.tail.read(watcher.at_.offset, jobs::output_piece_bytes_max)) {
        skipped_ += next->offset - watcher.at_.offset;
        bytes_ += next->content.size();
        watcher.at_.offset = next->offset + next->content.size();
        return jobs::output_piece{
            .attempt = of.attempt,
            .offset = next->offset,
            .content = std::move(next->content),
            .ended = false};
    }
    if (!of.ended || watcher.told_end_) return std::nullopt;
    watcher.told_end_ = true;
    return jobs::output_piece{
        .attempt = of.attempt, .offset = of.tail.end(), .content = {}, .ended = true};
}

output_relay::watched* output_relay::find(system_number system, std::int64_t job) {
    const auto it = watched_.find({.system = system, .job = job_id(job)});
    return it == watched_.end() ? nullptr : &it->second;
}

void output_relay::begin(watched& of, std::uint32_t attempt) {
    of.attempt = attempt;
    of.tail = session::output_tail(options_.tail_bytes_max);
    of.ended = false;
    of.reported.reset();
    for (auto* watcher : of.watchers) {
        if (watcher->at_.attempt == attempt) watcher->at_.offset = 0;
        watcher->told_end_ = false;
    }
}

void output_relay::heard(system_number from, const Frame& frame) {
    if (watchers_ == 0) return;
    frames out;
    {
        const std::scoped_lock lock(guard_);
        if (frame.has_output()) {
            if (auto* of = find(from, frame.output().task().job()))
                take_output(*of, frame.output());
        } else if (frame.has_tasks_held()) {
            take_held(from, frame.tasks_held(), out);
        } else if (frame.has_reports()) {
            for (const auto& report : frame.reports().reports()) take_report(from, report);
        }
    }
    send(std::move(out));
}

void output_relay::take_output(watched& of, const muster::agent_protocol::Output& output) {
    const auto attempt = output.task().attempt();
    if (attempt < of.attempt) return;
    if (attempt > of.attempt) {
        const bool first = of.attempt == 0;
        of.attempt = attempt;
        if (!first) begin(of, attempt);
    }
    // An output only grows: this is one that began anew, because its agent ran the task again.
    const auto end = output.offset() + output.content().size();
    if (end < of.tail.end()) begin(of, attempt);
    of.tail.add(output.offset(), output.content());
    of.tail.reach(end);
    of.ended = output.ended();
    for (auto* watcher : of.watchers) watcher->bell_.ring();
}

// The agent came to this node, or the task to the agent: it has not heard of the want yet.
void output_relay::take_held(
    system_number from, const muster::agent_protocol::TasksHeld& tasks_held, frames& out) {
    for (auto it = watched_.lower_bound({.system = from, .job = {}});
         it != watched_.end() && it->first.system == from;
         ++it) {
        const bool named = std::ranges::any_of(tasks_held.held(), [&](const auto& each) {
            return each.task().job() == it->first.job.value() && !each.unknown();
        });
        if (tasks_held.all() || named) out.emplace_back(from, want(it->first));
    }
}

// Reports go before output: what was written last may come a moment later.
void output_relay::take_report(system_number from, const muster::agent_protocol::Report& report) {
    auto* of = find(from, report.task().job());
    if (of == nullptr || report.task().attempt() < of->attempt) return;
    if (report.task().attempt() > of->attempt) begin(*of, report.task().attempt());
    if (!of->ended && !of->reported) of->reported = clock_.now();
}

boost::asio::awaitable<void> output_relay::run() {
    while (true) {
        frames out;
        if (watchers_ > 0) {
            const std::scoped_lock lock(guard_);
            look(clock_.now(), out);
        }
        send(std::move(out));
        const auto slept = co_await clock_.sleep_for(look_interval);
        if (!slept) co_return;
    }
}

void output_relay::look(instant now, frames& out) {
    for (auto& [what, one] : watched_) {
        if (now >= one.asked + options_.renewal) {
            one.asked = now;
            out.emplace_back(what.system, want(what));
        }
        if (one.ended || !one.reported || now < *one.reported + options_.last_bytes) continue;
        one.ended = true;
        for (auto* watcher : one.watchers) watcher->bell_.ring();
    }
}

void output_relay::export_to(runtime::metrics& metrics) {
    metrics.watch_gauge(
        {"muster_output_watchers", "Who watches a running task's output on this node."},
        [this] { return static_cast<double>(watchers_.load()); });
    metrics.watch_counter(
        {"muster_output_bytes_total", "Bytes of running tasks' output given to watchers."},
        [this] { return static_cast<double>(bytes_.load()); });
    metrics.watch_counter(
        {"muster_output_skipped_bytes_total", "Bytes of it that watchers were too slow for."},
        [this] { return static_cast<double>(skipped_.load()); });
    metrics.watch_counter(
        {"muster_output_watches_refused_total", "Watchers refused because there were too many."},
        [this] { return static_cast<double>(refused_.load()); });
}

}  // namespace muster::dispatch
