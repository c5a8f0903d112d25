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
#include <ranges>
#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;

constexpr std::size_t group_page_rows = 10'000;
constexpr std::size_t groups_shown_max = 1'000;
constexpr std::size_t payloads_shown_max = 20;  // inline; others by digest
constexpr std::int64_t payload_shown_bytes_max = std::int64_t{64} * 1024;
constexpr std::size_t digest_bytes = 32;
constexpr auto agent_timeout = std::chrono::seconds(2);

std::optional<std::uint32_t> parse_number(std::string_view text) {
    std::uint32_t number = 0;
    const auto* const end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, number);
    if (failure != std::errc() || stopped != end) return std::nullopt;
    return number;
}

result<system_number> number_after(const call& call) {
    const auto text = page_start_of(call);
    if (text.empty()) return system_number(0);
    const auto number = parse_number(text);
    if (!number)
        return fail(errc::invalid, "`after` must be the `next` value of the previous page");
    return system_number(std::int64_t{*number} + 1);
}

std::optional<task_state> read_state(const call& call) {
    const auto text = call.optional_text("state");
    return text ? parse_task_state(*text) : std::nullopt;
}

api::parameter state_parameter(std::vector<std::string> choices) {
    return api::in_query("state", api::text().with_choices(std::move(choices)));
}

api::shape task_shape() {
    return api::anything().with_about("task: system, state, times, reason and output");
}

// An operation that reads from the job in the path.
api::operation read_operation(std::string name, std::string summary, const std::string& path) {
    return {
        .name = std::move(name),
        .summary = std::move(summary),
        .path = "/api/v1/jobs/{job}" + path,
        .takes = {api::in_path("job", api::name())},
        .gives = task_shape(),
        .needed = access::right::jobs_read,
        .within = api::scope::filtered};
}

}  // namespace

result<void> task_results_api::declare(registry& operations) {
    using namespace api;
    auto list =
        read_operation("tasks.list", "List the tasks of a job, ordered by system", "/tasks");
    list.takes.push_back(
        state_parameter({"queued", "picked_up", "completed", "failed", "cancelled", "expired"}));
    list.takes.push_back(limit_parameter());
    list.takes.push_back(after_parameter());
    list.gives = record_of(
        {required("total", integer(0)),
         required("next", text().or_nothing()),
         required("items", list_of(task_shape()))});
    CHECK_OK(operations.add(std::move(list), handler(this, &task_results_api::list_tasks)));
    auto show =
        read_operation("tasks.show", "Get the task of a job on a system", "/tasks/{system}");
    show.takes.push_back(in_path("system", name()));
    CHECK_OK(operations.add(std::move(show), handler(this, &task_results_api::show_task)));
    auto why = read_operation("tasks.why", "Explain the state of a task", "/tasks/{system}/why");
    why.takes.push_back(in_path("system", name()));
    CHECK_OK(operations.add(std::move(why), handler(this, &task_results_api::explain)));
    auto groups = read_operation(
        "results.list", "List the results of a job, equal results grouped", "/results");
    groups.takes.push_back(state_parameter({"completed", "failed"}));
    groups.gives = record_of(
        {required("items", list_of(anything())),
         required("total", integer(0)),
         required(
             "beyond", integer(0).with_about("number of tasks in groups that are not listed"))});
    CHECK_OK(operations.add(std::move(groups), handler(this, &task_results_api::group_results)));
    auto payload = read_operation("payloads.show", "Get a complete payload", "/payloads/{digest}");
    payload.takes.push_back(in_path("digest", name()));
    payload.gives = bytes(std::numeric_limits<std::int64_t>::max());
    CHECK_OK(operations.add(std::move(payload), handler(this, &task_results_api::show_payload)));
    return operations.add(
        {.name = "systems.tasks",
         .summary = "List the tasks of a system, newest first",
         .path = "/api/v1/systems/{system}/tasks",
         .takes = {in_path("system", name()), limit_parameter(), after_parameter()},
         .gives = page_of(task_shape()),
         .needed = access::right::jobs_read,
         .within = scope::system},
        handler(this, &task_results_api::list_history));
}

