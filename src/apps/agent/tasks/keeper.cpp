#include "apps/agent/tasks/keeper.h"

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

constexpr std::chrono::seconds strain_interval{5};

session::agent_tasks::arrival arrival_of(session::task_order order) {
    session::agent_tasks::arrival made{.order = std::move(order)};
    made.nature = nature_of(made.order.function);
    if (made.nature != session::task_nature::chain) return made;
    const auto steps = parse_chain(made.order);
    // A chain that cannot be read is only refused.
    if (!steps) made.nature = session::task_nature::harmless;
    if (steps) made.steps = natures_of(*steps);
    return made;
}

}  // namespace

keeper::keeper(keeper_options how, surroundings around)
    : how_(std::move(how)),
      around_(std::move(around)),
      machine_(*this, how_.tasks),
      timer_(around_.time),
      taps_(around_.time, [this](const output_taps::piece& what) { return send_output(what); }),
      runner_(how_.run, around_.payloads, around_.time, around_.loop, callbacks_of(around_)) {}

runner::callbacks keeper::callbacks_of(const surroundings& around) {
    return {
        .ended =
            [this](task_name task, session::task_ending how) {
                taps_.ended(task);
                machine_.feed(&agent_tasks::ended, task, std::move(how));
            },
        .awaits_boot = [this](task_name task) { machine_.feed(&agent_tasks::awaits_boot, task); },
        .updated = [this] { updated_ = true; },
        .stepped =
            [this](task_name task, session::chain_progress to) {
                machine_.feed(&agent_tasks::stepped, task, std::move(to));
            },
        .awaits_restart =
            [this](task_name task) { machine_.feed(&agent_tasks::awaits_restart, task); },
        .began = [this](task_name task, pid_t leader) { note_process(task, leader); },
        .gone = [this](task_name task) { forget_process(task); },
        .wrote = [this](task_name task, std::string_view bytes) { taps_.wrote(task, bytes); },
        .survey = around.survey,
        .refresh_packages = around.refresh_packages,
        .packages_changed = around.packages_changed,
        .warn = around.warn};
}

session::agent_tasks::moment keeper::now() const {
    return {.now = around_.time.now(), .wall = around_.time.wall()};
}

asio::awaitable<void> keeper::run() {
    auto found = tasks_in(around_.kept);
    for (const auto& each : found.damaged)
        around_.warn(fmt::format("the journal's record {} cannot be read", each));
    // A machine that does not tell its boot is taken to be the same one for ever.
    boot_ = os::load_file(how_.boot_id).value_or("");
    // What is reported as interrupted must not go on meanwhile.
    end_leftovers();
    machine_.feed(&agent_tasks::start, std::move(found.tasks), boot_);
    co_await timer_.run(
        {.deadline = [this] { return next_look(); },
         .due =
             [this] {
                 look();
             }});
}

// While tasks wait, whether the machine is still too busy for them.
std::optional<instant> keeper::next_look() const {
    const auto next = machine_->next_deadline();
    if (machine_->waiting() == 0) return next;
    return std::min(next.value_or(instant::max()), strain_due_);
}

void keeper::look() {
    look_at_strain();
    machine_.feed(&agent_tasks::expire);
}

void keeper::attached(outlet to) {
    to_ = std::move(to);
    machine_.feed(&agent_tasks::attached);
}

void keeper::channel_lost() {
    to_ = {};
    machine_.feed(&agent_tasks::channel_lost);
    taps_.channel_lost();
    held_ = {};
    reports_ = {};
    arrivals_.clear();
    reading_ = false;
}

bool keeper::take(const Frame& frame) {
    if (frame.has_task()) {
        reading_ = true;
        arrivals_.push_back(arrival_of(agent_protocol::order_of(frame.task())));
        return true;
    }
    take_arrivals();
    switch (frame.kind_case()) {
        case Frame::kReportsTaken:
            machine_.feed(&agent_tasks::reports_taken, agent_protocol::names_of(frame.reports_taken()));
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
            if (to_.send) to_.send(channel::running_frame(machine_->unended()));
            return true;
        default:
            return false;
    }
}

void keeper::take_arrivals() {
    if (arrivals_.empty()) return;
    look_at_strain();
    machine_.feed(&agent_tasks::arrived, std::exchange(arrivals_, {}));
}

void keeper::read_done() {
    take_arrivals();
    reading_ = false;
    send_gathered();
}

