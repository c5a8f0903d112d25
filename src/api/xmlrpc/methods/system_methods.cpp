#include "api/xmlrpc/methods/system_methods.h"

#include "api/xmlrpc/methods/method_declarations.h"
#include "core/targeting/regex.h"
#include "ports/deadline.h"

#include <fmt/format.h>

#include <chrono>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;

// A system that was not seen for longer is inactive, if a client does not say otherwise.
constexpr std::int64_t usual_days = 1;
constexpr std::int64_t days_max = 36'500;
constexpr std::int64_t systems_max = 10'000;  // of one call
constexpr std::int64_t not_removed = 1003;
constexpr auto removal_timeout = std::chrono::seconds(25);

constexpr method_defaults methods{.prefix = "system.", .changes_within = scope::filtered};

operation of_one(std::string name, std::string summary, shape gives) {
    return methods.reading(std::move(name), std::move(summary), {one_system()}, std::move(gives));
}

operation removal(std::string name, parameter parameter) {
    return methods.changing(
        std::move(name),
        "Sends systems away from their node: they are orphans until they attach anew",
        {std::move(parameter)});
}

parameter cleanup() {
    return argument(
        "cleanupType", text().with_choices({"FAIL_ON_CLEANUP_ERR", "NO_CLEANUP", "FORCE_DELETE"}));
}

// A word that an expression takes as it is.
bool is_plain(std::string_view name) {
    return !name.empty() && name.find_first_of(" \t*?[]()\"'\\:/@,") == std::string_view::npos;
}

}  // namespace

result<void> system_methods::declare_lists(method_registry& to) {
    const auto all = list_of(overview_shape());
    CHECK_OK(to.add(
        {methods.reading("listSystems", "All systems", {}, all),
         done_by(this, &system_methods::list)}));
    CHECK_OK(to.add(
        {methods.reading("listUserSystems", "The systems that the caller may see", {}, all),
         done_by(this, &system_methods::list)}));
    auto active = methods.reading(
        "listActiveSystems", "Systems that were there within the last day", {}, all);
    active.includes_presence = true;
    CHECK_OK(to.add({std::move(active), done_by(this, &system_methods::list_active)}));
    auto inactive =
        methods.reading("listInactiveSystems", "Systems that were not there for a while", {}, all);
    inactive.includes_presence = true;
    CHECK_OK(to.add({inactive, done_by(this, &system_methods::list_inactive)}));
    inactive.takes = {argument("days", integer(0, days_max))};
    CHECK_OK(to.add({std::move(inactive), done_by(this, &system_methods::list_inactive)}));
    auto by_name = methods.reading("getId", "Systems by their name", {}, all);
    by_name.takes = {argument("name", text())};
    CHECK_OK(to.add({std::move(by_name), done_by(this, &system_methods::get_id)}));
    auto matching = methods.reading("searchByName", "Systems by a regular expression", {}, all);
    matching.method = verb::post;
    matching.read_only = true;
    matching.takes = {
        argument("regexp", text(static_cast<std::int64_t>(targeting::regex::pattern_bytes_max)))};
    return to.add({std::move(matching), done_by(this, &system_methods::search_by_name)});
}

result<void> system_methods::declare_removal(method_registry& to) {
    const fault_codes codes{.conflict = not_removed};
    auto one = removal("deleteSystem", argument("sid", system_id()));
    CHECK_OK(to.add({one, done_by(this, &system_methods::remove_one), codes}));
    one.takes.push_back(cleanup());
    CHECK_OK(to.add({std::move(one), done_by(this, &system_methods::remove_one), codes}));
    auto many = removal("deleteSystems", argument("sids", list_of(system_id(), systems_max)));
    CHECK_OK(to.add({many, done_by(this, &system_methods::remove_many), codes}));
    many.takes.push_back(cleanup());
    return to.add({std::move(many), done_by(this, &system_methods::remove_many), codes});
}

result<void> system_methods::declare(method_registry& to) {
    CHECK_OK(declare_lists(to));
    CHECK_OK(declare_removal(to));
    CHECK_OK(to.add(
        {of_one("getName", "A system's name", overview_shape()),
         done_by(this, &system_methods::get_name)}));
    CHECK_OK(to.add(
        {of_one("getDetails", "What is known of a system", details_shape()),
         done_by(this, &system_methods::get_details)}));
    CHECK_OK(to.add(
        {of_one("listGroups", "All groups, and whether a system is in them", list_of(anything())),
         done_by(this, &system_methods::list_groups)}));
    return to.add(
        {methods.reading(
             "hasTraditionalSystems", "Whether any system is of the old kind: none is", {}, flag()),
         done_by(this, &system_methods::has_traditional)});
}

async<answer> system_methods::list(call call) {
    CO_TRY(auto systems, view_.meant(call));
    co_return view_.list(std::move(systems));
}

