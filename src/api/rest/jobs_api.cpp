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

constexpr const char* all = "/api/v1/jobs";
constexpr const char* one = "/api/v1/jobs/{job}";
constexpr std::int64_t body_bytes_max = std::int64_t{2} * 1024 * 1024;

shape plan_shape() {
    return record_of(
        {required("targets", integer(0)),
         required("present", integer(0)),
         required("away", integer(0)),
         required("canaries", integer(0)),
         required("batch", integer(0).or_nothing()),
         required("fleet", integer(0).with_about("systems that the caller could mean")),
         required("changes", flag().with_about("false: it leaves systems as they are")),
         required("windows", name().with_about("as it would be kept: respect, ignore …")),
         required("forecast", anything().or_nothing())});
}

json::object plan_json(const jobs::job_service::plan& plan) {
    const auto count = plan.who.targets.size();
    const auto rule = to_string(plan.spec.windows);
    json::object output{
        {"targets", count},
        {"present", plan.present},
        {"away", count - plan.present},
        {"canaries", plan.who.canaries.size()},
        {"batch", nullptr},
        {"changes", plan.changes_system},
        {"windows", json::string_view(rule.data(), rule.size())},
        {"forecast", nullptr}};
    if (plan.places) output["batch"] = *plan.places;
    return output;
}

// A change of the job that the path names.
operation change_of(std::string verb, std::string summary) {
    return {
        .name = "jobs." + verb,
        .summary = std::move(summary),
        .method = api::verb::post,
        .path = one + ("/" + verb),
        .takes = {in_path("job", name()), optional_in_body("note", text())},
        .gives = job_shape(),
        .needed = right::jobs_run,
        .within = scope::filtered};
}

}  // namespace

jobs_api::jobs_api(dependencies deps)
    : deps_(std::move(deps)), events_(deps_.reader, deps_.targets) {}

result<void> jobs_api::declare_reading(registry& to) {
    CHECK_OK(declare_list(to));
    CHECK_OK(to.add(
        {.name = "jobs.show",
         .summary = "A job with its counts, which sum to its targets",
         .path = one,
         .takes = {in_path("job", name())},
         .gives = job_shape(),
         .needed = right::jobs_read,
         .within = scope::filtered},
        done_by(this, &jobs_api::show)));
    operation follow{
        .name = "jobs.follow",
        .summary = "What becomes of a job, as events, until it has ended",
        .path = one + std::string("/events"),
        .takes = job_events::parameters(),
        .needed = right::jobs_read,
        .within = scope::filtered,
        .streams = true};
    follow.takes.push_back(in_path("job", name()));
    return to.add(std::move(follow), done_by(this, &jobs_api::follow));
}

result<void> jobs_api::declare(registry& to) {
    CHECK_OK(declare_reading(to));
    CHECK_OK(declare_plans(to));
    operation make{
        .name = "jobs.make",
        .summary = "Makes a job; the same Idempotency-Key is the same job",
        .method = verb::post,
        .path = all,
        .takes = job_parameters(),
        .gives = job_shape(),
        .status = 201,
        .needed = right::jobs_run,
        .within = scope::filtered,
        .handles_idempotency = true,
        .body_bytes_max = body_bytes_max};
    auto preview = make;
    CHECK_OK(to.add(std::move(make), done_by(this, &jobs_api::make)));
    preview.name = "jobs.preview";
    preview.summary = "Says whom a job would be for and when it would run, and makes nothing";
    preview.path = "/api/v1/jobs/preview";
    preview.gives = plan_shape();
    preview.status = 200;
    preview.read_only = true;
    CHECK_OK(to.add(std::move(preview), done_by(this, &jobs_api::preview)));
    CHECK_OK(to.add(change_of("pause", "Starts no more tasks"), done_by(this, &jobs_api::pause)));
    CHECK_OK(
        to.add(change_of("resume", "Goes on after a pause"), done_by(this, &jobs_api::resume)));
    auto cancel = change_of("cancel", "Ends a job: what waits is cancelled, what runs ends");
    cancel.takes.push_back(
        optional_in_body("force", flag().with_about("what runs is ended, too: term, then kill")));
    CHECK_OK(to.add(std::move(cancel), done_by(this, &jobs_api::cancel)));
    CHECK_OK(to.add(
        change_of("release", "Lets the rest run after canaries, or after too many failures"),
        done_by(this, &jobs_api::release)));
    return to.add(
        change_of("retry", "Makes a job for the systems where this one failed"),
        done_by(this, &jobs_api::retry));
}

result<fleet::system_set> jobs_api::targets_of(const call& call, const job_request& request) const {
    if (request.query) {
        TRY(const auto meant, deps_.targets.meant_by(*request.query));
        return deps_.targets.reach_of(call.zones(), meant);
    }
    TRY(auto listed, deps_.targets.listed(request.systems));
    if (deps_.targets.reach_of(call.zones(), listed).size() != listed.size())
        return fail(
            errc::denied,
            call.operation().name + " needs the right jobs.run in the zones of all the systems");
    return listed;
}

result<jobs::job_service::new_job> jobs_api::wanted_by(const call& call) const {
    using jobs::job_service;
    auto body = call.body();
    TRY(auto request, read_job_request(body, deps_.clock.wall()));
    job_service::new_job new_job;
    // Who mistypes an argument should not wait for a million targets first.
    TRY(new_job.checked, jobs::check_spec(request.spec, request.arguments));
    TRY(new_job.targets, targets_of(call, request));
    new_job.spec = std::move(request.spec);
    new_job.spec.query =
        request.query ? *request.query : fmt::format("{} listed systems", request.systems.size());
    new_job.spec.by = call.who().user;
    TRY(new_job.spec.windows, settle_windows(call, new_job));
    if (deps_.windows != nullptr) {
        CHECK_OK(deps_.windows->check_start(new_job.spec, new_job.targets));
    }
    if (request.allow_empty) new_job.nobody = job_service::empty_target::is_allowed;
    return new_job;
}

