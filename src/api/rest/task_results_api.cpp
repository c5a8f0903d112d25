#include "api/rest/task_results_api.h"

#include "api/operations/pagination.h"
#include "base/hex.h"
#include "base/iso_time.h"
#include "core/jobs/outcome_groups.h"
#include "core/rollout/job_decision.h"
#include "core/rollout/plan.h"
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
constexpr auto agent_timeout = std::chrono::seconds(2);

std::optional<std::uint32_t> number_in(std::string_view text) {
    std::uint32_t number = 0;
    const auto* const end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, number);
    if (failure != std::errc() || stopped != end) return std::nullopt;
    return number;
}

result<system_number> number_after(const call& call) {
    const auto text = page_start_of(call);
    if (text.empty()) return system_number(0);
    const auto read = number_in(text);
    if (!read) return fail(errc::invalid, "`after` must be the `next` of the page before");
    return system_number(std::int64_t{*read} + 1);
}

std::optional<task_state> state_asked(const call& call) {
    const auto text = call.optional_text("state");
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

result<void> task_results_api::declare(registry& to) {
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
    CHECK_OK(to.add(std::move(list), done_by(this, &task_results_api::list_tasks)));
    auto show = reading("tasks.show", "What became of a job on a system", "/tasks/{system}");
    show.takes.push_back(in_path("system", name()));
    CHECK_OK(to.add(std::move(show), done_by(this, &task_results_api::show_task)));
    auto why = reading("tasks.why", "Why a task is where it is", "/tasks/{system}/why");
    why.takes.push_back(in_path("system", name()));
    CHECK_OK(to.add(std::move(why), done_by(this, &task_results_api::explain)));
    auto groups =
        reading("results.list", "What the systems returned, equal ones together", "/results");
    groups.takes.push_back(state_parameter({"completed", "failed"}));
    groups.gives = record_of(
        {required("items", list_of(anything())),
         required("total", integer(0)),
         required("beyond", integer(0).with_about("tasks whose group is not shown"))});
    CHECK_OK(to.add(std::move(groups), done_by(this, &task_results_api::group_results)));
    auto payload = reading("payloads.show", "What tasks returned, whole", "/payloads/{digest}");
    payload.takes.push_back(in_path("digest", name()));
    payload.gives = bytes(std::numeric_limits<std::int64_t>::max());
    CHECK_OK(to.add(std::move(payload), done_by(this, &task_results_api::show_payload)));
    return to.add(
        {.name = "systems.tasks",
         .summary = "What jobs did on a system, the last one first",
         .path = "/api/v1/systems/{system}/tasks",
         .takes = {in_path("system", name()), limit_parameter(), after_parameter()},
         .gives = page_of(a_task()),
         .needed = access::right::jobs_read,
         .within = scope::system},
        done_by(this, &task_results_api::list_history));
}

async<void> task_results_api::check_visible(call call, job_id job) const {
    if (!call.zones()) co_return result<void>();
    auto reading = deps_.reader.records().audience(job);
    CO_TRY(const auto who, co_await within(deps_.clock, engine_timeout, std::move(reading)));
    co_return deps_.targets.check_visible(call.zones(), job, who.targets);
}

json::object task_results_api::named(system_number system, json::object task) const {
    task["system"] = system.value();
    task["name"] = deps_.targets.name_of(system);
    return task;
}

result<system_number> task_results_api::system_in(const std::string& text) const {
    if (const auto number = number_in(text)) return system_number(*number);
    return deps_.targets.one(text);
}

async<json::array> task_results_api::rows_of(
    job_detail_reader::reading of, std::vector<system_number> systems) const {
    json::array items;
    if (systems.empty()) co_return items;
    jobs::job_store::task_filter task_filter{.job = of.job.record.job, .states = {}};
    for (const auto system : systems) task_filter.systems.push_back(system.value());
    const auto count = systems.size();
    auto reading = deps_.reader.records().read_tasks(std::move(task_filter), {}, count);
    CO_TRY(const auto page, co_await within(deps_.clock, engine_timeout, std::move(reading)));
    std::map<std::int64_t, const task_record*> rows;
    for (const auto& task : page.tasks) rows[task.record.system] = &task.record;
    for (const auto system : systems) {
        const auto it = rows.find(system.value());
        const auto* const row = it == rows.end() ? nullptr : it->second;
        items.push_back(named(system, task_json(state_of(row, of.job.record.stage), row)));
    }
    co_return items;
}

async<reply> task_results_api::list_tasks(call call) {
    const auto limit = page_limit_of(call);
    CO_TRY(const auto from, number_after(call));
    const auto state = state_asked(call);
    CO_TRY(auto read, co_await deps_.reader.read(call.text("job")));
    CO_CHECK_OK(
        deps_.targets.check_visible(call.zones(), read.job.record.job, read.tasks->sets.targets()));
    const auto& sets = read.tasks->sets;
    const auto meant = state ? sets.members(*state, read.job.record.stage) : sets.targets();
    auto systems = meant.page(from, limit + 1);
    const bool more = systems.size() > limit;
    if (more) systems.pop_back();
    json::object output{{"total", meant.size()}, {"next", nullptr}};
    if (more) output["next"] = std::to_string(systems.back().value());
    CO_TRY(output["items"], co_await rows_of(std::move(read), std::move(systems)));
    co_return reply{std::move(output)};
}

async<task_results_api::found_task> task_results_api::find_task(
    std::string job, std::string system) const {
    found_task found_task;
    CO_TRY(found_task.system, system_in(system));
    CO_TRY(found_task.of, co_await deps_.reader.read(std::move(job)));
    auto reading =
        deps_.reader.records().find_task(found_task.of.job.record.job, found_task.system.value());
    CO_TRY(auto row, co_await within(deps_.clock, engine_timeout, std::move(reading)));
    if (row) found_task.row = std::move(row->record);
    co_return found_task;
}

async<reply> task_results_api::show_task(call call) {
    CO_TRY(const auto task, co_await find_task(call.text("job"), call.text("system")));
    const auto& job = task.of.job.record;
    CO_CHECK_OK(deps_.targets.check_visible(call.zones(), job.job, task.of.tasks->sets.targets()));
    if (!task.of.tasks->sets.targets().contains(task.system))
        co_return fail(
            errc::not_found,
            "system " + call.text("system") + " is no target of job " + to_string(job.job));
    const auto* const row = task.row ? &*task.row : nullptr;
    auto output = named(task.system, task_json(state_of(row, job.stage), row));
    output["job"] = to_string(job.job);
    if (row != nullptr && row->inline_payload.empty() && !row->digest.empty()) {
        CO_TRY(const auto payload, co_await deps_.reader.payload(job.job, row->digest));
        if (payload) output["output"] = output_json(*payload);
        // The report is here first; the payload follows when the node asked for it.
        output["output_pending"] = !payload;
    }
    co_return reply{std::move(output)};
}

async<reply> task_results_api::show_payload(call call) {
    CO_TRY(const auto job, co_await deps_.reader.find(call.text("job")));
    CO_CHECK_OK(co_await check_visible(call, job.record.job));
    auto digest = from_hex(call.text("digest"));
    if (!digest || digest->size() != digest_bytes)
        co_return fail(errc::invalid, "a payload is named by 64 hexadecimal digits");
    CO_TRY(auto payload, co_await deps_.reader.payload(job.record.job, *std::move(digest)));
    if (!payload) co_return fail(errc::not_found, "there is no such payload on record");
    co_return reply{
        .content = nullptr,
        .other = reply::document{.media = "application/octet-stream", .body = *std::move(payload)}};
}

async<reply> task_results_api::group_results(call call) {
    CO_TRY(const auto job, co_await deps_.reader.find(call.text("job")));
    CO_CHECK_OK(co_await check_visible(call, job.record.job));
    const auto state = state_asked(call);
    jobs::job_store::task_filter task_filter{
        .job = job.record.job, .states = {task_state::completed, task_state::failed}};
    if (state) task_filter.states = {*state};
    jobs::outcome_groups groups({.groups_max = groups_shown_max});
    std::string after;
    std::uint64_t counted = 0;
    do {
        auto reading = deps_.reader.records().read_tasks(task_filter, after, group_page_rows);
        CO_TRY(const auto page, co_await within(deps_.clock, engine_timeout, std::move(reading)));
        for (const auto& task : page.tasks) groups.add(task.record);
        counted += page.tasks.size();
        after = page.next;
    } while (!after.empty());
    json::array items;
    std::size_t payloads = 0;
    for (const auto& each : groups.sorted()) {
        auto output = group_json(each);
        const bool small = !each.digest.empty() && each.payload_size <= payload_shown_bytes_max;
        if (!output.contains("output") && small && payloads++ < payloads_shown_max) {
            CO_TRY(const auto payload, co_await deps_.reader.payload(job.record.job, each.digest));
            if (payload) output["output"] = output_json(*payload);
        }
        json::array examples;
        for (const auto system : each.examples)
            examples.push_back(named(system_number(system), {}));
        output["examples"] = std::move(examples);
        items.push_back(std::move(output));
    }
    co_return reply{
        json::object{{"items", std::move(items)}, {"total", counted}, {"beyond", groups.beyond()}}};
}

async<reply> task_results_api::list_history(call call) {
    const auto limit = page_limit_of(call);
    // Whoever is checked for a zone is checked for the system as it is named now.
    CO_TRY(
        const auto system,
        call.who().may.everywhere(access::right::jobs_read)
            ? system_in(call.text("system"))
            : deps_.targets.one(call.text("system")));
    const auto cursor = from_hex(page_start_of(call));
    if (!cursor) co_return fail(errc::invalid, "`after` must be the `next` of the page before");
    auto reading = deps_.reader.records().read_history(system.value(), *cursor, limit);
    CO_TRY(const auto page, co_await within(deps_.clock, engine_timeout, std::move(reading)));
    json::array items;
    for (const auto& task : page.tasks) {
        auto output = task_json(task.record.state, &task.record);
        output["job"] = to_string(task.record.job);
        output["href"] = address_of(task.record.job) + "/tasks/" + std::to_string(system.value());
        items.push_back(std::move(output));
    }
    json::object output{{"items", std::move(items)}, {"next", nullptr}};
    if (!page.next.empty()) output["next"] = to_hex(page.next);
    co_return reply{std::move(output)};
}

async<jobs::task_situation> task_results_api::situation_of(found_task found_task) const {
    const auto& job = found_task.of.job.record;
    auto reading = deps_.reader.records().audience(job.job);
    CO_TRY(const auto who, co_await within(deps_.clock, engine_timeout, std::move(reading)));
    jobs::task_situation about;
    about.now = deps_.clock.wall();
    about.target = who.targets.contains(found_task.system);
    about.canary = who.canaries.contains(found_task.system);
    about.known = deps_.targets.is_known(found_task.system);
    if (const auto observed = deps_.targets.last_seen(found_task.system)) {
        about.attached = observed->attached;
        about.last_seen = observed->last_seen;
        const auto places = deps_.topology.read();
        const auto* const node = places->find_node(observed->node);
        if (node != nullptr) about.node = node->name;
    }
    if (deps_.windows != nullptr && heeds_windows(job.spec)) {
        auto asking = deps_.windows->of(found_task.system, job.spec);
        CO_TRY(const auto window, co_await within(deps_.clock, engine_timeout, std::move(asking)));
        about.window_opens = window.opens;
        about.window_rule = window.why;
    }
    const bool picked_up = found_task.row && found_task.row->state == task_state::picked_up;
    if (deps_.running != nullptr && picked_up && about.attached) {
        auto asking = deps_.running->where(found_task.system, job.job);
        const auto response = co_await within(deps_.clock, agent_timeout, std::move(asking));
        about.where = response.value_or("");  // without it the sentence says less
    }
    if (job.phase == job_phase::canaries
        && job.spec.rollout.canary_wait > monotonic::duration::zero()) {
        auto looking = jobs::canaries_ended(deps_.reader.records(), job.job, who.canaries);
        CO_TRY(const auto last, co_await within(deps_.clock, engine_timeout, std::move(looking)));
        about.rest_starts = rollout::rest_starts(job.spec, last);
    }
    about.places = rollout::places_of(job.spec.rollout, job.targets);
    about.running = found_task.of.tasks->sets.counts(job.stage)[task_state::picked_up];
    about.failures_borne = rollout::failures_borne(job.spec.rollout, job.targets);
    about.job = job;
    about.task = std::move(found_task.row);
    co_return about;
}

async<reply> task_results_api::explain(call call) {
    CO_TRY(auto task, co_await find_task(call.text("job"), call.text("system")));
    const auto system = task.system;
    CO_CHECK_OK(deps_.targets.check_visible(
        call.zones(), task.of.job.record.job, task.of.tasks->sets.targets()));
    if (call.zones() && !task.of.tasks->sets.targets().contains(system))
        co_return fail(errc::not_found, "the system is no target of the job");
    CO_TRY(const auto about, co_await situation_of(std::move(task)));
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
    auto output = named(system, {});
    output["job"] = to_string(about.job.job);
    output["state"] = json::string(std::string(to_string(reason.state)));
    output["cause"] = reason.cause;
    output["sentence"] = reason.sentence;
    output["facts"] = std::move(facts);
    co_return reply{std::move(output)};
}

}  // namespace muster::api
