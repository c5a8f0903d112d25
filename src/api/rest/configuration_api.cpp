#include "api/rest/configuration_api.h"

#include "adapters/pki/fingerprint.h"
#include "api/operations/group_label_policy.h"
#include "api/operations/json_value.h"
#include "api/rest/job_request.h"
#include "base/hex.h"
#include "core/targeting/salt_target.h"
#include "ports/deadline.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;
using namespace api;
using access::right;
using configuration::deployment;

constexpr auto plan_timeout = std::chrono::seconds(25);
constexpr const char* function = "files.deploy";
constexpr std::size_t paths_shown_max = 1'000;  // of a part
constexpr std::size_t parts_shown_max = 100;

// What a deployment says by itself, or cannot say.
constexpr std::array of_other_jobs{
    "query", "systems", "target_type", "function", "arguments", "steps", "allow_empty"};

std::vector<parameter> parameters() {
    std::vector<parameter> all;
    for (auto& job_parameter : job_parameters()) {
        if (job_parameter.name == "query") job_parameter.required = true;
        const bool other =
            std::ranges::find(of_other_jobs, job_parameter.name) != of_other_jobs.end();
        if (!other || job_parameter.name == "query") all.push_back(std::move(job_parameter));
    }
    all.push_back(optional_in_body(
        "dry_run", flag().with_about("says what would be written, and writes nothing")));
    all.push_back(
        optional_in_body("channel", name().with_about("files of this configuration channel only")));
    all.push_back(optional_in_body(
        "by_expression",
        flag().with_about("also files that systems have by a group's expression only")));
    return all;
}

shape_member left_out() {
    return required(
        "left_out",
        integer(0).with_about(
            "systems of which files were left out, because they come by a group's expression"));
}

shape made_shape() {
    return record_of(
        {required("job", name().with_about("the first of the jobs")),
         required(
             "jobs",
             list_of(record_of(
                 {required("id", name()),
                  required("href", text()),
                  required("targets", integer(0)),
                  required("files", integer(0))}))),
         required("targets", integer(0)),
         required("without_files", integer(0).with_about("meant, and no file is for them")),
         left_out()});
}

shape foreseen_shape() {
    return record_of(
        {required("targets", integer(0)),
         required("without_files", integer(0)),
         left_out(),
         required("parts_total", integer(0).with_about("of which the first are shown")),
         required(
             "parts",
             list_of(record_of(
                 {required("targets", integer(0)), required("paths", list_of(text()))})))});
}

std::vector<std::string> names_of(const fleet::system_set& systems) {
    std::vector<std::string> result;
    systems.for_each([&](system_number system_number) {
        result.push_back(std::to_string(system_number.value()));
    });
    return result;
}

}  // namespace

result<void> configuration_api::declare(registry& to) {
    operation deploy{
        .name = "configuration.deploy",
        .summary = "Brings systems to their configuration channels: a job for each set of files",
        .method = verb::post,
        .path = "/api/v1/configuration/deploy",
        .takes = parameters(),
        .gives = made_shape(),
        .status = 201,
        .needed = right::jobs_run,
        .within = scope::filtered,
        .handles_idempotency = true};
    auto preview = deploy;
    CHECK_OK(to.add(std::move(deploy), done_by(this, &configuration_api::deploy)));
    preview.name = "configuration.preview";
    preview.summary = "Says which files systems would be brought to, and makes nothing";
    preview.path = "/api/v1/configuration/preview";
    preview.gives = foreseen_shape();
    preview.status = 200;
    preview.read_only = true;
    return to.add(std::move(preview), done_by(this, &configuration_api::preview));
}

async<configuration_api::plan> configuration_api::foresee(call call) const {
    const auto& query = call.text("query");
    CO_CHECK_OK(targeting::refuse_pillar(query));
    CO_TRY(const auto meant, deps_.targets.meant_by(query));
    const auto reached = deps_.targets.reach_of(call.zones(), meant);
    if (reached.size() > configuration::deployed_systems_max)
        co_return fail(
            errc::invalid,
            fmt::format(
                "{} systems are meant, and one call deploys to {} at most; narrow the query",
                reached.size(),
                configuration::deployed_systems_max));
    deployment::choice of{
        .channel = call.optional_text("channel"),
        .looks_at = looks_at(call),
        .by_expression = call.flag("by_expression")};
    auto planning = deps_.deployed.plan(
        reached.page(system_number(0), configuration::deployed_systems_max), std::move(of));
    CO_TRY(auto match, co_await within(deps_.clock, plan_timeout, std::move(planning)));
    plan plan{
        .meant = reached.size(),
        .left_out = match.left_out.size(),
        .parts = std::move(match.parts)};
    for (const auto& part : plan.parts) plan.targets += part.systems.size();
    co_return plan;
}

