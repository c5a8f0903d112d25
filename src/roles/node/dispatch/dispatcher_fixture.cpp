#include "roles/node/dispatch/dispatcher_fixture.h"

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>

namespace muster::dispatch {
namespace {

using harness::run_sync;

fingerprint print_of(unsigned number) {
    fingerprint::bytes_type bytes{};
    for (std::size_t byte = 0; byte < 4; ++byte)
        bytes.at(byte) = static_cast<unsigned char>(number >> (8 * byte));
    return fingerprint(bytes);
}

std::shared_ptr<const cluster::topology> one_node_has_all() {
    auto result = std::make_shared<cluster::topology>();
    result->nodes["alpha"] = {
        .number = node_number(1),
        .name = "alpha",
        .instance = "i",
        .zone = "default",
        .state = membership::node_state::serving};
    result->node_names[node_number(1)] = "alpha";
    std::vector<placement::move> moves;
    for (std::size_t n = 0; n < slot::count; ++n)
        moves.push_back({.moved_slot = slot(n), .from = node_number(), .to = node_number(1)});
    result->slots["default"] =
        std::make_shared<placement::slot_table>(placement::slot_table().apply_moves(moves).value());
    return result;
}

}  // namespace

room::process::process(room& in)
    : book(in.jobs, in.log, {.timeout = 50ms}),
      node(
          {.jobs = in.jobs,
           .open_jobs = book,
           .systems = in.systems,
           .topology = in.topology,
           .lease = in.lease,
           .clock = in.clock,
           .log = in.log,
           .inbox = inbox,
           .agents = in,
           .windows = in},
          {.self = node_id("alpha"), .jobs_max = in.jobs_max, .picked_up_after = 1ms}),
      tasks(in.loop.get_executor(), [](const std::string&, std::exception_ptr) {}) {
    tasks.spawn("book", book.run());
    tasks.spawn("inbox", node.read_inbox());
    tasks.spawn("clock", node.watch_clock());
    tasks.spawn("holdings", node.follow_systems());
    tasks.spawn("errands", node.run_ledger_work());
    tasks.spawn("returns", node.write_results());
    tasks.spawn("payloads", node.write_payloads());
}

room::room(unsigned count)
    : where(std::make_unique<harness::temporary_directory>("dispatch")),
      records(ledger_sqlite::open({.file = where->path() / "ledger.db"}).value()),
      jobs(*records, clock) {
    REQUIRE(run_sync(records->migrate(schema::ledger_schema())).has_value());
    systems.begin_reading();
    for (unsigned n = 1; n <= count; ++n) {
        system_record row{
            .print = print_of(n),
            .name = "web" + std::to_string(n),
            .stage = enrolment::accepted,
            .number = system_number(n),
            .zone = "default"};
        systems.apply(std::span(&row, 1));
    }
    systems.end_reading();
    topology.publish(one_node_has_all());
    lease.confirmed(clock.now(), 1h);
    start();
}

room::~room() {
    stop();
}

void room::stop() {
    if (!up) return;
    up->tasks.cancel();
    loop.restart();
    loop.poll();
    while (up->tasks.size() > 0) loop.run_one();
    up.reset();
}

void room::until(const std::function<bool()>& holds) {
    const instant end = clock.now() + 20s;
    while (!holds() && clock.now() < end) {
        loop.restart();
        loop.run_one_for(20ms);
    }
    REQUIRE(holds());
}

job_record room::make(job_spec spec, std::uint32_t first, std::uint32_t last) {
    spec.arguments = "{}";
    return run_sync(
               jobs.create(
                   {.job = {}, .spec = std::move(spec)},
                   {.systems = fleet::system_set::range(system_number(first), system_number(last)),
                    .canaries = {}}))
        .value();
}

void room::change(job_id job, job_stage to) {
    const auto changed = run_sync(jobs.change(job, [to](job_record job) -> result<job_record> {
        job.stage = to;
        return job;
    }));
    REQUIRE(changed.has_value());
    until([&] {
        const auto it = up->book.find(job);
        return is_final(to) ? it == nullptr : it != nullptr && it->record.stage == to;
    });
}

void room::cancel_by_force(job_id job) {
    const auto changed = run_sync(jobs.change(job, [](job_record job) -> result<job_record> {
        job.stage = job_stage::cancelling;
        job.kill_running = true;
        return job;
    }));
    REQUIRE(changed.has_value());
    until([&] { return up->book.find(job)->record.kill_running; });
}

std::optional<task_record> room::task(job_id job, unsigned system) {
    const auto task = run_sync(jobs.find_task(job, system)).value();
    if (!task) return std::nullopt;
    return task->record;
}

void room::say(unsigned system, Frame frame) {
    up->inbox.push(
        agent_message{
            .system = system_number(system),
            .connection = {.loop = 0, .number = system},
            .frame = std::move(frame)},
        100);
}

void room::attach(unsigned system) {
    Frame frame;
    frame.mutable_tasks_held()->set_all(true);
    say(system, std::move(frame));
}

void room::leave(unsigned system) {
    up->inbox.push(
        agent_detached{
            .system = system_number(system), .connection = {.loop = 0, .number = system}},
        0);
}

void room::report(unsigned system, Report report) {
    Frame frame;
    *frame.mutable_reports()->add_reports() = std::move(report);
    say(system, std::move(frame));
}

Report room::report_of(job_id job, Report::Outcome outcome, std::uint32_t attempt) {
    Report report;
    report.mutable_task()->set_job(job.value());
    report.mutable_task()->set_attempt(attempt);
    report.set_outcome(outcome);
    return report;
}

std::size_t room::told(unsigned system, Frame::KindCase kind) {
    return static_cast<std::size_t>(std::ranges::count_if(
        sent[system], [kind](const Frame& frame) { return frame.kind_case() == kind; }));
}

void room::send(std::vector<outgoing> frames) {
    for (auto& frame : frames) sent[frame.to.number].push_back(std::move(frame.frame));
}

async<window_source::measured_duration> room::measure(job_spec /*work*/) {
    co_return recorded;
}

windows::window_admission room::check(
    const fleet::system_set& among, const measured_duration& expected) {
    believed = expected;
    windows::window_admission now{
        .closed = expected.mean > window_seconds ? among : among & outside, .latest_starts = {}};
    constexpr double endless = 24 * 3600;
    const auto left = std::chrono::seconds(static_cast<int>(std::min(window_seconds, endless)));
    if (window_seconds < endless) now.latest_starts[clock.wall() + left] = among - now.closed;
    return now;
}

}  // namespace muster::dispatch
