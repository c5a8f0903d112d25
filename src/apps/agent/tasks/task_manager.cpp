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

session::agent_tasks::arrival arrival_of(session::task_order order) {
    session::agent_tasks::arrival arrival{.order = std::move(order)};
    arrival.nature = nature_of(arrival.order.function);
    if (arrival.nature != session::task_nature::chain) return arrival;
    const auto steps = parse_chain(arrival.order);
    // A chain that cannot be read is only refused.
    if (!steps) arrival.nature = session::task_nature::harmless;
    if (steps) arrival.steps = natures_of(*steps);
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
      taps_(deps_.clock),
      runner_(
          options_.run,
          {.payloads = deps_.payloads,
           .inventory = deps_.inventory,
           .clock = deps_.clock,
           .loop = deps_.loop},
          *this) {}

void task_manager::ended(task_name task, session::task_ending task_ending) {
    taps_.ended(task);
    machine_.feed(&agent_tasks::ended, task, std::move(task_ending));
}

void task_manager::awaits_boot(task_name task) {
    machine_.feed(&agent_tasks::awaits_boot, task);
}

void task_manager::stepped(task_name task, session::chain_progress chain_progress) {
    machine_.feed(&agent_tasks::stepped, task, std::move(chain_progress));
}

void task_manager::awaits_restart(task_name task) {
    machine_.feed(&agent_tasks::awaits_restart, task);
}

void task_manager::wrote(task_name task, std::string_view bytes) {
    taps_.wrote(task, bytes);
}

session::agent_tasks::moment task_manager::now() const {
    return {.now = deps_.clock.now(), .wall = deps_.clock.wall()};
}

asio::awaitable<void> task_manager::run() {
    auto match = tasks_in(deps_.kept);
    for (const auto& each : match.damaged)
        problem(fmt::format("the journal's record {} cannot be read", each));
    // A machine that does not tell its boot is taken to be the same one for ever.
    boot_ = os::load_file(options_.boot_id).value_or("");
    // What is reported as interrupted must not go on meanwhile.
    end_leftovers();
    machine_.feed(&agent_tasks::start, std::move(match.tasks), boot_);
    co_await timer_.run(this);
}

// While tasks wait, whether the machine is still too busy for them.
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
    taps_.attached(node_);
    machine_.feed(&agent_tasks::attached);
}

void task_manager::channel_lost() {
    node_.reset();
    taps_.channel_lost();
    machine_.feed(&agent_tasks::channel_lost);
    held_ = {};
    reports_ = {};
    arrivals_.clear();
    reading_ = false;
}

bool task_manager::take(const Frame& frame) {
    if (frame.has_task()) {
        reading_ = true;
        arrivals_.push_back(arrival_of(agent_protocol::order_of(frame.task())));
        return true;
    }
    take_arrivals();
    switch (frame.kind_case()) {
        case Frame::kReportsTaken:
            machine_.feed(
                &agent_tasks::reports_taken, agent_protocol::names_of(frame.reports_taken()));
            return true;
        case Frame::kTaskSignal:
            take_signal(frame.task_signal());
            return true;
        case Frame::kPayloadWanted:
            send_part(frame.payload_wanted());
            return true;
        case Frame::kPayloadTaken:
            machine_.feed(
                &agent_tasks::payload_taken, agent_protocol::name_of(frame.payload_taken().task()));
            return true;
        case Frame::kOutputWanted:
            take_want(frame.output_wanted());
            return true;
        case Frame::kRunningWanted:
            if (node_) node_->send(agent_protocol::running_frame(machine_->unended()));
            return true;
        default:
            return false;
    }
}

void task_manager::take_arrivals() {
    if (arrivals_.empty()) return;
    check_load();
    machine_.feed(&agent_tasks::arrived, std::exchange(arrivals_, {}));
}

void task_manager::read_done() {
    take_arrivals();
    reading_ = false;
    send_gathered();
}

void task_manager::take_signal(const agent_protocol::TaskSignal& task_signal) {
    auto what = session::task_signal::ask;
    if (task_signal.kind() == agent_protocol::TaskSignal::KIND_TERM)
        what = session::task_signal::term;
    if (task_signal.kind() == agent_protocol::TaskSignal::KIND_KILL)
        what = session::task_signal::kill;
    if (task_signal.kind() == agent_protocol::TaskSignal::KIND_CANCEL)
        what = session::task_signal::cancel;
    machine_.feed(&agent_tasks::signalled, agent_protocol::name_of(task_signal.task()), what);
}

