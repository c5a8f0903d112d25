#include "api/rest/jobs_api.h"

#include "adapters/pki/fingerprint.h"
#include "base/hex.h"
#include "api/operations/json_value.h"

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

json::object plan_json(const jobs::job_desk::plan& made) {
    const auto count = made.who.targets.size();
    const auto rule = to_string(made.spec.windows);
    json::object shown{
        {"targets", count},
        {"present", made.present},
        {"away", count - made.present},
        {"canaries", made.who.canaries.size()},
        {"batch", nullptr},
        {"changes", made.changes_system},
        {"windows", json::string_view(rule.data(), rule.size())},
        {"forecast", nullptr}};
    if (made.places) shown["batch"] = *made.places;
    return shown;
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

jobs_api::jobs_api(surroundings around)
    : around_(std::move(around)), events_(around_.reads, around_.targets) {}

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
        .knows_requests = true,
        .body_bytes_max = body_bytes_max};
    auto preview = make;
    CHECK_OK(to.add(std::move(make), done_by(this, &jobs_api::make)));
    preview.name = "jobs.preview";
    preview.summary = "Says whom a job would be for and when it would run, and makes nothing";
    preview.path = "/api/v1/jobs/preview";
    preview.gives = plan_shape();
    preview.status = 200;
    preview.changes_nothing = true;
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

result<fleet::system_set> jobs_api::targets_of(
    const call& asked, const job_request& request) const {
    if (request.query) {
        TRY(const auto meant, around_.targets.meant_by(*request.query));
        return around_.targets.reach_of(asked, meant);
    }
    TRY(auto listed, around_.targets.listed(request.systems));
    if (around_.targets.reach_of(asked, listed).size() != listed.size())
        return fail(
            errc::denied,
            asked.operation().name + " needs the right jobs.run in the zones of all the systems");
    return listed;
}

result<jobs::job_desk::wanted_job> jobs_api::wanted_by(const call& asked) const {
    using jobs::job_desk;
    auto body = asked.body();
    TRY(auto request, read_job_request(body, around_.time.wall()));
    job_desk::wanted_job wanted;
    // Who mistypes an argument should not wait for a million targets first.
    TRY(wanted.checked, jobs::check_spec(request.spec, request.arguments));
    TRY(wanted.targets, targets_of(asked, request));
    wanted.spec = std::move(request.spec);
    wanted.spec.query =
        request.query ? *request.query : fmt::format("{} listed systems", request.systems.size());
    wanted.spec.by = asked.who().user;
    TRY(wanted.spec.windows, settle_windows(asked, wanted));
    if (around_.windows != nullptr) {
        CHECK_OK(around_.windows->check_start(wanted.spec, wanted.targets));
    }
    if (request.allow_empty) wanted.nobody = job_desk::empty_target::is_allowed;
    return wanted;
}

async<reply> jobs_api::make(call asked) {
    CO_TRY(auto wanted, wanted_by(asked));
    if (!asked.idempotency_key.empty()) {
        wanted.claim = asked.idempotency_key;
        wanted.digest = to_hex(pki::sha256(json::serialize(to_json(asked.arguments()))));
    }
    auto detail = fmt::format(
        "{} on {} systems, query {}",
        wanted.spec.function,
        wanted.targets.size(),
        wanted.spec.query);
    if (wanted.spec.windows == job_spec::window_rule::override)
        detail += ", maintenance windows overridden";
    asked.set_subject(detail);
    CO_TRY(
        const auto made,
        co_await within(around_.time, engine_patience, around_.makes.make(std::move(wanted))));
    asked.set_subject(detail + "; job " + to_string(made.record.job));
    // Of one that was made before nobody has looked how far it is.
    std::optional<job_progress> begun;
    if (!made.again) begun.emplace().counts[task_state::queued] = made.record.targets;
    co_return reply{
        .content = job_json(made.record, begun),
        .fields = {{"location", address_of(made.record.job)}},
        .status = made.again ? 200 : 201};
}

