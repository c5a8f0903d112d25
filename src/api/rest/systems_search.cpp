// systems_api: searches systems by expression.

#include "api/operations/pagination.h"
#include "api/rest/systems_api.h"

#include <boost/json.hpp>

#include <charconv>
#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;

constexpr std::size_t missing_shown_max = 100;

result<system_number> read_start_number(const call& call) {
    const auto text = page_start_of(call);
    if (text.empty()) return system_number(0);
    std::uint32_t last = 0;
    const auto* const end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, last);
    if (failure != std::errc() || stopped != end)
        return fail(errc::invalid, "`after` must be the `next` value of the previous page");
    return system_number(last);
}

// The member at position `count` of the set; nullopt: the set is smaller.
std::optional<system_number> find_member_at(const fleet::system_set& systems, std::int64_t count) {
    if (count >= static_cast<std::int64_t>(systems.size())) return std::nullopt;
    std::int64_t low = 0;
    std::int64_t high = UINT32_MAX;
    while (low < high) {
        const auto middle = low + (high - low) / 2;
        if (static_cast<std::int64_t>(systems.rank(system_number(middle))) > count) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return system_number(low);
}

// The first number of the requested page.
result<std::optional<system_number>> page_begin(
    const call& call, const fleet::system_set& systems) {
    const auto offset = call.optional_integer("offset");
    if (offset && !page_start_of(call).empty())
        return fail(errc::invalid, "`after` and `offset` are mutually exclusive");
    if (offset) return find_member_at(systems, *offset);
    TRY(const auto after, read_start_number(call));
    return after.next();
}

json::array to_texts(const std::vector<std::string>& items, std::size_t limit) {
    json::array result;
    for (const auto& item : items) {
        if (result.size() == limit) break;
        result.emplace_back(item);
    }
    return result;
}

}  // namespace

result<systems_api::search_result> systems_api::search_systems(const call& call) const {
    const auto text = call.optional_text("q");
    TRY(const auto query, bulk_.parse(text && !text->empty() ? *text : "*"));
    search_result result;
    TRY(result.systems, bulk_.resolve(*query));
    if (call.zones()) result.systems = deps_.search.in_zones(*call.zones(), result.systems);
    if (!query->notes().empty())
        result.notes["notes"] = to_texts(query->notes(), missing_shown_max);
    const auto missing = deps_.search.missing(*query);
    if (!missing.empty()) result.notes["missing"] = to_texts(missing, missing_shown_max);
    return result;
}

async<reply> systems_api::list_systems(call call) {
    const auto limit = page_limit_of(call);
    CO_TRY(auto found, search_systems(call));
    CO_TRY(const auto begin, page_begin(call, found.systems));
    const auto topology = deps_.topology.read();
    // One extra number shows whether there is a next page.
    std::vector<system_number> numbers;
    if (begin) numbers = found.systems.page(*begin, limit + 1);
    const bool more = numbers.size() > limit;
    if (more) numbers.pop_back();
    json::array items;
    for (const auto number : numbers) {
        const auto record = deps_.systems.find(number);
        if (record && record->stage == enrolment::accepted)
            items.push_back(to_json(*record, *topology));
    }
    auto body = std::move(found.notes);
    body["items"] = std::move(items);
    body["total"] = found.systems.size();
    body["next"] = nullptr;
    if (more) body["next"] = std::to_string(numbers.back().value());
    co_return reply{std::move(body)};
}

async<reply> systems_api::count_systems(call call) {
    CO_TRY(auto found, search_systems(call));
    found.notes["count"] = found.systems.size();
    co_return reply{std::move(found.notes)};
}

}  // namespace muster::api
