#include "api/xmlrpc/methods/unscheduled_errata.h"

#include "api/xmlrpc/methods/method_declarations.h"
#include "ports/deadline.h"

#include <boost/json.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace muster::xmlrpc_api {

using namespace api;

namespace {

namespace json = boost::json;
using api::engine_timeout;

constexpr std::string_view change_function = "packages.change";
constexpr std::string_view chain_function_name = "chain.run";

const json::value* member(const json::value& object, std::string_view name) {
    const auto* const members = object.if_object();
    return members == nullptr ? nullptr
                              : members->if_contains(json::string_view(name.data(), name.size()));
}

std::string_view text_member(const json::value& object, std::string_view name) {
    const auto* const text = member(object, name);
    if (text == nullptr || !text->is_string()) return {};
    return {text->as_string().data(), text->as_string().size()};
}

// Reads the arguments of one packages.change; its packages are "name" or "name 1.0-2 noarch".
void add_packages(pending_packages& pending, const json::value& arguments) {
    const auto action = text_member(arguments, "action");
    if (action != "install" && action != "upgrade" && action != "distribution") return;
    const auto* const packages = member(arguments, "packages");
    const bool has_names =
        packages != nullptr && packages->is_array() && !packages->as_array().empty();
    if (!has_names) {
        pending.everything = true;
        return;
    }
    for (const auto& item : packages->as_array()) {
        if (!item.is_string()) continue;
        const std::string_view spec(item.as_string().data(), item.as_string().size());
        pending.names.emplace(spec.substr(0, spec.find(' ')));
    }
}

pending_packages packages_of_job(const job_spec& spec) {
    pending_packages result;
    json::error_code failure;
    const auto arguments = json::parse(spec.arguments, failure);
    if (failure) return result;
    if (spec.function == change_function) add_packages(result, arguments);
    const auto* const steps =
        spec.function == chain_function_name ? member(arguments, "steps") : nullptr;
    if (steps == nullptr || !steps->is_array()) return result;
    for (const auto& step : steps->as_array()) {
        const auto* const step_arguments = member(step, "arguments");
        if (text_member(step, "function") == change_function && step_arguments != nullptr)
            add_packages(result, *step_arguments);
    }
    return result;
}

}  // namespace

result<void> unscheduled_errata::declare(method_registry& registry) {
    return registry.add(
        {read_method(
             "system.getUnscheduledErrata",
             "List the relevant errata of a system that no action has scheduled",
             {system_parameter()},
             list_of(anything())),
         handler(this, &unscheduled_errata::list)});
}

async<bool> unscheduled_errata::is_open(job_record job, system_number system) const {
    const auto& deps = actions_.deps();
    auto lookup = deps.reader.job_store().find_targets(job.job);
    const auto audience = co_await within(deps.clock, engine_timeout, std::move(lookup));
    if (!audience && audience.error().code() == errc::not_found) co_return false;
    CO_CHECK_OK(audience);
    if (!audience->systems.contains(system)) co_return false;
    auto work = deps.reader.job_store().find_task(job.job, system.value());
    CO_TRY(const auto task, co_await within(deps.clock, engine_timeout, std::move(work)));
    // A job that is being cancelled starts no more tasks.
    if (!task) co_return job.stage != job_stage::cancelling;
    co_return !task->record.ended;
}

async<pending_packages> unscheduled_errata::find_pending(system_number system) const {
    const auto& deps = actions_.deps();
    auto lookup = deps.reader.job_store().read_open();
    CO_TRY(const auto open_jobs, co_await within(deps.clock, engine_timeout, std::move(lookup)));
    pending_packages result;
    for (const auto& job : open_jobs) {
        auto pending = packages_of_job(job.record.spec);
        if (!pending.everything && pending.names.empty()) continue;
        CO_TRY(const bool is_pending, co_await is_open(job.record, system));
        if (!is_pending) continue;
        result.everything = result.everything || pending.everything;
        result.names.merge(pending.names);
    }
    co_return result;
}

async<method_response> unscheduled_errata::list(call call) {
    CO_CHECK_OK(co_await content_.refresh());
    CO_TRY(const auto system, content_.fleet().find(call, call.integer("sid")));
    CO_TRY(auto relevant, co_await content_.relevant_errata(system));
    CO_TRY(const auto installed, co_await content_.installed_on(system));
    CO_TRY(const auto pending, co_await find_pending(system.number));
    if (pending.everything) relevant.clear();
    const auto newer = packages::newer_numbers(*installed, *content_.available_to(system));
    std::erase_if(relevant, [&](const content::erratum_ref& erratum) {
        return std::ranges::all_of(
            content_.store().packages_of(erratum->row.packages), [&](const auto& package) {
                return !packages::contains(newer, package->number)
                       || pending.names.contains(package->what.name);
            });
    });
    co_return paged_list<content::erratum_ref>(
        std::move(relevant),
        [](const content::erratum_ref& erratum) { return erratum_overview(*erratum); });
}

}  // namespace muster::xmlrpc_api