void task_manager::send_part(const agent_protocol::PayloadWanted& payload_wanted) {
    machine_.feed(&agent_tasks::payload_wanted, agent_protocol::name_of(payload_wanted.task()));
    const auto size =
        std::min(payload_wanted.size_max(), agent_protocol::task_limits::payload_part_bytes_max);
    auto read = deps_.payloads.read(
        agent_protocol::name_of(payload_wanted.task()), payload_wanted.offset(), size);
    Frame frame;
    auto& part = *frame.mutable_payload_part();
    *part.mutable_task() = payload_wanted.task();
    part.set_offset(payload_wanted.offset());
    part.set_missing(!read);
    if (read) {
        part.set_content(std::move(read->content));
        part.set_last(read->last);
    }
    // When it finds no place the node asks once more.
    if (node_) node_->send_bulk(frame);
}

void task_manager::take_want(const agent_protocol::OutputWanted& output_wanted) {
    const auto task = agent_protocol::name_of(output_wanted.task());
    if (output_wanted.stop()) {
        taps_.stop(task);
    } else {
        taps_.want(task, std::chrono::milliseconds(output_wanted.lease_ms()));
    }
}

void task_manager::check_load() {
    auto why =
        updated_ ? "the agent is about to be restarted" : overload_reason(options_.load, "/proc");
    load_check_due_ = deps_.clock.now() + load_check_interval;
    machine_.feed(&agent_tasks::strained, std::move(why));
}

void task_manager::settled() {
    if (!reading_) send_gathered();
    if (std::exchange(list_changed_, false)) write_list();
    if (updated_ && machine_->interruptible() == 0) {
        updated_ = false;
        listener_.restart_needed();
    }
    // The deadline may have moved, and what waits may begin if the system is not too busy.
    if (next_deadline()) timer_.ring();
}

void task_manager::perform(const session::store_tasks& store_tasks) {
    const auto done = store(deps_.kept, store_tasks);
    if (!done) problem(fmt::format("the journal failed: {}", done.error().detail()));
    if (!store_tasks.durable) return;
    list_changed_ = true;
    machine_.feed(&agent_tasks::stored, store_tasks.ticket, done);
}

void task_manager::perform(const session::send_held& send_held) {
    held_.all = held_.all || send_held.all;
    held_.tasks.insert(held_.tasks.end(), send_held.tasks.begin(), send_held.tasks.end());
}

void task_manager::perform(const session::send_reports& send_reports) {
    reports_.reports.insert(
        reports_.reports.end(), send_reports.reports.begin(), send_reports.reports.end());
}

void task_manager::perform(const session::drop_payload& drop_payload) {
    if (drop_payload.owed)
        problem(fmt::format(
            "the output of job {} is dropped before any node has asked for it: too many wait",
            drop_payload.task.job));
    deps_.payloads.drop(drop_payload.task);
}

// What is held and what is reported, each as one frame. A task that is reported is not held.
void task_manager::send_gathered() {
    auto held = std::exchange(held_, {});
    const auto reports = std::exchange(reports_, {});
    if (!node_) return;
    std::set<task_name> reported;
    for (const auto& report : reports.reports) reported.insert(report.task);
    std::erase_if(
        held.tasks, [&reported](const auto& each) { return reported.contains(each.task); });
    if (held.all || !held.tasks.empty()) {
        auto frame = agent_protocol::frame_of(held);
        // Further ones would only wait here; the node can do better with them.
        const auto places = static_cast<std::uint32_t>(options_.tasks.running_max);
        if (held.all) frame.mutable_tasks_held()->set_running_max(places);
        node_->send(frame);
    }
    for (const auto& each : agent_protocol::frames_of(reports)) node_->send(each);
}

void task_manager::write_list() {
    if (options_.list.empty()) return;
    const auto written = write_task_list(options_.list, machine_->unended());
    if (!written) problem(written.error().detail());
}

}  // namespace muster::agent
