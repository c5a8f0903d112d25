#include "apps/agent/tasks/task_manager.h"

#include "adapters/agent_protocol/task_frames.h"
#include "adapters/os/file.h"
#include "apps/agent/tasks/functions.h"
#include "apps/agent/tasks/task_codec.h"
#include "apps/agent/tasks/task_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace muster::agent {

namespace asio = boost::asio;
using agent_protocol::Frame;
using session::agent_tasks;
using session::task_name;

namespace {

constexpr std::chrono::seconds load_check_interval{5};

session::agent_tasks::received_task to_arrival(session::task_request order) {
    session::agent_tasks::received_task arrival{.request = std::move(order)};
    arrival.nature = nature_of(arrival.request.function);
    if (arrival.nature != session::task_nature::chain) return arrival;
    const auto steps = parse_chain(arrival.request);
    // An invalid chain is only refused.
    if (!steps) arrival.nature = session::task_nature::harmless;
    if (steps) arrival.steps = to_natures(*steps);
    return arrival;
}

}  // namespace

task_manager::task_manager(
    task_manager_options options, dependencies deps, task_manager_listener& listener)
    : options_(std::move(options)),
      deps_(std::move(deps)),
      listener_(listener),
      machine_(*this, options_.tasks),
      timer_(deps_.clock),
      live_output_(deps_.clock),
      runner_(
          options_.run,
          {.payloads = deps_.payloads,
           .inventory = deps_.inventory,
           .clock = deps_.clock,
           .loop = deps_.loop},
          *this) {}

void task_manager::ended(task_name task, session::task_result result) {
    live_output_.end_output(task);
    machine_.feed(&agent_tasks::on_ended, task, std::move(result));
}

void task_manager::awaits_boot(task_name task) {
    machine_.feed(&agent_tasks::await_boot, task);
}

void task_manager::stepped(task_name task, session::chain_progress chain_progress) {
    machine_.feed(&agent_tasks::on_step_ended, task, std::move(chain_progress));
}

void task_manager::awaits_restart(task_name task) {
    machine_.feed(&agent_tasks::await_restart, task);
}

void task_manager::output_written(task_name task, std::string_view bytes) {
    live_output_.add_output(task, bytes);
}

session::agent_tasks::moment task_manager::now() const {
    return {.now = deps_.clock.now(), .wall = deps_.clock.wall()};
}

asio::awaitable<void> task_manager::run() {
    auto stored = read_tasks(deps_.journal);
    for (const auto& id : stored.damaged)
        problem(fmt::format("unreadable journal record \"{}\" ignored", id));
    // Without a boot id every boot counts as the same one.
    boot_id_ = os::load_file(options_.boot_id).value_or("");
    // Tasks that are reported as interrupted must not keep running.
    kill_orphans();
    machine_.feed(&agent_tasks::start, std::move(stored.tasks), boot_id_);
    co_await timer_.run(this);
}

// While tasks wait, includes the next check of the machine's load.
std::optional<instant> task_manager::next_deadline() const {
    const auto next = machine_->next_deadline();
    if (machine_->waiting() == 0) return next;
    return std::min(next.value_or(instant::max()), load_check_due_);
}

void task_manager::deadline_due() {
    check_load();
    machine_.feed(&agent_tasks::expire);
}

void task_manager::attached(std::shared_ptr<node_sender> node) {
    node_ = std::move(node);
    live_output_.attached(node_);
    machine_.feed(&agent_tasks::on_attached);
}

void task_manager::channel_lost() {
    node_.reset();
    live_output_.channel_lost();
    machine_.feed(&agent_tasks::on_detached);
    held_ = {};
    reports_ = {};
    arrivals_.clear();
    reading_ = false;
}

bool task_manager::handle(const Frame& frame) {
    if (frame.has_task()) {
        reading_ = true;
        arrivals_.push_back(to_arrival(agent_protocol::to_task_request(frame.task())));
        return true;
    }
    start_arrivals();
    switch (frame.kind_case()) {
        case Frame::kReportsTaken:
            machine_.feed(
                &agent_tasks::on_reports_acknowledged,
                agent_protocol::to_task_names(frame.reports_taken()));
            return true;
        case Frame::kTaskSignal:
            handle_signal(frame.task_signal());
            return true;
        case Frame::kPayloadWanted:
            send_part(frame.payload_wanted());
            return true;
        case Frame::kPayloadTaken:
            machine_.feed(
                &agent_tasks::on_payload_delivered,
                agent_protocol::to_task_name(frame.payload_taken().task()));
            return true;
        case Frame::kOutputWanted:
            handle_output_request(frame.output_wanted());
            return true;
        case Frame::kRunningWanted:
            if (node_) node_->send(agent_protocol::running_frame(machine_->unfinished()));
            return true;
        default:
            return false;
    }
}

