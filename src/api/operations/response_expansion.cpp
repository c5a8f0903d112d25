#include "api/operations/response_expansion.h"

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace muster::api {
namespace {

namespace json = boost::json;
using api::value;

constexpr std::size_t expanded_max = 8;

// The last segment of the sub-resource's path.
std::string link_name(const registry::entry& sub_resource) {
    return sub_resource.operation.path.substr(sub_resource.operation.path.rfind('/') + 1);
}

const registry::entry* find(const registry::entry& object, std::string_view name) {
    const auto it = std::ranges::find_if(
        object.related, [&](const registry::entry* entry) { return link_name(*entry) == name; });
    return it == object.related.end() ? nullptr : *it;
}

std::vector<std::string> split_names(std::string_view list) {
    std::vector<std::string> names;
    while (!list.empty()) {
        const auto end = std::min(list.find(','), list.size());
        names.emplace_back(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return names;
}

}  // namespace

value path_arguments(const api::operation& operation, const value& arguments) {
    value::record record;
    for (const auto& parameter : operation.takes) {
        const auto* argument = arguments.find(parameter.name);
        if (parameter.in == api::place::path && argument != nullptr)
            record.push_back({parameter.name, *argument});
    }
    return value(std::move(record));
}

async<reply> expand_response(const registry& operations, read_call read, reply reply) {
    if (read.entry.related.empty() || !reply.content.is_object()) co_return reply;
    auto& object = reply.content.get_object();
    json::object links;
    for (const auto* sub_resource : read.entry.related) {
        const auto name = link_name(*sub_resource);
        links.emplace(name, read.path + "/" + name);
    }
    object.insert_or_assign("links", std::move(links));
    const auto* expand = read.arguments.find(expand_parameter);
    if (expand == nullptr) co_return reply;
    const auto names = split_names(*expand->get<std::string>());
    if (names.size() > expanded_max)
        co_return fail(
            errc::invalid, fmt::format("`expand` accepts at most {} links", expanded_max));
    json::object expanded;
    for (const auto& name : names) {
        const auto* sub_resource = find(read.entry, name);
        if (sub_resource == nullptr)
            co_return fail(errc::invalid, fmt::format("`expand`: link \"{}\" not found", name));
        call call(
            sub_resource->operation,
            read.caller,
            path_arguments(sub_resource->operation, read.arguments));
        CO_TRY(auto response, co_await operations.perform(*sub_resource, std::move(call)));
        expanded.insert_or_assign(name, std::move(response.content));
    }
    object.insert_or_assign("expanded", std::move(expanded));
    co_return reply;
}

}  // namespace muster::api
