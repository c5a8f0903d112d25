#include "roles/gateway/jobs_api.h"

#include "adapters/pki/fingerprint.h"
#include "base/hex.h"
#include "roles/gateway/page_limit.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <utility>

namespace muster::gateway {
namespace {

namespace http = net::http;
namespace json = boost::json;

constexpr std::size_t body_bytes_max = std::size_t{2} * 1024 * 1024;

http::response told(unsigned status, const json::object& what) {
    return no_store(http::json(status, json::serialize(what)));
}

std::optional<std::string> claim_of(const http::request& asked) {
    const auto key = asked.field("idempotency-key");
    if (!key) return std::nullopt;
    return std::string(*key);
}

// Whoever is known but may not do this is not asked to log in again.
result<http::response> not_done(const error& why) {
    if (why.code() == errc::denied) return http::problem(why);
    return fail(why);
}

json::object plan_json(const jobs::job_desk::plan& made) {
    const auto count = made.who.targets.size();
    json::object shown{
        {"targets", count},
        {"present", made.present},
        {"away", count - made.present},
        {"canaries", made.who.canaries.size()},
        {"batch", nullptr},
        {"forecast", nullptr}};
    if (made.places) shown["batch"] = *made.places;
    return shown;
}

}  // namespace

jobs_api::jobs_api(surroundings around)
    : around_(std::move(around)), events_(around_.reads, around_.targets) {}

jobs_api::answer jobs_api::settled(answer work) {
    auto done = co_await std::move(work);
    if (!done) co_return refused(done.error());
    co_return done;
}

http::handler jobs_api::calling(answer (jobs_api::*method)(http::request)) {
    return [this, method](http::request asked) {
        return settled((this->*method)(std::move(asked)));
    };
}

result<void> jobs_api::add_routes(http::router& routes) {
    const std::string all = "/api/v1/jobs";
    const auto one = all + "/{id}";
    CHECK_OK(routes.add("GET", all, {calling(&jobs_api::list)}));
    CHECK_OK(routes.add("GET", one, {calling(&jobs_api::show)}));
    CHECK_OK(routes.add("GET", one + "/events", {calling(&jobs_api::follow)}));
    struct changing {
        std::string path;
        answer (jobs_api::*handler)(http::request);
    };
    const std::vector<changing> changes{
        {all, &jobs_api::make},
        {all + "/preview", &jobs_api::preview},
        {one + "/pause", &jobs_api::pause},
        {one + "/resume", &jobs_api::resume},
        {one + "/cancel", &jobs_api::cancel},
        {one + "/release", &jobs_api::release},
        {one + "/retry", &jobs_api::retry}};
    for (const auto& each : changes) {
        CHECK_OK(routes.add(
            "POST",
            each.path,
            {.handle = calling(each.handler), .body_bytes_max = body_bytes_max}));
    }
    return {};
}

result<jobs::job_desk::wanted_job> jobs_api::wanted_by(
    job_request asked, const std::string& user) const {
    using jobs::job_desk;
    job_desk::wanted_job wanted;
    // Who mistypes an argument should not wait for a million targets first.
    CHECK_OK(jobs::check_spec(asked.spec));
    if (asked.query) {
        TRY(wanted.targets, around_.targets.meant_by(*asked.query));
        asked.spec.query = *asked.query;
    } else {
        TRY(wanted.targets, around_.targets.listed(asked.systems));
        asked.spec.query = fmt::format("{} listed systems", asked.systems.size());
    }
    if (around_.check_start) {
        CHECK_OK(around_.check_start(asked.spec, wanted.targets));
    }
    wanted.spec = std::move(asked.spec);
    wanted.spec.by = user;
    if (asked.allow_empty) wanted.nobody = job_desk::empty_target::is_allowed;
    return wanted;
}

async<void> jobs_api::recorded(
    visitor who, std::string what, std::string detail, result<void> outcome) const {
    if (!outcome) detail += ": " + outcome.error().detail();
    deed done{
        .who = who.user,
        .what = std::move(what),
        .origin = who.origin,
        .outcome = outcome ? "done" : "refused",
        .detail = std::move(detail)};
    co_return co_await within(
        around_.time, engine_patience, who.desk->audit.record(std::move(done)));
}

jobs_api::answer jobs_api::make(http::request asked) {
    CO_TRY(auto who, co_await around_.desk.admit(asked));
    auto claim = claim_of(asked);
    CO_TRY(const auto text, co_await asked.body());
    CO_TRY(auto body, json_body::parse(text));
    CO_TRY(auto request, read_job_request(body, around_.time.wall()));
    CO_TRY(auto wanted, wanted_by(std::move(request), who.user));
    wanted.claim = std::move(claim);
    wanted.digest = to_hex(pki::sha256(text));
    auto detail = fmt::format(
        "{} on {} systems, query {}",
        wanted.spec.function,
        wanted.targets.size(),
        wanted.spec.query);
    if (wanted.spec.windows == job_spec::window_rule::override)
        detail += ", maintenance windows overridden";
    const auto made =
        co_await within(around_.time, engine_patience, around_.makes.make(std::move(wanted)));
    if (made) detail += "; job " + to_string(made->record.job);
    const auto outcome = made ? result<void>() : result<void>(fail(made.error()));
    CO_CHECK_OK(co_await recorded(who, "job.make", std::move(detail), outcome));
    if (!made) co_return not_done(made.error());
    // Of one that was made before nobody has looked how far it is.
    std::optional<job_progress> begun;
    if (!made->again) begun.emplace().counts[task_state::queued] = made->record.targets;
    auto answered = told(made->again ? 200 : 201, job_json(made->record, begun));
    answered.fields.emplace_back("location", address_of(made->record.job));
    co_return answered;
}

jobs_api::answer jobs_api::preview(http::request asked) {
    CO_TRY(auto who, co_await around_.desk.admit(asked));
    CO_TRY(const auto text, co_await asked.body());
    CO_TRY(auto body, json_body::parse(text));
    CO_TRY(auto request, read_job_request(body, around_.time.wall()));
    request.allow_empty = true;
    CO_TRY(const auto wanted, wanted_by(std::move(request), who.user));
    const auto foreseen = around_.makes.foresee(wanted);
    if (!foreseen) co_return not_done(foreseen.error());
    auto shown = plan_json(*foreseen);
    if (around_.forecast) {
        auto foreseeing = around_.forecast(*foreseen);
        CO_TRY(
            shown["forecast"],
            co_await within(around_.time, engine_patience, std::move(foreseeing)));
    }
    co_return told(200, shown);
}

jobs_api::answer jobs_api::list(http::request asked) {
    CO_CHECK_OK(co_await around_.desk.admit(asked));
    CO_TRY(const auto limit, page_limit_of(asked));
    const auto cursor = from_hex(asked.query("after").value_or(""));
    if (!cursor) co_return fail(errc::invalid, "`after` must be the `next` of the page before");
    CO_TRY(
        const auto page,
        co_await within(
            around_.time, engine_patience, around_.reads.records().list(*cursor, limit)));
    json::array items;
    for (const auto& each : page.jobs) {
        const auto progress = co_await around_.reads.cheap_progress(each);
        // A list with a gap says more than no list.
        items.push_back(job_json(each.record, progress ? *progress : std::nullopt));
    }
    json::object shown{{"items", std::move(items)}, {"next", nullptr}};
    if (!page.next.empty()) shown["next"] = to_hex(page.next);
    co_return told(200, shown);
}

jobs_api::answer jobs_api::show(http::request asked) {
    CO_CHECK_OK(co_await around_.desk.admit(asked));
    CO_TRY(const auto read, co_await around_.reads.read(asked.captured("id")));
    co_return told(200, job_json(read.job.record, around_.reads.progress(read)));
}

jobs_api::answer jobs_api::follow(http::request asked) {
    CO_CHECK_OK(co_await around_.desk.admit(asked));
    co_return co_await events_.answer_to(std::move(asked));
}

async<jobs_api::wish> jobs_api::read_wish(
    std::string id, std::string text, std::string user) const {
    CO_TRY(auto body, json_body::parse(text));
    CO_TRY(const auto note, body.optional_text("note"));
    CO_TRY(const bool force, body.flag("force"));
    CO_CHECK_OK(body.finish());
    CO_TRY(const auto job, co_await around_.reads.find(std::move(id)));
    co_return wish{
        .job = job.record.job,
        .from = {.by = std::move(user), .note = note.value_or("")},
        .force = force};
}

jobs_api::answer jobs_api::changed(
    visitor who, std::string what, wish wanted, async<job_record> work) const {
    const auto done = co_await within(around_.time, board_patience, std::move(work));
    auto detail = "job " + to_string(wanted.job);
    if (wanted.force) detail += ", running tasks too";
    if (!wanted.from.note.empty()) detail += ": " + wanted.from.note;
    const auto outcome = done ? result<void>() : result<void>(fail(done.error()));
    CO_CHECK_OK(co_await recorded(std::move(who), std::move(what), std::move(detail), outcome));
    if (!done) co_return not_done(done.error());
    auto answered = told(done->job == wanted.job ? 200 : 201, job_json(*done, std::nullopt));
    answered.fields.emplace_back("location", address_of(done->job));
    co_return answered;
}

jobs_api::answer jobs_api::pause(http::request asked) {
    CO_TRY(auto who, co_await around_.desk.admit(asked));
    CO_TRY(auto text, co_await asked.body());
    CO_TRY(auto wanted, co_await read_wish(asked.captured("id"), std::move(text), who.user));
    auto work = around_.makes.pause(wanted.job, wanted.from);
    co_return co_await changed(std::move(who), "job.pause", std::move(wanted), std::move(work));
}

jobs_api::answer jobs_api::resume(http::request asked) {
    CO_TRY(auto who, co_await around_.desk.admit(asked));
    CO_TRY(auto text, co_await asked.body());
    CO_TRY(auto wanted, co_await read_wish(asked.captured("id"), std::move(text), who.user));
    auto work = around_.makes.resume(wanted.job, wanted.from);
    co_return co_await changed(std::move(who), "job.resume", std::move(wanted), std::move(work));
}

jobs_api::answer jobs_api::cancel(http::request asked) {
    CO_TRY(auto who, co_await around_.desk.admit(asked));
    CO_TRY(auto text, co_await asked.body());
    CO_TRY(auto wanted, co_await read_wish(asked.captured("id"), std::move(text), who.user));
    const auto running =
        wanted.force ? jobs::running_tasks::are_ended : jobs::running_tasks::finish;
    auto work = around_.makes.cancel(wanted.job, running, wanted.from);
    co_return co_await changed(std::move(who), "job.cancel", std::move(wanted), std::move(work));
}

jobs_api::answer jobs_api::release(http::request asked) {
    CO_TRY(auto who, co_await around_.desk.admit(asked));
    CO_TRY(auto text, co_await asked.body());
    CO_TRY(auto wanted, co_await read_wish(asked.captured("id"), std::move(text), who.user));
    auto work = around_.makes.release(wanted.job, wanted.from);
    co_return co_await changed(std::move(who), "job.release", std::move(wanted), std::move(work));
}

jobs_api::answer jobs_api::retry(http::request asked) {
    CO_TRY(auto who, co_await around_.desk.admit(asked));
    CO_TRY(auto text, co_await asked.body());
    CO_TRY(auto wanted, co_await read_wish(asked.captured("id"), std::move(text), who.user));
    auto work = around_.makes.retry(wanted.job, wanted.from);
    co_return co_await changed(std::move(who), "job.retry", std::move(wanted), std::move(work));
}

}  // namespace muster::gateway
