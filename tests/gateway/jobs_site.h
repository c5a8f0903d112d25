#pragma once

#include "core/presence/report.h"
#include "roles/fleet/search.h"
#include "roles/gateway/jobs_api.h"
#include "roles/gateway/returns_api.h"
#include "tests/gateway/rest_site.h"

#include <set>
#include <string>
#include <vector>

namespace muster::gateway::test {

// A gateway with web1, web2 and db3, of which the first two are attached, and an admin.
struct jobs_site : rest_site {
    presence::presence seen;
    fleet::fleet known;
    fleet::search search{known};
    jobs::job_ledger ledgered{*records, time};
    jobs::task_board board{ledgered, log, {}};
    job_targets targets{
        {.known = known,
         .seen = seen,
         .resolve = [this](const std::string& query) { return resolve(query); },
         .in_zones =
             [this](const std::set<std::string>& zones, const fleet::system_set& among) {
                 return search.in_zones(zones, among);
             }}};
    job_reader reader{ledgered, board, time};
    // Some have a maintenance schedule, and emergencies can be forbidden.
    struct some_windows final : jobs::job_windows {
        bool emergencies = true;
        fleet::system_set scheduled;

        result<fleet::system_set> with_schedule(const fleet::system_set& among) const override {
            return among & scheduled;
        }
        result<void> check_override(const job_spec& spec) const override {
            if (spec.windows != job_spec::window_rule::override || emergencies) return {};
            return fail(errc::denied, "forbidden by policy");
        }
    };
    some_windows windows;
    jobs::job_desk makes{
        {.records = ledgered,
         .board = board,
         .store = *store,
         .attached = [this](const fleet::system_set& among) { return targets.attached(among); },
         .windows = &windows},
        {}};
    jobs_api jobs_part{
        {.makes = makes, .reads = reader, .targets = targets, .time = time, .windows = &windows}};
    returns_api returns_part{{.reads = reader, .targets = targets, .places = places, .time = time}};

    jobs_site() : rest_site("jobs-api") {
        REQUIRE(answer_of(board.catch_up()).has_value());
        add_systems();
        REQUIRE(jobs_part.declare(operations));
        REQUIRE(returns_part.declare(operations));
        serve();
    }
    ~jobs_site() { stop(); }

    result<fleet::system_set> resolve(const std::string& query) const {
        TRY(const auto parsed, targeting::query::parse(query));
        return search.resolve(parsed, {});
    }

    void add_systems() {
        std::vector<system_record> all;
        presence::report there{
            .node = node_number(1), .zone = "default", .start = 1, .sequence = 1};
        there.at = presence::seconds_of(time.wall());
        for (const int number : {1, 2, 3}) {
            fingerprint::bytes_type bytes{};
            bytes.front() = static_cast<unsigned char>(number);
            system_record made{.print = fingerprint(bytes)};
            made.name = (number == 3 ? "db" : "web") + std::to_string(number);
            made.number = system_number(number);
            made.stage = enrolment::accepted;
            made.zone = number == 3 ? "far" : "default";
            made.version = 1;
            all.push_back(std::move(made));
            if (number != 3)
                there.arrivals.push_back({.system = system_number(number), .since = there.at});
        }
        known.begin_reading();
        known.apply(all);
        known.end_reading();
        REQUIRE(seen.apply(there, time.now()));
    }

    using rest_site::send;
    http::answer send(
        const std::string& method,
        const std::string& path,
        const json::object& body,
        const std::string& key) {
        return rest_site::send(method, path, body, {{"Idempotency-Key", key}});
    }

    // A request for what changes systems.
    static json::object command(const std::string& query) {
        return {
            {"query", query},
            {"function", "cmd.run"},
            {"arguments", json::object{{"cmd", "true"}}}};
    }
    std::string make(json::object more = {}) {
        more.emplace("query", "*");
        more["function"] = "test.ping";
        return json::value_to<std::string>(call("POST", "/api/v1/jobs", more).at("id"));
    }
    task_record row(const std::string& job, std::int64_t system, task_state state) const {
        task_record task;
        task.job = parse_job_id(job).value();
        task.system = system;
        task.state = state;
        task.picked_up = time.wall();
        if (is_end(state)) task.ended = time.wall();
        task.node = "n1";
        return task;
    }
    // As a node does.
    void record(const task_record& task, std::vector<table::write> more = {}) {
        table::batch one;
        one.writes = std::move(more);
        one.writes.push_back(
            {.table = std::string(cluster::tasks_table),
             .rows = {jobs::encode_task(task)},
             .existing = table::replace_if_grows{"rank"}});
        REQUIRE(answer_of(records->write(std::move(one))).has_value());
        REQUIRE(answer_of(board.catch_up()).has_value());
    }
};

inline std::int64_t number_at(const json::object& of, const char* name) {
    return of.at(name).to_number<std::int64_t>();
}

}  // namespace muster::gateway::test
