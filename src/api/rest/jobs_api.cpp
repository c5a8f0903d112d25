#include "api/rest/jobs_api.h"

#include "adapters/pki/fingerprint.h"
#include "api/operations/json_value.h"
#include "base/hex.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <optional>
#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;
using namespace api;
using access::right;

constexpr const char* collection_path = "/api/v1/jobs";
constexpr const char* item_path = "/api/v1/jobs/{job}";
constexpr std::int64_t body_bytes_max = std::int64_t{2} * 1024 * 1024;

shape plan_shape() {
    return record_of(
        {required("targets", integer(0)),
         required("present", integer(0)),
         required("away", integer(0)),
         required("canaries", integer(0)),
         required("batch", integer(0).or_nothing()),
         required("fleet", integer(0).with_about("systems that the caller may target")),
         required("changes", flag().with_about("false for read-only functions")),
         required(
             "windows", name().with_about("resulting maintenance window rule: respect, ignore, …")),
         required("forecast", anything().or_nothing())});
}

json::object plan_json(const jobs::job_service::plan& plan) {
    const auto count = plan.targets.systems.size();
    const auto window_rule = to_string(plan.spec.windows);
    json::object output{
        {"targets", count},
        {"present", plan.attached_count},
        {"away", count - plan.attached_count},
        {"canaries", plan.targets.canaries.size()},
        {"batch", nullptr},
        {"changes", plan.changes_system},
        {"windows", json::string_view(window_rule.data(), window_rule.size())},
        {"forecast", nullptr}};
    if (plan.concurrency) output["batch"] = *plan.concurrency;
    return output;
}

// A change of the job that the path names.
operation change_operation(std::string verb, std::string summary) {
    return {
        .name = "jobs." + verb,
        .summary = std::move(summary),
        .method = api::verb::post,
        .path = item_path + ("/" + verb),
        .takes = {in_path("job", name()), optional_in_body("note", text())},
        .gives = job_shape(),
        .needed = right::jobs_run,
        .within = scope::filtered};
}

}  // namespace

jobs_api::jobs_api(dependencies deps)
    : deps_(std::move(deps)), events_(deps_.reader, deps_.targets) {}

result<void> jobs_api::declare_reading(registry& operations) {
    CHECK_OK(declare_list(operations));
    CHECK_OK(operations.add(
        {.name = "jobs.show",
         .summary = "Get a job and its task counts",
         .path = item_path,
         .takes = {in_path("job", name())},
         .gives = job_shape(),
         .needed = right::jobs_read,
         .within = scope::filtered},
        handler(this, &jobs_api::show)));
    operation follow{
        .name = "jobs.follow",
        .summary = "Follow the events of a job until its end",
        .path = item_path + std::string("/events"),
        .takes = job_events::parameters(),
        .needed = right::jobs_read,
        .within = scope::filtered,
        .streams = true};
    follow.takes.push_back(in_path("job", name()));
    return operations.add(std::move(follow), handler(this, &jobs_api::follow));
}

result<void> jobs_api::declare(registry& operations) {
    CHECK_OK(declare_reading(operations));
    CHECK_OK(declare_plans(operations));
    operation create{
        .name = "jobs.create",
        .summary = "Create a job",
        .method = verb::post,
        .path = collection_path,
        .takes = job_parameters(),
        .gives = job_shape(),
        .status = 201,
        .needed = right::jobs_run,
        .within = scope::filtered,
        .handles_idempotency = true,
        .body_bytes_max = body_bytes_max};
    auto preview = create;
    CHECK_OK(operations.add(std::move(create), handler(this, &jobs_api::create)));
    preview.name = "jobs.preview";
    preview.summary = "Preview the targets and start times of a job";
    preview.path = "/api/v1/jobs/preview";
    preview.gives = plan_shape();
    preview.status = 200;
    preview.read_only = true;
    CHECK_OK(operations.add(std::move(preview), handler(this, &jobs_api::preview)));
    CHECK_OK(
        operations.add(change_operation("pause", "Pause a job"), handler(this, &jobs_api::pause)));
    CHECK_OK(operations.add(
        change_operation("resume", "Resume a paused job"), handler(this, &jobs_api::resume)));
    auto cancel = change_operation("cancel", "Cancel a job and its queued tasks");
    cancel.takes.push_back(optional_in_body(
        "force", flag().with_about("also end running tasks: SIGTERM, then SIGKILL")));
    CHECK_OK(operations.add(std::move(cancel), handler(this, &jobs_api::cancel)));
    CHECK_OK(operations.add(
        change_operation(
            "release", "Release the remaining tasks of a job after canaries or failures"),
        handler(this, &jobs_api::release)));
    return operations.add(
        change_operation("retry", "Retry a job on the systems where it failed"),
        handler(this, &jobs_api::retry));
}

