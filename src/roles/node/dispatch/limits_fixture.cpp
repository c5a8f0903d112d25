#include "roles/node/dispatch/limits_fixture.h"

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "services/cluster/keys.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/answer_of.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

namespace muster::dispatch {

using harness::answer_of;
using muster::agent_protocol::Frame;
using muster::agent_protocol::Report;

small_cluster::process::process(small_cluster& in, const std::string& name)
    : book(*in.jobs_, in.log_, {.patience = 50ms}),
      node(
          {.records = *in.jobs_,
           .book = book,
           .systems = in.systems_,
           .topology = in.topology_,
           .lease = in.lease_,
           .time = in.time_,
           .log = in.log_,
           .send =
               [&in, name](std::vector<outgoing> frames) {
                   for (const auto& each : frames) in.hear(name, each);
               }},
          {.self = node_id(name), .handover = 50ms, .picked_up_after = 1ms}),
      grants(
          {.store = *in.store_,
           .book = book,
           .node = node,
           .topology = in.topology_,
           .lease = in.lease_,
           .time = in.time_,
           .log = in.log_},
          {.self = node_id(name),
           .process = name + std::to_string(++in.beginnings_),
           .interval = 20ms,
           .report_interval = 50ms}),
      tasks(in.loop_.get_executor(), [](const std::string&, std::exception_ptr) {}) {
    tasks.spawn("book", book.run());
    tasks.spawn("inbox", node.read_inbox());
    tasks.spawn("clock", node.watch_clock());
    tasks.spawn("holdings", node.keep_holdings());
    tasks.spawn("errands", node.run_errands());
    tasks.spawn("returns", node.keep_returns());
    tasks.spawn("grants", grants.run());
}

small_cluster::chief::chief(small_cluster& in)
    : book(*in.jobs_, in.log_, {.patience = 50ms}),
      board(*in.jobs_, in.log_, {.patience = 50ms}),
      steward(
          {.records = *in.jobs_, .book = book, .board = board, .time = in.time_, .log = in.log_},
          {.interval = 20ms}),
      quotas(
          {.store = *in.store_,
           .records = *in.jobs_,
           .book = book,
           .topology = in.topology_,
           .time = in.time_,
           .log = in.log_},
          {.interval = 20ms, .sweep_interval = 20ms}),
      tasks(in.loop_.get_executor(), [](const std::string&, std::exception_ptr) {}) {
    const auto always = [] {
        return true;
    };
    tasks.spawn("book", book.run());
    tasks.spawn("board", board.run());
    tasks.spawn("steward", steward.run(always));
    tasks.spawn("quotas", quotas.run(always));
}

small_cluster::small_cluster(unsigned systems)
    : where_(std::make_unique<harness::temporary_directory>("limits")), count_(systems) {
    records_ = ledger_sqlite::open({.file = where_->path() / "ledger.db"}).value();
    store_ = sqlite_metastore::open(where_->path() / "metastore.db").value();
    jobs_ = std::make_unique<jobs::job_ledger>(*records_, time_);
    REQUIRE(answer_of(records_->migrate(schema::ledger_schema())).has_value());
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
        moves.push_back({.what = slot(n), .from = {}, .to = node_number(n % 2 == 0 ? 1 : 2)});
    table_ = table_.after(moves).value();
    lease_.confirmed(time_.now(), 1h);
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
    auto made = std::make_shared<cluster::topology>();
    published_ = published_.next();
    made->at = published_;
    for (const auto& [name, number] : numbers_) {
        const bool out = given_up_.contains(name);
        made->nodes[name] = {
            .number = number,
            .name = name,
            .instance = name,
            .zone = "default",
            .state = out ? node_state::faulty : node_state::serving};
        made->node_names[number] = name;
        if (up_.contains(name)) made->servers[name] = {.name = name};
    }
    made->slots["default"] = std::make_shared<placement::slot_table>(table_);
    topology_.publish(std::move(made));
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
    const auto found = up_.find(node);
    if (found == up_.end()) return;
    std::erase_if(attached_, [&](const auto& each) { return each.second == node; });
    stop(found->second->tasks);
    up_.erase(found);
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
            moves.push_back({.what = slot(n), .from = numbers_.at(node), .to = numbers_.at(heir)});
    table_ = table_.after(moves).value();
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
        ->node.inbox()
        .push(
            agent_said{
                .system = system_number(system),
                .over = {.loop = 0, .number = system},
                .frame = std::move(frame)},
            100);
}

void small_cluster::report(unsigned system, std::uint32_t attempt) {
    Frame frame;
    auto& made = *frame.mutable_reports()->add_reports();
    made.mutable_task()->set_job(job_.value());
    made.mutable_task()->set_attempt(attempt);
    made.set_outcome(Report::OUTCOME_SUCCEEDED);
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

void small_cluster::hear(const std::string& from, const outgoing& what) {
    const auto system = static_cast<unsigned>(what.to.number);
    if (attached_[system] != from) return;
    if (what.frame.has_reports_taken()) {
        for (const auto& each : what.frame.reports_taken().tasks())
            untaken_.erase({system, each.attempt()});
        return;
    }
    if (!what.frame.has_task()) return;
    const task which(system, what.frame.task().attempt());
    if (running_.contains(which)) return;
    if (finished_.contains(which)) return report(system, which.second);
    if (!ran_.insert(system).second) ++twice_;
    running_.emplace(which, from);
    most_ = std::max(most_, running_.size());
    starts_.push_back(time_.now());
    if (at_once_) finish(which);
}

void small_cluster::finish(task which) {
    running_.erase(which);
    finished_.insert(which);
    untaken_.insert(which);
    report(which.first, which.second);
}

void small_cluster::finish_one() {
    if (running_.empty()) return;
    auto any = running_.begin();
    std::advance(any, static_cast<std::ptrdiff_t>(random_.below(running_.size())));
    finish(any->first);
}

void small_cluster::finish_one_of(const std::string& node) {
    const auto found =
        std::ranges::find_if(running_, [&](const auto& each) { return each.second == node; });
    REQUIRE(found != running_.end());
    finish(found->first);
}

std::size_t small_cluster::running_of(const std::string& node) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(running_, [&](const auto& each) { return each.second == node; }));
}

