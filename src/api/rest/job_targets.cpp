#include "api/rest/job_targets.h"

#include "core/jobs/visibility.h"

#include <charconv>
#include <utility>

namespace muster::api {
namespace {

std::optional<std::uint32_t> number_in(const std::string& text) {
    std::uint32_t number = 0;
    const auto* const end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, number);
    if (failure != std::errc() || stopped != end) return std::nullopt;
    return number;
}

bool may_be_name(std::string_view text) {
    return !text.empty() && text.find_first_of(" *?[]()\"'\\:,@") == std::string_view::npos;
}

std::unexpected<error> nobody(const std::string& named) {
    return fail(errc::not_found, "there is no system " + named);
}

bool is_accepted(const std::optional<system_record>& record) {
    return record && record->stage == enrolment::accepted;
}

}  // namespace

result<fleet::system_set> job_targets::meant_by(const std::string& query) const {
    if (query.empty()) return fail(errc::invalid, "`query` is empty; for all systems, say *");
    return around_.resolve(query);
}

result<void> job_targets::check_complete() const {
    if (around_.known.complete()) return {};
    return fail(errc::unavailable, "the server is still reading the fleet");
}

fleet::system_set job_targets::among(
    const std::set<std::string>& zones, const fleet::system_set& systems) const {
    return around_.in_zones ? around_.in_zones(zones, systems) : fleet::system_set();
}

fleet::system_set job_targets::reach_of(const call& asked, const fleet::system_set& systems) const {
    return asked.zones() ? among(*asked.zones(), systems) : systems;
}

result<void> job_targets::check_visible(
    const call& asked, job_id job, const fleet::system_set& targets) const {
    if (!asked.zones()) return {};
    CHECK_OK(check_complete());
    const auto in_fleet = [this](system_number each) {
        return is_known(each);
    };
    if (!jobs::is_visible(targets, reach_of(asked, targets), in_fleet))
        return fail(errc::not_found, "there is no job " + to_string(job));
    return {};
}

result<system_number> job_targets::one(const std::string& named) const {
    CHECK_OK(check_complete());
    if (const auto number = number_in(named)) {
        const auto found = around_.known.find(system_number(*number));
        if (is_accepted(found)) return found->number;
    }
    if (const auto print = fingerprint::parse(named)) {
        const auto found = around_.known.find(*print);
        if (is_accepted(found)) return found->number;
    }
    if (!may_be_name(named)) return nobody(named);
    TRY(const auto found, around_.resolve("name:" + named));
    if (found.empty()) return nobody(named);
    if (found.size() == 1) return *found.smallest();
    std::string others;
    for (const auto each : found.page(system_number(0), 10))
        others += " " + std::to_string(each.value());
    return fail(
        errc::conflict, "several systems are named " + named + "; say which number:" + others);
}

result<fleet::system_set> job_targets::listed(const std::vector<std::string>& systems) const {
    if (systems.size() > listed_max)
        return fail(
            errc::invalid,
            "`systems` lists more than " + std::to_string(listed_max) + "; use a `query`");
    fleet::system_set all;
    for (const auto& each : systems) {
        TRY(const auto number, one(each));
        all.add(number);
    }
    return all;
}

fleet::system_set job_targets::attached(const fleet::system_set& among) const {
    std::vector<std::uint32_t> there;
    among.for_each([&](system_number each) {
        if (around_.seen.attached(each)) there.push_back(static_cast<std::uint32_t>(each.value()));
    });
    return fleet::system_set::of(there);
}

std::optional<presence::sighting> job_targets::last_seen(system_number which) const {
    return around_.seen.find(which);
}

std::string job_targets::name_of(system_number which) const {
    const auto found = around_.known.find(which);
    return found ? found->name : std::string();
}

bool job_targets::is_known(system_number which) const {
    return is_accepted(around_.known.find(which));
}

}  // namespace muster::api
