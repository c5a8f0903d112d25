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

}  // namespace

json::value to_json(const value& what) {
    return what.visit(json_writer());
}

}  // namespace muster::api