async<std::vector<configuration_api::order>> configuration_api::orders_of(
    plan plan, deployment::mode mode) const {
    std::vector<order> orders;
    for (auto& part : plan.parts) {
        const auto files = part.files.size();
        const auto names = names_of(part.systems);
        auto filling = deps_.deployed.arguments_of(std::move(part.files), mode);
        CO_TRY(const auto all, co_await within(deps_.clock, plan_timeout, std::move(filling)));
        for (std::size_t at = 0; at < names.size(); at += fleet::target_resolver::listed_max) {
            const auto from = names.begin() + static_cast<std::ptrdiff_t>(at);
            const auto end = std::min(names.size(), at + fleet::target_resolver::listed_max);
            const std::vector<std::string> some(
                from, names.begin() + static_cast<std::ptrdiff_t>(end));
            for (const auto& each : all)
                orders.push_back({.systems = some, .arguments = each, .files = files});
        }
        if (orders.size() > jobs_max)
            co_return fail(
                errc::invalid,
                fmt::format(
                    "these systems need more than {} jobs, because they get different files; "
                    "narrow the query",
                    jobs_max));
    }
    co_return orders;
}

// The same key again is the same jobs, as long as the same files are for the same systems.
async<json::object> configuration_api::make_job(
    call request, order order, std::size_t number) const {
    const auto* const meant = deps_.operations.find("jobs.make");
    if (meant == nullptr) co_return fail(errc::unavailable, "this server makes no jobs");
    json::object body;
    for (const auto& job_parameter : job_parameters()) {
        const auto* const given = request.arguments().find(job_parameter.name);
        if (given != nullptr && job_parameter.name != "query")
            body[job_parameter.name] = to_json(*given);
    }
    json::array systems;
    for (const auto& system : order.systems) systems.emplace_back(system);
    body["systems"] = std::move(systems);
    body["function"] = function;
    body["arguments"] = json::parse(order.arguments);
    call inner(meant->what, request.who(), from_json(std::move(body)));
    if (!request.idempotency_key.empty())
        inner.idempotency_key =
            to_hex(pki::sha256(fmt::format("{}/{}", request.idempotency_key, number)));
    CO_TRY(const auto result, co_await deps_.operations.perform(*meant, std::move(inner)));
    const auto id = json::value_to<std::string>(result.content.at("id"));
    co_return json::object{
        {"id", id},
        {"href", "/api/v1/jobs/" + id},
        {"targets", order.systems.size()},
        {"files", order.files}};
}

async<reply> configuration_api::deploy(call call) {
    CO_TRY(auto desired, co_await foresee(call));
    const auto meant = desired.meant;
    const auto targets = desired.targets;
    const auto left_out = desired.left_out;
    const auto how = call.flag("dry_run") ? deployment::mode::compare : deployment::mode::write;
    call.set_subject(fmt::format("{} systems, query {}", targets, call.text("query")));
    CO_TRY(auto orders, co_await orders_of(std::move(desired), how));
    if (orders.empty()) co_return fail(errc::conflict, configuration::why_nothing(left_out));
    json::array jobs;
    for (auto& order : orders) {
        CO_TRY(auto job, co_await make_job(call, std::move(order), jobs.size()));
        jobs.push_back(std::move(job));
        call.set_partly_done();
    }
    auto first = jobs.front().at("id");
    co_return reply{json::object{
        {"job", std::move(first)},
        {"jobs", std::move(jobs)},
        {"targets", targets},
        {"without_files", meant - targets},
        {"left_out", left_out}}};
}

async<reply> configuration_api::preview(call call) {
    CO_TRY(const auto desired, co_await foresee(std::move(call)));
    json::array parts;
    for (const auto& part : desired.parts) {
        if (parts.size() == parts_shown_max) break;
        json::array paths;
        for (const auto& file : part.files) {
            if (paths.size() == paths_shown_max) break;
            paths.emplace_back(file.path);
        }
        parts.push_back(
            json::object{{"targets", part.systems.size()}, {"paths", std::move(paths)}});
    }
    co_return reply{json::object{
        {"targets", desired.targets},
        {"without_files", desired.meant - desired.targets},
        {"left_out", desired.left_out},
        {"parts_total", desired.parts.size()},
        {"parts", std::move(parts)}}};
}

}  // namespace muster::api
