#include "core/api/operation.h"

#include <algorithm>
#include <map>

namespace muster::api {
namespace {

using record = value::record;
using list = value::list;

std::string lower(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return result;
}

// Facts about an operation that follow from other operations: whether another operation reads the
// record that this one changes, so that If-Match applies.
struct operation_context {
    bool has_record = false;
};

bool reads_record(const operation& operation, std::string_view path) {
    return operation.method == verb::get && !operation.streams && operation.path == path;
}

// The record at the path of the change, or right above it.
operation_context find_context(const operation& change, const std::vector<operation>& all) {
    std::string_view path = change.path;
    if (!path.ends_with('}')) path = path.substr(0, path.rfind('/'));
    const bool has_name = change.changes() && path.ends_with('}');
    return {.has_record = has_name && std::ranges::any_of(all, [&](const operation& operation) {
                              return reads_record(operation, path);
                          })};
}

value header(std::string name, std::string description) {
    return record{
        {"name", std::move(name)},
        {"in", "header"},
        {"required", false},
        {"schema", schema_of(text(header_bytes_max))},
        {"description", std::move(description)}};
}

value parameters_of(const operation& operation, const operation_context& context) {
    list list;
    for (const auto& parameter : operation.takes) {
        if (parameter.in == place::body) continue;
        record entry{
            {"name", parameter.name},
            {"in", parameter.in == place::path ? "path" : "query"},
            {"required", parameter.required},
            {"schema", schema_of(parameter.of)}};
        if (!parameter.of.about().empty()) entry.push_back({"description", parameter.of.about()});
        list.emplace_back(std::move(entry));
    }
    if (takes_request_key(operation))
        list.emplace_back(record{
            {"name", "Idempotency-Key"},
            {"in", "header"},
            {"required", false},
            {"schema", schema_of(text(request_key_bytes_max))},
            {"description",
             "Unique key of the request; a repeated request with the same key is not run again"}});
    if (context.has_record)
        list.push_back(header(
            "If-Match",
            "ETag or version of the record; if the record has changed, the response is 412"));
    if (operation.changes() && operation.shares != sharing::own)
        list.push_back(header("Muster-Edit", "Edit session; the change is added to its draft"));
    if (operation.method == verb::get && !operation.streams)
        list.push_back(header("If-None-Match", "ETag of the cached response"));
    return list;
}

std::vector<shape_member> body_members(const operation& operation) {
    std::vector<shape_member> members;
    for (const auto& parameter : operation.takes) {
        if (parameter.in != place::body) continue;
        // An optional member may also be null.
        auto of = parameter.required ? parameter.of : shape(parameter.of).or_nothing();
        members.push_back(
            {.name = parameter.name, .of = std::move(of), .required = parameter.required});
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

// True for a change that may continue after the response: the response has its progress and, after
// the end, its result.
bool may_continue(const operation& operation) {
    const auto tells = [&](std::string_view name) {
        const auto& response = operation.gives.members();
        return std::ranges::find(response, name, &shape_member::name) != response.end();
    };
    return operation.changes() && tells("state") && (tells("total") || tells("revision"));
}

void add_good_responses(record& result, const operation& operation) {
    record good{{"description", operation.summary}};
    if (operation.streams) {
        good.push_back({"content", content("text/event-stream", record{{"type", "string"}})});
    } else if (operation.status != 204) {
        good.push_back({"content", content("application/json", schema_of(operation.gives))});
    }
    result.push_back({std::to_string(operation.status), std::move(good)});
    const bool drafted = operation.changes() && operation.shares != sharing::own;
    if (operation.status != 202 && (drafted || may_continue(operation)))
        result.push_back(
            {"202",
             record{
                 {"description",
                  drafted ? "Change added to the draft of the edit session"
                          : "In progress; the response shows the progress"},
                 {"content", content("application/json", record{{"type", "object"}})}}});
    if (operation.method == verb::get && !operation.streams)
        result.push_back(
            {"304", record{{"description", "Not modified; the cached response is current"}}});
}

value responses_of(const operation& operation, const operation_context& context) {
    record record;
    add_good_responses(record, operation);
    record.push_back({"400", problem_response("Invalid argument; `detail` names the argument")});
    record.push_back({"401", problem_response("Not authenticated, or invalid credentials")});
    if (operation.needed != access::right::none)
        record.push_back({"403", problem_response("Required right is missing")});
    record.push_back({"404", problem_response("Object not found")});
    record.push_back({"409", problem_response("Conflict with the current state of the object")});
    if (context.has_record)
        record.push_back(
            {"412", problem_response("Record was modified since the caller read it (If-Match)")});
    if (operation.method != verb::get)
        record.push_back({"413", problem_response("Request body is too large")});
    record.push_back(
        {"429", problem_response("Rate limit reached; Retry-After has the wait time")});
    record.push_back({"431", problem_response("Request header or URL is too large")});
    record.push_back(
        {"503", problem_response("Engine unavailable; Retry-After has the wait time")});
    if (operation.changes())
        record.push_back({"504", problem_response("Timeout; the change may have been applied")});
    return record;
}

value operation_object(const operation& operation, const operation_context& context) {
    record result{
        {"operationId", operation.name},
        {"summary", operation.summary},
        {"tags", list{std::string(operation.noun())}},
        {"parameters", parameters_of(operation, context)}};
    if (auto members = body_members(operation); !members.empty()) {
        const bool needed =
            std::ranges::any_of(members, [](const auto& each) { return each.required; });
        result.push_back(
            {"requestBody",
             record{
                 {"required", needed},
                 {"content",
                  content("application/json", schema_of(record_of(std::move(members))))}}});
    }
    result.push_back({"responses", responses_of(operation, context)});
    if (operation.needed == access::right::none) {
        result.push_back({"security", list{}});
    } else {
        result.push_back({"x-muster-right", to_string(operation.needed)});
        result.push_back({"x-muster-scope", to_string(operation.within)});
        result.push_back({"x-muster-spans", to_string(operation.spans)});
        if (operation.shares != sharing::own)
            result.push_back({"x-muster-common", to_string(operation.shares)});
    }
    return result;
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

value openapi(const std::vector<operation>& all, const about& about) {
    std::map<std::string, record> paths;
    for (const auto& operation : all)
        paths[operation.path].push_back(
            {lower(to_string(operation.method)),
             operation_object(operation, find_context(operation, all))});
    record by_path;
    for (auto& [path, operations] : paths) by_path.push_back({path, std::move(operations)});
    return record{
        {"openapi", "3.1.0"},
        {"info",
         record{
             {"title", about.title},
             {"version", about.version},
             {"description", about.description}}},
        {"security", list{record{{"token", list{}}}}},
        {"paths", std::move(by_path)},
        {"components", components()}};
}

}  // namespace muster::api