job_record small_cluster::make(rollout_options rollout) {
    job_spec spec{.function = "cmd.run", .arguments = "{}"};
    spec.rollout = std::move(rollout);
    auto made =
        answer_of(jobs_->make(
                      {.job = {}, .spec = std::move(spec)},
                      {.targets = fleet::system_set::range(system_number(1), system_number(count_)),
                       .canaries = {}}))
            .value();
    job_ = made.job;
    return made;
}

void small_cluster::until(const std::function<bool()>& holds) {
    const instant end = time_.now() + 30s;
    while (!holds() && time_.now() < end) {
        loop_.restart();
        loop_.run_one_for(20ms);
    }
    REQUIRE(holds());
}

void small_cluster::work_through(job_id job) {
    const instant end = time_.now() + 60s;
    while (time_.now() < end) {
        finish_one();
        for (int step = 0; step < 20; ++step) {
            loop_.restart();
            loop_.run_one_for(5ms);
        }
        if (running_.empty() && is_end(answer_of(jobs_->find(job)).value().record.stage)) return;
    }
    FAIL("the job did not end");
}

std::vector<std::string> small_cluster::quota_keys() {
    const auto page =
        answer_of(store_->range({.prefix = std::string(cluster::keys::rollout)})).value();
    std::vector<std::string> found;
    for (const auto& each : page.entries) found.push_back(each.key);
    return found;
}

kv::revision small_cluster::revision() {
    return answer_of(store_->get("none")).value().at;
}

}  // namespace muster::dispatch
