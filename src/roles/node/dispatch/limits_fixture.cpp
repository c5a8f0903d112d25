#include "roles/node/dispatch/limits_fixture.h"

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "services/cluster/keys.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <atomic>

namespace muster::dispatch {

using harness::run_sync;
using muster::agent_protocol::Frame;
using muster::agent_protocol::Report;

windows::window_admission open_windows::check(
    const fleet::system_set& /*systems*/, const measured_duration& /*expected*/) {
    return {};
}

async<window_source::measured_duration> open_windows::measure(job_spec /*work*/) {
    co_return measured_duration();
}

void small_cluster::process::send(std::vector<outgoing> frames) {
    for (const auto& frame : frames) of.hear(name, frame);
}

small_cluster::process::process(small_cluster& in, const std::string& node_name)
    : of(in),
      name(node_name),
      book(*in.jobs_, in.log_, {.timeout = 50ms}),
      node(
          {.jobs = *in.jobs_,
           .open_jobs = book,
           .systems = in.systems_,
           .topology = in.topology_,
           .lease = in.lease_,
           .clock = in.clock_,
           .log = in.log_,
           .inbox = inbox,
           .agents = *this,
           .windows = windows},
          {.self = node_id(name), .handover = 50ms, .picked_up_after = 1ms}),
      grants(
          {.metastore = *in.store_,
           .open_jobs = book,
           .node = node,
           .topology = in.topology_,
           .lease = in.lease_,
           .clock = in.clock_,
           .log = in.log_},
          {.self = node_id(name),
           .process = name + std::to_string(++in.beginnings_),
           .interval = 20ms,
           .report_interval = 50ms}),
      tasks(in.loop_.get_executor(), [](const std::string&, std::exception_ptr) {}) {
    tasks.spawn("book", book.run());
    tasks.spawn("inbox", node.read_inbox());
    tasks.spawn("clock", node.watch_clock());
    tasks.spawn("holdings", node.follow_systems());
    tasks.spawn("errands", node.run_ledger_work());
    tasks.spawn("returns", node.write_results());
    tasks.spawn("grants", grants.run());
}

small_cluster::chief::chief(small_cluster& in)
    : book(*in.jobs_, in.log_, {.timeout = 50ms}),
      board(*in.jobs_, in.log_, {.timeout = 50ms}),
      job_supervisor(
          {.jobs = *in.jobs_,
           .open_jobs = book,
           .task_states = board,
           .clock = in.clock_,
           .log = in.log_},
          {.interval = 20ms}),
      quotas(
          {.metastore = *in.store_,
           .jobs = *in.jobs_,
           .open_jobs = book,
           .topology = in.topology_,
           .clock = in.clock_,
           .log = in.log_},
          {.interval = 20ms, .removal_interval = 20ms}),
      tasks(in.loop_.get_executor(), [](const std::string&, std::exception_ptr) {}) {
    static const std::atomic<bool> always = true;
    tasks.spawn("book", book.run());
    tasks.spawn("board", board.run());
    tasks.spawn("steward", job_supervisor.run(always));
    tasks.spawn("quotas", quotas.run(always));
}

small_cluster::small_cluster(unsigned systems)
    : where_(std::make_unique<harness::temporary_directory>("limits")), count_(systems) {
    records_ = ledger_sqlite::open({.file = where_->path() / "ledger.db"}).value();
    store_ = sqlite_metastore::open(where_->path() / "metastore.db").value();
    jobs_ = std::make_unique<jobs::job_store>(*records_, clock_);
    REQUIRE(run_sync(records_->migrate(schema::ledger_schema())).has_value());
    systems_.begin_reading();
    for (unsigned n = 1; n <= systems; ++n) {
        system_record row{
            .print = print_of(n),
            .name = "web" + std::to_string(n),
            .stage = enrolment::accepted,
            .number = system_number(n),
            .zone = "default"};
        systems_.apply(std::span(&row, 1));
    }
    systems_.end_reading();
    std::vector<placement::move> moves;
    for (std::size_t n = 0; n < slot::count; ++n)
        moves.push_back({.moved_slot = slot(n), .from = {}, .to = node_number(n % 2 == 0 ? 1 : 2)});
    table_ = table_.apply_moves(moves).value();
    lease_.confirmed(clock_.now(), 1h);
    start("alpha");
    start("beta");
    start_chief();
    attach_all();
}

small_cluster::~small_cluster() {
    kill_chief();
    kill("alpha");
    kill("beta");
}

fingerprint small_cluster::print_of(unsigned number) {
    fingerprint::bytes_type bytes{};
    for (std::size_t byte = 0; byte < 4; ++byte)
        bytes.at(byte) = static_cast<unsigned char>(number >> (8 * byte));
    return fingerprint(bytes);
}

void small_cluster::publish() {
    using membership::node_state;
    auto result = std::make_shared<cluster::topology>();
    published_ = published_.next();
    result->revision = published_;
    for (const auto& [name, number] : numbers_) {
        const bool out = given_up_.contains(name);
        result->nodes[name] = {
            .number = number,
            .name = name,
            .instance = name,
            .zone = "default",
            .state = out ? node_state::faulty : node_state::serving};
        result->node_names[number] = name;
        if (up_.contains(name)) result->servers[name] = {.name = name};
    }
    result->slots["default"] = std::make_shared<placement::slot_table>(table_);
    topology_.publish(std::move(result));
}

void small_cluster::start(const std::string& node) {
    up_[node] = std::make_unique<process>(*this, node);
    publish();
}

void small_cluster::stop(runtime::task_group& tasks) {
    tasks.cancel();
    loop_.restart();
    loop_.poll();
    while (tasks.size() > 0) {
        loop_.restart();
        loop_.run_one();
    }
}

void small_cluster::kill(const std::string& node) {
    const auto it = up_.find(node);
    if (it == up_.end()) return;
    std::erase_if(attached_, [&](const auto& each) { return each.second == node; });
    stop(it->second->tasks);
    up_.erase(it);
    publish();
}

void small_cluster::kill_chief() {
    if (!chief_) return;
    stop(chief_->tasks);
    chief_.reset();
}

void small_cluster::give_up(const std::string& node, const std::string& heir) {
    std::vector<placement::move> moves;
    for (std::size_t n = 0; n < slot::count; ++n)
        if (table_.at(slot(n)).owner == numbers_.at(node))
            moves.push_back(
                {.moved_slot = slot(n), .from = numbers_.at(node), .to = numbers_.at(heir)});
    table_ = table_.apply_moves(moves).value();
    given_up_.insert(node);
    publish();
}

std::string small_cluster::owner_of(unsigned system) const {
    const auto owner = table_.at(slot::of(print_of(system))).owner;
    for (const auto& [name, number] : numbers_)
        if (number == owner) return name;
    return {};
}

void small_cluster::say(unsigned system, Frame frame) {
    const auto node = attached_.find(system);
    if (node == attached_.end()) return;
    up_.at(node->second)
        ->inbox.push(
            agent_message{
                .system = system_number(system),
                .connection = {.loop = 0, .number = system},
                .frame = std::move(frame)},
            100);
}

void small_cluster::report(unsigned system, std::uint32_t attempt) {
    Frame frame;
    auto& result = *frame.mutable_reports()->add_reports();
    result.mutable_task()->set_job(job_.value());
    result.mutable_task()->set_attempt(attempt);
    result.set_outcome(Report::OUTCOME_SUCCEEDED);
    say(system, std::move(frame));
}

void small_cluster::attach_all() {
    for (unsigned system = 1; system <= count_; ++system) {
        const auto owner = owner_of(system);
        if (!up_.contains(owner) || attached_.contains(system)) continue;
        attached_[system] = owner;
        for (const auto& [which, attempt] : untaken_)
            if (which == system) report(which, attempt);
        Frame frame;
        frame.mutable_tasks_held()->set_all(true);
        for (const auto& [which, starter] : running_) {
            if (which.first != system) continue;
            auto& held = *frame.mutable_tasks_held()->add_held();
            held.mutable_task()->set_job(job_.value());
            held.mutable_task()->set_attempt(which.second);
        }
        say(system, std::move(frame));
    }
}

void small_cluster::hear(const std::string& from, const outgoing& outgoing) {
    const auto system = static_cast<unsigned>(outgoing.to.number);
    if (attached_[system] != from) return;
    if (outgoing.frame.has_reports_taken()) {
        for (const auto& item : outgoing.frame.reports_taken().tasks())
            untaken_.erase({system, item.attempt()});
        return;
    }
    if (!outgoing.frame.has_task()) return;
    const task task(system, outgoing.frame.task().attempt());
    if (running_.contains(task)) return;
    if (finished_.contains(task)) return report(system, task.second);
    if (!ran_.insert(system).second) ++twice_;
    running_.emplace(task, from);
    most_ = std::max(most_, running_.size());
    starts_.push_back(clock_.now());
    if (at_once_) finish(task);
}

void small_cluster::finish(task task) {
    running_.erase(task);
    finished_.insert(task);
    untaken_.insert(task);
    report(task.first, task.second);
}

void small_cluster::finish_one() {
    if (running_.empty()) return;
    auto any = running_.begin();
    std::advance(any, static_cast<std::ptrdiff_t>(random_.below(running_.size())));
    finish(any->first);
}

void small_cluster::finish_one_of(const std::string& node) {
    const auto it =
        std::ranges::find_if(running_, [&](const auto& each) { return each.second == node; });
    REQUIRE(it != running_.end());
    finish(it->first);
}

std::size_t small_cluster::running_of(const std::string& node) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(running_, [&](const auto& each) { return each.second == node; }));
}

