#include "services/fleet/target_resolver.h"

#include "core/jobs/visibility.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace muster::fleet {
namespace {

std::optional<std::uint32_t> parse_number(const std::string& text) {
    std::uint32_t number = 0;
    const auto* const end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, number);
    if (failure != std::errc() || stop != end) return std::nullopt;
    return number;
}

bool may_be_name(std::string_view text) {
    return !text.empty() && text.find_first_of(" *?[]()\"'\\:,@") == std::string_view::npos;
}

std::unexpected<error> system_not_found(const std::string& name) {
    return fail(errc::not_found, "system \"" + name + "\" not found");
}

bool is_accepted(const std::optional<system_record>& record) {
    return record && record->stage == enrolment::accepted;
}

}  // namespace

result<system_set> target_resolver::resolve(const std::string& query) const {
    const auto parsed = deps_.groups.parse(query);
    if (!parsed) return fail(parsed.error().with_context("query"));
    return deps_.index.resolve(*parsed, presence_);
}

bool target_resolver::has_label(system_number system, const std::string& group) const {
    const auto record = deps_.systems.find(system);
    return record && std::ranges::find(record->groups, group) != record->groups.end();
}

std::optional<std::string> target_resolver::zone_of(const std::string& name) const {
    const auto number = one(name);
    if (!number) return std::nullopt;
    const auto record = deps_.systems.find(*number);
    return record ? std::optional(record->zone) : std::nullopt;
}

result<system_set> target_resolver::meant_by(const std::string& query) const {
    if (query.empty()) return fail(errc::invalid, "`query` is empty; use * for all systems");
    return resolve(query);
}

result<void> target_resolver::check_complete() const {
    if (deps_.systems.complete()) return {};
    return fail(errc::unavailable, "the server is still loading the systems; retry later");
}

system_set target_resolver::among(const zone_names& zones, const system_set& systems) const {
    return deps_.index.in_zones(zones, systems);
}

system_set target_resolver::reach_of(
    const std::optional<zone_names>& zones, const system_set& systems) const {
    return zones ? among(*zones, systems) : systems;
}

result<void> target_resolver::check_visible(
    const std::optional<zone_names>& zones, job_id job, const system_set& targets) const {
    if (!zones) return {};
    CHECK_OK(check_complete());
    const auto in_fleet = [this](system_number system) {
        return is_known(system);
    };
    if (!jobs::is_visible(targets, reach_of(zones, targets), in_fleet))
        return fail(errc::not_found, "job \"" + to_string(job) + "\" not found");
    return {};
}

result<system_number> target_resolver::one(const std::string& name) const {
    CHECK_OK(check_complete());
    if (const auto number = parse_number(name)) {
        const auto match = deps_.systems.find(system_number(*number));
        if (is_accepted(match)) return match->number;
    }
    if (const auto print = fingerprint::parse(name)) {
        const auto match = deps_.systems.find(*print);
        if (is_accepted(match)) return match->number;
    }
    if (!may_be_name(name)) return system_not_found(name);
    TRY(const auto match, resolve("name:" + name));
    if (match.empty()) return system_not_found(name);
    if (match.size() == 1) return *match.smallest();
    std::string numbers;
    for (const auto number : match.page(system_number(0), 10))
        numbers += " " + std::to_string(number.value());
    return fail(
        errc::conflict,
        "several systems are named \"" + name + "\"; use one of the numbers:" + numbers);
}

result<system_set> target_resolver::listed(const std::vector<std::string>& systems) const {
    if (systems.size() > listed_max)
        return fail(
            errc::invalid,
            "`systems` lists more than " + std::to_string(listed_max) + " systems; use a `query`");
    system_set numbers;
    for (const auto& system : systems) {
        TRY(const auto number, one(system));
        numbers.add(number);
    }
    return numbers;
}

system_set target_resolver::attached(const system_set& systems) const {
    return presence::attached_among(systems, presence_);
}

std::optional<presence::sighting> target_resolver::last_seen(system_number system) const {
    return deps_.presence.find(system);
}

std::string target_resolver::name_of(system_number system) const {
    const auto record = deps_.systems.find(system);
    return record ? record->name : std::string();
}

bool target_resolver::is_known(system_number system) const {
    return is_accepted(deps_.systems.find(system));
}

}  // namespace muster::fleet
