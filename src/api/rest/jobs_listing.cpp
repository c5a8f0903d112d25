// jobs_api: lists jobs by stage and zone, in pages.

#include "api/operations/pagination.h"
#include "api/rest/jobs_api.h"
#include "base/hex.h"

#include <boost/json.hpp>

#include <optional>
#include <set>
#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;
using namespace api;

// Pages without visible jobs are skipped until this many jobs were scanned. Then the response may
// be empty and still have a next page, so that the caller does not wait too long.
constexpr std::size_t scanned_max = 500;

parameter stage_parameter() {
    std::vector<std::string> stages;
    using enum job_stage;
    for (const auto stage : {open, paused, cancelling, cancelled, halted, expired, done})
        stages.emplace_back(to_string(stage));
    return in_query(
        "stage",
        list_of(text().with_choices(std::move(stages)))
            .with_about("comma-separated stages, such as open,paused,cancelling for active jobs"));
}

}  // namespace

result<void> jobs_api::declare_list(registry& operations) {
    return operations.add(
        {.name = "jobs.list",
         .summary = "List jobs, newest first",
         .path = "/api/v1/jobs",
         .takes =
             {stage_parameter(),
              in_query("zone", name().with_about("only jobs with a target in this zone")),
              limit_parameter(),
              after_parameter()},
         .gives = page_of(job_shape()),
         .needed = access::right::jobs_read,
         .within = scope::filtered},
        handler(this, &jobs_api::list));
}

async<jobs::job_store::job_page> jobs_api::read_page(call call, std::string start) const {
    constexpr auto wrong_cursor = "`after` must be the `next` value of the previous page";
    const auto limit = page_limit_of(call);
    const auto stage_names = call.optional_texts("stage");
    if (!stage_names) {
        const auto cursor = from_hex(start);
        if (!cursor) co_return fail(errc::invalid, wrong_cursor);
        auto pending_read = deps_.reader.job_store().list(*cursor, limit);
        CO_TRY(auto page, co_await within(deps_.clock, engine_timeout, std::move(pending_read)));
        page.next = to_hex(page.next);
        co_return page;
    }
    std::set<job_stage> stages;
    for (const auto& name : *stage_names) stages.insert(*parse_job_stage(name));
    std::optional<job_id> before;
    if (!start.empty()) {
        const auto last = parse_job_id(start);
        if (!last) co_return fail(errc::invalid, wrong_cursor);
        before = *last;
    }
    // One extra row shows whether there is a next page.
    auto pending_read =
        deps_.reader.job_store().list_in_stages(std::move(stages), before, limit + 1);
    CO_TRY(auto jobs, co_await within(deps_.clock, engine_timeout, std::move(pending_read)));
    jobs::job_store::job_page page{.jobs = std::move(jobs), .next = {}};
    if (page.jobs.size() > limit) {
        page.jobs.pop_back();
        page.next = to_string(page.jobs.back().record.job);
    }
    co_return page;
}

async<bool> jobs_api::is_listed(call call, job_id job) const {
    const auto zone = call.optional_text("zone");
    if (!zone && !call.zones()) co_return true;
    const auto targets = co_await deps_.reader.targets(job);
    if (!targets && targets.error().code() == errc::not_found) co_return false;
    if (!targets) co_return fail(targets.error());
    if (!deps_.targets.check_visible(call.zones(), job, *targets)) co_return false;
    co_return !zone || !deps_.targets.among({*zone}, *targets).empty();
}

async<reply> jobs_api::list(call call) {
    if (call.zones() || call.optional_text("zone")) {
        CO_CHECK_OK(deps_.targets.check_complete());
    }
    jobs::job_store::job_page page{.jobs = {}, .next = page_start_of(call)};
    json::array items;
    std::size_t scanned = 0;
    do {
        CO_TRY(page, co_await read_page(call, std::move(page.next)));
        scanned += page.jobs.size();
        for (const auto& job : page.jobs) {
            CO_TRY(const bool listed, co_await is_listed(call, job.record.job));
            if (!listed) continue;
            const auto progress = co_await deps_.reader.cheap_progress(job);
            // A list without this progress is better than no list.
            items.push_back(job_json(job.record, progress ? *progress : std::nullopt));
        }
    } while (items.empty() && !page.next.empty() && scanned < scanned_max);
    json::object output{{"items", std::move(items)}, {"next", nullptr}};
    if (!page.next.empty()) output["next"] = page.next;
    co_return reply{std::move(output)};
}

}  // namespace muster::api