void task_manager::start_arrivals() {
    if (arrivals_.empty()) return;
    check_load();
    machine_.feed(&agent_tasks::on_received, std::exchange(arrivals_, {}));
}

void task_manager::read_done() {
    start_arrivals();
    reading_ = false;
    send_batch();
}

void task_manager::handle_signal(const agent_protocol::TaskSignal& task_signal) {
    auto signal = session::task_signal::query;
    if (task_signal.kind() == agent_protocol::TaskSignal::KIND_TERM)
        signal = session::task_signal::term;
    if (task_signal.kind() == agent_protocol::TaskSignal::KIND_KILL)
        signal = session::task_signal::kill;
    if (task_signal.kind() == agent_protocol::TaskSignal::KIND_CANCEL)
        signal = session::task_signal::cancel;
    machine_.feed(
        &agent_tasks::on_signal, agent_protocol::to_task_name(task_signal.task()), signal);
}

void task_manager::send_part(const agent_protocol::PayloadWanted& payload_wanted) {
    machine_.feed(
        &agent_tasks::on_payload_requested, agent_protocol::to_task_name(payload_wanted.task()));
    const auto size =
        std::min(payload_wanted.size_max(), agent_protocol::task_limits::payload_part_bytes_max);
    auto read = deps_.payloads.read(
        agent_protocol::to_task_name(payload_wanted.task()), payload_wanted.offset(), size);
    Frame frame;
    auto& part = *frame.mutable_payload_part();
    *part.mutable_task() = payload_wanted.task();
    part.set_offset(payload_wanted.offset());
    part.set_missing(!read);
    if (read) {
        part.set_content(std::move(read->content));
        part.set_last(read->last);
    }
    // If the queue is full, the node asks again.
    if (node_) node_->send_bulk(frame);
}

void task_manager::handle_output_request(const agent_protocol::OutputWanted& output_wanted) {
    const auto task = agent_protocol::to_task_name(output_wanted.task());
    if (output_wanted.stop()) {
        live_output_.unsubscribe(task);
    } else {
        live_output_.subscribe(task, std::chrono::milliseconds(output_wanted.lease_ms()));
    }
}

void task_manager::check_load() {
    auto reason =
        restart_pending_ ? "agent restart pending" : overload_reason(options_.load, "/proc");
    load_check_due_ = deps_.clock.now() + load_check_interval;
    machine_.feed(&agent_tasks::set_overload, std::move(reason));
}

void task_manager::settled() {
    if (!reading_) send_batch();
    if (std::exchange(list_changed_, false)) write_list();
    if (restart_pending_ && machine_->interruptible() == 0) {
        restart_pending_ = false;
        listener_.restart_needed();
    }
    // The deadline may have changed, and waiting tasks may start now.
    if (next_deadline()) timer_.trigger();
}

void task_manager::perform(const session::store_tasks& store_tasks) {
    const auto done = store(deps_.journal, store_tasks);
    if (!done) problem(fmt::format("journal write failed: {}", done.error().detail()));
    if (!store_tasks.durable) return;
    list_changed_ = true;
    machine_.feed(&agent_tasks::on_stored, store_tasks.ticket, done);
}

void task_manager::perform(const session::send_held_tasks& send_held) {
    held_.complete = held_.complete || send_held.complete;
    held_.tasks.insert(held_.tasks.end(), send_held.tasks.begin(), send_held.tasks.end());
}

void task_manager::perform(const session::send_reports& send_reports) {
    reports_.reports.insert(
        reports_.reports.end(), send_reports.reports.begin(), send_reports.reports.end());
}

void task_manager::perform(const session::discard_payload& drop_payload) {
    if (drop_payload.undelivered)
        problem(fmt::format(
            "output of job {} dropped: too many outputs waiting for a node",
            drop_payload.task.job));
    deps_.payloads.remove(drop_payload.task);
}

// Sends held and reported tasks in one frame each. A reported task is not listed as held.
void task_manager::send_batch() {
    auto held = std::exchange(held_, {});
    const auto reports = std::exchange(reports_, {});
    if (!node_) return;
    std::set<task_name> reported;
    for (const auto& report : reports.reports) reported.insert(report.task);
    std::erase_if(held.tasks, [&reported](const auto& held_task) {
        return reported.contains(held_task.task);
    });
    if (held.complete || !held.tasks.empty()) {
        auto frame = agent_protocol::to_frame(held);
        // Tells the node how many tasks can run, because more would only wait here.
        const auto running_max = static_cast<std::uint32_t>(options_.tasks.running_max);
        if (held.complete) frame.mutable_tasks_held()->set_running_max(running_max);
        node_->send(frame);
    }
    for (const auto& frame : agent_protocol::to_frames(reports)) node_->send(frame);
}

void task_manager::write_list() {
    if (options_.list.empty()) return;
    const auto written = write_task_list(options_.list, machine_->unfinished());
    if (!written) problem(written.error().detail());
}

}  // namespace muster::agent