job_record small_cluster::make(rollout_options rollout) {
    job_spec spec{.function = "cmd.run", .arguments = "{}"};
    spec.rollout = std::move(rollout);
    auto result =
        run_sync(jobs_->create(
                     {.job = {}, .spec = std::move(spec)},
                     {.systems = fleet::system_set::range(system_number(1), system_number(count_)),
                      .canaries = {}}))
            .value();
    job_ = result.job;
    return result;
}

void small_cluster::until(const std::function<bool()>& holds) {
    const instant end = clock_.now() + 30s;
    while (!holds() && clock_.now() < end) {
        loop_.restart();
        loop_.run_one_for(20ms);
    }
    REQUIRE(holds());
}

void small_cluster::work_through(job_id job) {
    const instant end = clock_.now() + 60s;
    while (clock_.now() < end) {
        finish_one();
        for (int step = 0; step < 20; ++step) {
            loop_.restart();
            loop_.run_one_for(5ms);
        }
        if (running_.empty() && is_final(run_sync(jobs_->find(job)).value().record.stage)) return;
    }
    FAIL("the job did not end");
}

std::vector<std::string> small_cluster::quota_keys() {
    const auto page =
        run_sync(store_->range({.prefix = std::string(cluster::keys::rollout)})).value();
    std::vector<std::string> matches;
    for (const auto& entry : page.entries) matches.push_back(entry.key);
    return matches;
}

kv::revision small_cluster::revision() {
    return run_sync(store_->get("none")).value().at;
}

}  // namespace muster::dispatch
