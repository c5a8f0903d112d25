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

// As in production, but with timeouts that suit runs of minutes.
session::agent_tasks_options task_options(std::size_t places) {
    session::agent_tasks_options options;
    options.running_max = places;
    options.wait_max = 60s;
    options.resend_interval = 5s;
    options.kill_after = 1s;
    options.give_up_after = 5s;
    return options;
}

constexpr auto time_to_end = 200ms;  // of a program after a signal

}  // namespace

jobs_agent::jobs_agent(sim::cluster& cluster, process& host, options options)
    : host_(host),
      options_(std::move(options)),
      machine_(task_options(options_.places)),
      journal_(cluster.simulation, host.storage(), options_.injected_bug),
      channel_(
          cluster,
          host,
          {.print = print_of_system(options_.system), .servers = options_.servers},
          {.attached = [this] { execute(machine_.on_attached(now())); },
           .lost = [this] { machine_.on_detached(); },
           .task_frame =
               [this](const Frame& frame) {
                   handle_frame(frame);
               }}),
      random_(cluster.simulation.random("programs of " + host.name())) {}

// A crash of the machine ends its programs.
jobs_agent::~jobs_agent() {
    for (const auto& [task, running] : programs_)
        options_.invariants->ended(key_of(task), run_end::with_the_machine);
}

void jobs_agent::start() {
    host_.spawn("live", run_journal());
}

bool jobs_agent::idle() const {
    return started_ && machine_.running() + machine_.waiting() + machine_.unacknowledged() == 0
           && unwritten_.empty();
}

session::agent_tasks::moment jobs_agent::now() const {
    return {.now = host_.clock().now(), .wall = host_.clock().wall()};
}

run_key jobs_agent::key_of(task_name task) const {
    return {.job = job_id(task.job), .system = options_.system, .attempt = task.attempt};
}

boost::asio::awaitable<void> jobs_agent::run_journal() {
    auto journaled = co_await journal_.open();
    if (!journaled) {
        host_.simulation().note("journal unreadable", host_.name());
        host_.crash_soon();
        co_return;
    }
    const auto boot = std::to_string(host_.current_life().number);
    execute(machine_.start(*std::move(journaled), boot, now()));
    started_ = true;
    channel_.start();
    host_.spawn("keep time", run_deadlines());
    while (true) {
        if (unwritten_.empty()) {
            ignore_error(co_await write_requested_.wait(), "never cancelled");
            continue;
        }
        const auto batch = std::exchange(unwritten_, {});
        const auto stored = co_await journal_.store(batch);
        if (!stored && stored.error().code() != errc::unavailable) {
            host_.crash_soon();
            co_return;
        }
        for (const auto& write : batch)
            if (write.durable) execute(machine_.on_stored(write.ticket, stored, now()));
    }
}

boost::asio::awaitable<void> jobs_agent::run_deadlines() {
    while (true) {
        const auto next = machine_.next_deadline().value_or(instant::max());
        const auto remaining = std::clamp<monotonic::duration>(
            next == instant::max() ? monotonic::duration(10s) : next - host_.clock().now(),
            1ms,
            10s);
        ignore_error(
            co_await within(host_.clock(), remaining, deadline_changed_.wait()),
            "a wake-up and a timeout are handled alike");
        if (machine_.next_deadline().value_or(instant::max()) <= host_.clock().now())
            execute(machine_.expire(now()));
    }
}

void jobs_agent::handle_frame(const Frame& frame) {
    switch (frame.kind_case()) {
        case Frame::kTask: {
            auto request = muster::agent_protocol::to_task_request(frame.task());
            options_.invariants->arrived(key_of(request.name));
            return execute(machine_.on_received({{.request = std::move(request)}}, now()));
        }
        case Frame::kReportsTaken: {
            const auto names = muster::agent_protocol::to_task_names(frame.reports_taken());
            for (const auto& name : names) options_.invariants->acknowledged(key_of(name));
            return execute(machine_.on_reports_acknowledged(names, now()));
        }
        case Frame::kTaskSignal:
            return handle_signal(frame.task_signal());
        case Frame::kPayloadWanted:
            return send_part(frame.payload_wanted());
        case Frame::kPayloadTaken: {
            const auto name = muster::agent_protocol::to_task_name(frame.payload_taken().task());
            options_.invariants->payload_acknowledged(job_id(name.job));
            return execute(machine_.on_payload_delivered(name, now()));
        }
        default:
            return;
    }
}

