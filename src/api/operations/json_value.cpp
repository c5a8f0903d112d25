#include "api/operations/json_value.h"

#include "adapters/pki/base64.h"
#include "base/iso_time.h"

#include <boost/json.hpp>

#include <string>
#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;
using api::value;

struct json_writer {
    json::value operator()(value::nothing /*nothing*/) const { return nullptr; }
    json::value operator()(bool value) const { return value; }
    json::value operator()(std::int64_t value) const { return value; }
    json::value operator()(double value) const { return value; }
    json::value operator()(const std::string& text) const { return json::string(text); }
    json::value operator()(wall_time moment) const { return json::string(iso_time(moment)); }
    json::value operator()(const value::bytes& bytes) const {
        return json::string(pki::to_base64(bytes.content));
    }
    json::value operator()(const value::list& items) const {
        json::array result;
        result.reserve(items.size());
        for (const auto& item : items) result.push_back(to_json(item));
        return result;
    }
    json::value operator()(const value::record& members) const {
        json::object result;
        result.reserve(members.size());
        for (const auto& member : members) result.insert_or_assign(member.name, to_json(member.of));
        return result;
    }
};

}  // namespace

json::value to_json(const value& value) {
    return value.visit(json_writer());
}

}  // namespace muster::api
