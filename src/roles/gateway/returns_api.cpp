#include "roles/gateway/returns_api.h"

#include "base/hex.h"
#include "core/jobs/outcome_groups.h"
#include "core/rollout/plan.h"
#include "core/rollout/verdict.h"
#include "roles/gateway/page_limit.h"
#include "roles/jobs/canary_end.h"

#include <boost/json.hpp>

#include <charconv>
#include <map>
#include <utility>

namespace muster::gateway {
namespace {

namespace http = net::http;
namespace json = boost::json;

constexpr std::size_t group_page_rows = 10'000;
constexpr std::size_t groups_shown_max = 1'000;
constexpr std::size_t payloads_shown_max = 20;  // of all groups; the others by their digest
constexpr std::int64_t payload_shown_bytes_max = std::int64_t{64} * 1024;
constexpr std::size_t digest_bytes = 32;
constexpr auto agent_patience = std::chrono::seconds(2);

http::response told(const json::object& what) {
    return no_store(http::json(200, json::serialize(what)));
}

std::optional<std::uint32_t> number_in(std::string_view text) {
    std::uint32_t number = 0;
    const auto* const end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, number);
    if (failure != std::errc() || stopped != end) return std::nullopt;
    return number;
}

result<system_number> number_after(const http::request& asked) {
    const auto text = asked.query("after");
    if (!text || text->empty()) return system_number(0);
    const auto read = number_in(*text);
    if (!read) return fail(errc::invalid, "`after` must be the `next` of the page before");
    return system_number(std::int64_t{*read} + 1);
}

result<std::optional<task_state>> state_asked(const http::request& asked) {
    const auto text = asked.query("state");
    if (!text || text->empty()) return std::optional<task_state>();
    const auto read = parse_task_state(*text);
    if (!read)
        return fail(
            errc::invalid,
            "`state` must be queued, picked_up, completed, failed, cancelled or expired");
    return std::optional(*read);
}

}  // namespace

returns_api::answer returns_api::settled(answer work) {
    auto done = co_await std::move(work);
    if (!done) co_return refused(done.error());
    co_return done;
}

http::handler returns_api::calling(answer (returns_api::*method)(http::request)) {
    return [this, method](http::request asked) {
        return settled((this->*method)(std::move(asked)));
    };
}

result<void> returns_api::add_routes(http::router& routes) {
    const std::string job = "/api/v1/jobs/{id}";
    const auto task = job + "/tasks/{system}";
    CHECK_OK(routes.add("GET", job + "/tasks", {calling(&returns_api::list_tasks)}));
    CHECK_OK(routes.add("GET", task, {calling(&returns_api::show_task)}));
    CHECK_OK(routes.add("GET", task + "/why", {calling(&returns_api::explain)}));
    CHECK_OK(routes.add("GET", job + "/results", {calling(&returns_api::group_results)}));
    CHECK_OK(routes.add("GET", job + "/payloads/{digest}", {calling(&returns_api::show_payload)}));
    return routes.add("GET", "/api/v1/systems/{id}/tasks", {calling(&returns_api::list_history)});
}

json::object returns_api::named(system_number system, json::object task) const {
    task["system"] = system.value();
    task["name"] = around_.targets.name_of(system);
    return task;
}

result<system_number> returns_api::system_in(const std::string& text) const {
    if (const auto number = number_in(text)) return system_number(*number);
    return around_.targets.one(text);
}

async<json::array> returns_api::rows_of(
    job_reader::reading of, std::vector<system_number> systems) const {
    json::array items;
    if (systems.empty()) co_return items;
    jobs::job_ledger::task_filter which{.job = of.job.record.job, .states = {}};
    for (const auto each : systems) which.systems.push_back(each.value());
    const auto count = systems.size();
    auto reading = around_.reads.records().read_tasks(std::move(which), {}, count);
    CO_TRY(const auto page, co_await within(around_.time, engine_patience, std::move(reading)));
    std::map<std::int64_t, const task_record*> rows;
    for (const auto& each : page.tasks) rows[each.record.system] = &each.record;
    for (const auto each : systems) {
        const auto found = rows.find(each.value());
        const auto* const row = found == rows.end() ? nullptr : found->second;
        items.push_back(named(each, task_json(state_of(row, of.job.record.stage), row)));
    }
    co_return items;
}

