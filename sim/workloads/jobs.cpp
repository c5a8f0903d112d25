#include "sim/workloads/jobs.h"

#include "services/jobs/job_tables.h"
#include "services/jobs/payload_text.h"
#include "services/jobs/task_row.h"
#include "services/schema/ledger_schema.h"
#include "sim/engines/ledger.h"
#include "sim/engines/metastore.h"
#include "sim/workloads/jobs_operator.h"
#include "sim/workloads/zone_admin.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::sim {

namespace {

using namespace std::chrono_literals;

constexpr const char* zone = "default";
constexpr const char* schedule = "short";
constexpr auto observe_interval = 250ms;
constexpr auto counts_interval = 500ms;
constexpr auto quiet_time_max = 9min;
constexpr std::size_t page_rows = 1'000;

table::query tasks_behind(std::int64_t sequence) {
    return {
        .table = std::string(muster::jobs::tasks_table),
        .where =
            {{.column = std::string(table::sequence_column),
              .compare = table::comparison::greater,
              .values = {sequence}}},
        .order = {std::string(table::sequence_column)},
        .limit = page_rows};
}

async<bool> probe_server(sim::cluster& cluster, process& driver, std::string address) {
    CO_CHECK_OK(co_await driver.clock().sleep_for(50ms));
    co_return cluster.at(address.substr(0, address.find(':'))).running();
}

async<recorded_job> read_job(jobs::job_store& store, jobs::stored_job stored) {
    recorded_job job{.record = stored.record, .counts = stored.counts, .targets = {}, .tasks = {}};
    CO_TRY(job.targets, co_await store.find_targets(stored.record.job));
    std::string after;
    do {
        CO_TRY(
            auto page,
            co_await store.read_tasks(
                {.job = stored.record.job, .states = {}}, std::move(after), page_rows));
        for (auto& task : page.tasks)
            job.tasks.emplace(system_number(task.record.system), std::move(task.record));
        after = std::move(page.next);
    } while (!after.empty());
    co_return job;
}

async<std::map<job_id, recorded_job>> read_jobs(jobs::job_store& store) {
    std::map<job_id, recorded_job> jobs;
    std::string after;
    do {
        CO_TRY(auto page, co_await store.list(std::move(after), page_rows));
        for (auto& stored : page.jobs) {
            CO_TRY(auto job, co_await read_job(store, std::move(stored)));
            jobs.emplace(job.record.job, std::move(job));
        }
        after = std::move(page.next);
    } while (!after.empty());
    co_return jobs;
}

// Empty when the job and every task of it stand in a last state.
std::string describe_unfinished(const recorded_job& job) {
    const auto name = to_string(job.record.job);
    std::string unfinished;
    for (const auto& [state, count] : count_states(job))
        if (!is_final(state))
            unfinished += fmt::format(" with {} tasks {}", count, to_string(state));
    if (is_final(job.record.stage) && unfinished.empty()) return {};
    return fmt::format("job {} is {}{}", name, to_string(job.record.stage), unfinished);
}

}  // namespace

void jobs_workload::start(sim::cluster& cluster) {
    cluster_ = &cluster;
    kinds_ = job_kinds(options_.systems);
    fleet_ = fleet_of(options_.systems, zone);
    for (const auto& system : fleet_) ++weights_[slot::of(system.print).number()];
    invariants_.emplace(cluster.simulation);
    add_admin();
    add_observer();
    for (std::int64_t number = 1; number <= options_.servers; ++number) add_server(number);
    for (std::int64_t number = 1; number <= options_.systems; ++number) add_agent(number);
    schedule_agent_fault();
    check_counts_later();
}

// Not listed among the clients: these two must not miss anything.
void jobs_workload::add_admin() {
    process& admin =
        cluster_->add({.name = "admin", .clock = {}, .disk = {}}, [this](process& self) {
            self.spawn("set up", set_up(self));
            const auto actor = self.own<zone_admin>(
                self,
                open_metastore(*cluster_, self, "metastore"),
                zone_admin::options{
                    .zone = zone,
                    .disaster_timeout = options_.disaster_timeout,
                    .drains_per_mille = 30,
                    .winding_down = [this] {
                        return winding_down();
                    }});
            self.spawn("administer", actor->run());
        });
    admin.start();
}

void jobs_workload::add_observer() {
    process& observer =
        cluster_->add({.name = "observer", .clock = {}, .disk = {}}, [this](process& self) {
            self.spawn("observe", observe(self, open_job_ledger(*cluster_, self)));
        });
    observer.start();
}

void jobs_workload::add_server(std::int64_t number) {
    add_client(*cluster_, fmt::format("node{}", number), [this, number](process& self) {
        self.spawn("serve", serve(self, number));
    });
}

