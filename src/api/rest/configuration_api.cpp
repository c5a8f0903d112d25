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
constexpr std::size_t paths_shown_max = 1'000;  // in each part
constexpr std::size_t parts_shown_max = 100;

// Job parameters that a deployment sets itself or does not support.
constexpr std::array unsupported_parameters{
    "query", "systems", "target_type", "function", "arguments", "steps", "allow_empty"};

std::vector<parameter> parameters() {
    std::vector<parameter> result;
    for (auto& parameter : job_parameters()) {
        if (parameter.name == "query") parameter.required = true;
        const bool unsupported = std::ranges::find(unsupported_parameters, parameter.name)
                                 != unsupported_parameters.end();
        if (!unsupported || parameter.name == "query") result.push_back(std::move(parameter));
    }
    result.push_back(optional_in_body(
        "dry_run", flag().with_about("report the differences without writing files")));
    result.push_back(
        optional_in_body("channel", name().with_about("only files of this configuration channel")));
    result.push_back(optional_in_body(
        "by_expression",
        flag().with_about("include files assigned only through a group expression")));
    return result;
}

shape_member left_out() {
    return required(
        "left_out",
        integer(0).with_about(
            "systems with files left out because these come through a group expression"));
}

shape deployment_shape() {
    return record_of(
        {required("job", name().with_about("ID of the first job")),
         required(
             "jobs",
             list_of(record_of(
                 {required("id", name()),
                  required("href", text()),
                  required("targets", integer(0)),
                  required("files", integer(0))}))),
         required("targets", integer(0)),
         required("without_files", integer(0).with_about("matching systems without files")),
         left_out()});
}

shape preview_shape() {
    return record_of(
        {required("targets", integer(0)),
         required("without_files", integer(0)),
         left_out(),
         required(
             "parts_total", integer(0).with_about("number of parts; only the first are listed")),
         required(
             "parts",
             list_of(record_of(
                 {required("targets", integer(0)), required("paths", list_of(text()))})))});
}

std::vector<std::string> to_names(const fleet::system_set& systems) {
    std::vector<std::string> result;
    systems.for_each([&](system_number system_number) {
        result.push_back(std::to_string(system_number.value()));
    });
    return result;
}

}  // namespace

result<void> configuration_api::declare(registry& operations) {
    operation deploy{
        .name = "configuration.deploy",
        .summary = "Deploy configuration channels to systems, one job per set of files",
        .method = verb::post,
        .path = "/api/v1/configuration/deploy",
        .takes = parameters(),
        .gives = deployment_shape(),
        .status = 201,
        .needed = right::jobs_run,
        .within = scope::filtered,
        .handles_idempotency = true};
    auto preview = deploy;
    CHECK_OK(operations.add(std::move(deploy), handler(this, &configuration_api::deploy)));
    preview.name = "configuration.preview";
    preview.summary = "Preview a configuration deployment";
    preview.path = "/api/v1/configuration/preview";
    preview.gives = preview_shape();
    preview.status = 200;
    preview.read_only = true;
    return operations.add(std::move(preview), handler(this, &configuration_api::preview));
}

async<configuration_api::plan> configuration_api::build_plan(call call) const {
    const auto& query = call.text("query");
    CO_CHECK_OK(targeting::refuse_pillar(query));
    CO_TRY(const auto matched, deps_.targets.meant_by(query));
    const auto visible = deps_.targets.reach_of(call.zones(), matched);
    if (visible.size() > configuration::deployed_systems_max)
        co_return fail(
            errc::invalid,
            fmt::format(
                "query matches {} systems, limit per deployment is {}; narrow the query",
                visible.size(),
                configuration::deployed_systems_max));
    deployment::choice choice{
        .channel = call.optional_text("channel"),
        .looks_at = read_extent(call),
        .by_expression = call.flag("by_expression")};
    auto pending_plan = deps_.deployment.plan(
        visible.page(system_number(0), configuration::deployed_systems_max), std::move(choice));
    CO_TRY(
        auto deployment_plan, co_await within(deps_.clock, plan_timeout, std::move(pending_plan)));
    plan plan{
        .matched = visible.size(),
        .left_out = deployment_plan.left_out.size(),
        .parts = std::move(deployment_plan.parts)};
    for (const auto& part : plan.parts) plan.targets += part.systems.size();
    co_return plan;
}

