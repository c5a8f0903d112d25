#pragma once

#include "api/xmlrpc/calls/method.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::xmlrpc_api {

// What most declarations of methods have in common.

// Methods of one namespace that need the same rights in the same places.
struct method_defaults {
    std::string_view prefix = {};  // "systemgroup."
    access::right reads = access::right::fleet_read;
    access::right changes = access::right::systems_change;
    api::scope reads_within = api::scope::filtered;
    api::scope changes_within = api::scope::cluster;

    api::operation reading(
        std::string name,
        std::string summary,
        std::vector<api::parameter> takes,
        api::shape gives) const;
    api::operation changing(
        std::string name,
        std::string summary,
        std::vector<api::parameter> takes,
        api::shape gives = api::integer(1, 1)) const;
};

// A reading of what the caller may see of the fleet.
api::operation asking(
    std::string name, std::string summary, std::vector<api::parameter> takes, api::shape gives);
// A reading that is called as changes are: by POST.
api::operation asking_by_post(api::operation operation);

// A change; needs its right in the whole cluster, unless it is narrowed.
api::operation changing(
    std::string name,
    std::string summary,
    std::vector<api::parameter> takes,
    access::right needed,
    api::shape gives = api::integer(1, 1));
// A change of systems where the caller may.
api::operation changing_systems(
    std::string name,
    std::string summary,
    std::vector<api::parameter> takes,
    api::shape gives = api::integer(1, 1));

api::parameter one_system();
inline constexpr std::int64_t systems_of_call_max = 10'000;
api::parameter some_systems();
// Some clients send 0 and 1 where a flag is meant.
api::shape flag_or_number();
bool flag_in(const call& call, std::string_view name);
api::parameter labels(std::string name);
inline constexpr std::int64_t labels_max = 1'000;
std::vector<std::string> labels_in(const call& call, std::string_view name);

// A struct whose members are all optional, read one by one. Members that are not known are left
// alone: clients send back what they were given.
api::shape some_struct();
class struct_reader {
public:
    struct_reader(const call& call, std::string_view argument);

    std::optional<std::string> text(std::string_view name);
    // Also a number, in its digits.
    std::optional<std::string> text_or_digits(std::string_view name);
    std::optional<std::int64_t> integer(std::string_view name);
    std::optional<bool> flag(std::string_view name);

    // errc::invalid with the first member of another type.
    result<void> finish() const;

private:
    const api::value* find(std::string_view name) const;
    void refuse(std::string_view name, std::string_view desired);

    const api::value* given_;
    std::string wrong_;
};

}  // namespace muster::xmlrpc_api
