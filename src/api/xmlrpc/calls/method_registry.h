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

// All methods of the compatible API, each way to call one declared once. What is checked before one
// is done, and what is written down of it, is the registry's.
class method_registry {
public:
    explicit method_registry(const api::registry& checks) : checks_(checks) {}

    // Refuses a declaration that contradicts itself, and one that no call could tell from another.
    result<void> add(method what);

    using overloads = std::vector<const method*>;
    const std::map<std::string, overloads, std::less<>>& all() const { return by_name_; }

    // The one that is meant by a name, whose last part may be in snake_case, and by arguments, the
    // session's key among them: first by how many they are, then by their types. errc::not_found.
    result<const method*> choose(
        std::string_view name, std::span<const api::value> arguments) const;

    // Whether these, without the session's key, are of the types that a method takes.
    static bool takes(const method& method, std::span<const api::value> arguments);

    // `arguments` without the session's key, in the order in which the method takes them.
    static api::value named(const method& method, std::span<const api::value> arguments);

    // `which` must be one of this book. A call with an editing session is answered with the change
    // that it became.
    async<answer> perform(const method& method, call request) const;

    // By the whole name, with arguments by their names as JSON has them: how drafts and other
    // servers tell a method. The book must outlive the work.
    std::optional<api::found_operation> find_named(
        std::string_view name, const api::value& arguments) const;

private:
    const overloads* find(std::string_view name) const;
    result<void> check_kept_whole(const method& method, const api::value& arguments) const;

    const api::registry& checks_;
    std::deque<method> methods_;
    std::map<std::string, overloads, std::less<>> by_name_;
};

}  // namespace muster::xmlrpc_api
