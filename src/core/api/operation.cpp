#include "core/api/operation.h"

#include <algorithm>

namespace muster::api {

std::string_view to_string(verb method) {
    switch (method) {
        case verb::get:
            return "GET";
        case verb::put:
            return "PUT";
        case verb::post:
            return "POST";
        case verb::patch:
            return "PATCH";
        case verb::remove:
            break;
    }
    return "DELETE";
}

std::string_view to_string(scope value) {
    switch (value) {
        case scope::cluster:
            return "cluster";
        case scope::zone:
            return "zone";
        case scope::system:
            return "system";
        case scope::node:
            return "node";
        case scope::filtered:
            break;
    }
    return "filtered";
}

std::string_view to_string(span value) {
    switch (value) {
        case span::local:
            return "local";
        case span::by_system:
            return "by-system";
        case span::merged:
            return "merged";
        case span::leader:
            return "leader";
        case span::all:
            break;
    }
    return "all";
}

std::string_view to_string(sharing value) {
    switch (value) {
        case sharing::own:
            return "own";
        case sharing::draft:
            return "draft";
        case sharing::common:
            break;
    }
    return "common";
}

parameter in_path(std::string name, shape schema) {
    return {.name = std::move(name), .in = place::path, .of = std::move(schema), .required = true};
}

parameter in_query(std::string name, shape schema) {
    return {
        .name = std::move(name), .in = place::query, .of = std::move(schema), .required = false};
}

parameter in_body(std::string name, shape schema) {
    return {.name = std::move(name), .in = place::body, .of = std::move(schema), .required = true};
}

parameter optional_in_body(std::string name, shape schema) {
    return {.name = std::move(name), .in = place::body, .of = std::move(schema), .required = false};
}

parameter secret_in_body(std::string name, shape schema) {
    auto result = optional_in_body(std::move(name), std::move(schema));
    result.secret = true;
    return result;
}

std::string_view operation::noun() const {
    return std::string_view(name).substr(0, name.find('.'));
}

std::optional<std::string> system_named_in(const value& arguments) {
    for (const auto* const name : {"system", "sid", "serverId", "sids", "systems", "serverIds"}) {
        const auto* argument = arguments.find(name);
        if (argument == nullptr) continue;
        if (const auto* const items = argument->get<value::list>()) {
            if (items->size() != 1) continue;
            argument = &items->front();
        }
        if (const auto* const text = argument->get<std::string>()) return *text;
        if (const auto* const number = argument->get<std::int64_t>())
            return std::to_string(*number);
    }
    return std::nullopt;
}

bool takes_request_key(const operation& operation) {
    return operation.method == verb::post && operation.changes()
           && operation.needed != access::right::none;
}

result<void> check_arguments(const operation& operation, const value& arguments) {
    std::vector<shape_member> members;
    members.reserve(operation.takes.size());
    for (const auto& parameter : operation.takes)
        members.push_back(
            {.name = parameter.name, .of = parameter.of, .required = parameter.required});
    return check(arguments, record_of(std::move(members)), "");
}

namespace {

std::vector<std::string> captures_of(std::string_view path) {
    std::vector<std::string> names;
    for (auto position = path.find('{'); position != std::string_view::npos;
         position = path.find('{', position + 1))
        names.emplace_back(path.substr(position + 1, path.find('}', position) - position - 1));
    return names;
}

bool has_response_member(const operation& operation, std::string_view member) {
    return operation.gives.what() == shape::kind::record
           && std::ranges::any_of(operation.gives.members(), [&](const shape_member& candidate) {
                  return candidate.name == member;
              });
}

}  // namespace

result<void> check_declaration(const operation& operation) {
    const auto invalid = [&](const std::string& problem) {
        return fail(errc::invalid, operation.name + ": " + problem);
    };
    if (operation.name.find('.') == std::string::npos) return invalid("name must be `noun.verb`");
    if (operation.summary.empty()) return invalid("summary is empty");
    if (!operation.path.starts_with('/')) return invalid("path must start with /");
    if (operation.spans == span::merged && !has_response_member(operation, "failed"))
        return invalid("merged operation must return `failed`");
    std::vector<std::string> in_paths;
    std::vector<std::string> names;
    for (const auto& parameter : operation.takes) {
        if (parameter.in == place::path) in_paths.push_back(parameter.name);
        if (parameter.in == place::body && operation.method == verb::get)
            return invalid("GET cannot have the body parameter `" + parameter.name + "`");
        names.push_back(parameter.name);
    }
    auto captures = captures_of(operation.path);
    std::ranges::sort(captures);
    std::ranges::sort(in_paths);
    if (captures != in_paths) return invalid("path and parameters differ");
    std::ranges::sort(names);
    if (std::ranges::adjacent_find(names) != names.end()) return invalid("duplicate parameter");
    return {};
}

}  // namespace muster::api
