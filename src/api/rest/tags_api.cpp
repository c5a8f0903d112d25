#include "api/rest/tags_api.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;

constexpr std::int64_t page_default = 500;
constexpr std::int64_t page_max = 5'000;

}  // namespace

result<void> tags_api::declare(registry& operations) {
    using namespace api;
    return operations.add(
        {.name = "tags.list",
         .summary = "List tags with the number of systems",
         .path = "/api/v1/tags",
         .takes =
             {in_query("after", text().with_about("`next` of the previous page")),
              in_query("limit", integer(1, page_max))},
         .gives = page_of(record_of(
             {required("name", name()),
              required(
                  "systems", integer(1).with_about("number of systems visible to the caller"))})),
         .needed = access::right::fleet_read,
         .within = scope::filtered},
        handler(this, &tags_api::list));
}

async<reply> tags_api::list(call call) {
    const auto limit = call.optional_integer("limit").value_or(page_default);
    const auto after = call.optional_text("after").value_or("");
    const auto tags =
        search_.tags({.after = after, .limit = static_cast<std::size_t>(limit)}, call.zones());
    json::array items;
    for (const auto& [name, count] : tags)
        items.push_back(json::object{{"name", name}, {"systems", count}});
    const bool more = items.size() == static_cast<std::size_t>(limit);
    json::value next;
    if (more) next = tags.back().first;
    co_return reply{json::object{{"items", std::move(items)}, {"next", std::move(next)}}};
}

}  // namespace muster::api