void jobs_workload::add_agent(std::int64_t number) {
    const auto name = fmt::format("agent{}", number);
    process& result = cluster_->add(
        {.name = name, .clock = cluster_->draw_clock(name), .disk = {}},
        [this, number](process& self) {
            const bool forgetful = number <= options_.forgetful;
            const auto agent = self.own<jobs_agent>(
                *cluster_,
                self,
                jobs_agent::options{
                    .system = system_number(number),
                    .servers = clients(),
                    .injected_bug = forgetful ? agent_journal::injected_bug::late_sync
                                              : agent_journal::injected_bug::none,
                    .places = static_cast<std::size_t>(options_.places),
                    .kinds = &kinds_,
                    .invariants = &*invariants_});
            agents_[self.name()] = agent;
            agent->start();
        });
    result.start();
}

jobs_server::options jobs_workload::server_options(std::int64_t number) {
    return {
        .placement =
            {.ttl = options_.ttl, .weights = &weights_, .probe = probe_server, .log = &log_},
        .fleet = &fleet_,
        .kinds = &kinds_,
        .invariants = &*invariants_,
        .injected_bug = number <= options_.hasty
                            ? jobs_channels::injected_bug::early_acknowledgement
                            : jobs_channels::injected_bug::none,
        .log = &log_};
}

// Tables and windows are there before the first server is.
boost::asio::awaitable<void> jobs_workload::set_up(process& self) {
    const auto ledger = open_job_ledger(*cluster_, self);
    while (!set_up_) {
        const auto done = co_await set_up_once(self, ledger);
        set_up_ = done.has_value();
        if (!done) ignore_error(co_await self.clock().sleep_for(200ms), "never cancelled");
    }
}

async<void> jobs_workload::set_up_once(process& self, std::shared_ptr<ledger> ledger) {
    using write_mode = windows::window_store::write_mode;
    CO_CHECK_OK(co_await ledger->migrate(muster::schema::ledger_schema()));
    windows::window_store store(window_dependencies(*ledger, self, log_));
    CO_CHECK_OK(co_await store.put_calendar(
        schedule, {.url = {}, .text = window_calendar()}, write_mode::create_or_replace, "admin"));
    CO_CHECK_OK(co_await store.put_maintenance(
        schedule,
        {.type = "single", .calendar = schedule},
        write_mode::create_or_replace,
        "admin"));
    CO_CHECK_OK(co_await store.assign(schedule, systems_with_windows(options_.systems), "admin"));
    co_return result<void>();
}

boost::asio::awaitable<void> jobs_workload::serve(process& self, std::int64_t number) {
    while (!set_up_) ignore_error(co_await self.clock().sleep_for(100ms), "never cancelled");
    const auto server = self.own<jobs_server>(*cluster_, self, server_options(number));
    servers_[self.name()] = server;
    server->start();
    const auto actor = self.own<jobs_operator>(
        self,
        server,
        jobs_operator::options{
            .think = options_.think,
            .kinds = &kinds_,
            .invariants = &*invariants_,
            .winding_down = [this] { return winding_down(); },
            .did =
                [this](bool result) {
                    ++actions_;
                    if (result) ++created_;
                }});
    co_await actor->run();
}

boost::asio::awaitable<void> jobs_workload::observe(process& self, std::shared_ptr<ledger> ledger) {
    std::int64_t behind = 0;
    while (true) {
        const auto page = co_await ledger->read(tasks_behind(behind));
        if (page) {
            for (const auto& row : page->rows) {
                const auto stored = jobs::decode_task(row);
                if (!stored) {
                    self.simulation().violated("corrupt row: " + to_string(stored.error()));
                    co_return;
                }
                behind = std::max(behind, stored->sequence);
                invariants_->check_row(stored->record);
            }
        }
        ignore_error(co_await self.clock().sleep_for(observe_interval), "never cancelled");
    }
}

// What servers would tell somebody who asks.
void jobs_workload::check_counts_later() {
    cluster_->simulation.after(cluster_->simulation.kernel(), counts_interval, [this] {
        for (const auto& [name, weak] : servers_) {
            const auto server = weak.lock();
            if (!server) continue;
            for (const auto& job : server->open_jobs().all()) {
                const auto states = server->task_states().peek(job->record.job);
                if (!states) continue;
                ++count_checks_;
                if (states->sets.counts(job->record.stage).sum() != job->record.targets)
                    cluster_->simulation.violated(name + " has inconsistent task counts");
            }
        }
        check_counts_later();
    });
}

void jobs_workload::schedule_agent_fault() {
    prng& random = cluster_->simulation.random("fate of agents");
    const auto interval = static_cast<std::uint64_t>(options_.agent_trouble.count());
    const auto pause = std::chrono::milliseconds(1 + random.below(2 * interval));
    cluster_->simulation.after(cluster_->simulation.kernel(), pause, [this] {
        if (winding_down()) return;
        inject_agent_fault();
        schedule_agent_fault();
    });
}