async<void> task_results_api::check_visible(call call, job_id job) const {
    if (!call.zones()) co_return result<void>();
    auto pending_read = deps_.reader.job_store().find_targets(job);
    CO_TRY(
        const auto job_targets,
        co_await within(deps_.clock, engine_timeout, std::move(pending_read)));
    co_return deps_.targets.check_visible(call.zones(), job, job_targets.systems);
}

json::object task_results_api::add_system(system_number system, json::object task) const {
    task["system"] = system.value();
    task["name"] = deps_.targets.name_of(system);
    return task;
}

result<system_number> task_results_api::find_system(const std::string& text) const {
    if (const auto number = parse_number(text)) return system_number(*number);
    return deps_.targets.one(text);
}

async<json::array> task_results_api::tasks_json(
    job_detail_reader::job_detail detail, std::vector<system_number> systems) const {
    json::array items;
    if (systems.empty()) co_return items;
    jobs::job_store::task_filter task_filter{.job = detail.job.record.job, .states = {}};
    for (const auto system : systems) task_filter.systems.push_back(system.value());
    const auto count = systems.size();
    auto pending_read = deps_.reader.job_store().read_tasks(std::move(task_filter), {}, count);
    CO_TRY(const auto page, co_await within(deps_.clock, engine_timeout, std::move(pending_read)));
    std::map<std::int64_t, const task_record*> rows;
    for (const auto& task : page.tasks) rows[task.record.system] = &task.record;
    for (const auto system : systems) {
        const auto it = rows.find(system.value());
        const auto* const row = it == rows.end() ? nullptr : it->second;
        items.push_back(add_system(system, task_json(state_of(row, detail.job.record.stage), row)));
    }
    co_return items;
}

async<reply> task_results_api::list_tasks(call call) {
    const auto limit = page_limit_of(call);
    CO_TRY(const auto start, number_after(call));
    const auto state = read_state(call);
    CO_TRY(auto detail, co_await deps_.reader.read(call.text("job")));
    CO_CHECK_OK(deps_.targets.check_visible(
        call.zones(), detail.job.record.job, detail.tasks->sets.targets()));
    const auto& sets = detail.tasks->sets;
    const auto matched = state ? sets.members(*state, detail.job.record.stage) : sets.targets();
    auto systems = matched.page(start, limit + 1);
    const bool more = systems.size() > limit;
    if (more) systems.pop_back();
    json::object output{{"total", matched.size()}, {"next", nullptr}};
    if (more) output["next"] = std::to_string(systems.back().value());
    CO_TRY(output["items"], co_await tasks_json(std::move(detail), std::move(systems)));
    co_return reply{std::move(output)};
}

async<task_results_api::job_task> task_results_api::find_task(
    std::string job, std::string system) const {
    job_task task;
    CO_TRY(task.system, find_system(system));
    CO_TRY(task.detail, co_await deps_.reader.read(std::move(job)));
    auto pending_read =
        deps_.reader.job_store().find_task(task.detail.job.record.job, task.system.value());
    CO_TRY(auto row, co_await within(deps_.clock, engine_timeout, std::move(pending_read)));
    if (row) task.row = std::move(row->record);
    co_return task;
}

async<reply> task_results_api::show_task(call call) {
    CO_TRY(const auto task, co_await find_task(call.text("job"), call.text("system")));
    const auto& job = task.detail.job.record;
    CO_CHECK_OK(
        deps_.targets.check_visible(call.zones(), job.job, task.detail.tasks->sets.targets()));
    if (!task.detail.tasks->sets.targets().contains(task.system))
        co_return fail(
            errc::not_found,
            "system \"" + call.text("system") + "\" is not a target of job \"" + to_string(job.job)
                + "\"");
    const auto* const row = task.row ? &*task.row : nullptr;
    auto output = add_system(task.system, task_json(state_of(row, job.stage), row));
    output["job"] = to_string(job.job);
    if (row != nullptr && row->inline_payload.empty() && !row->digest.empty()) {
        CO_TRY(const auto payload, co_await deps_.reader.payload(job.job, row->digest));
        if (payload) output["output"] = output_json(*payload);
        // The result is stored first; the payload follows when the node has fetched it.
        output["output_pending"] = !payload;
    }
    co_return reply{std::move(output)};
}

