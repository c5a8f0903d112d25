#pragma once

#include "api/operations/operation_lookup.h"
#include "api/xmlrpc/calls/method.h"

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::xmlrpc_api {

// All methods of the compatible API with their overloads. Selects the overload of a call and runs
// it through the operation registry, which checks and audits it.
class method_registry {
public:
    explicit method_registry(const api::registry& operations) : operations_(operations) {}

    // Fails for an invalid declaration and for an overload that no call can tell from another.
    result<void> add(method method);

    using overloads = std::vector<const method*>;
    const std::map<std::string, overloads, std::less<>>& all() const { return by_name_; }

    // Returns the overload for a name, whose last part may be in snake_case, and arguments
    // including the session key: first by their number, then by their types. errc::not_found.
    result<const method*> choose(
        std::string_view name, std::span<const api::value> arguments) const;

    // Whether the types of `arguments`, without the session key, match the parameters of a method.
    static bool accepts(const method& method, std::span<const api::value> arguments);

    // Returns `arguments`, without the session key, as a record by parameter names.
    static api::value name_arguments(const method& method, std::span<const api::value> arguments);

    // `method` must be in this registry. A call with an edit session returns the change that it
    // adds to the draft.
    async<method_response> perform(const method& method, call request) const;

    // Finds a method by its full name and its arguments as a JSON-like record. Drafts and other
    // servers refer to methods so. The registry must outlive the result.
    std::optional<api::resolved_operation> find_operation(
        std::string_view name, const api::value& arguments) const;

private:
    const overloads* find(std::string_view name) const;
    result<void> check_storable(const method& method, const api::value& arguments) const;

    const api::registry& operations_;
    std::deque<method> methods_;
    std::map<std::string, overloads, std::less<>> by_name_;
};

}  // namespace muster::xmlrpc_api
