#include "runtime/json/value_reader.h"

#include <boost/json.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace muster::runtime {
namespace {

namespace json = boost::json;
using api::value;

value from_unsigned(std::uint64_t number) {
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return static_cast<double>(number);
    return static_cast<std::int64_t>(number);
}

value from_array(const json::array& items) {
    value::list list;
    list.reserve(items.size());
    for (const auto& item : items) list.push_back(from_json(item));
    return list;
}

value from_object(const json::object& members) {
    value::record record;
    record.reserve(members.size());
    for (const auto& member : members)
        record.push_back({std::string(member.key()), from_json(member.value())});
    return record;
}

}  // namespace

value from_json(const json::value& source) {
    switch (source.kind()) {
        case json::kind::null:
            break;
        case json::kind::bool_:
            return source.get_bool();
        case json::kind::int64:
            return source.get_int64();
        case json::kind::uint64:
            return from_unsigned(source.get_uint64());
        case json::kind::double_:
            return source.get_double();
        case json::kind::string:
            return std::string(source.get_string());
        case json::kind::array:
            return from_array(source.get_array());
        case json::kind::object:
            return from_object(source.get_object());
    }
    return {};
}

result<value> parse_json(std::string_view text) {
    json::error_code failure;
    const auto parsed = json::parse({text.data(), text.size()}, failure);
    if (failure) return fail(errc::invalid, "invalid JSON: " + failure.message());
    return from_json(parsed);
}

}  // namespace muster::runtime
