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
    return method.what.takes.size() + (method.takes_session() ? 1 : 0);
}

// By type only: whether a number is too large is told in words later.
bool fits(const value& input, const shape& desired) {
    using kind = shape::kind;
    switch (desired.what()) {
        case kind::anything:
            return true;
        case kind::flag:
            return input.holds<bool>();
        case kind::integer:
            return input.holds<std::int64_t>();
        case kind::number:
            return input.holds<double>() || input.holds<std::int64_t>();
        case kind::text:
            return input.holds<std::string>();
        case kind::time:
            return input.holds<wall_time>();
        case kind::bytes:
            return input.holds<value::bytes>();
        case kind::map:
        case kind::record:
            return input.holds<value::record>();
        case kind::list:
            break;
    }
    const auto* items = input.get<value::list>();
    return items != nullptr && std::ranges::all_of(*items, [&](const value& each) {
               return fits(each, desired.element());
           });
}

// With the session's key among the arguments, if the method takes one.
bool fits(std::span<const value> inputs, const method& method) {
    if (!method.takes_session()) return method_registry::takes(method, inputs);
    return !inputs.empty() && inputs.front().holds<std::string>()
           && method_registry::takes(method, inputs.subspan(1));
}

bool look_the_same(const method& one, const method& other) {
    if (arity_of(one) != arity_of(other)) return false;
    return std::ranges::equal(
        one.what.takes, other.what.takes, [](const api::parameter& a, const api::parameter& b) {
            return a.of.what() == b.of.what();
        });
}

// "packages.list_dependencies" is "packages.listDependencies".
std::string in_camel_case(std::string_view name) {
    const auto last = name.rfind('.');
    std::string result(name.substr(0, last == std::string_view::npos ? 0 : last));
    bool raise = false;
    for (const char each : name.substr(result.size())) {
        if (each == '_') {
            raise = true;
            continue;
        }
        result += raise && each >= 'a' && each <= 'z' ? static_cast<char>(each - 'a' + 'A') : each;
        raise = false;
    }
    return result;
}

std::string path_of(std::string name) {
    std::ranges::replace(name, '.', '/');
    return "/rhn/manager/api/" + name;
}

// In the order of what the method takes; nothing if these are not just that.
std::optional<value::list> in_order(const method& method, const value& arguments) {
    const auto* const given = arguments.get<value::record>();
    const auto& desired = method.what.takes;
    if (given == nullptr || given->size() != desired.size()) return std::nullopt;
    value::list list;
    for (const auto& each : desired) {
        const auto* const found = arguments.find(each.name);
        if (found == nullptr) return std::nullopt;
        list.push_back(api::with_times(*found, each.of));
    }
    if (!method_registry::takes(method, list)) return std::nullopt;
    return list;
}

async<reply> keep(async<answer> work, std::shared_ptr<answer> into) {
    CO_TRY(*into, co_await std::move(work));
    co_return reply{};
}

}  // namespace

result<void> method_registry::add(method what) {
    auto& declared = what.what;
    declared.path = path_of(declared.name);
    const auto stands = declared.method == api::verb::get ? api::place::query : api::place::body;
    for (auto& take : declared.takes) take.in = stands;
    CHECK_OK(api::check_declaration(declared));
    auto& same = by_name_[declared.name];
    if (std::ranges::any_of(
            same, [&](const method* method) { return look_the_same(*method, what); }))
        return fail(errc::conflict, declared.name + " is declared twice with the same arguments");
    same.push_back(&methods_.emplace_back(std::move(what)));
    return {};
}

const method_registry::overloads* method_registry::find(std::string_view name) const {
    auto it = by_name_.find(name);
    if (it == by_name_.end()) it = by_name_.find(in_camel_case(name));
    return it == by_name_.end() ? nullptr : &it->second;
}

result<const method*> method_registry::choose(
    std::string_view name, std::span<const value> arguments) const {
    const auto* it = find(name);
    const auto output = name.substr(0, name_shown_max);
    if (it == nullptr) return fail(errc::not_found, fmt::format("There is no method {}", output));
    const auto fitting =
        std::ranges::find_if(*it, [&](const method* method) { return fits(arguments, *method); });
    if (fitting != it->end()) return *fitting;
    const bool counted = std::ranges::any_of(
        *it, [&](const method* method) { return arity_of(*method) == arguments.size(); });
    if (counted)
        return fail(
            errc::not_found, fmt::format("{} does not take arguments of these types", output));
    return fail(
        errc::not_found, fmt::format("{} does not take {} arguments", output, arguments.size()));
}

bool method_registry::takes(const method& method, std::span<const value> arguments) {
    return std::ranges::equal(
        arguments, method.what.takes, [](const value& input, const api::parameter& parameter) {
            return fits(input, parameter.of);
        });
}

value method_registry::named(const method& method, std::span<const value> arguments) {
    value::record record;
    for (std::size_t at = 0; at < arguments.size(); ++at)
        record.push_back({method.what.takes[at].name, arguments[at]});
    return record;
}

std::optional<api::found_operation> method_registry::find_named(
    std::string_view name, const value& arguments) const {
    const auto it = by_name_.find(name);
    if (it == by_name_.end()) return std::nullopt;
    for (const auto* const each : it->second) {
        const auto input = in_order(*each, arguments);
        if (!input) continue;
        auto does = [each](call granted) {
            return keep(each->does(std::move(granted)), std::make_shared<answer>());
        };
        return api::found_operation{
            .what = &each->what, .does = std::move(does), .arguments = named(*each, *input)};
    }
    return std::nullopt;
}

// A draft is kept as JSON, which knows no bytes, and no times where anything may stand.
result<void> method_registry::check_kept_whole(const method& method, const value& arguments) const {
    const auto again = find_named(method.what.name, api::from_json(api::to_json(arguments)));
    if (again && again->what == &method.what && again->arguments == arguments) return {};
    return fail(
        errc::invalid,
        method.what.name
            + " cannot be part of a draft with bytes or times in a struct: send them as texts, or "
              "make this change by itself, while nobody edits");
}

async<answer> method_registry::perform(const method& method, call request) const {
    if (!request.edit.empty()) {
        CO_CHECK_OK(check_kept_whole(method, request.arguments()));
    }
    auto input = std::make_shared<answer>();
    const api::action does = [input, &method](call granted) {
        return keep(method.does(std::move(granted)), input);
    };
    CO_TRY(auto done, co_await checks_.perform(method.what, does, std::move(request)));
    if (!done.content.is_null()) input->content = api::from_json(done.content);
    input->missing_nodes = std::move(done.missing_nodes);
    co_return std::move(*input);
}

}  // namespace muster::xmlrpc_api
