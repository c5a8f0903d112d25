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

std::string_view to_string(scope within) {
    switch (within) {
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

std::string_view to_string(span over) {
    switch (over) {
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

std::string_view to_string(sharing what) {
    switch (what) {
        case sharing::own:
            return "own";
        case sharing::draft:
            return "draft";
        case sharing::common:
            break;
    }
    return "common";
}

parameter in_path(std::string name, shape of) {
    return {.name = std::move(name), .in = place::path, .of = std::move(of), .required = true};
}

parameter in_query(std::string name, shape of) {
    return {.name = std::move(name), .in = place::query, .of = std::move(of), .required = false};
}

parameter in_body(std::string name, shape of) {
    return {.name = std::move(name), .in = place::body, .of = std::move(of), .required = true};
}

parameter optional_in_body(std::string name, shape of) {
    return {.name = std::move(name), .in = place::body, .of = std::move(of), .required = false};
}

parameter secret_in_body(std::string name, shape of) {
    auto result = optional_in_body(std::move(name), std::move(of));
    result.secret = true;
    return result;
}

std::string_view operation::noun() const {
    return std::string_view(name).substr(0, name.find('.'));
}

std::optional<std::string> system_named_in(const value& arguments) {
    for (const auto* const name : {"system", "sid", "serverId", "sids", "systems", "serverIds"}) {
        const auto* input = arguments.find(name);
        if (input == nullptr) continue;
        if (const auto* const several = input->get<value::list>()) {
            if (several->size() != 1) continue;
            input = &several->front();
        }
        if (const auto* const text = input->get<std::string>()) return *text;
        if (const auto* const number = input->get<std::int64_t>()) return std::to_string(*number);
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
    for (const auto& take : operation.takes)
        members.push_back({.name = take.name, .of = take.of, .required = take.required});
    return check(arguments, record_of(std::move(members)), "");
}

namespace {

std::vector<std::string> captures_of(std::string_view path) {
    std::vector<std::string> matches;
    for (auto at = path.find('{'); at != std::string_view::npos; at = path.find('{', at + 1))
        matches.emplace_back(path.substr(at + 1, path.find('}', at) - at - 1));
    return matches;
}

bool gives(const operation& operation, std::string_view member) {
    return operation.gives.what() == shape::kind::record
           && std::ranges::any_of(operation.gives.members(), [&](const shape_member& shape_member) {
                  return shape_member.name == member;
              });
}

}  // namespace

result<void> check_declaration(const operation& operation) {
    const auto wrong = [&](const std::string& why) {
        return fail(errc::invalid, operation.name + ": " + why);
    };
    if (operation.name.find('.') == std::string::npos) return wrong("a name is `noun.verb`");
    if (operation.summary.empty()) return wrong("says nothing of itself");
    if (!operation.path.starts_with('/')) return wrong("a path starts with /");
    if (operation.spans == span::merged && !gives(operation, "failed"))
        return wrong("many are asked, and none that fails is named: give `failed`");
    std::vector<std::string> in_paths;
    std::vector<std::string> names;
    for (const auto& take : operation.takes) {
        if (take.in == place::path) in_paths.push_back(take.name);
        if (take.in == place::body && operation.method == verb::get)
            return wrong("GET has no body, but `" + take.name + "` stands there");
        names.push_back(take.name);
    }
    auto captures = captures_of(operation.path);
    std::ranges::sort(captures);
    std::ranges::sort(in_paths);
    if (captures != in_paths) return wrong("path and parameters differ");
    std::ranges::sort(names);
    if (std::ranges::adjacent_find(names) != names.end()) return wrong("a parameter twice");
    return {};
}

}  // namespace muster::api
