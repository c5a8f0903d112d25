#include "apps/muster/cli/rights_table.h"

#include "core/access/right.h"

#include <boost/json.hpp>

namespace muster::cli {

namespace json = boost::json;

std::vector<std::string> right_names() {
    std::vector<std::string> names;
    for (const auto right : access::all_rights()) names.emplace_back(access::to_string(right));
    return names;
}

json::array all_rights_json() {
    json::array rows;
    for (const auto right : access::all_rights()) {
        json::array roles;
        for (const auto& [name, rights] : access::built_in_roles()) {
            if (rights.contains(right)) roles.emplace_back(name);
        }
        rows.push_back(
            json::object{{"right", std::string(access::to_string(right))}, {"roles", roles}});
    }
    return rows;
}

}  // namespace muster::cli
