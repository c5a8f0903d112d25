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

constexpr std::string_view changes_packages = "packages.change";
constexpr std::string_view runs_steps = "chain.run";

const json::value* member(const json::value& of, std::string_view name) {
    const auto* const all = of.if_object();
    return all == nullptr ? nullptr : all->if_contains(json::string_view(name.data(), name.size()));
}

std::string_view text_in(const json::value& of, std::string_view name) {
    const auto* const found = member(of, name);
    if (found == nullptr || !found->is_string()) return {};
    return {found->as_string().data(), found->as_string().size()};
}

// From the arguments of one packages.change; its packages are written "name" or "name 1.0-2
// noarch".
void add_change(pending_packages& to, const json::value& arguments) {
    const auto action = text_in(arguments, "action");
    if (action != "install" && action != "upgrade" && action != "distribution") return;
    const auto* const which = member(arguments, "packages");
    const bool some = which != nullptr && which->is_array() && !which->as_array().empty();
    if (!some) {
        to.everything = true;
        return;
    }
    for (const auto& each : which->as_array()) {
        if (!each.is_string()) continue;
        const std::string_view word(each.as_string().data(), each.as_string().size());
        to.names.emplace(word.substr(0, word.find(' ')));
    }
}

pending_packages brought_by(const job_spec& job_spec) {
    pending_packages result;
    json::error_code failure;
    const auto arguments = json::parse(job_spec.arguments, failure);
    if (failure) return result;
    if (job_spec.function == changes_packages) add_change(result, arguments);
    const auto* const steps =
        job_spec.function == runs_steps ? member(arguments, "steps") : nullptr;
    if (steps == nullptr || !steps->is_array()) return result;
    for (const auto& each : steps->as_array()) {
        const auto* const own = member(each, "arguments");
        if (text_in(each, "function") == changes_packages && own != nullptr)
            add_change(result, *own);
    }
    return result;
}

}  // namespace

result<void> unscheduled_errata::declare(method_registry& to) {
    return to.add(
        {asking(
             "system.getUnscheduledErrata",
             "Errata with newer packages for a system that nothing scheduled brings",
             {one_system()},
             list_of(anything())),
         done_by(this, &unscheduled_errata::list)});
}

async<bool> unscheduled_errata::is_open(job_record job, system_number system_number) const {
    const auto& deps = actions_.around();
    auto reading = deps.reader.records().audience(job.job);
    const auto meant = co_await within(deps.clock, engine_timeout, std::move(reading));
    if (!meant && meant.error().code() == errc::not_found) co_return false;
    CO_CHECK_OK(meant);
    if (!meant->targets.contains(system_number)) co_return false;
    auto looking = deps.reader.records().find_task(job.job, system_number.value());
    CO_TRY(const auto task, co_await within(deps.clock, engine_timeout, std::move(looking)));
    // What is being cancelled is not started any more.
    if (!task) co_return job.stage != job_stage::cancelling;
    co_return !task->record.ended;
}

async<pending_packages> unscheduled_errata::awaited_by(system_number system_number) const {
    const auto& deps = actions_.around();
    auto reading = deps.reader.records().read_open();
    CO_TRY(const auto open, co_await within(deps.clock, engine_timeout, std::move(reading)));
    pending_packages result;
    for (const auto& each : open) {
        auto brings = brought_by(each.record.spec);
        if (!brings.everything && brings.names.empty()) continue;
        CO_TRY(const bool waits, co_await is_open(each.record, system_number));
        if (!waits) continue;
        result.everything = result.everything || brings.everything;
        result.names.merge(brings.names);
    }
    co_return result;
}

async<answer> unscheduled_errata::list(call call) {
    CO_CHECK_OK(co_await view_.catch_up());
    CO_TRY(const auto system, view_.fleet().find(call, call.integer("sid")));
    CO_TRY(auto relevant, co_await view_.relevant_to(system));
    CO_TRY(const auto installed, co_await view_.installed_on(system));
    CO_TRY(const auto awaited, co_await awaited_by(system.number));
    if (awaited.everything) relevant.clear();
    const auto newer = packages::newer_numbers(*installed, *view_.shelf_of(system));
    std::erase_if(relevant, [&](const content::erratum_ref& erratum_ref) {
        return std::ranges::all_of(
            view_.books().packages_of(erratum_ref->row.packages), [&](const auto& fixed) {
                return !packages::contains(newer, fixed->number)
                       || awaited.names.contains(fixed->what.name);
            });
    });
    co_return told_one_by_one<content::erratum_ref>(
        std::move(relevant),
        [](const content::erratum_ref& erratum_ref) { return erratum_overview(*erratum_ref); });
}

}  // namespace muster::xmlrpc_api
