#include "sim/workloads/jobs_agent.h"

#include "adapters/agent_protocol/task_frames.h"
#include "ports/deadline.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::sim {

namespace {

using namespace std::chrono_literals;
using muster::agent_protocol::Frame;
using session::task_outcome;

// As in production, but with a patience that fits runs of minutes.
session::agent_tasks_options task_options(std::size_t places) {
    session::agent_tasks_options options;
    options.running_max = places;
    options.wait_max = 60s;
    options.resend = 5s;
    options.kill_after = 1s;
    options.give_up_after = 5s;
    return options;
}

constexpr auto time_to_end = 200ms;  // of a program that is told to

}  // namespace

jobs_agent::jobs_agent(cluster& stage, process& host, options options)
    : host_(host),
      options_(std::move(options)),
      machine_(task_options(options_.places)),
      journal_(stage.world, host.storage(), options_.habit),
      channel_(
          stage,
          host,
          {.print = print_of_system(options_.system), .servers = options_.servers},
          {.attached = [this] { perform(machine_.attached(now())); },
           .lost = [this] { machine_.channel_lost(); },
           .took =
               [this](const Frame& frame) {
                   take(frame);
               }}),
      random_(stage.world.random("programs of " + host.name())) {}

// The machine is gone, and with it what ran.
jobs_agent::~jobs_agent() {
    for (const auto& [task, running] : programs_)
        options_.rules->ended(key_of(task), run_end::with_the_machine);
}

void jobs_agent::start() {
    host_.spawn("live", live());
}

bool jobs_agent::idle() const {
    return begun_ && machine_.running() + machine_.waiting() + machine_.untaken() == 0
           && unwritten_.empty();
}

session::agent_tasks::moment jobs_agent::now() const {
    return {.now = host_.clock().now(), .wall = host_.clock().wall()};
}

run_key jobs_agent::key_of(task_name task) const {
    return {.job = job_id(task.job), .system = options_.system, .attempt = task.attempt};
}

boost::asio::awaitable<void> jobs_agent::live() {
    auto kept = co_await journal_.open();
    if (!kept) {
        host_.where().note("journal unreadable", host_.name());
        host_.crash_soon();
        co_return;
    }
    const auto boot = std::to_string(host_.present().number);
    perform(machine_.start(*std::move(kept), boot, now()));
    begun_ = true;
    channel_.start();
    host_.spawn("keep time", keep_time());
    while (true) {
        if (unwritten_.empty()) {
            ignore_error(co_await more_to_write_.wait(), "nobody cancels it");
            continue;
        }
        const auto some = std::exchange(unwritten_, {});
        const auto stored = co_await journal_.store(some);
        if (!stored && stored.error().code() != errc::unavailable) {
            host_.crash_soon();
            co_return;
        }
        for (const auto& each : some)
            if (each.durable) perform(machine_.stored(each.ticket, stored, now()));
    }
}

boost::asio::awaitable<void> jobs_agent::keep_time() {
    while (true) {
        const auto next = machine_.next_deadline().value_or(instant::max());
        const auto left = std::clamp<monotonic::duration>(
            next == instant::max() ? monotonic::duration(10s) : next - host_.clock().now(),
            1ms,
            10s);
        ignore_error(co_await within(host_.clock(), left, moved_.wait()), "either is a reason");
        if (machine_.next_deadline().value_or(instant::max()) <= host_.clock().now())
            perform(machine_.expire(now()));
    }
}

void jobs_agent::take(const Frame& frame) {
    switch (frame.kind_case()) {
        case Frame::kTask: {
            auto order = muster::agent_protocol::order_of(frame.task());
            options_.rules->arrived(key_of(order.name));
            return perform(machine_.arrived({{.order = std::move(order)}}, now()));
        }
        case Frame::kReportsTaken: {
            const auto names = muster::agent_protocol::names_of(frame.reports_taken());
            for (const auto& each : names) options_.rules->acknowledged(key_of(each));
            return perform(machine_.reports_taken(names, now()));
        }
        case Frame::kTaskSignal:
            return take_signal(frame.task_signal());
        case Frame::kPayloadWanted:
            return send_part(frame.payload_wanted());
        case Frame::kPayloadTaken: {
            const auto name = muster::agent_protocol::name_of(frame.payload_taken().task());
            options_.rules->payload_acknowledged(job_id(name.job));
            return perform(machine_.payload_taken(name, now()));
        }
        default:
            return;
    }
}