async<reply> jobs_api::make(call call) {
    CO_TRY(auto desired, wanted_by(call));
    if (!call.idempotency_key.empty()) {
        desired.claim = call.idempotency_key;
        desired.digest = to_hex(pki::sha256(json::serialize(to_json(call.arguments()))));
    }
    auto detail = fmt::format(
        "{} on {} systems, query {}",
        desired.spec.function,
        desired.targets.size(),
        desired.spec.query);
    if (desired.spec.windows == job_spec::window_rule::override)
        detail += ", maintenance windows overridden";
    call.set_subject(detail);
    CO_TRY(
        const auto result,
        co_await within(deps_.clock, engine_timeout, deps_.job_service.make(std::move(desired))));
    call.set_subject(detail + "; job " + to_string(result.record.job));
    // Of one that was made before nobody has looked how far it is.
    std::optional<job_progress> begun;
    if (!result.again) begun.emplace().counts[task_state::queued] = result.record.targets;
    co_return reply{
        .content = job_json(result.record, begun),
        .fields = {{"location", address_of(result.record.job)}},
        .status = result.again ? 200 : 201};
}

async<reply> jobs_api::preview(call call) {
    CO_TRY(auto desired, wanted_by(call));
    desired.nobody = jobs::job_service::empty_target::is_allowed;
    CO_TRY(const auto foreseen, deps_.job_service.foresee(desired));
    CO_TRY(const auto all_there_are, deps_.targets.meant_by("*"));
    auto output = plan_json(foreseen);
    output["fleet"] = deps_.targets.reach_of(call.zones(), all_there_are).size();
    CO_TRY(output["forecast"], co_await forecast_of(foreseen));
    co_return reply{std::move(output)};
}

async<void> jobs_api::check_visible(call call, job_id job) const {
    if (!call.zones()) co_return result<void>();
    auto reading = deps_.reader.records().audience(job);
    CO_TRY(const auto who, co_await within(deps_.clock, engine_timeout, std::move(reading)));
    co_return deps_.targets.check_visible(call.zones(), job, who.targets);
}

async<jobs::stored_job> jobs_api::find(call call) const {
    CO_TRY(auto job, co_await deps_.reader.find(call.text("job")));
    CO_CHECK_OK(co_await check_visible(std::move(call), job.record.job));
    co_return job;
}

async<reply> jobs_api::show(call call) {
    CO_TRY(const auto read, co_await deps_.reader.read(call.text("job")));
    CO_CHECK_OK(
        deps_.targets.check_visible(call.zones(), read.job.record.job, read.tasks->sets.targets()));
    co_return reply{job_json(read.job.record, deps_.reader.progress(read))};
}

async<reply> jobs_api::follow(call call) {
    CO_TRY(const auto job, co_await find(call));
    co_return co_await events_.answer_to(std::move(call), job.record.job);
}

async<jobs_api::job_call> jobs_api::read_wish(call call) const {
    CO_TRY(const auto job, co_await find(call));
    job_call job_call{
        .job = job.record.job,
        .from = {.by = call.who().user, .note = call.optional_text("note").value_or("")}};
    job_call.force = call.operation().name == "jobs.cancel" && call.flag("force");
    auto about = "job " + to_string(job_call.job);
    if (job_call.force) about += ", running tasks too";
    if (!job_call.from.note.empty()) about += ": " + job_call.from.note;
    call.set_subject(std::move(about));
    co_return job_call;
}

async<reply> jobs_api::changed(job_call job_call, async<job_record> work) const {
    CO_TRY(const auto done, co_await within(deps_.clock, board_timeout, std::move(work)));
    co_return reply{
        .content = job_json(done, std::nullopt),
        .fields = {{"location", address_of(done.job)}},
        .status = done.job == job_call.job ? 200 : 201};
}

async<reply> jobs_api::pause(call call) {
    CO_TRY(auto wish, co_await read_wish(std::move(call)));
    auto work = deps_.job_service.pause(wish.job, wish.from);
    co_return co_await changed(std::move(wish), std::move(work));
}

async<reply> jobs_api::resume(call call) {
    CO_TRY(auto wish, co_await read_wish(std::move(call)));
    auto work = deps_.job_service.resume(wish.job, wish.from);
    co_return co_await changed(std::move(wish), std::move(work));
}

async<reply> jobs_api::cancel(call call) {
    CO_TRY(auto wish, co_await read_wish(std::move(call)));
    const auto running = wish.force ? jobs::running_tasks::are_ended : jobs::running_tasks::finish;
    auto work = deps_.job_service.cancel(wish.job, running, wish.from);
    co_return co_await changed(std::move(wish), std::move(work));
}

async<reply> jobs_api::release(call call) {
    CO_TRY(auto wish, co_await read_wish(std::move(call)));
    auto work = deps_.job_service.release(wish.job, wish.from);
    co_return co_await changed(std::move(wish), std::move(work));
}

async<reply> jobs_api::retry(call call) {
    CO_TRY(const auto job, co_await find(call));
    const bool overrides = job.record.spec.windows == job_spec::window_rule::override;
    if (overrides && call.zones_with(right::windows_override))
        co_return fail(
            errc::denied,
            "the job starts outside of windows: to retry it needs the right windows.override in "
            "the whole cluster");
    CO_TRY(auto wish, co_await read_wish(std::move(call)));
    auto work = deps_.job_service.retry(wish.job, wish.from);
    co_return co_await changed(std::move(wish), std::move(work));
}

}  // namespace muster::api