result<fleet::system_set> jobs_api::find_targets(
    const call& call, const job_request& request) const {
    if (request.query) {
        TRY(const auto matched, deps_.targets.meant_by(*request.query));
        return deps_.targets.reach_of(call.zones(), matched);
    }
    TRY(auto listed, deps_.targets.listed(request.systems));
    if (deps_.targets.reach_of(call.zones(), listed).size() != listed.size())
        return fail(
            errc::denied,
            call.operation().name + " needs the right jobs.run in the zones of all listed systems");
    return listed;
}

result<jobs::job_service::new_job> jobs_api::read_new_job(const call& call) const {
    using jobs::job_service;
    auto body = call.body();
    TRY(auto request, read_job_request(body, deps_.clock.wall()));
    job_service::new_job new_job;
    // Check the arguments first: an error should not wait for resolving a million targets.
    TRY(new_job.checked, jobs::check_spec(request.spec, request.arguments));
    TRY(new_job.targets, find_targets(call, request));
    new_job.spec = std::move(request.spec);
    new_job.spec.query =
        request.query ? *request.query : fmt::format("{} listed systems", request.systems.size());
    new_job.spec.actor = call.caller().user;
    TRY(new_job.spec.windows, decide_window_rule(call, new_job));
    if (deps_.windows != nullptr) {
        CHECK_OK(deps_.windows->check_start(new_job.spec, new_job.targets));
    }
    if (request.allow_empty) new_job.if_empty = job_service::empty_target::is_allowed;
    return new_job;
}

async<reply> jobs_api::create(call call) {
    CO_TRY(auto new_job, read_new_job(call));
    if (!call.idempotency_key.empty()) {
        new_job.idempotency_key = call.idempotency_key;
        new_job.digest = to_hex(pki::sha256(json::serialize(to_json(call.arguments()))));
    }
    auto detail = fmt::format(
        "{} on {} systems, query {}",
        new_job.spec.function,
        new_job.targets.size(),
        new_job.spec.query);
    if (new_job.spec.windows == job_spec::window_rule::override)
        detail += ", maintenance windows overridden";
    call.set_subject(detail);
    CO_TRY(
        const auto result,
        co_await within(deps_.clock, engine_timeout, deps_.job_service.create(std::move(new_job))));
    call.set_subject(detail + "; job " + to_string(result.record.job));
    // The progress of an existing job is not read here.
    std::optional<job_progress> initial_progress;
    if (!result.existed)
        initial_progress.emplace().counts[task_state::queued] = result.record.targets;
    co_return reply{
        .content = job_json(result.record, initial_progress),
        .fields = {{"location", address_of(result.record.job)}},
        .status = result.existed ? 200 : 201};
}

async<reply> jobs_api::preview(call call) {
    CO_TRY(auto new_job, read_new_job(call));
    new_job.if_empty = jobs::job_service::empty_target::is_allowed;
    CO_TRY(const auto plan, deps_.job_service.build_plan(new_job));
    CO_TRY(const auto all_systems, deps_.targets.meant_by("*"));
    auto output = plan_json(plan);
    output["fleet"] = deps_.targets.reach_of(call.zones(), all_systems).size();
    CO_TRY(output["forecast"], co_await forecast_json_of(plan));
    co_return reply{std::move(output)};
}

