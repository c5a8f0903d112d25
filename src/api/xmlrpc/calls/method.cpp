#include "api/xmlrpc/calls/method.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::xmlrpc_api {

fault to_fault(const error& failure, const fault_codes& codes) {
    switch (failure.code()) {
        case errc::not_found:
            return {codes.not_found, failure.detail()};
        case errc::conflict:
            return {codes.conflict, failure.detail()};
        case errc::invalid:
            return {codes.invalid, failure.detail()};
        case errc::denied:
            return {codes.denied, failure.detail()};
        case errc::unavailable:
        case errc::timed_out:
        case errc::cancelled:
        case errc::corrupt:
            break;
    }
    return {-1, failure.detail()};
}

api::parameter argument(std::string name, api::shape shape) {
    return {
        .name = std::move(name), .in = api::place::body, .of = std::move(shape), .required = true};
}

api::shape system_id() {
    return api::integer(1, UINT32_MAX);
}

result<void> check_members(
    const call& call, std::string_view argument, std::initializer_list<std::string_view> allowed) {
    const auto* const value = call.arguments().find(argument);
    const auto* const members = value == nullptr ? nullptr : value->get<api::value::record>();
    if (members == nullptr) return {};
    for (const auto& member : *members) {
        if (std::ranges::find(allowed, member.name) == allowed.end())
            return fail(
                errc::invalid, fmt::format("`{}` has no member `{}`", argument, member.name));
    }
    return {};
}

std::string type_name(const api::shape& shape) {
    using kind = api::shape::kind;
    switch (shape.what()) {
        case kind::flag:
            return "boolean";
        case kind::integer:
            return "int";
        case kind::number:
            return "double";
        case kind::time:
            return "dateTime.iso8601";
        case kind::bytes:
            return "base64";
        case kind::list:
            return "array";
        case kind::map:
        case kind::record:
            return "struct";
        case kind::text:
        case kind::anything:
            break;
    }
    return "string";
}

}  // namespace muster::xmlrpc_api
