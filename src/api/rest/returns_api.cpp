#include "api/rest/returns_api.h"

#include "base/hex.h"
#include "base/iso_time.h"
#include "core/jobs/outcome_groups.h"
#include "core/rollout/plan.h"
#include "core/rollout/verdict.h"
#include "api/operations/page.h"
#include "services/jobs/canary_end.h"

#include <boost/json.hpp>

#include <charconv>
#include <map>
#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;

constexpr std::size_t group_page_rows = 10'000;
constexpr std::size_t groups_shown_max = 1'000;
constexpr std::size_t payloads_shown_max = 20;  // of all groups; the others by their digest
constexpr std::int64_t payload_shown_bytes_max = std::int64_t{64} * 1024;
constexpr std::size_t digest_bytes = 32;
constexpr auto agent_patience = std::chrono::seconds(2);

std::optional<std::uint32_t> number_in(std::string_view text) {
    std::uint32_t number = 0;
    const auto* const end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, number);
    if (failure != std::errc() || stopped != end) return std::nullopt;
    return number;
}

result<system_number> number_after(const call& asked) {
    const auto text = page_start_of(asked);
    if (text.empty()) return system_number(0);
    const auto read = number_in(text);
    if (!read) return fail(errc::invalid, "`after` must be the `next` of the page before");
    return system_number(std::int64_t{*read} + 1);
}

std::optional<task_state> state_asked(const call& asked) {
    const auto text = asked.optional_text("state");
    return text ? parse_task_state(*text) : std::nullopt;
}

api::parameter state_parameter(std::vector<std::string> choices) {
    return api::in_query("state", api::text().with_choices(std::move(choices)));
}

api::shape a_task() {
    return api::anything().with_about("a task: its system, state, times, reason and output");
}

// Of a job, which the path names.
api::operation reading(std::string name, std::string summary, const std::string& path) {
    return {
        .name = std::move(name),
        .summary = std::move(summary),
        .path = "/api/v1/jobs/{job}" + path,
        .takes = {api::in_path("job", api::name())},
        .gives = a_task(),
        .needed = access::right::jobs_read,
        .within = api::scope::filtered};
}

}  // namespace

result<void> returns_api::declare(registry& to) {
    using namespace api;
    auto list = reading("tasks.list", "The tasks of a job, by system", "/tasks");
    list.takes.push_back(
        state_parameter({"queued", "picked_up", "completed", "failed", "cancelled", "expired"}));
    list.takes.push_back(limit_parameter());
    list.takes.push_back(after_parameter());
    list.gives = record_of(
        {required("total", integer(0)),
         required("next", text().or_nothing()),
         required("items", list_of(a_task()))});
    CHECK_OK(to.add(std::move(list), done_by(this, &returns_api::list_tasks)));
    auto show = reading("tasks.show", "What became of a job on a system", "/tasks/{system}");
    show.takes.push_back(in_path("system", name()));
    CHECK_OK(to.add(std::move(show), done_by(this, &returns_api::show_task)));
    auto why = reading("tasks.why", "Why a task is where it is", "/tasks/{system}/why");
    why.takes.push_back(in_path("system", name()));
    CHECK_OK(to.add(std::move(why), done_by(this, &returns_api::explain)));
    auto groups =
        reading("results.list", "What the systems returned, equal ones together", "/results");
    groups.takes.push_back(state_parameter({"completed", "failed"}));
    groups.gives = record_of(
        {required("items", list_of(anything())),
         required("total", integer(0)),
         required("beyond", integer(0).with_about("tasks whose group is not shown"))});
    CHECK_OK(to.add(std::move(groups), done_by(this, &returns_api::group_results)));
    auto payload = reading("payloads.show", "What tasks returned, whole", "/payloads/{digest}");
    payload.takes.push_back(in_path("digest", name()));
    payload.gives = bytes(std::numeric_limits<std::int64_t>::max());
    CHECK_OK(to.add(std::move(payload), done_by(this, &returns_api::show_payload)));
    return to.add(
        {.name = "systems.tasks",
         .summary = "What jobs did on a system, the last one first",
         .path = "/api/v1/systems/{system}/tasks",
         .takes = {in_path("system", name()), limit_parameter(), after_parameter()},
         .gives = page_of(a_task()),
         .needed = access::right::jobs_read,
         .within = scope::system},
        done_by(this, &returns_api::list_history));
}