async<reply> task_results_api::show_payload(call call) {
    CO_TRY(const auto job, co_await deps_.reader.find(call.text("job")));
    CO_CHECK_OK(co_await check_visible(call, job.record.job));
    auto digest = from_hex(call.text("digest"));
    if (!digest || digest->size() != digest_bytes)
        co_return fail(errc::invalid, "`digest` must be 64 hexadecimal digits");
    CO_TRY(auto payload, co_await deps_.reader.payload(job.record.job, *std::move(digest)));
    if (!payload)
        co_return fail(errc::not_found, "payload \"" + call.text("digest") + "\" not found");
    co_return reply{
        .content = nullptr,
        .raw = reply::document{.media = "application/octet-stream", .body = *std::move(payload)}};
}

async<reply> task_results_api::group_results(call call) {
    CO_TRY(const auto job, co_await deps_.reader.find(call.text("job")));
    CO_CHECK_OK(co_await check_visible(call, job.record.job));
    const auto state = read_state(call);
    jobs::job_store::task_filter task_filter{
        .job = job.record.job, .states = {task_state::completed, task_state::failed}};
    if (state) task_filter.states = {*state};
    jobs::outcome_groups groups({.groups_max = groups_shown_max});
    std::string after;
    std::uint64_t total = 0;
    do {
        auto pending_read =
            deps_.reader.job_store().read_tasks(task_filter, after, group_page_rows);
        CO_TRY(
            const auto page, co_await within(deps_.clock, engine_timeout, std::move(pending_read)));
        for (const auto& task : page.tasks) groups.add(task.record);
        total += page.tasks.size();
        after = page.next;
    } while (!after.empty());
    json::array items;
    std::size_t payloads = 0;
    for (const auto& group : groups.sorted()) {
        auto output = group_json(group);
        const bool is_small =
            !group.digest.empty() && group.payload_size <= payload_shown_bytes_max;
        if (!output.contains("output") && is_small && payloads++ < payloads_shown_max) {
            CO_TRY(const auto payload, co_await deps_.reader.payload(job.record.job, group.digest));
            if (payload) output["output"] = output_json(*payload);
        }
        json::array examples;
        for (const auto system : group.examples)
            examples.push_back(add_system(system_number(system), {}));
        output["examples"] = std::move(examples);
        items.push_back(std::move(output));
    }
    co_return reply{json::object{
        {"items", std::move(items)}, {"total", total}, {"beyond", groups.ungrouped()}}};
}

async<json::array> task_results_api::queued_json(system_number system, std::size_t limit) const {
    json::array items;
    auto open_jobs = deps_.open_jobs.all();
    std::erase_if(open_jobs, [system](const auto& job) {
        return !job->targets || !job->targets->systems.contains(system);
    });
    for (const auto& job : open_jobs | std::views::reverse | std::views::take(limit)) {
        auto pending_read = deps_.reader.job_store().find_task(job->record.job, system.value());
        CO_TRY(
            const auto row, co_await within(deps_.clock, engine_timeout, std::move(pending_read)));
        if (row) continue;
        auto task = task_json(state_of(nullptr, job->record.stage), nullptr);
        task["job"] = to_string(job->record.job);
        task["href"] = address_of(job->record.job) + "/tasks/" + std::to_string(system.value());
        if (deps_.windows != nullptr) {
            auto pending_check = deps_.windows->find_waiting(job->record.spec, {system});
            const auto waiting =
                co_await within(deps_.clock, engine_timeout, std::move(pending_check));
            if (waiting && !waiting->empty()) task["waiting"] = wait_json(waiting->front());
        }
        items.push_back(std::move(task));
    }
    co_return items;
}

