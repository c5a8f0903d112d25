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

async<bool> reached(cluster& stage, process& driver, std::string address) {
    CO_CHECK_OK(co_await driver.clock().sleep_for(50ms));
    co_return stage.at(address.substr(0, address.find(':'))).running();
}

async<recorded_job> read_whole(jobs::job_store& records, jobs::stored_job stored) {
    recorded_job read{.record = stored.record, .counts = stored.counts, .who = {}, .tasks = {}};
    CO_TRY(read.who, co_await records.audience(stored.record.job));
    std::string after;
    do {
        CO_TRY(
            auto page,
            co_await records.read_tasks(
                {.job = stored.record.job, .states = {}}, std::move(after), page_rows));
        for (auto& task : page.tasks)
            read.tasks.emplace(system_number(task.record.system), std::move(task.record));
        after = std::move(page.next);
    } while (!after.empty());
    co_return read;
}

async<std::map<job_id, recorded_job>> read_all(jobs::job_store& records) {
    std::map<job_id, recorded_job> all;
    std::string after;
    do {
        CO_TRY(auto page, co_await records.list(std::move(after), page_rows));
        for (auto& each : page.jobs) {
            CO_TRY(auto whole, co_await read_whole(records, std::move(each)));
            all.emplace(whole.record.job, std::move(whole));
        }
        after = std::move(page.next);
    } while (!after.empty());
    co_return all;
}

// Empty when the job and every task of it stand in a last state.
std::string what_goes_on(const recorded_job& job) {
    const auto name = to_string(job.record.job);
    std::string left;
    for (const auto& [state, count] : counted(job))
        if (!is_end(state)) left += fmt::format(" with {} tasks {}", count, to_string(state));
    if (is_end(job.record.stage) && left.empty()) return {};
    return fmt::format("job {} is {}{}", name, to_string(job.record.stage), left);
}

}  // namespace

void jobs_workload::start(cluster& stage) {
    stage_ = &stage;
    kinds_ = job_kinds(options_.systems);
    fleet_ = fleet_of(options_.systems, zone);
    for (const auto& each : fleet_) ++weights_[slot::of(each.print).number()];
    rules_.emplace(stage.world);
    add_admin();
    add_observer();
    for (std::int64_t number = 1; number <= options_.servers; ++number) add_server(number);
    for (std::int64_t number = 1; number <= options_.systems; ++number) add_agent(number);
    trouble_agents_later();
    look_at_counts();
}

// Not listed among the clients: these two must not miss anything.
void jobs_workload::add_admin() {
    process& admin = stage_->add({.name = "admin", .clock = {}, .disk = {}}, [this](process& self) {
        self.spawn("set up", set_up(self));
        const auto person = self.own<zone_admin>(
            self,
            open_metastore(*stage_, self, "metastore"),
            zone_admin::options{
                .zone = zone,
                .disaster_timeout = options_.disaster_timeout,
                .drains_per_mille = 30,
                .winding_down = [this] {
                    return winding_down();
                }});
        self.spawn("administer", person->run());
    });
    admin.start();
}

void jobs_workload::add_observer() {
    process& observer =
        stage_->add({.name = "observer", .clock = {}, .disk = {}}, [this](process& self) {
            self.spawn("observe", observe(self, open_job_ledger(*stage_, self)));
        });
    observer.start();
}

void jobs_workload::add_server(std::int64_t number) {
    add_client(*stage_, fmt::format("node{}", number), [this, number](process& self) {
        self.spawn("serve", serve(self, number));
    });
}

void jobs_workload::add_agent(std::int64_t number) {
    const auto name = fmt::format("agent{}", number);
    process& result = stage_->add(
        {.name = name, .clock = stage_->draw_clock(name), .disk = {}},
        [this, number](process& self) {
            const bool forgetful = number <= options_.forgetful;
            const auto agent = self.own<jobs_agent>(
                *stage_,
                self,
                jobs_agent::options{
                    .system = system_number(number),
                    .servers = clients(),
                    .habit =
                        forgetful ? agent_journal::habit::forgetful : agent_journal::habit::careful,
                    .places = static_cast<std::size_t>(options_.places),
                    .kinds = &kinds_,
                    .rules = &*rules_});
            agents_[self.name()] = agent;
            agent->start();
        });
    result.start();
}

