#pragma once

#include "api/operations/call.h"
#include "core/api/operation.h"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::xmlrpc_api {

using api::call;

// Returns a long list page by page; an empty page is the end.
using item_source = std::function<async<api::value::list>()>;

struct method_response {
    api::value content;
    item_source items = nullptr;  // instead of the content
    // Nodes whose presence is unknown, for methods that report presence.
    std::vector<std::string> missing_nodes = {};
};

using method_body = std::function<async<method_response>(call)>;

// Binds a member function as the body of a method. `methods` must outlive the registry.
template <class Methods>
method_body handler(Methods* methods, async<method_response> (Methods::*method)(call)) {
    return [methods, method](call call) {
        return (methods->*method)(std::move(call));
    };
}

// The error that a client of the compatible API receives.
struct fault {
    std::int64_t code = -1;
    std::string text;
};

inline constexpr std::int64_t invalid_arguments_fault = 2801;

// The fault codes of a method by kind of error.
struct fault_codes {
    std::int64_t not_found = -1;
    std::int64_t conflict = -1;
    std::int64_t invalid = invalid_arguments_fault;
    std::int64_t denied = -1;
};

fault to_fault(const error& failure, const fault_codes& codes);

// One overload of a method; overloads differ in the number or types of their arguments. The
// parameters are in the order of the arguments. The session key, which precedes them if a right is
// needed, is not one of them.
struct method {
    api::operation operation;  // named as clients call it: "system.listSystems"
    method_body body;
    fault_codes faults = {};

    bool takes_session() const { return operation.needed != access::right::none; }
    // Whether the method accepts an edit session: only changes of data do. Clients send their edit
    // session with every call.
    bool takes_edit() const {
        return operation.changes() && takes_session() && operation.needed != access::right::self;
    }
};

// A required parameter of a method.
api::parameter argument(std::string name, api::shape shape);

// The shape of a system number.
api::shape system_id();

// Checks that a struct argument has only the members of `allowed`. errc::invalid names the first
// other member.
result<void> check_members(
    const call& call, std::string_view argument, std::initializer_list<std::string_view> allowed);

// The XML-RPC name of a type: "int", "array".
std::string type_name(const api::shape& shape);

}  // namespace muster::xmlrpc_api
