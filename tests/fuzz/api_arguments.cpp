// Arguments of the API: bodies of JSON, and texts of paths and queries, from anybody who reaches
// the port. The first byte says which.
#include "api/operations/json_body.h"
#include "api/operations/json_value.h"
#include "base/assert.h"
#include "core/api/shape.h"

#include <boost/json/object.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace {

using namespace muster;

// Every kind of shape that an operation may declare.
const api::shape& every_kind() {
    static const auto record = api::record_of(
        {api::optional("flag", api::flag()),
         api::optional("count", api::integer(0, 100)),
         api::optional("share", api::number()),
         api::optional("word", api::text(16).with_choices({"one", "two"})),
         api::optional("name", api::name()),
         api::optional("when", api::time()),
         api::optional("key", api::bytes(64)),
         api::optional("rows", api::list_of(api::list_of(api::anything(), 4), 4)),
         api::optional("labels", api::map_of(api::text(8), 4))});
    return record;
}

void try_body(std::string_view text) {
    auto body = api::json_body::parse(text);
    if (!body) return;
    boost::json::object members;
    for (const char* each :
         {"flag", "count", "share", "word", "name", "when", "key", "rows", "labels"}) {
        if (auto match = body->optional_value(each)) members.emplace(each, *std::move(match));
    }
    static_cast<void>(body->finish());
    const auto value = api::from_json(members);
    const bool fits = api::check(value, every_kind(), "body").has_value();
    // What is written of it means the same when it is read again.
    const auto again = api::from_json(api::to_json(value));
    MUSTER_ASSERT(api::check(again, every_kind(), "body").has_value() == fits);
}

void try_query(std::string_view text) {
    static const std::vector<api::shape> shapes{
        api::flag(),
        api::integer(-5, 5),
        api::number(),
        api::text(16),
        api::name(),
        api::time(),
        api::bytes(64),
        api::list_of(api::text(8), 4)};
    for (const auto& shape : shapes) {
        const auto value = api::read(text, shape, "query");
        if (value) static_cast<void>(api::check(*value, shape, "query"));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    if (data[0] % 2 == 0)
        try_body(text);
    else
        try_query(text);
    return 0;
}
