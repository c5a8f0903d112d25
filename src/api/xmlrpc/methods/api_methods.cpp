#include "api/xmlrpc/methods/api_methods.h"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;

// A text that reads as a number; clients switch commands off below 25.
constexpr const char* interface_version = "29";

operation open_method(std::string name, std::string summary, shape response) {
    return {
        .name = "api." + std::move(name),
        .summary = std::move(summary),
        .gives = std::move(response)};
}

std::string namespace_of(std::string_view name) {
    return std::string(name.substr(0, name.rfind('.')));
}

value method_value(const method& method) {
    value::list parameters;
    if (method.takes_session()) parameters.emplace_back("string");
    for (const auto& parameter : method.operation.takes)
        parameters.emplace_back(type_name(parameter.of));
    return value::record{
        {"name", method.operation.name.substr(method.operation.name.rfind('.') + 1)},
        {"parameters", std::move(parameters)},
        {"exceptions", value::list()},
        {"return", type_name(method.operation.gives)}};
}

// "listInactiveSystems_string_int"
std::string method_label(const method& method) {
    auto result = method.operation.name.substr(method.operation.name.rfind('.') + 1);
    if (method.takes_session()) result += "_string";
    for (const auto& parameter : method.operation.takes) result += "_" + type_name(parameter.of);
    return result;
}

}  // namespace

result<void> api_methods::declare(method_registry& registry) {
    CHECK_OK(registry.add(
        {open_method("getVersion", "Get the API version", text()),
         handler(this, &api_methods::version)}));
    CHECK_OK(registry.add(
        {open_method("systemVersion", "Get the server version", text()),
         handler(this, &api_methods::system_version)}));
    CHECK_OK(registry.add(
        {open_method("productName", "Get the product name", text()),
         handler(this, &api_methods::product)}));
    CHECK_OK(registry.add(
        {open_method("getApiNamespaces", "List namespaces", map_of(text())),
         handler(this, &api_methods::list_namespaces)}));
    CHECK_OK(registry.add(
        {open_method("getApiCallList", "List all methods by namespace", map_of(map_of(anything()))),
         handler(this, &api_methods::list_calls)}));
    auto namespace_calls = open_method(
        "getApiNamespaceCallList", "List the methods of a namespace", map_of(anything()));
    namespace_calls.takes = {argument("namespace", text())};
    return registry.add(
        {std::move(namespace_calls), handler(this, &api_methods::list_namespace_calls)});
}

async<method_response> api_methods::version(call /*call*/) {
    co_return method_response{interface_version};
}

async<method_response> api_methods::system_version(call /*call*/) {
    co_return method_response{MUSTER_VERSION};
}

async<method_response> api_methods::product(call /*call*/) {
    co_return method_response{"Muster"};
}

// The registry is ordered by name, not by namespace: system.config.addChannels comes before
// system.deleteSystem.
async<method_response> api_methods::list_namespaces(call /*call*/) {
    std::set<std::string> spaces;
    for (const auto& [name, overloads] : registry_.all()) spaces.insert(namespace_of(name));
    value::record record;
    for (const auto& space : spaces) record.push_back({space, space});
    co_return method_response{std::move(record)};
}

async<method_response> api_methods::list_calls(call /*call*/) {
    std::map<std::string, value::record> spaces;
    for (const auto& [name, overloads] : registry_.all())
        for (const auto* method : overloads)
            spaces[namespace_of(name)].push_back({method_label(*method), method_value(*method)});
    value::record record;
    for (auto& [space, methods] : spaces) record.push_back({space, std::move(methods)});
    co_return method_response{std::move(record)};
}

async<method_response> api_methods::list_namespace_calls(call call) {
    const auto& wanted_namespace = call.text("namespace");
    value::record record;
    for (const auto& [name, overloads] : registry_.all()) {
        if (namespace_of(name) != wanted_namespace) continue;
        for (const auto* method : overloads)
            record.push_back({method_label(*method), method_value(*method)});
    }
    co_return method_response{std::move(record)};
}

}  // namespace muster::xmlrpc_api