returns_api::answer returns_api::list_tasks(http::request asked) {
    CO_CHECK_OK(co_await around_.desk.admit(asked));
    CO_TRY(const auto limit, page_limit_of(asked));
    CO_TRY(const auto from, number_after(asked));
    CO_TRY(const auto state, state_asked(asked));
    CO_TRY(auto read, co_await around_.reads.read(asked.captured("id")));
    const auto& sets = read.tasks->sets;
    const auto meant = state ? sets.members(*state, read.job.record.stage) : sets.targets();
    auto systems = meant.page(from, limit + 1);
    const bool more = systems.size() > limit;
    if (more) systems.pop_back();
    json::object shown{{"total", meant.size()}, {"next", nullptr}};
    if (more) shown["next"] = std::to_string(systems.back().value());
    CO_TRY(shown["items"], co_await rows_of(std::move(read), std::move(systems)));
    co_return told(shown);
}

async<returns_api::found_task> returns_api::find_task(std::string job, std::string system) const {
    found_task found;
    CO_TRY(found.system, system_in(system));
    CO_TRY(found.of, co_await around_.reads.read(std::move(job)));
    auto reading = around_.reads.records().find_task(found.of.job.record.job, found.system.value());
    CO_TRY(auto row, co_await within(around_.time, engine_patience, std::move(reading)));
    if (row) found.row = std::move(row->record);
    co_return found;
}

returns_api::answer returns_api::show_task(http::request asked) {
    CO_CHECK_OK(co_await around_.desk.admit(asked));
    CO_TRY(const auto found, co_await find_task(asked.captured("id"), asked.captured("system")));
    const auto& job = found.of.job.record;
    if (!found.of.tasks->sets.targets().contains(found.system))
        co_return fail(
            errc::not_found,
            "system " + asked.captured("system") + " is no target of job " + to_string(job.job));
    const auto* const row = found.row ? &*found.row : nullptr;
    auto shown = named(found.system, task_json(state_of(row, job.stage), row));
    shown["job"] = to_string(job.job);
    if (row != nullptr && row->inline_payload.empty() && !row->digest.empty()) {
        CO_TRY(const auto payload, co_await around_.reads.payload(job.job, row->digest));
        if (payload) shown["output"] = output_json(*payload);
        // The report is here first; the payload follows when the node asked for it.
        shown["output_pending"] = !payload;
    }
    co_return told(shown);
}

returns_api::answer returns_api::show_payload(http::request asked) {
    CO_CHECK_OK(co_await around_.desk.admit(asked));
    CO_TRY(const auto job, co_await around_.reads.find(asked.captured("id")));
    auto digest = from_hex(asked.captured("digest"));
    if (!digest || digest->size() != digest_bytes)
        co_return fail(errc::invalid, "a payload is named by 64 hexadecimal digits");
    CO_TRY(auto payload, co_await around_.reads.payload(job.record.job, *std::move(digest)));
    if (!payload) co_return fail(errc::not_found, "there is no such payload on record");
    http::response answered{.status = 200, .body = *std::move(payload)};
    // Whatever it is, a browser must not make a page of it.
    answered.fields.emplace_back("Content-Type", "application/octet-stream");
    answered.fields.emplace_back("X-Content-Type-Options", "nosniff");
    co_return no_store(std::move(answered));
}

returns_api::answer returns_api::group_results(http::request asked) {
    CO_CHECK_OK(co_await around_.desk.admit(asked));
    CO_TRY(const auto job, co_await around_.reads.find(asked.captured("id")));
    CO_TRY(const auto state, state_asked(asked));
    jobs::job_ledger::task_filter which{
        .job = job.record.job, .states = {task_state::completed, task_state::failed}};
    if (state) which.states = {*state};
    jobs::outcome_groups groups({.groups_max = groups_shown_max});
    std::string after;
    std::uint64_t counted = 0;
    do {
        auto reading = around_.reads.records().read_tasks(which, after, group_page_rows);
        CO_TRY(const auto page, co_await within(around_.time, engine_patience, std::move(reading)));
        for (const auto& each : page.tasks) groups.add(each.record);
        counted += page.tasks.size();
        after = page.next;
    } while (!after.empty());
    json::array items;
    std::size_t payloads = 0;
    for (const auto& each : groups.sorted()) {
        auto shown = group_json(each);
        const bool small = !each.digest.empty() && each.payload_size <= payload_shown_bytes_max;
        if (!shown.contains("output") && small && payloads++ < payloads_shown_max) {
            CO_TRY(const auto payload, co_await around_.reads.payload(job.record.job, each.digest));
            if (payload) shown["output"] = output_json(*payload);
        }
        json::array examples;
        for (const auto system : each.examples)
            examples.push_back(named(system_number(system), {}));
        shown["examples"] = std::move(examples);
        items.push_back(std::move(shown));
    }
    co_return told({{"items", std::move(items)}, {"total", counted}, {"beyond", groups.beyond()}});
}