void jobs_agent::handle_signal(const muster::agent_protocol::TaskSignal& task_signal) {
    using muster::agent_protocol::TaskSignal;
    const auto kind = task_signal.kind() == TaskSignal::KIND_CANCEL ? session::task_signal::cancel
                                                                    : session::task_signal::query;
    execute(
        machine_.on_signal(muster::agent_protocol::to_task_name(task_signal.task()), kind, now()));
}

void jobs_agent::send_part(const muster::agent_protocol::PayloadWanted& payload_wanted) {
    const auto& content = large_payload_of(job_id(payload_wanted.task().job())).packed;
    const auto offset = std::min<std::size_t>(payload_wanted.offset(), content.size());
    Frame frame;
    auto& part = *frame.mutable_payload_part();
    *part.mutable_task() = payload_wanted.task();
    part.set_offset(payload_wanted.offset());
    part.set_content(content.substr(offset, payload_wanted.size_max()));
    part.set_last(offset + part.content().size() == content.size());
    channel_.send(frame);
}

// Executes effects in order, including those that an effect adds.
void jobs_agent::execute(session::task_effects task_effects) {
    std::ranges::move(task_effects, std::back_inserter(pending_effects_));
    if (std::exchange(executing_, true)) return;
    while (!pending_effects_.empty()) {
        const auto next = std::move(pending_effects_.front());
        pending_effects_.pop_front();
        execute_effect(next);
    }
    executing_ = false;
    deadline_changed_.notify();  // the next deadline may be earlier now
}

void jobs_agent::execute_effect(const session::task_effect& task_effect) {
    if (const auto* write = std::get_if<session::store_tasks>(&task_effect)) {
        unwritten_.push_back(*write);
        write_requested_.notify();
    } else if (const auto* begin = std::get_if<session::run_task>(&task_effect)) {
        start_program(begin->request);
    } else if (const auto* stop = std::get_if<session::end_task>(&task_effect)) {
        const auto it = programs_.find(stop->task);
        if (it == programs_.end()) return;
        host_.clock().call_after(
            time_to_end, [this, task = stop->task, number = it->second.number] {
                end_program(task, number, task_outcome::failed);
            });
    } else if (const auto* held = std::get_if<session::send_held_tasks>(&task_effect)) {
        channel_.send(muster::agent_protocol::to_frame(*held));
    } else if (const auto* response = std::get_if<session::send_reports>(&task_effect)) {
        for (const auto& report : response->reports)
            options_.invariants->reported(key_of(report.task), report.result);
        for (const auto& frame : muster::agent_protocol::to_frames(*response)) channel_.send(frame);
    }
}

void jobs_agent::start_program(const session::task_request& request) {
    const auto& kind = options_.kinds->at(kind_named_in(request.arguments));
    options_.invariants->began(key_of(request.name), kind);
    const auto number = ++programs_started_;
    programs_[request.name] = {.request = request, .number = number};
    const auto duration_max = static_cast<std::uint64_t>(kind.runs_max.count());
    const monotonic::duration duration(
        static_cast<monotonic::rep>(random_.below(duration_max) + 1));
    const auto outcome =
        random_.chance(kind.fails_per_mille) ? task_outcome::failed : task_outcome::succeeded;
    host_.clock().call_after(duration, [this, task = request.name, number, outcome] {
        end_program(task, number, outcome);
    });
}

void jobs_agent::end_program(task_name task, std::uint64_t number, task_outcome outcome) {
    const auto it = programs_.find(task);
    if (it == programs_.end() || it->second.number != number) return;
    const auto request = it->second.request;
    programs_.erase(it);
    options_.invariants->ended(
        key_of(task), outcome == task_outcome::succeeded ? run_end::well : run_end::badly);
    execute(machine_.on_ended(task, build_result(request, outcome), now()));
}

// Every result has a different output, except large ones.
session::task_result jobs_agent::build_result(
    const session::task_request& request, task_outcome outcome) {
    session::task_result result{.outcome = outcome};
    if (outcome != task_outcome::succeeded) result.exit_code = 1;
    if (options_.kinds->at(kind_named_in(request.arguments)).large) {
        const auto& payload = large_payload_of(job_id(request.name.job));
        result.digest = payload.digest;
        result.payload_size = payload.text.size();
        result.payload_stored = true;
    } else {
        result.inline_payload = fmt::format(
            "{} {} {} {}",
            request.name.job,
            request.name.attempt,
            options_.system.value(),
            random_.next());
        result.payload_size = result.inline_payload.size();
    }
    return result;
}

}  // namespace muster::sim
