#pragma once

#include "api/xmlrpc/calls/method.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::xmlrpc_api {

// Helpers that declare methods.

// Methods of one namespace that need the same rights in the same places.
struct method_defaults {
    std::string_view prefix = {};  // "systemgroup."
    access::right read_right = access::right::fleet_read;
    access::right change_right = access::right::systems_change;
    api::scope read_scope = api::scope::filtered;
    api::scope change_scope = api::scope::cluster;

    api::operation read_method(
        std::string name,
        std::string summary,
        std::vector<api::parameter> parameters,
        api::shape response) const;
    api::operation change_method(
        std::string name,
        std::string summary,
        std::vector<api::parameter> parameters,
        api::shape response = api::integer(1, 1)) const;
};

// A read method; limited to the systems that the caller may see.
api::operation read_method(
    std::string name,
    std::string summary,
    std::vector<api::parameter> parameters,
    api::shape response);
// A read method that is called by POST.
api::operation read_by_post(api::operation operation);

// A change; needs its right in the whole cluster, unless its scope is narrowed.
api::operation change_method(
    std::string name,
    std::string summary,
    std::vector<api::parameter> parameters,
    access::right required_right,
    api::shape response = api::integer(1, 1));
// A change of the systems that the caller may change.
api::operation systems_change_method(
    std::string name,
    std::string summary,
    std::vector<api::parameter> parameters,
    api::shape response = api::integer(1, 1));

api::parameter system_parameter();
inline constexpr std::int64_t systems_of_call_max = 10'000;
api::parameter systems_parameter();
// Some clients send 0 and 1 for a flag.
api::shape flag_or_number();
bool read_flag(const call& call, std::string_view name);
api::parameter labels_parameter(std::string name);
inline constexpr std::int64_t labels_max = 1'000;
std::vector<std::string> read_labels(const call& call, std::string_view name);

// Reads a struct argument whose members are all optional. Ignores unknown members: clients send
// back the structs that they received.
api::shape struct_shape();
class struct_reader {
public:
    struct_reader(const call& call, std::string_view argument);

    std::optional<std::string> text(std::string_view name);
    // Also accepts a number, as its digits.
    std::optional<std::string> text_or_digits(std::string_view name);
    std::optional<std::int64_t> integer(std::string_view name);
    std::optional<bool> flag(std::string_view name);

    // errc::invalid names the first member of a wrong type.
    result<void> finish() const;

private:
    const api::value* find(std::string_view name) const;
    void set_error(std::string_view name, std::string_view expected);

    const api::value* argument_;
    std::string error_;
};

}  // namespace muster::xmlrpc_api
