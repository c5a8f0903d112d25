#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace muster::access {

// A right of a user. Each operation of the API requires one right.
enum class right {
    none,  // open to anybody
    self,  // whoever is logged in
    fleet_read,
    keys_decide,
    systems_change,
    jobs_read,
    jobs_run,
    windows_change,
    windows_override,
    groups_change,
    schedules_change,
    events_read,
    webhooks_change,
    topology_read,
    topology_change,
    people_read,
    people_change,
    audit_read,
    common_edit,
    common_apply,
};

std::string_view to_string(right right);  // "jobs.run"
std::optional<right> parse_right(std::string_view text);
std::vector<right> all_rights();  // that can be given: none and self cannot

using rights = std::set<right>;

// admin, operator, viewer, auditor: always there. Others are made of rights by admins.
const std::map<std::string, rights, std::less<>>& built_in_roles();

// A role, in a zone and all zones below it; an empty zone is the whole cluster.
struct grant {
    std::string role;
    std::string zone;

    friend auto operator<=>(const grant&, const grant&) = default;
};

using roles = std::map<std::string, rights, std::less<>>;
using zone_parents = std::map<std::string, std::string, std::less<>>;  // root zones have ""

// Whether `zone` is `above` or lies below it. A loop in the tree is not followed.
bool lies_within(std::string_view zone, std::string_view above, const zone_parents& tree);

// What one user may do where.
class permissions {
public:
    permissions() = default;
    permissions(const std::vector<grant>& grants, const roles& roles);

    // In the whole cluster.
    bool everywhere(right value) const;
    bool in(std::string_view zone, right right, const zone_parents& tree) const;
    // In some zone at least.
    bool anywhere(right right) const;
    // The zones of the tree where this holds.
    std::set<std::string> zones(right right, const zone_parents& tree) const;

    // True if these permissions include all of `other`; users can grant only what they hold.
    bool covers(const permissions& other, const zone_parents& tree) const;
    // What both allow, each where both do.
    permissions within(const permissions& limit, const zone_parents& tree) const;
    // Of these rights only.
    permissions only(const rights& allowed) const;

    friend bool operator==(const permissions&, const permissions&) = default;

private:
    std::map<right, std::set<std::string, std::less<>>> by_right_;  // zones; "" is all
};

}  // namespace muster::access