returns_api::answer returns_api::list_history(http::request asked) {
    CO_CHECK_OK(co_await around_.desk.admit(asked));
    CO_TRY(const auto limit, page_limit_of(asked));
    CO_TRY(const auto system, system_in(asked.captured("id")));
    const auto cursor = from_hex(asked.query("after").value_or(""));
    if (!cursor) co_return fail(errc::invalid, "`after` must be the `next` of the page before");
    auto reading = around_.reads.records().read_history(system.value(), *cursor, limit);
    CO_TRY(const auto page, co_await within(around_.time, engine_patience, std::move(reading)));
    json::array items;
    for (const auto& each : page.tasks) {
        auto shown = task_json(each.record.state, &each.record);
        shown["job"] = to_string(each.record.job);
        shown["href"] = address_of(each.record.job) + "/tasks/" + std::to_string(system.value());
        items.push_back(std::move(shown));
    }
    json::object shown{{"items", std::move(items)}, {"next", nullptr}};
    if (!page.next.empty()) shown["next"] = to_hex(page.next);
    co_return told(shown);
}

async<jobs::task_situation> returns_api::situation_of(found_task found) const {
    const auto& job = found.of.job.record;
    auto reading = around_.reads.records().audience(job.job);
    CO_TRY(const auto who, co_await within(around_.time, engine_patience, std::move(reading)));
    jobs::task_situation about;
    about.now = around_.time.wall();
    about.target = who.targets.contains(found.system);
    about.canary = who.canaries.contains(found.system);
    about.known = around_.targets.is_known(found.system);
    if (const auto seen = around_.targets.last_seen(found.system)) {
        about.attached = seen->attached;
        about.last_seen = seen->last_seen;
        const auto places = around_.places.read();
        const auto* const node = places->find_node(seen->node);
        if (node != nullptr) about.node = node->name;
    }
    if (around_.windows && job.spec.windows == job_spec::window_rule::respect) {
        auto asking = around_.windows(found.system, job.spec);
        CO_TRY(
            const auto window, co_await within(around_.time, engine_patience, std::move(asking)));
        about.window_opens = window.opens;
        about.window_rule = window.why;
    }
    const bool picked_up = found.row && found.row->state == task_state::picked_up;
    if (around_.where && picked_up && about.attached) {
        auto asking = around_.where(found.system, job.job);
        const auto told = co_await within(around_.time, agent_patience, std::move(asking));
        about.where = told.value_or("");  // without it the sentence says less
    }
    if (job.phase == job_phase::canaries
        && job.spec.rollout.canary_wait > monotonic::duration::zero()) {
        auto looking = jobs::canaries_ended(around_.reads.records(), job.job, who.canaries);
        CO_TRY(const auto last, co_await within(around_.time, engine_patience, std::move(looking)));
        about.rest_starts = rollout::rest_starts(job.spec, last);
    }
    about.places = rollout::places_of(job.spec.rollout, job.targets);
    about.running = found.of.tasks->sets.counts(job.stage)[task_state::picked_up];
    about.failures_borne = rollout::failures_borne(job.spec.rollout, job.targets);
    about.job = job;
    about.task = std::move(found.row);
    co_return about;
}

returns_api::answer returns_api::explain(http::request asked) {
    CO_CHECK_OK(co_await around_.desk.admit(asked));
    CO_TRY(auto found, co_await find_task(asked.captured("id"), asked.captured("system")));
    const auto system = found.system;
    CO_TRY(const auto about, co_await situation_of(std::move(found)));
    const auto reason = jobs::why(about);
    json::object facts{
        {"target", about.target},
        {"canary", about.canary},
        {"attached", about.attached},
        {"running", about.running},
        {"stage", json::string(std::string(to_string(about.job.stage)))},
        {"phase", json::string(std::string(to_string(about.job.phase)))}};
    if (about.node) facts["node"] = *about.node;
    if (about.last_seen) facts["last_seen"] = cluster::iso_time(*about.last_seen);
    if (about.places) facts["places"] = *about.places;
    if (about.window_opens) facts["window_opens"] = cluster::iso_time(*about.window_opens);
    auto shown = named(system, {});
    shown["job"] = to_string(about.job.job);
    shown["state"] = json::string(std::string(to_string(reason.state)));
    shown["cause"] = reason.cause;
    shown["sentence"] = reason.sentence;
    shown["facts"] = std::move(facts);
    co_return told(shown);
}

}  // namespace muster::gateway
