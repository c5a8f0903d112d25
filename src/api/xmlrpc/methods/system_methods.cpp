#include "api/xmlrpc/methods/system_methods.h"

#include "core/targeting/regex.h"
#include "ports/deadline.h"
#include "api/xmlrpc/methods/declaring.h"

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
constexpr auto removal_patience = std::chrono::seconds(25);

constexpr method_family methods{.prefix = "system.", .changes_within = scope::filtered};

operation of_one(std::string name, std::string summary, shape gives) {
    return methods.reading(std::move(name), std::move(summary), {one_system()}, std::move(gives));
}

operation removal(std::string name, parameter which) {
    return methods.changing(
        std::move(name),
        "Sends systems away from their node: they are orphans until they attach anew",
        {std::move(which)});
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

result<void> system_methods::declare_lists(method_book& to) {
    const auto all = list_of(overview_shape());
    CHECK_OK(to.add(
        {methods.reading("listSystems", "All systems", {}, all),
         done_by(this, &system_methods::list)}));
    CHECK_OK(to.add(
        {methods.reading("listUserSystems", "The systems that the caller may see", {}, all),
         done_by(this, &system_methods::list)}));
    auto active = methods.reading(
        "listActiveSystems", "Systems that were there within the last day", {}, all);
    active.tells_presence = true;
    CHECK_OK(to.add({std::move(active), done_by(this, &system_methods::list_active)}));
    auto inactive =
        methods.reading("listInactiveSystems", "Systems that were not there for a while", {}, all);
    inactive.tells_presence = true;
    CHECK_OK(to.add({inactive, done_by(this, &system_methods::list_inactive)}));
    inactive.takes = {argument("days", integer(0, days_max))};
    CHECK_OK(to.add({std::move(inactive), done_by(this, &system_methods::list_inactive)}));
    auto by_name = methods.reading("getId", "Systems by their name", {}, all);
    by_name.takes = {argument("name", text())};
    CHECK_OK(to.add({std::move(by_name), done_by(this, &system_methods::get_id)}));
    auto matching = methods.reading("searchByName", "Systems by a regular expression", {}, all);
    matching.method = verb::post;
    matching.changes_nothing = true;
    matching.takes = {
        argument("regexp", text(static_cast<std::int64_t>(targeting::regex::pattern_bytes_max)))};
    return to.add({std::move(matching), done_by(this, &system_methods::search_by_name)});
}

result<void> system_methods::declare_removal(method_book& to) {
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

result<void> system_methods::declare(method_book& to) {
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

async<answer> system_methods::list(call asked) {
    CO_TRY(auto systems, view_.meant(asked));
    co_return view_.list(std::move(systems));
}

result<answer> system_methods::by_last_sign(
    const call& asked, std::int64_t days, bool wanted_active) const {
    TRY(auto systems, view_.meant(asked));
    const auto since = time_.wall() - std::chrono::hours(24 * days);
    return view_.list(
        std::move(systems),
        [this, since, wanted_active](const system_record& each) -> result<value> {
            const auto seen = view_.sighting_of(each);
            const bool active = seen && (seen->attached || seen->last_seen >= since);
            return active == wanted_active ? view_.overview(each) : value();
        });
}

async<answer> system_methods::list_active(call asked) {
    co_return by_last_sign(asked, usual_days, true);
}

async<answer> system_methods::list_inactive(call asked) {
    const bool said = !asked.operation().takes.empty();
    co_return by_last_sign(asked, said ? asked.integer("days") : usual_days, false);
}

async<answer> system_methods::get_id(call asked) {
    const auto name = asked.text("name");
    if (!is_plain(name)) co_return answer{value::list()};
    CO_TRY(auto systems, view_.meant(asked, "name:" + name));
    co_return view_.list(std::move(systems));
}

async<answer> system_methods::search_by_name(call asked) {
    // Anywhere in a name, where an expression of ours means its start.
    CO_TRY(
        const auto pattern,
        targeting::regex::compile(
            "(?s:.*?)(?:" + asked.text("regexp") + ")", targeting::letter_case::exact));
    CO_TRY(auto systems, view_.meant(asked));
    co_return view_.list(
        std::move(systems), [this, pattern](const system_record& each) -> result<value> {
            const bool fits = pattern->matches(each.name);
            if (pattern->gave_up())
                return fail(errc::invalid, "the regular expression takes too long");
            return fits ? view_.overview(each) : value();
        });
}

async<answer> system_methods::get_name(call asked) {
    CO_TRY(const auto found, view_.find(asked, asked.integer("sid")));
    co_return answer{view_.overview(found)};
}

async<answer> system_methods::get_details(call asked) {
    CO_TRY(const auto found, view_.find(asked, asked.integer("sid")));
    const auto* const profiles = view_.around().profiles;
    if (profiles == nullptr) co_return answer{view_.details(found)};
    auto reading = profiles->read_one(found.number);
    CO_TRY(
        const auto written, co_await within(time_, api::engine_patience, std::move(reading)));
    co_return answer{view_.details(found, written)};
}

async<answer> system_methods::list_groups(call asked) {
    CO_TRY(const auto found, view_.find(asked, asked.integer("sid")));
    const auto known = view_.around().groups.current();
    std::set<std::string> names(found.groups.begin(), found.groups.end());
    for (const auto& [name, group] : *known) names.insert(name);
    const std::vector<std::string> all(names.begin(), names.end());
    auto asking = numbers_.number_all(std::string(cluster::numbered::group), all);
    CO_TRY(const auto numbers, co_await within(time_, api::engine_patience, std::move(asking)));
    value::list made;
    for (std::size_t at = 0; at < all.size(); ++at) {
        CO_TRY(const auto inside, view_.is_in_group(found, all[at]));
        made.push_back(value::record{
            {"id", numbers[at].number},
            {"sgid", std::to_string(numbers[at].number)},
            {"system_group_name", all[at]},
            {"subscribed", inside ? 1 : 0}});
    }
    co_return answer{std::move(made)};
}

async<answer> system_methods::has_traditional(call /*asked*/) {
    co_return answer{false};
}

async<answer> system_methods::unregister(call asked, std::vector<system_record> which) {
    std::string names;
    fleet::registrar::targets prints;
    for (const auto& each : which) {
        prints.push_back(each.print);
        if (names.size() < 1000) names += (names.empty() ? "" : " ") + each.name;
    }
    asked.set_subject(fmt::format("{} systems: {}", which.size(), names));
    auto work = keys_.unregister(std::move(prints), asked.decider());
    CO_TRY(const auto done, co_await within(time_, removal_patience, std::move(work)));
    if (done.failed == 0) co_return answer{1};
    asked.set_partly_done();
    co_return fail(
        errc::conflict,
        fmt::format(
            "{} of {} systems were not removed: {}",
            done.failed,
            which.size(),
            done.reasons.empty() ? "" : done.reasons.front()));
}

async<answer> system_methods::remove_one(call asked) {
    CO_TRY(auto found, view_.find(asked, asked.integer("sid")));
    std::vector<system_record> which;
    which.push_back(std::move(found));
    co_return co_await unregister(std::move(asked), std::move(which));
}

async<answer> system_methods::remove_many(call asked) {
    CO_TRY(auto which, view_.find_all(asked));
    co_return co_await unregister(std::move(asked), std::move(which));
}

}  // namespace muster::xmlrpc_api