result<answer> system_methods::by_last_sign(
    const call& call, std::int64_t days, bool wanted_active) const {
    TRY(auto systems, view_.meant(call));
    const auto since = clock_.wall() - std::chrono::hours(24 * days);
    return view_.list(
        std::move(systems),
        [this, since, wanted_active](const system_record& system) -> result<value> {
            const auto sighting = view_.sighting_of(system);
            const bool active = sighting && (sighting->attached || sighting->last_seen >= since);
            return active == wanted_active ? view_.overview(system) : value();
        });
}

async<answer> system_methods::list_active(call call) {
    co_return by_last_sign(call, usual_days, true);
}

async<answer> system_methods::list_inactive(call call) {
    const bool said = !call.operation().takes.empty();
    co_return by_last_sign(call, said ? call.integer("days") : usual_days, false);
}

async<answer> system_methods::get_id(call call) {
    const auto name = call.text("name");
    if (!is_plain(name)) co_return answer{value::list()};
    CO_TRY(auto systems, view_.meant(call, "name:" + name));
    co_return view_.list(std::move(systems));
}

async<answer> system_methods::search_by_name(call call) {
    // Anywhere in a name, where an expression of ours means its start.
    CO_TRY(
        const auto pattern,
        targeting::regex::compile(
            "(?s:.*?)(?:" + call.text("regexp") + ")", targeting::letter_case::exact));
    CO_TRY(auto systems, view_.meant(call));
    co_return view_.list(
        std::move(systems), [this, pattern](const system_record& system) -> result<value> {
            const bool fits = pattern->matches(system.name);
            if (pattern->gave_up())
                return fail(errc::invalid, "the regular expression takes too long");
            return fits ? view_.overview(system) : value();
        });
}

async<answer> system_methods::get_name(call call) {
    CO_TRY(const auto match, view_.find(call, call.integer("sid")));
    co_return answer{view_.overview(match)};
}

async<answer> system_methods::get_details(call call) {
    CO_TRY(const auto match, view_.find(call, call.integer("sid")));
    const auto* const profiles = view_.around().profiles;
    if (profiles == nullptr) co_return answer{view_.details(match)};
    auto reading = profiles->read_one(match.number);
    CO_TRY(const auto written, co_await within(clock_, api::engine_timeout, std::move(reading)));
    co_return answer{view_.details(match, written)};
}

async<answer> system_methods::list_groups(call call) {
    CO_TRY(const auto match, view_.find(call, call.integer("sid")));
    const auto groups = view_.around().groups.current();
    std::set<std::string> names(match.groups.begin(), match.groups.end());
    for (const auto& [name, group] : *groups) names.insert(name);
    const std::vector<std::string> all(names.begin(), names.end());
    auto asking = numbers_.number_all(std::string(compatibility::numbered::group), all);
    CO_TRY(const auto numbers, co_await within(clock_, api::engine_timeout, std::move(asking)));
    value::list list;
    for (std::size_t at = 0; at < all.size(); ++at) {
        CO_TRY(const auto inside, view_.is_in_group(match, all[at]));
        list.push_back(value::record{
            {"id", numbers[at].number},
            {"sgid", std::to_string(numbers[at].number)},
            {"system_group_name", all[at]},
            {"subscribed", inside ? 1 : 0}});
    }
    co_return answer{std::move(list)};
}

async<answer> system_methods::has_traditional(call /*asked*/) {
    co_return answer{false};
}

async<answer> system_methods::unregister(call call, std::vector<system_record> systems) {
    std::string names;
    fleet::system_service::targets prints;
    for (const auto& system : systems) {
        prints.push_back(system.print);
        if (names.size() < 1000) names += (names.empty() ? "" : " ") + system.name;
    }
    call.set_subject(fmt::format("{} systems: {}", systems.size(), names));
    auto work = keys_.unregister(std::move(prints), call.decider());
    CO_TRY(const auto done, co_await within(clock_, removal_timeout, std::move(work)));
    if (done.failed == 0) co_return answer{1};
    call.set_partly_done();
    co_return fail(
        errc::conflict,
        fmt::format(
            "{} of {} systems were not removed: {}",
            done.failed,
            systems.size(),
            done.reasons.empty() ? "" : done.reasons.front()));
}

async<answer> system_methods::remove_one(call call) {
    CO_TRY(auto match, view_.find(call, call.integer("sid")));
    std::vector<system_record> systems;
    systems.push_back(std::move(match));
    co_return co_await unregister(std::move(call), std::move(systems));
}

async<answer> system_methods::remove_many(call call) {
    CO_TRY(auto all, view_.find_all(call));
    co_return co_await unregister(std::move(call), std::move(all));
}

}  // namespace muster::xmlrpc_api