async<reply> task_results_api::list_history(call call) {
    const auto limit = page_limit_of(call);
    // Callers restricted to zones were checked for the system that has this name now.
    CO_TRY(
        const auto system,
        call.caller().may.everywhere(access::right::jobs_read)
            ? find_system(call.text("system"))
            : deps_.targets.one(call.text("system")));
    const auto cursor = from_hex(page_start_of(call));
    if (!cursor)
        co_return fail(errc::invalid, "`after` must be the `next` value of the previous page");
    auto pending_read = deps_.reader.job_store().read_history(system.value(), *cursor, limit);
    CO_TRY(const auto page, co_await within(deps_.clock, engine_timeout, std::move(pending_read)));
    json::array items;
    if (cursor->empty()) {
        CO_TRY(items, co_await queued_json(system, limit));
    }
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

async<jobs::task_situation> task_results_api::read_situation(job_task task) const {
    const auto& job = task.detail.job.record;
    auto pending_read = deps_.reader.job_store().find_targets(job.job);
    CO_TRY(
        const auto job_targets,
        co_await within(deps_.clock, engine_timeout, std::move(pending_read)));
    jobs::task_situation situation;
    situation.now = deps_.clock.wall();
    situation.target = job_targets.systems.contains(task.system);
    situation.canary = job_targets.canaries.contains(task.system);
    situation.in_fleet = deps_.targets.is_known(task.system);
    if (const auto last_seen = deps_.targets.last_seen(task.system)) {
        situation.attached = last_seen->attached;
        situation.last_seen = last_seen->last_seen;
        const auto topology = deps_.topology.read();
        const auto* const node = topology->find_node(last_seen->node);
        if (node != nullptr) situation.node = node->name;
    }
    if (deps_.windows != nullptr && respects_windows(job.spec)) {
        auto pending_check = deps_.windows->check_system(task.system, job.spec);
        CO_TRY(
            const auto window,
            co_await within(deps_.clock, engine_timeout, std::move(pending_check)));
        situation.window_opens = window.opens;
        situation.window_rule = window.reason;
    }
    const bool picked_up = task.row && task.row->state == task_state::picked_up;
    if (deps_.running_tasks != nullptr && picked_up && situation.attached) {
        auto pending_check = deps_.running_tasks->describe_progress(task.system, job.job);
        const auto response = co_await within(deps_.clock, agent_timeout, std::move(pending_check));
        situation.activity = response.value_or("");  // optional detail
    }
    if (job.phase == job_phase::canaries
        && job.spec.rollout.canary_wait > monotonic::duration::zero()) {
        auto pending_lookup =
            jobs::read_canaries_end(deps_.reader.job_store(), job.job, job_targets.canaries);
        CO_TRY(
            const auto canaries_end,
            co_await within(deps_.clock, engine_timeout, std::move(pending_lookup)));
        situation.rest_start_time = rollout::rest_start_time(job.spec, canaries_end);
    }
    situation.concurrency = rollout::concurrency_of(job.spec.rollout, job.targets);
    situation.running = task.detail.tasks->sets.counts(job.stage)[task_state::picked_up];
    situation.failure_limit = rollout::failure_limit(job.spec.rollout, job.targets);
    situation.job = job;
    situation.task = std::move(task.row);
    co_return situation;
}

async<reply> task_results_api::explain(call call) {
    CO_TRY(auto task, co_await find_task(call.text("job"), call.text("system")));
    const auto system = task.system;
    CO_CHECK_OK(deps_.targets.check_visible(
        call.zones(), task.detail.job.record.job, task.detail.tasks->sets.targets()));
    if (call.zones() && !task.detail.tasks->sets.targets().contains(system))
        co_return fail(errc::not_found, "system is not a target of the job");
    CO_TRY(const auto situation, co_await read_situation(std::move(task)));
    const auto reason = jobs::explain_task(situation);
    json::object facts{
        {"target", situation.target},
        {"canary", situation.canary},
        {"attached", situation.attached},
        {"running", situation.running},
        {"stage", json::string(std::string(to_string(situation.job.stage)))},
        {"phase", json::string(std::string(to_string(situation.job.phase)))}};
    if (situation.node) facts["node"] = *situation.node;
    if (situation.last_seen) facts["last_seen"] = iso_time(*situation.last_seen);
    if (situation.concurrency) facts["places"] = *situation.concurrency;
    if (situation.window_opens) facts["window_opens"] = iso_time(*situation.window_opens);
    auto output = add_system(system, {});
    output["job"] = to_string(situation.job.job);
    output["state"] = json::string(std::string(to_string(reason.state)));
    output["cause"] = reason.cause;
    output["sentence"] = reason.sentence;
    output["facts"] = std::move(facts);
    co_return reply{std::move(output)};
}

}  // namespace muster::api