void keeper::take_signal(const agent_protocol::TaskSignal& said) {
    auto what = session::task_signal::ask;
    if (said.kind() == agent_protocol::TaskSignal::KIND_TERM) what = session::task_signal::term;
    if (said.kind() == agent_protocol::TaskSignal::KIND_KILL) what = session::task_signal::kill;
    if (said.kind() == agent_protocol::TaskSignal::KIND_CANCEL) what = session::task_signal::cancel;
    machine_.feed(&agent_tasks::signalled, agent_protocol::name_of(said.task()), what);
}

void keeper::send_part(const agent_protocol::PayloadWanted& said) {
    machine_.feed(&agent_tasks::payload_wanted, agent_protocol::name_of(said.task()));
    const auto size = std::min(said.size_max(), agent_protocol::task_limits::payload_part_bytes_max);
    auto read = around_.payloads.read(agent_protocol::name_of(said.task()), said.offset(), size);
    Frame frame;
    auto& part = *frame.mutable_payload_part();
    *part.mutable_task() = said.task();
    part.set_offset(said.offset());
    part.set_missing(!read);
    if (read) {
        part.set_content(std::move(read->content));
        part.set_last(read->last);
    }
    // When it finds no place the node asks once more.
    if (to_.send_bulk) to_.send_bulk(frame);
}

void keeper::take_want(const agent_protocol::OutputWanted& said) {
    const auto task = agent_protocol::name_of(said.task());
    if (said.stop()) {
        taps_.stop(task);
    } else {
        taps_.want(task, std::chrono::milliseconds(said.lease_ms()));
    }
}

bool keeper::send_output(const output_taps::piece& what) {
    if (!to_.send_output) return false;
    Frame frame;
    auto& output = *frame.mutable_output();
    agent_protocol::set_name(*output.mutable_task(), what.task);
    output.set_offset(what.offset);
    output.set_content(std::string(what.content));
    output.set_ended(what.ended);
    return to_.send_output(frame);
}

void keeper::look_at_strain() {
    auto why = updated_ ? "the agent is about to be restarted" : strain_of(how_.strain, "/proc");
    strain_due_ = around_.time.now() + strain_interval;
    machine_.feed(&agent_tasks::strained, std::move(why));
}

void keeper::settled() {
    if (!reading_) send_gathered();
    if (std::exchange(list_changed_, false)) write_list();
    if (updated_ && machine_->interruptible() == 0) {
        updated_ = false;
        around_.restart();
    }
    // The deadline may have moved, and what waits may begin if the system is not too busy.
    if (next_look()) timer_.ring();
}

void keeper::perform(const session::store_tasks& what) {
    const auto done = store(around_.kept, what);
    if (!done) around_.warn(fmt::format("the journal failed: {}", done.error().detail()));
    if (!what.durable) return;
    list_changed_ = true;
    machine_.feed(&agent_tasks::stored, what.ticket, done);
}

void keeper::perform(const session::send_held& what) {
    held_.all = held_.all || what.all;
    held_.tasks.insert(held_.tasks.end(), what.tasks.begin(), what.tasks.end());
}

void keeper::perform(const session::send_reports& what) {
    reports_.reports.insert(reports_.reports.end(), what.reports.begin(), what.reports.end());
}

void keeper::perform(const session::drop_payload& what) {
    if (what.owed)
        around_.warn(fmt::format(
            "the output of job {} is dropped before any node has asked for it: too many wait",
            what.task.job));
    around_.payloads.drop(what.task);
}

// What is held and what is reported, each as one frame. A task that is reported is not held.
void keeper::send_gathered() {
    auto held = std::exchange(held_, {});
    const auto reports = std::exchange(reports_, {});
    if (!to_.send) return;
    std::set<task_name> reported;
    for (const auto& each : reports.reports) reported.insert(each.task);
    std::erase_if(
        held.tasks, [&reported](const auto& each) { return reported.contains(each.task); });
    if (held.all || !held.tasks.empty()) {
        auto frame = channel::frame_of(held);
        // Further ones would only wait here; the node can do better with them.
        const auto places = static_cast<std::uint32_t>(how_.tasks.running_max);
        if (held.all) frame.mutable_tasks_held()->set_running_max(places);
        to_.send(frame);
    }
    for (const auto& each : agent_protocol::frames_of(reports)) to_.send(each);
}

void keeper::write_list() {
    if (how_.list.empty()) return;
    const auto written = write_task_list(how_.list, machine_->unended());
    if (!written) around_.warn(written.error().detail());
}

}  // namespace muster::agent