async<reply> jobs_api::preview(call asked) {
    CO_TRY(auto wanted, wanted_by(asked));
    wanted.nobody = jobs::job_desk::empty_target::is_allowed;
    CO_TRY(const auto foreseen, around_.makes.foresee(wanted));
    CO_TRY(const auto all_there_are, around_.targets.meant_by("*"));
    auto shown = plan_json(foreseen);
    shown["fleet"] = around_.targets.reach_of(asked, all_there_are).size();
    CO_TRY(shown["forecast"], co_await forecast_of(foreseen));
    co_return reply{std::move(shown)};
}

async<void> jobs_api::check_visible(call asked, job_id job) const {
    if (!asked.zones()) co_return result<void>();
    auto reading = around_.reads.records().audience(job);
    CO_TRY(const auto who, co_await within(around_.time, engine_patience, std::move(reading)));
    co_return around_.targets.check_visible(asked, job, who.targets);
}

async<jobs::stored_job> jobs_api::find(call asked) const {
    CO_TRY(auto job, co_await around_.reads.find(asked.text("job")));
    CO_CHECK_OK(co_await check_visible(std::move(asked), job.record.job));
    co_return job;
}

async<reply> jobs_api::show(call asked) {
    CO_TRY(const auto read, co_await around_.reads.read(asked.text("job")));
    CO_CHECK_OK(
        around_.targets.check_visible(asked, read.job.record.job, read.tasks->sets.targets()));
    co_return reply{job_json(read.job.record, around_.reads.progress(read))};
}

async<reply> jobs_api::follow(call asked) {
    CO_TRY(const auto job, co_await find(asked));
    co_return co_await events_.answer_to(std::move(asked), job.record.job);
}

async<jobs_api::wish> jobs_api::read_wish(call asked) const {
    CO_TRY(const auto job, co_await find(asked));
    wish wanted{
        .job = job.record.job,
        .from = {.by = asked.who().user, .note = asked.optional_text("note").value_or("")}};
    wanted.force = asked.operation().name == "jobs.cancel" && asked.flag("force");
    auto about = "job " + to_string(wanted.job);
    if (wanted.force) about += ", running tasks too";
    if (!wanted.from.note.empty()) about += ": " + wanted.from.note;
    asked.set_subject(std::move(about));
    co_return wanted;
}

async<reply> jobs_api::changed(wish wanted, async<job_record> work) const {
    CO_TRY(const auto done, co_await within(around_.time, board_patience, std::move(work)));
    co_return reply{
        .content = job_json(done, std::nullopt),
        .fields = {{"location", address_of(done.job)}},
        .status = done.job == wanted.job ? 200 : 201};
}

async<reply> jobs_api::pause(call asked) {
    CO_TRY(auto wanted, co_await read_wish(std::move(asked)));
    auto work = around_.makes.pause(wanted.job, wanted.from);
    co_return co_await changed(std::move(wanted), std::move(work));
}

async<reply> jobs_api::resume(call asked) {
    CO_TRY(auto wanted, co_await read_wish(std::move(asked)));
    auto work = around_.makes.resume(wanted.job, wanted.from);
    co_return co_await changed(std::move(wanted), std::move(work));
}

async<reply> jobs_api::cancel(call asked) {
    CO_TRY(auto wanted, co_await read_wish(std::move(asked)));
    const auto running =
        wanted.force ? jobs::running_tasks::are_ended : jobs::running_tasks::finish;
    auto work = around_.makes.cancel(wanted.job, running, wanted.from);
    co_return co_await changed(std::move(wanted), std::move(work));
}

async<reply> jobs_api::release(call asked) {
    CO_TRY(auto wanted, co_await read_wish(std::move(asked)));
    auto work = around_.makes.release(wanted.job, wanted.from);
    co_return co_await changed(std::move(wanted), std::move(work));
}

async<reply> jobs_api::retry(call asked) {
    CO_TRY(const auto job, co_await find(asked));
    const bool overrides = job.record.spec.windows == job_spec::window_rule::override;
    if (overrides && asked.zones_with(right::windows_override))
        co_return fail(
            errc::denied,
            "the job starts outside of windows: to retry it needs the right windows.override in "
            "the whole cluster");
    CO_TRY(auto wanted, co_await read_wish(std::move(asked)));
    auto work = around_.makes.retry(wanted.job, wanted.from);
    co_return co_await changed(std::move(wanted), std::move(work));
}

}  // namespace muster::api