void jobs_workload::inject_agent_fault() {
    prng& random = cluster_->simulation.random("fate of agents");
    const auto number = 1 + random.below(static_cast<std::uint64_t>(options_.systems));
    process& host = cluster_->at(fmt::format("agent{}", number));
    const auto duration =
        std::chrono::milliseconds(random.below(random.chance(100) ? 30'000 : 3'000));
    const auto dice = random.below(100);
    if (!host.running()) return;
    if (dice < 50) {
        host.crash();
        cluster_->simulation.after(cluster_->simulation.kernel(), duration, [&host] {
            if (!host.running()) host.start();
        });
    } else if (dice < 65) {
        host.pause(duration);
    } else if (const auto agent = agents_[host.name()].lock()) {
        agent->cut_link();
    }
}

async<std::string> jobs_workload::find_unfinished(jobs::job_store& store) {
    CO_TRY(recorded_, co_await read_jobs(store));
    for (const auto& [job, recorded] : recorded_) {
        auto missing = describe_unfinished(recorded);
        if (!missing.empty()) co_return missing;
    }
    for (const auto& [name, weak] : agents_) {
        const auto agent = weak.lock();
        if (!agent || !agent->idle()) co_return name + " has unfinished tasks";
    }
    co_return find_in_flight();
}

// Of jobs that have all ended no server counts anything any more: what it did would keep others
// from starting.
std::string jobs_workload::find_in_flight() const {
    for (const auto& [name, weak] : servers_) {
        const auto server = weak.lock();
        if (!server) return name + " is not running";
        const auto count = server->scheduler().in_flight();
        if (count > 0) return fmt::format("{} has {} tasks in flight", name, count);
        const auto open = server->scheduler().jobs();
        if (!open.empty())
            return fmt::format("{} still holds ended job {}", name, to_string(open.front()));
    }
    return {};
}

async<void> jobs_workload::check_payloads(jobs::job_store& store) {
    for (const auto job : invariants_->payloads_kept()) {
        const auto& large_payload = large_payload_of(job);
        CO_TRY(const auto payload, co_await store.find_payload(job, large_payload.digest));
        const auto text =
            payload ? jobs::unpack(*payload) : fail(errc::not_found, "payload not found");
        if (!text || *text != large_payload.text)
            cluster_->simulation.violated(
                "an acknowledged payload of job " + to_string(job) + " is lost");
    }
    co_return result<void>();
}

// What servers count is what a plain count gives.
async<void> jobs_workload::check_task_states(process& checker) {
    for (const auto& [name, weak] : servers_) {
        const auto server = weak.lock();
        if (!server) co_return fail(errc::unavailable, name + " is not running");
        for (const auto& [job, recorded] : recorded_) {
            const auto states = server->task_states().peek(job);
            if (!states) continue;
            const auto counts = states->sets.counts(recorded.record.stage);
            const auto expected = count_states(recorded);
            for (const auto state : jobs::all_task_states) {
                const auto it = expected.find(state);
                if (counts[state] != (it == expected.end() ? 0 : it->second))
                    checker.simulation().violated(
                        fmt::format("{} has wrong task counts of job {}", name, to_string(job)));
            }
        }
    }
    co_return result<void>();
}

boost::asio::awaitable<void> jobs_workload::check_at_end(process& checker) {
    const auto ledger = open_job_ledger(*cluster_, checker);
    jobs::job_store store(*ledger, checker.clock());
    const instant end = checker.clock().now() + quiet_time_max;
    std::string missing = "no check was completed";
    while (!missing.empty() && checker.clock().now() < end) {
        ignore_error(co_await checker.clock().sleep_for(5s), "never cancelled");
        const auto unfinished = co_await find_unfinished(store);
        missing = unfinished ? *unfinished : to_string(unfinished.error());
    }
    if (!missing.empty()) checker.simulation().violated("not settled: " + missing);
    if (invariants_->runs() == 0) checker.simulation().violated("no task ever ran");
    ignore_error(co_await checker.clock().sleep_for(5s), "caches follow with a delay");
    invariants_->check_end(recorded_);
    auto checked = co_await check_payloads(store);
    if (checked) checked = co_await check_task_states(checker);
    if (!checked)
        checker.simulation().violated("final checks failed: " + to_string(checked.error()));
}

std::string jobs_workload::summary() const {
    std::map<job_stage, int> stages;
    for (const auto& [job, recorded] : recorded_) ++stages[recorded.record.stage];
    std::string stage_counts;
    for (const auto& [stage, count] : stages)
        stage_counts += fmt::format(" {} {},", count, to_string(stage));
    return fmt::format(
        "{} actions, {} jobs created:{} {} runs, {} interrupted, {} results acknowledged, at most "
        "{} "
        "in parallel, {} in windows, {} not started in their window, {} checks",
        actions_,
        created_,
        stage_counts,
        invariants_->runs(),
        invariants_->interrupted(),
        invariants_->acknowledgements(),
        invariants_->most_at_once(),
        invariants_->windows_kept(),
        invariants_->unstarted(),
        count_checks_);
}

}  // namespace muster::sim
