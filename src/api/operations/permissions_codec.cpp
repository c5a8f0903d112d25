#include "api/operations/permissions_codec.h"

#include <boost/json.hpp>

#include <vector>

namespace muster::api {
namespace {

namespace json = boost::json;

}  // namespace

std::string encode_rights(
    const access::permissions& permissions, const access::zone_parents& tree) {
    json::object rights;
    for (const auto right : access::all_rights()) {
        if (!permissions.anywhere(right)) continue;
        json::array zones;
        if (permissions.everywhere(right)) {
            zones.emplace_back("");
        } else {
            for (const auto& zone : permissions.zones(right, tree)) zones.emplace_back(zone);
        }
        rights.emplace(access::to_string(right), std::move(zones));
    }
    return json::serialize(rights);
}

// Builds one role for each right.
result<access::permissions> decode_rights(std::string_view text) {
    const auto unreadable = [] {
        return fail(errc::corrupt, "encoded rights are invalid");
    };
    json::error_code failure;
    const auto parsed = json::parse(json::string_view(text.data(), text.size()), failure);
    if (failure || !parsed.is_object()) return unreadable();
    access::roles roles;
    std::vector<access::grant> grants;
    for (const auto& member : parsed.get_object()) {
        const std::string name(member.key());
        const auto right = access::parse_right(name);
        if (!member.value().is_array()) return unreadable();
        if (!right) continue;  // of a newer server: ignored
        roles[name] = {*right};
        for (const auto& zone : member.value().get_array()) {
            if (!zone.is_string()) return unreadable();
            grants.push_back({.role = name, .zone = std::string(zone.get_string())});
        }
    }
    return access::permissions(grants, roles);
}

}  // namespace muster::api