async<void> jobs_api::check_visible(call call, job_id job) const {
    if (!call.zones()) co_return result<void>();
    auto pending_read = deps_.reader.job_store().find_targets(job);
    CO_TRY(
        const auto job_targets,
        co_await within(deps_.clock, engine_timeout, std::move(pending_read)));
    co_return deps_.targets.check_visible(call.zones(), job, job_targets.systems);
}

async<jobs::stored_job> jobs_api::find(call call) const {
    CO_TRY(auto job, co_await deps_.reader.find(call.text("job")));
    CO_CHECK_OK(co_await check_visible(std::move(call), job.record.job));
    co_return job;
}

async<reply> jobs_api::show(call call) {
    CO_TRY(const auto detail, co_await deps_.reader.read(call.text("job")));
    CO_CHECK_OK(deps_.targets.check_visible(
        call.zones(), detail.job.record.job, detail.tasks->sets.targets()));
    CO_TRY(const auto progress, co_await deps_.reader.progress(detail));
    co_return reply{job_json(detail.job.record, progress)};
}

async<reply> jobs_api::follow(call call) {
    CO_TRY(const auto job, co_await find(call));
    co_return co_await events_.stream(std::move(call), job.record.job);
}

async<jobs_api::job_call> jobs_api::read_job_call(call call) const {
    CO_TRY(const auto job, co_await find(call));
    job_call job_call{
        .job = job.record.job,
        .author = {.user = call.caller().user, .note = call.optional_text("note").value_or("")}};
    job_call.force = call.operation().name == "jobs.cancel" && call.flag("force");
    auto subject = "job " + to_string(job_call.job);
    if (job_call.force) subject += ", running tasks too";
    if (!job_call.author.note.empty()) subject += ": " + job_call.author.note;
    call.set_subject(std::move(subject));
    co_return job_call;
}

async<reply> jobs_api::apply_change(job_call job_call, async<job_record> work) const {
    CO_TRY(const auto updated, co_await within(deps_.clock, task_states_timeout, std::move(work)));
    co_return reply{
        .content = job_json(updated, std::nullopt),
        .fields = {{"location", address_of(updated.job)}},
        .status = updated.job == job_call.job ? 200 : 201};
}

async<reply> jobs_api::pause(call call) {
    CO_TRY(auto change, co_await read_job_call(std::move(call)));
    auto work = deps_.job_service.pause(change.job, change.author);
    co_return co_await apply_change(std::move(change), std::move(work));
}

async<reply> jobs_api::resume(call call) {
    CO_TRY(auto change, co_await read_job_call(std::move(call)));
    auto work = deps_.job_service.resume(change.job, change.author);
    co_return co_await apply_change(std::move(change), std::move(work));
}

async<reply> jobs_api::cancel(call call) {
    CO_TRY(auto change, co_await read_job_call(std::move(call)));
    const auto running_tasks =
        change.force ? jobs::running_task_policy::kill : jobs::running_task_policy::finish;
    auto work = deps_.job_service.cancel(change.job, running_tasks, change.author);
    co_return co_await apply_change(std::move(change), std::move(work));
}

async<reply> jobs_api::release(call call) {
    CO_TRY(auto change, co_await read_job_call(std::move(call)));
    auto work = deps_.job_service.release(change.job, change.author);
    co_return co_await apply_change(std::move(change), std::move(work));
}

async<reply> jobs_api::retry(call call) {
    CO_TRY(const auto job, co_await find(call));
    const bool overrides = job.record.spec.windows == job_spec::window_rule::override;
    if (overrides && call.zones_with(right::windows_override))
        co_return fail(
            errc::denied,
            "job overrides maintenance windows; retry needs the right windows.override in the "
            "whole cluster");
    CO_TRY(auto change, co_await read_job_call(std::move(call)));
    auto work = deps_.job_service.retry(change.job, change.author);
    co_return co_await apply_change(std::move(change), std::move(work));
}

}  // namespace muster::api
