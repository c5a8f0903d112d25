// How systems are found by an expression: the third part of systems_api.h.

#include "api/operations/pagination.h"
#include "api/rest/systems_api.h"

#include <boost/json.hpp>

#include <charconv>
#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;

constexpr std::size_t missing_shown_max = 100;

result<system_number> number_after(const call& call) {
    const auto text = page_start_of(call);
    if (text.empty()) return system_number(0);
    std::uint32_t last = 0;
    const auto* const end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, last);
    if (failure != std::errc() || stopped != end)
        return fail(errc::invalid, "`after` must be the `next` of the page before");
    return system_number(last);
}

// The first of a set's members that has `count` of them before it; nothing: there are not so many.
std::optional<system_number> member_behind(const fleet::system_set& among, std::int64_t count) {
    if (count >= static_cast<std::int64_t>(among.size())) return std::nullopt;
    std::int64_t low = 0;
    std::int64_t high = UINT32_MAX;
    while (low < high) {
        const auto middle = low + (high - low) / 2;
        if (static_cast<std::int64_t>(among.rank(system_number(middle))) > count) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return system_number(low);
}

// Where the page begins that is asked for.
result<std::optional<system_number>> page_begin(const call& call, const fleet::system_set& among) {
    const auto offset = call.optional_integer("offset");
    if (offset && !page_start_of(call).empty())
        return fail(errc::invalid, "a page begins behind `after` or at `offset`, not at both");
    if (offset) return member_behind(among, *offset);
    TRY(const auto after, number_after(call));
    return after.next();
}

json::array texts(const std::vector<std::string>& items, std::size_t most) {
    json::array result;
    for (const auto& item : items) {
        if (result.size() == most) break;
        result.emplace_back(item);
    }
    return result;
}

}  // namespace

result<systems_api::finding> systems_api::find_asked(const call& call) const {
    const auto text = call.optional_text("q");
    TRY(const auto desired, bulk_.parse(text && !text->empty() ? *text : "*"));
    finding finding;
    TRY(finding.systems, bulk_.resolve(*desired));
    if (call.zones()) finding.systems = deps_.search.in_zones(*call.zones(), finding.systems);
    if (!desired->notes().empty())
        finding.told["notes"] = texts(desired->notes(), missing_shown_max);
    const auto missing = deps_.search.missing(*desired);
    if (!missing.empty()) finding.told["missing"] = texts(missing, missing_shown_max);
    return finding;
}

async<reply> systems_api::list_systems(call call) {
    const auto limit = page_limit_of(call);
    CO_TRY(auto match, find_asked(call));
    CO_TRY(const auto begin, page_begin(call, match.systems));
    const auto places = deps_.topology.read();
    // One more than asked for tells whether there is more.
    std::vector<system_number> numbers;
    if (begin) numbers = match.systems.page(*begin, limit + 1);
    const bool more = numbers.size() > limit;
    if (more) numbers.pop_back();
    json::array items;
    for (const auto number : numbers) {
        const auto record = deps_.systems.find(number);
        if (record && record->stage == enrolment::accepted) items.push_back(told(*record, *places));
    }
    auto body = std::move(match.told);
    body["items"] = std::move(items);
    body["total"] = match.systems.size();
    body["next"] = nullptr;
    if (more) body["next"] = std::to_string(numbers.back().value());
    co_return reply{std::move(body)};
}

async<reply> systems_api::count_systems(call call) {
    CO_TRY(auto match, find_asked(call));
    match.told["count"] = match.systems.size();
    co_return reply{std::move(match.told)};
}

}  // namespace muster::api