jobs_server::options jobs_workload::server_options(std::int64_t number) {
    return {
        .places = {.ttl = options_.ttl, .weights = &weights_, .probe = reached, .log = &log_},
        .fleet = &fleet_,
        .kinds = &kinds_,
        .rules = &*rules_,
        .habit =
            number <= options_.hasty ? jobs_channels::habit::hasty : jobs_channels::habit::careful,
        .log = &log_};
}

// Tables and windows are there before the first server is.
boost::asio::awaitable<void> jobs_workload::set_up(process& self) {
    const auto records = open_job_ledger(*stage_, self);
    while (!set_up_) {
        const auto done = co_await set_up_once(self, records);
        set_up_ = done.has_value();
        if (!done) ignore_error(co_await self.clock().sleep_for(200ms), "nobody cancels it");
    }
}

async<void> jobs_workload::set_up_once(process& self, std::shared_ptr<ledger> ledger) {
    using writing = windows::window_store::writing;
    CO_CHECK_OK(co_await ledger->migrate(muster::schema::ledger_schema()));
    windows::window_store book(window_surroundings(*ledger, self, log_));
    CO_CHECK_OK(co_await book.put_calendar(
        schedule, {.url = {}, .text = window_calendar()}, writing::either, "admin"));
    CO_CHECK_OK(co_await book.put_maintenance(
        schedule, {.type = "single", .calendar = schedule}, writing::either, "admin"));
    CO_CHECK_OK(co_await book.assign(schedule, systems_with_windows(options_.systems), "admin"));
    co_return result<void>();
}

boost::asio::awaitable<void> jobs_workload::serve(process& self, std::int64_t number) {
    while (!set_up_) ignore_error(co_await self.clock().sleep_for(100ms), "nobody cancels it");
    const auto server = self.own<jobs_server>(*stage_, self, server_options(number));
    servers_[self.name()] = server;
    server->start();
    const auto person = self.own<jobs_operator>(
        self,
        server,
        jobs_operator::options{
            .think = options_.think,
            .kinds = &kinds_,
            .rules = &*rules_,
            .winding_down = [this] { return winding_down(); },
            .did =
                [this](bool result) {
                    ++deeds_;
                    if (result) ++made_;
                }});
    co_await person->run();
}

boost::asio::awaitable<void> jobs_workload::observe(process& self, std::shared_ptr<ledger> ledger) {
    std::int64_t behind = 0;
    while (true) {
        const auto page = co_await ledger->read(tasks_behind(behind));
        if (page) {
            for (const auto& row : page->rows) {
                const auto stored = jobs::decode_task(row);
                if (!stored) {
                    self.where().violated("a row is corrupt: " + to_string(stored.error()));
                    co_return;
                }
                behind = std::max(behind, stored->sequence);
                rules_->see(stored->record);
            }
        }
        ignore_error(co_await self.clock().sleep_for(observe_interval), "nobody cancels it");
    }
}

// What servers would tell somebody who asks.
void jobs_workload::look_at_counts() {
    stage_->world.after(stage_->world.kernel(), counts_interval, [this] {
        for (const auto& [name, weak] : servers_) {
            const auto server = weak.lock();
            if (!server) continue;
            for (const auto& each : server->book().all()) {
                const auto board = server->board().peek(each->record.job);
                if (!board) continue;
                ++looks_;
                if (board->sets.counts(each->record.stage).sum() != each->record.targets)
                    stage_->world.violated(name + " counts tasks that do not add up");
            }
        }
        look_at_counts();
    });
}

void jobs_workload::trouble_agents_later() {
    prng& random = stage_->world.random("fate of agents");
    const auto often = static_cast<std::uint64_t>(options_.agent_trouble.count());
    const auto pause = std::chrono::milliseconds(1 + random.below(2 * often));
    stage_->world.after(stage_->world.kernel(), pause, [this] {
        if (winding_down()) return;
        trouble_an_agent();
        trouble_agents_later();
    });
}

void jobs_workload::trouble_an_agent() {
    prng& random = stage_->world.random("fate of agents");
    const auto number = 1 + random.below(static_cast<std::uint64_t>(options_.systems));
    process& host = stage_->at(fmt::format("agent{}", number));
    const auto lasts = std::chrono::milliseconds(random.below(random.chance(100) ? 30'000 : 3'000));
    const auto dice = random.below(100);
    if (!host.running()) return;
    if (dice < 50) {
        host.crash();
        stage_->world.after(stage_->world.kernel(), lasts, [&host] {
            if (!host.running()) host.start();
        });
    } else if (dice < 65) {
        host.pause(lasts);
    } else if (const auto agent = agents_[host.name()].lock()) {
        agent->faulty_tcp_proxy();
    }
}