async<std::vector<configuration_api::job_part>> configuration_api::split_into_jobs(
    plan plan, deployment::mode mode) const {
    std::vector<job_part> job_parts;
    for (auto& part : plan.parts) {
        const auto files = part.files.size();
        const auto names = to_names(part.systems);
        auto pending_arguments = deps_.deployment.arguments_of(std::move(part.files), mode);
        CO_TRY(
            const auto argument_sets,
            co_await within(deps_.clock, plan_timeout, std::move(pending_arguments)));
        for (std::size_t start = 0; start < names.size();
             start += fleet::target_resolver::listed_max) {
            const auto first = names.begin() + static_cast<std::ptrdiff_t>(start);
            const auto end = std::min(names.size(), start + fleet::target_resolver::listed_max);
            const std::vector<std::string> batch(
                first, names.begin() + static_cast<std::ptrdiff_t>(end));
            for (const auto& arguments : argument_sets)
                job_parts.push_back({.systems = batch, .arguments = arguments, .files = files});
        }
        if (job_parts.size() > jobs_max)
            co_return fail(
                errc::invalid,
                fmt::format(
                    "deployment needs more than {} jobs because the systems get different files; "
                    "narrow the query",
                    jobs_max));
    }
    co_return job_parts;
}

// Derives a key for each job, so that a repeated request finds the same jobs if the plan is the
// same.
async<json::object> configuration_api::create_job(
    call request, job_part job_part, std::size_t number) const {
    const auto* const create_operation = deps_.operations.find("jobs.create");
    if (create_operation == nullptr)
        co_return fail(errc::unavailable, "this server cannot create jobs");
    json::object body;
    for (const auto& parameter : job_parameters()) {
        const auto* const argument = request.arguments().find(parameter.name);
        if (argument != nullptr && parameter.name != "query")
            body[parameter.name] = to_json(*argument);
    }
    json::array systems;
    for (const auto& system : job_part.systems) systems.emplace_back(system);
    body["systems"] = std::move(systems);
    body["function"] = function;
    body["arguments"] = json::parse(job_part.arguments);
    call create_call(create_operation->operation, request.caller(), from_json(std::move(body)));
    if (!request.idempotency_key.empty())
        create_call.idempotency_key =
            to_hex(pki::sha256(fmt::format("{}/{}", request.idempotency_key, number)));
    CO_TRY(
        const auto result,
        co_await deps_.operations.perform(*create_operation, std::move(create_call)));
    const auto id = json::value_to<std::string>(result.content.at("id"));
    co_return json::object{
        {"id", id},
        {"href", "/api/v1/jobs/" + id},
        {"targets", job_part.systems.size()},
        {"files", job_part.files}};
}

async<reply> configuration_api::deploy(call call) {
    CO_TRY(auto plan, co_await build_plan(call));
    const auto matched = plan.matched;
    const auto targets = plan.targets;
    const auto left_out = plan.left_out;
    const auto mode = call.flag("dry_run") ? deployment::mode::compare : deployment::mode::write;
    call.set_subject(fmt::format("{} systems, query {}", targets, call.text("query")));
    CO_TRY(auto job_parts, co_await split_into_jobs(std::move(plan), mode));
    if (job_parts.empty())
        co_return fail(errc::conflict, configuration::explain_empty_plan(left_out));
    json::array jobs;
    for (auto& job_part : job_parts) {
        CO_TRY(auto job, co_await create_job(call, std::move(job_part), jobs.size()));
        jobs.push_back(std::move(job));
        call.set_partly_done();
    }
    auto first = jobs.front().at("id");
    co_return reply{json::object{
        {"job", std::move(first)},
        {"jobs", std::move(jobs)},
        {"targets", targets},
        {"without_files", matched - targets},
        {"left_out", left_out}}};
}

async<reply> configuration_api::preview(call call) {
    CO_TRY(const auto plan, co_await build_plan(std::move(call)));
    json::array parts;
    for (const auto& part : plan.parts) {
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
        {"targets", plan.targets},
        {"without_files", plan.matched - plan.targets},
        {"left_out", plan.left_out},
        {"parts_total", plan.parts.size()},
        {"parts", std::move(parts)}}};
}

}  // namespace muster::api
