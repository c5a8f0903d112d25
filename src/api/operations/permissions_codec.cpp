#include "api/operations/permissions_codec.h"

#include <boost/json.hpp>

#include <vector>

namespace muster::api {
namespace {

namespace json = boost::json;

}  // namespace

std::string encode_rights(const access::permissions& may, const access::zone_parents& tree) {
    json::object all;
    for (const auto all_right : access::all_rights()) {
        if (!may.anywhere(all_right)) continue;
        json::array zones;
        if (may.everywhere(all_right)) {
            zones.emplace_back("");
        } else {
            for (const auto& zone : may.zones(all_right, tree)) zones.emplace_back(zone);
        }
        all.emplace(access::to_string(all_right), std::move(zones));
    }
    return json::serialize(all);
}

// Each right is made a role of its own.
result<access::permissions> decode_rights(std::string_view text) {
    const auto wrong = [] {
        return fail(errc::corrupt, "what somebody may do cannot be read");
    };
    json::error_code failure;
    const auto parsed = json::parse(json::string_view(text.data(), text.size()), failure);
    if (failure || !parsed.is_object()) return wrong();
    access::roles meanings;
    std::vector<access::grant> grants;
    for (const auto& each : parsed.get_object()) {
        const std::string name(each.key());
        const auto right = access::parse_right(name);
        if (!each.value().is_array()) return wrong();
        if (!right) continue;  // of a newer server: here it allows nothing
        meanings[name] = {*right};
        for (const auto& zone : each.value().get_array()) {
            if (!zone.is_string()) return wrong();
            grants.push_back({.role = name, .zone = std::string(zone.get_string())});
        }
    }
    return access::permissions(grants, meanings);
}

}  // namespace muster::api