void jobs_agent::take_signal(const muster::agent_protocol::TaskSignal& task_signal) {
    using muster::agent_protocol::TaskSignal;
    const auto what = task_signal.kind() == TaskSignal::KIND_CANCEL ? session::task_signal::cancel
                                                                    : session::task_signal::ask;
    perform(machine_.signalled(muster::agent_protocol::name_of(task_signal.task()), what, now()));
}

void jobs_agent::send_part(const muster::agent_protocol::PayloadWanted& payload_wanted) {
    const auto& whole = large_payload_of(job_id(payload_wanted.task().job())).packed;
    const auto from = std::min<std::size_t>(payload_wanted.offset(), whole.size());
    Frame frame;
    auto& part = *frame.mutable_payload_part();
    *part.mutable_task() = payload_wanted.task();
    part.set_offset(payload_wanted.offset());
    part.set_content(whole.substr(from, payload_wanted.size_max()));
    part.set_last(from + part.content().size() == whole.size());
    channel_.send(frame);
}

// In order, also what follows from an effect while it is performed.
void jobs_agent::perform(session::task_effects task_effects) {
    std::ranges::move(task_effects, std::back_inserter(due_));
    if (std::exchange(performing_, true)) return;
    while (!due_.empty()) {
        const auto next = std::move(due_.front());
        due_.pop_front();
        perform_one(next);
    }
    performing_ = false;
    moved_.ring();  // something may be due earlier by now
}

void jobs_agent::perform_one(const session::task_effect& task_effect) {
    if (const auto* write = std::get_if<session::store_tasks>(&task_effect)) {
        unwritten_.push_back(*write);
        more_to_write_.ring();
    } else if (const auto* begin = std::get_if<session::run_task>(&task_effect)) {
        run(begin->order);
    } else if (const auto* stop = std::get_if<session::end_task>(&task_effect)) {
        const auto it = programs_.find(stop->task);
        if (it == programs_.end()) return;
        host_.clock().call_after(
            time_to_end, [this, task = stop->task, number = it->second.number] {
                end(task, number, task_outcome::failed);
            });
    } else if (const auto* held = std::get_if<session::send_held>(&task_effect)) {
        channel_.send(muster::agent_protocol::frame_of(*held));
    } else if (const auto* response = std::get_if<session::send_reports>(&task_effect)) {
        for (const auto& report : response->reports)
            options_.rules->reported(key_of(report.task), report.how);
        for (const auto& frame : muster::agent_protocol::frames_of(*response)) channel_.send(frame);
    }
}

void jobs_agent::run(const session::task_order& order) {
    const auto& kind = options_.kinds->at(kind_named_in(order.arguments));
    options_.rules->began(key_of(order.name), kind);
    const auto number = ++begun_programs_;
    programs_[order.name] = {.order = order, .number = number};
    const auto takes_max = static_cast<std::uint64_t>(kind.runs_max.count());
    const monotonic::duration takes(static_cast<monotonic::rep>(random_.below(takes_max) + 1));
    const auto how =
        random_.chance(kind.fails_per_mille) ? task_outcome::failed : task_outcome::succeeded;
    host_.clock().call_after(
        takes, [this, task = order.name, number, how] { end(task, number, how); });
}

void jobs_agent::end(task_name task, std::uint64_t number, task_outcome how) {
    const auto it = programs_.find(task);
    if (it == programs_.end() || it->second.number != number) return;
    const auto order = it->second.order;
    programs_.erase(it);
    options_.rules->ended(
        key_of(task), how == task_outcome::succeeded ? run_end::well : run_end::badly);
    perform(machine_.ended(task, ending_of(order, how), now()));
}

// No two endings have the same output, unless it is a large one.
session::task_ending jobs_agent::ending_of(const session::task_order& order, task_outcome how) {
    session::task_ending task_ending{.outcome = how};
    if (how != task_outcome::succeeded) task_ending.exit_code = 1;
    if (options_.kinds->at(kind_named_in(order.arguments)).large) {
        const auto& payload = large_payload_of(job_id(order.name.job));
        task_ending.digest = payload.digest;
        task_ending.payload_size = payload.text.size();
        task_ending.payload_kept = true;
    } else {
        task_ending.inline_payload = fmt::format(
            "{} {} {} {}",
            order.name.job,
            order.name.attempt,
            options_.system.value(),
            random_.next());
        task_ending.payload_size = task_ending.inline_payload.size();
    }
    return task_ending;
}

}  // namespace muster::sim
