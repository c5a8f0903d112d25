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

operation open_to_all(std::string name, std::string summary, shape gives) {
    return {
        .name = "api." + std::move(name), .summary = std::move(summary), .gives = std::move(gives)};
}

std::string namespace_of(std::string_view name) {
    return std::string(name.substr(0, name.rfind('.')));
}

value described(const method& method) {
    value::list parameters;
    if (method.takes_session()) parameters.emplace_back("string");
    for (const auto& take : method.what.takes) parameters.emplace_back(type_name(take.of));
    return value::record{
        {"name", method.what.name.substr(method.what.name.rfind('.') + 1)},
        {"parameters", std::move(parameters)},
        {"exceptions", value::list()},
        {"return", type_name(method.what.gives)}};
}

// "listInactiveSystems_string_int"
std::string label_of(const method& method) {
    auto result = method.what.name.substr(method.what.name.rfind('.') + 1);
    if (method.takes_session()) result += "_string";
    for (const auto& take : method.what.takes) result += "_" + type_name(take.of);
    return result;
}

}  // namespace

result<void> api_methods::declare(method_registry& to) {
    CHECK_OK(to.add(
        {open_to_all("getVersion", "The interface's version", text()),
         done_by(this, &api_methods::version)}));
    CHECK_OK(to.add(
        {open_to_all("systemVersion", "The server's version", text()),
         done_by(this, &api_methods::system_version)}));
    CHECK_OK(to.add(
        {open_to_all("productName", "What this server is", text()),
         done_by(this, &api_methods::product)}));
    CHECK_OK(to.add(
        {open_to_all("getApiNamespaces", "The namespaces that have methods", map_of(text())),
         done_by(this, &api_methods::namespaces)}));
    CHECK_OK(to.add(
        {open_to_all("getApiCallList", "All methods by namespace", map_of(map_of(anything()))),
         done_by(this, &api_methods::calls)}));
    auto some = open_to_all("getApiNamespaceCallList", "A namespace's methods", map_of(anything()));
    some.takes = {argument("namespace", text())};
    return to.add({std::move(some), done_by(this, &api_methods::calls_in)});
}

async<answer> api_methods::version(call /*asked*/) {
    co_return answer{interface_version};
}

async<answer> api_methods::system_version(call /*asked*/) {
    co_return answer{MUSTER_VERSION};
}

async<answer> api_methods::product(call /*asked*/) {
    co_return answer{"Muster"};
}

// Names are in order, and namespaces are not: system.config.addChannels comes before
// system.deleteSystem.
async<answer> api_methods::namespaces(call /*asked*/) {
    std::set<std::string> spaces;
    for (const auto& [name, ways] : all_.all()) spaces.insert(namespace_of(name));
    value::record record;
    for (const auto& space : spaces) record.push_back({space, space});
    co_return answer{std::move(record)};
}

async<answer> api_methods::calls(call /*asked*/) {
    std::map<std::string, value::record> spaces;
    for (const auto& [name, ways] : all_.all())
        for (const auto* way : ways)
            spaces[namespace_of(name)].push_back({label_of(*way), described(*way)});
    value::record record;
    for (auto& [space, methods] : spaces) record.push_back({space, std::move(methods)});
    co_return answer{std::move(record)};
}

async<answer> api_methods::calls_in(call call) {
    const auto& desired = call.text("namespace");
    value::record record;
    for (const auto& [name, ways] : all_.all()) {
        if (namespace_of(name) != desired) continue;
        for (const auto* way : ways) record.push_back({label_of(*way), described(*way)});
    }
    co_return answer{std::move(record)};
}

}  // namespace muster::xmlrpc_api
