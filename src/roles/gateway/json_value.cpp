#include "roles/gateway/json_value.h"

#include "adapters/pki/base64.h"
#include "base/iso_time.h"

#include <boost/json.hpp>

#include <limits>
#include <string>
#include <utility>

namespace muster::gateway {
namespace {

namespace json = boost::json;
using api::value;

struct json_writer {
    json::value operator()(value::nothing /*what*/) const { return nullptr; }
    json::value operator()(bool what) const { return what; }
    json::value operator()(std::int64_t what) const { return what; }
    json::value operator()(double what) const { return what; }
    json::value operator()(const std::string& what) const { return json::string(what); }
    json::value operator()(wall_time what) const { return json::string(iso_time(what)); }
    json::value operator()(const value::bytes& what) const {
        return json::string(pki::to_base64(what.content));
    }
    json::value operator()(const value::list& items) const {
        json::array made;
        made.reserve(items.size());
        for (const auto& each : items) made.push_back(to_json(each));
        return made;
    }
    json::value operator()(const value::record& members) const {
        json::object made;
        made.reserve(members.size());
        for (const auto& each : members) made.insert_or_assign(each.name, to_json(each.of));
        return made;
    }
};

value from_unsigned(std::uint64_t number) {
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return static_cast<double>(number);
    return static_cast<std::int64_t>(number);
}

value from_array(const json::array& items) {
    value::list made;
    made.reserve(items.size());
    for (const auto& each : items) made.push_back(from_json(each));
    return made;
}

value from_object(const json::object& members) {
    value::record made;
    made.reserve(members.size());
    for (const auto& each : members)
        made.push_back({std::string(each.key()), from_json(each.value())});
    return made;
}

}  // namespace

json::value to_json(const value& what) {
    return what.visit(json_writer());
}

value from_json(const json::value& what) {
    switch (what.kind()) {
        case json::kind::null:
            break;
        case json::kind::bool_:
            return what.get_bool();
        case json::kind::int64:
            return what.get_int64();
        case json::kind::uint64:
            return from_unsigned(what.get_uint64());
        case json::kind::double_:
            return what.get_double();
        case json::kind::string:
            return std::string(what.get_string());
        case json::kind::array:
            return from_array(what.get_array());
        case json::kind::object:
            return from_object(what.get_object());
    }
    return {};
}

}  // namespace muster::gateway
