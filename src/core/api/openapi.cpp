#include "core/api/operation.h"

#include <algorithm>
#include <map>

namespace muster::api {
namespace {

using record = value::record;
using list = value::list;

std::string lower(std::string_view text) {
    std::string made(text);
    std::ranges::transform(made, made.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return made;
}

value parameters_of(const operation& what) {
    list made;
    for (const auto& each : what.takes) {
        if (each.in == place::body) continue;
        record one{
            {"name", each.name},
            {"in", each.in == place::path ? "path" : "query"},
            {"required", each.required},
            {"schema", schema_of(each.of)}};
        if (!each.of.about().empty()) one.push_back({"description", each.of.about()});
        made.emplace_back(std::move(one));
    }
    if (takes_request_key(what))
        made.emplace_back(record{
            {"name", "Idempotency-Key"},
            {"in", "header"},
            {"required", false},
            {"schema", schema_of(text(request_key_bytes_max))},
            {"description", "of your choice: sent again with it, this is not done again"}});
    return made;
}

std::vector<shape_member> body_members(const operation& what) {
    std::vector<shape_member> members;
    for (const auto& each : what.takes) {
        if (each.in != place::body) continue;
        // What need not be there may as well be said to be nothing.
        auto of = each.required ? each.of : shape(each.of).or_nothing();
        members.push_back({.name = each.name, .of = std::move(of), .required = each.required});
    }
    return members;
}

value content(std::string media, value schema) {
    return record{{std::move(media), record{{"schema", std::move(schema)}}}};
}

value problem_response(std::string text) {
    return record{
        {"description", std::move(text)},
        {"content",
         content("application/problem+json", record{{"$ref", "#/components/schemas/problem"}})}};
}

value responses_of(const operation& what) {
    record good{{"description", what.summary}};
    if (what.streams) {
        good.push_back({"content", content("text/event-stream", record{{"type", "string"}})});
    } else if (what.status != 204) {
        good.push_back({"content", content("application/json", schema_of(what.gives))});
    }
    record made{{std::to_string(what.status), std::move(good)}};
    made.push_back({"400", problem_response("An argument is wrong; the detail names it")});
    made.push_back({"401", problem_response("Nobody is logged in, or nobody is let in")});
    if (what.needed != access::right::none)
        made.push_back({"403", problem_response("The right is missing")});
    made.push_back({"404", problem_response("What was named does not exist")});
    made.push_back({"409", problem_response("The world is not as the caller thought")});
    if (what.method != verb::get)
        made.push_back({"413", problem_response("The body is larger than this operation takes")});
    made.push_back({"429", problem_response("Too often; Retry-After says when again")});
    made.push_back({"431", problem_response("The header, or the address, is too large")});
    made.push_back({"503", problem_response("An engine does not answer; Retry-After says when")});
    return made;
}

value operation_object(const operation& what) {
    record made{
        {"operationId", what.name},
        {"summary", what.summary},
        {"tags", list{std::string(what.noun())}},
        {"parameters", parameters_of(what)}};
    if (auto members = body_members(what); !members.empty()) {
        const bool needed =
            std::ranges::any_of(members, [](const auto& each) { return each.required; });
        made.push_back(
            {"requestBody",
             record{
                 {"required", needed},
                 {"content",
                  content("application/json", schema_of(record_of(std::move(members))))}}});
    }
    made.push_back({"responses", responses_of(what)});
    if (what.needed == access::right::none) {
        made.push_back({"security", list{}});
    } else {
        made.push_back({"x-muster-right", to_string(what.needed)});
        made.push_back({"x-muster-scope", to_string(what.within)});
        made.push_back({"x-muster-spans", to_string(what.spans)});
        if (what.shares != sharing::own)
            made.push_back({"x-muster-common", to_string(what.shares)});
    }
    return made;
}

value problem_schema() {
    const auto text = [] {
        return record{{"type", "string"}};
    };
    return record{
        {"type", "object"},
        {"properties",
         record{
             {"type", text()},
             {"title", text()},
             {"status", record{{"type", "integer"}}},
             {"detail", text()}}}};
}

value components() {
    return record{
        {"schemas", record{{"problem", problem_schema()}}},
        {"securitySchemes", record{{"token", record{{"type", "http"}, {"scheme", "bearer"}}}}}};
}

}  // namespace

value openapi(const std::vector<operation>& all, const about& what) {
    std::map<std::string, record> paths;
    for (const auto& each : all)
        paths[each.path].push_back({lower(to_string(each.method)), operation_object(each)});
    record by_path;
    for (auto& [path, operations] : paths) by_path.push_back({path, std::move(operations)});
    return record{
        {"openapi", "3.1.0"},
        {"info",
         record{
             {"title", what.title}, {"version", what.version}, {"description", what.description}}},
        {"security", list{record{{"token", list{}}}}},
        {"paths", std::move(by_path)},
        {"components", components()}};
}

}  // namespace muster::api
