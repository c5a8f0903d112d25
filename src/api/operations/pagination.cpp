#include "api/operations/pagination.h"

namespace muster::api {
namespace {

constexpr std::int64_t items_max = 1'000;
constexpr std::int64_t items_default = 100;

}  // namespace

api::parameter limit_parameter() {
    return api::in_query(
        "limit", api::integer(1, items_max).with_about("items per page (default 100)"));
}

api::parameter after_parameter() {
    return api::in_query("after", api::text().with_about("`next` of the previous page"));
}

std::size_t page_limit_of(const call& call) {
    return static_cast<std::size_t>(call.optional_integer("limit").value_or(items_default));
}

std::string page_start_of(const call& call) {
    return call.optional_text("after").value_or("");
}

}  // namespace muster::api
