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

// Gives a long list piece by piece; an empty piece is its end.
using item_source = std::function<async<api::value::list>()>;

struct answer {
    api::value content;
    item_source items = nullptr;  // instead of the content
    // Of one that tells who is attached: the nodes of whom that is not known.
    std::vector<std::string> missing_nodes = {};
};

using method_body = std::function<async<answer>(call)>;

// A method of `who`, which must outlive the book.
template <class Methods>
method_body done_by(Methods* methods, async<answer> (Methods::*method)(call)) {
    return [methods, method](call call) {
        return (methods->*method)(std::move(call));
    };
}

// What a client of the compatible API is told when something fails.
struct fault {
    std::int64_t code = -1;
    std::string text;
};

inline constexpr std::int64_t fault_of_arguments = 2801;

// The codes of a method's failures, by what kind of failure it is.
struct fault_codes {
    std::int64_t not_found = -1;
    std::int64_t conflict = -1;
    std::int64_t invalid = fault_of_arguments;
    std::int64_t denied = -1;
};

fault fault_of(const error& failure, const fault_codes& codes);

// One way to call a method; several of the same name differ in how many arguments they take, or of
// which types. The order of what it takes is that of the arguments; the session's key, which stands
// before them wherever a right is needed, is not among them.
struct method {
    api::operation what;  // named as clients call it: "system.listSystems"
    method_body does;
    fault_codes faults = {};

    bool takes_session() const { return what.needed != access::right::none; }
    // Whether a client's editing session is meant for it. Those who edit say so with every call;
    // what they read, and how they come and go, is none of their changes.
    bool takes_edit() const {
        return what.changes() && takes_session() && what.needed != access::right::self;
    }
};

// What a method takes; where it stands in a request is no matter of the method.
api::parameter argument(std::string name, api::shape of);

// A system's number, as clients send it.
api::shape system_id();

// Whether a struct that is an argument has none but these members. errc::invalid names the first.
result<void> check_members(
    const call& call, std::string_view argument, std::initializer_list<std::string_view> existing);

// What clients call a type: "int", "array".
std::string type_name(const api::shape& of);

}  // namespace muster::xmlrpc_api