async<std::string> jobs_workload::what_is_missing(jobs::job_store& records) {
    CO_TRY(recorded_, co_await read_all(records));
    for (const auto& [job, one] : recorded_) {
        auto missing = what_goes_on(one);
        if (!missing.empty()) co_return missing;
    }
    for (const auto& [name, weak] : agents_) {
        const auto agent = weak.lock();
        if (!agent || !agent->idle()) co_return name + " is not through with its tasks";
    }
    co_return what_is_held();
}

// Of jobs that have all ended no server counts anything any more: what it did would keep others
// from starting.
std::string jobs_workload::what_is_held() const {
    for (const auto& [name, weak] : servers_) {
        const auto server = weak.lock();
        if (!server) return name + " is not there";
        const auto points = server->scheduler().in_flight();
        if (points > 0) return fmt::format("{} has {} tasks in flight", name, points);
        const auto open = server->scheduler().jobs();
        if (!open.empty())
            return fmt::format("{} does not forget job {}", name, to_string(open.front()));
    }
    return {};
}

async<void> jobs_workload::check_payloads(jobs::job_store& records) {
    for (const auto job : rules_->payloads_kept()) {
        const auto& large_payload = large_payload_of(job);
        CO_TRY(const auto payload, co_await records.find_payload(job, large_payload.digest));
        const auto text =
            payload ? jobs::unpack(*payload) : fail(errc::not_found, "it is not there");
        if (!text || *text != large_payload.text)
            stage_->world.violated("an acknowledged payload of job " + to_string(job) + " is lost");
    }
    co_return result<void>();
}

// What servers count is what a plain count gives.
async<void> jobs_workload::check_boards(process& checker) {
    for (const auto& [name, weak] : servers_) {
        const auto server = weak.lock();
        if (!server) co_return fail(errc::unavailable, name + " is not there");
        for (const auto& [job, one] : recorded_) {
            const auto board = server->board().peek(job);
            if (!board) continue;
            const auto counts = board->sets.counts(one.record.stage);
            const auto plain = counted(one);
            for (const auto all_task_state : jobs::all_task_states) {
                const auto it = plain.find(all_task_state);
                if (counts[all_task_state] != (it == plain.end() ? 0 : it->second))
                    checker.where().violated(
                        fmt::format("{} counts job {} wrongly", name, to_string(job)));
            }
        }
    }
    co_return result<void>();
}

boost::asio::awaitable<void> jobs_workload::check_at_end(process& checker) {
    const auto store = open_job_ledger(*stage_, checker);
    jobs::job_store records(*store, checker.clock());
    const instant end = checker.clock().now() + quiet_time_max;
    std::string missing = "nothing was looked at";
    while (!missing.empty() && checker.clock().now() < end) {
        ignore_error(co_await checker.clock().sleep_for(5s), "nobody cancels it");
        const auto match = co_await what_is_missing(records);
        missing = match ? *match : to_string(match.error());
    }
    if (!missing.empty()) checker.where().violated("it is quiet, but " + missing);
    if (rules_->runs() == 0) checker.where().violated("no task ever ran");
    ignore_error(co_await checker.clock().sleep_for(5s), "boards are a moment behind");
    rules_->check_end(recorded_);
    auto checked = co_await check_payloads(records);
    if (checked) checked = co_await check_boards(checker);
    if (!checked) checker.where().violated("the end: " + to_string(checked.error()));
}

std::string jobs_workload::summary() const {
    std::map<job_stage, int> stages;
    for (const auto& [job, one] : recorded_) ++stages[one.record.stage];
    std::string ends;
    for (const auto& [stage, count] : stages)
        ends += fmt::format(" {} {},", count, to_string(stage));
    return fmt::format(
        "{} deeds, {} jobs made:{} {} runs, {} interrupted, {} returns acknowledged, at most {} at "
        "once, {} in windows, {} not started in theirs, {} looks",
        deeds_,
        made_,
        ends,
        rules_->runs(),
        rules_->interrupted(),
        rules_->acknowledgements(),
        rules_->most_at_once(),
        rules_->windows_kept(),
        rules_->unstarted(),
        looks_);
}

}  // namespace muster::sim