async<void> returns_api::check_visible(call asked, job_id job) const {
    if (!asked.zones()) co_return result<void>();
    auto reading = around_.reads.records().audience(job);
    CO_TRY(const auto who, co_await within(around_.time, engine_patience, std::move(reading)));
    co_return around_.targets.check_visible(asked, job, who.targets);
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

async<reply> returns_api::list_tasks(call asked) {
    const auto limit = page_limit_of(asked);
    CO_TRY(const auto from, number_after(asked));
    const auto state = state_asked(asked);
    CO_TRY(auto read, co_await around_.reads.read(asked.text("job")));
    CO_CHECK_OK(
        around_.targets.check_visible(asked, read.job.record.job, read.tasks->sets.targets()));
    const auto& sets = read.tasks->sets;
    const auto meant = state ? sets.members(*state, read.job.record.stage) : sets.targets();
    auto systems = meant.page(from, limit + 1);
    const bool more = systems.size() > limit;
    if (more) systems.pop_back();
    json::object shown{{"total", meant.size()}, {"next", nullptr}};
    if (more) shown["next"] = std::to_string(systems.back().value());
    CO_TRY(shown["items"], co_await rows_of(std::move(read), std::move(systems)));
    co_return reply{std::move(shown)};
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

async<reply> returns_api::show_task(call asked) {
    CO_TRY(const auto found, co_await find_task(asked.text("job"), asked.text("system")));
    const auto& job = found.of.job.record;
    CO_CHECK_OK(around_.targets.check_visible(asked, job.job, found.of.tasks->sets.targets()));
    if (!found.of.tasks->sets.targets().contains(found.system))
        co_return fail(
            errc::not_found,
            "system " + asked.text("system") + " is no target of job " + to_string(job.job));
    const auto* const row = found.row ? &*found.row : nullptr;
    auto shown = named(found.system, task_json(state_of(row, job.stage), row));
    shown["job"] = to_string(job.job);
    if (row != nullptr && row->inline_payload.empty() && !row->digest.empty()) {
        CO_TRY(const auto payload, co_await around_.reads.payload(job.job, row->digest));
        if (payload) shown["output"] = output_json(*payload);
        // The report is here first; the payload follows when the node asked for it.
        shown["output_pending"] = !payload;
    }
    co_return reply{std::move(shown)};
}

async<reply> returns_api::show_payload(call asked) {
    CO_TRY(const auto job, co_await around_.reads.find(asked.text("job")));
    CO_CHECK_OK(co_await check_visible(asked, job.record.job));
    auto digest = from_hex(asked.text("digest"));
    if (!digest || digest->size() != digest_bytes)
        co_return fail(errc::invalid, "a payload is named by 64 hexadecimal digits");
    CO_TRY(auto payload, co_await around_.reads.payload(job.record.job, *std::move(digest)));
    if (!payload) co_return fail(errc::not_found, "there is no such payload on record");
    co_return reply{
        .content = nullptr,
        .other = reply::document{.media = "application/octet-stream", .body = *std::move(payload)}};
}

async<reply> returns_api::group_results(call asked) {
    CO_TRY(const auto job, co_await around_.reads.find(asked.text("job")));
    CO_CHECK_OK(co_await check_visible(asked, job.record.job));
    const auto state = state_asked(asked);
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
    co_return reply{
        json::object{{"items", std::move(items)}, {"total", counted}, {"beyond", groups.beyond()}}};
}

async<reply> returns_api::list_history(call asked) {
    const auto limit = page_limit_of(asked);
    // Whoever is checked for a zone is checked for the system as it is named now.
    CO_TRY(
        const auto system,
        asked.who().may.everywhere(access::right::jobs_read)
            ? system_in(asked.text("system"))
            : around_.targets.one(asked.text("system")));
    const auto cursor = from_hex(page_start_of(asked));
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
    co_return reply{std::move(shown)};
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
    if (around_.windows != nullptr && heeds_windows(job.spec)) {
        auto asking = around_.windows->of(found.system, job.spec);
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

async<reply> returns_api::explain(call asked) {
    CO_TRY(auto found, co_await find_task(asked.text("job"), asked.text("system")));
    const auto system = found.system;
    CO_CHECK_OK(around_.targets.check_visible(
        asked, found.of.job.record.job, found.of.tasks->sets.targets()));
    if (asked.zones() && !found.of.tasks->sets.targets().contains(system))
        co_return fail(errc::not_found, "the system is no target of the job");
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
    if (about.last_seen) facts["last_seen"] = iso_time(*about.last_seen);
    if (about.places) facts["places"] = *about.places;
    if (about.window_opens) facts["window_opens"] = iso_time(*about.window_opens);
    auto shown = named(system, {});
    shown["job"] = to_string(about.job.job);
    shown["state"] = json::string(std::string(to_string(reason.state)));
    shown["cause"] = reason.cause;
    shown["sentence"] = reason.sentence;
    shown["facts"] = std::move(facts);
    co_return reply{std::move(shown)};
}

}  // namespace muster::api
