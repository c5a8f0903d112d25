#include "api/xmlrpc/calls/method_registry.h"

#include "api/operations/json_value.h"
#include "core/api/timed.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using api::reply;
using api::shape;
using api::value;

constexpr std::size_t name_shown_max = 100;

std::size_t arity_of(const method& method) {
    return method.operation.takes.size() + (method.takes_session() ? 1 : 0);
}

// Compares types only: range errors are reported later.
bool matches_type(const value& argument, const shape& expected) {
    using kind = shape::kind;
    switch (expected.what()) {
        case kind::anything:
            return true;
        case kind::flag:
            return argument.holds<bool>();
        case kind::integer:
            return argument.holds<std::int64_t>();
        case kind::number:
            return argument.holds<double>() || argument.holds<std::int64_t>();
        case kind::text:
            return argument.holds<std::string>();
        case kind::time:
            return argument.holds<wall_time>();
        case kind::bytes:
            return argument.holds<value::bytes>();
        case kind::map:
        case kind::record:
            return argument.holds<value::record>();
        case kind::list:
            break;
    }
    const auto* items = argument.get<value::list>();
    return items != nullptr && std::ranges::all_of(*items, [&](const value& item) {
               return matches_type(item, expected.element());
           });
}

// Compares all arguments, including the session key if the method takes one.
bool matches_type(std::span<const value> inputs, const method& method) {
    if (!method.takes_session()) return method_registry::accepts(method, inputs);
    return !inputs.empty() && inputs.front().holds<std::string>()
           && method_registry::accepts(method, inputs.subspan(1));
}

bool have_same_types(const method& left, const method& right) {
    if (arity_of(left) != arity_of(right)) return false;
    return std::ranges::equal(
        left.operation.takes,
        right.operation.takes,
        [](const api::parameter& a, const api::parameter& b) {
            return a.of.what() == b.of.what();
        });
}

// "packages.list_dependencies" is "packages.listDependencies".
std::string to_camel_case(std::string_view name) {
    const auto last = name.rfind('.');
    std::string result(name.substr(0, last == std::string_view::npos ? 0 : last));
    bool capitalize = false;
    for (const char letter : name.substr(result.size())) {
        if (letter == '_') {
            capitalize = true;
            continue;
        }
        result += capitalize && letter >= 'a' && letter <= 'z'
                      ? static_cast<char>(letter - 'a' + 'A')
                      : letter;
        capitalize = false;
    }
    return result;
}

std::string path_of(std::string name) {
    std::ranges::replace(name, '.', '/');
    return "/rhn/manager/api/" + name;
}

// Returns the arguments in the order of the parameters; nothing if they do not match.
std::optional<value::list> order_arguments(const method& method, const value& arguments) {
    const auto* const members = arguments.get<value::record>();
    const auto& parameters = method.operation.takes;
    if (members == nullptr || members->size() != parameters.size()) return std::nullopt;
    value::list list;
    for (const auto& parameter : parameters) {
        const auto* const argument = arguments.find(parameter.name);
        if (argument == nullptr) return std::nullopt;
        list.push_back(api::with_times(*argument, parameter.of));
    }
    if (!method_registry::accepts(method, list)) return std::nullopt;
    return list;
}

async<reply> store_response(
    async<method_response> work, std::shared_ptr<method_response> response) {
    CO_TRY(*response, co_await std::move(work));
    co_return reply{};
}

}  // namespace

result<void> method_registry::add(method new_method) {
    auto& declared = new_method.operation;
    declared.path = path_of(declared.name);
    const auto location = declared.method == api::verb::get ? api::place::query : api::place::body;
    for (auto& parameter : declared.takes) parameter.in = location;
    CHECK_OK(api::check_declaration(declared));
    auto& existing_overloads = by_name_[declared.name];
    if (std::ranges::any_of(existing_overloads, [&](const method* method) {
            return have_same_types(*method, new_method);
        }))
        return fail(errc::conflict, declared.name + " is already declared with the same arguments");
    existing_overloads.push_back(&methods_.emplace_back(std::move(new_method)));
    return {};
}

const method_registry::overloads* method_registry::find(std::string_view name) const {
    auto it = by_name_.find(name);
    if (it == by_name_.end()) it = by_name_.find(to_camel_case(name));
    return it == by_name_.end() ? nullptr : &it->second;
}

result<const method*> method_registry::choose(
    std::string_view name, std::span<const value> arguments) const {
    const auto* candidates = find(name);
    const auto shown_name = name.substr(0, name_shown_max);
    if (candidates == nullptr)
        return fail(errc::not_found, fmt::format("method \"{}\" not found", shown_name));
    const auto match = std::ranges::find_if(
        *candidates, [&](const method* method) { return matches_type(arguments, *method); });
    if (match != candidates->end()) return *match;
    const bool same_count = std::ranges::any_of(
        *candidates, [&](const method* method) { return arity_of(*method) == arguments.size(); });
    if (same_count)
        return fail(
            errc::not_found,
            fmt::format("method \"{}\" does not accept arguments of these types", shown_name));
    return fail(
        errc::not_found,
        fmt::format("method \"{}\" does not accept {} arguments", shown_name, arguments.size()));
}

bool method_registry::accepts(const method& method, std::span<const value> arguments) {
    return std::ranges::equal(
        arguments,
        method.operation.takes,
        [](const value& argument, const api::parameter& parameter) {
            return matches_type(argument, parameter.of);
        });
}

value method_registry::name_arguments(const method& method, std::span<const value> arguments) {
    value::record record;
    for (std::size_t index = 0; index < arguments.size(); ++index)
        record.push_back({method.operation.takes[index].name, arguments[index]});
    return record;
}

std::optional<api::resolved_operation> method_registry::find_operation(
    std::string_view name, const value& arguments) const {
    const auto it = by_name_.find(name);
    if (it == by_name_.end()) return std::nullopt;
    for (const auto* const method : it->second) {
        const auto values = order_arguments(*method, arguments);
        if (!values) continue;
        auto perform = [method](call authorized_call) {
            return store_response(
                method->body(std::move(authorized_call)), std::make_shared<method_response>());
        };
        return api::resolved_operation{
            .operation = &method->operation,
            .handler = std::move(perform),
            .arguments = name_arguments(*method, *values)};
    }
    return std::nullopt;
}

// Drafts are stored as JSON, which has no bytes, and no times in untyped members.
result<void> method_registry::check_storable(const method& method, const value& arguments) const {
    const auto restored =
        find_operation(method.operation.name, api::from_json(api::to_json(arguments)));
    if (restored && restored->operation == &method.operation && restored->arguments == arguments)
        return {};
    return fail(
        errc::invalid,
        method.operation.name
            + " cannot be added to a draft with bytes or times in a struct; send strings, or call "
              "the method without Muster-Edit when no edit session is open");
}

async<method_response> method_registry::perform(const method& method, call request) const {
    if (!request.edit.empty()) {
        CO_CHECK_OK(check_storable(method, request.arguments()));
    }
    auto response = std::make_shared<method_response>();
    const api::operation_handler perform = [response, &method](call authorized_call) {
        return store_response(method.body(std::move(authorized_call)), response);
    };
    CO_TRY(
        auto result, co_await operations_.perform(method.operation, perform, std::move(request)));
    if (!result.content.is_null()) response->content = api::from_json(result.content);
    response->missing_nodes = std::move(result.missing_nodes);
    co_return std::move(*response);
}

}  // namespace muster::xmlrpc_api
