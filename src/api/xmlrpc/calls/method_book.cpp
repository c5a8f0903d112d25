#include "api/xmlrpc/calls/method_book.h"

#include "core/api/timed.h"
#include "api/operations/json_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using api::shape;
using api::value;
using api::reply;

constexpr std::size_t name_shown_max = 100;

std::size_t arity_of(const method& what) {
    return what.what.takes.size() + (what.takes_session() ? 1 : 0);
}

// By type only: whether a number is too large is told in words later.
bool fits(const value& given, const shape& wanted) {
    using kind = shape::kind;
    switch (wanted.what()) {
        case kind::anything:
            return true;
        case kind::flag:
            return given.holds<bool>();
        case kind::integer:
            return given.holds<std::int64_t>();
        case kind::number:
            return given.holds<double>() || given.holds<std::int64_t>();
        case kind::text:
            return given.holds<std::string>();
        case kind::time:
            return given.holds<wall_time>();
        case kind::bytes:
            return given.holds<value::bytes>();
        case kind::map:
        case kind::record:
            return given.holds<value::record>();
        case kind::list:
            break;
    }
    const auto* items = given.get<value::list>();
    return items != nullptr && std::ranges::all_of(*items, [&](const value& each) {
               return fits(each, wanted.element());
           });
}

// With the session's key among the arguments, if the method takes one.
bool fits(std::span<const value> given, const method& wanted) {
    if (!wanted.takes_session()) return method_book::takes(wanted, given);
    return !given.empty() && given.front().holds<std::string>()
           && method_book::takes(wanted, given.subspan(1));
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
    std::string made(name.substr(0, last == std::string_view::npos ? 0 : last));
    bool raise = false;
    for (const char each : name.substr(made.size())) {
        if (each == '_') {
            raise = true;
            continue;
        }
        made += raise && each >= 'a' && each <= 'z' ? static_cast<char>(each - 'a' + 'A') : each;
        raise = false;
    }
    return made;
}

std::string path_of(std::string name) {
    std::ranges::replace(name, '.', '/');
    return "/rhn/manager/api/" + name;
}

// In the order of what the method takes; nothing if these are not just that.
std::optional<value::list> in_order(const method& which, const value& arguments) {
    const auto* const given = arguments.get<value::record>();
    const auto& wanted = which.what.takes;
    if (given == nullptr || given->size() != wanted.size()) return std::nullopt;
    value::list made;
    for (const auto& each : wanted) {
        const auto* const found = arguments.find(each.name);
        if (found == nullptr) return std::nullopt;
        made.push_back(api::with_times(*found, each.of));
    }
    if (!method_book::takes(which, made)) return std::nullopt;
    return made;
}

async<reply> keep(async<answer> work, std::shared_ptr<answer> into) {
    CO_TRY(*into, co_await std::move(work));
    co_return reply{};
}

}  // namespace

result<void> method_book::add(method what) {
    auto& declared = what.what;
    declared.path = path_of(declared.name);
    const auto stands = declared.method == api::verb::get ? api::place::query : api::place::body;
    for (auto& each : declared.takes) each.in = stands;
    CHECK_OK(api::check_declaration(declared));
    auto& same = by_name_[declared.name];
    if (std::ranges::any_of(same, [&](const method* each) { return look_the_same(*each, what); }))
        return fail(errc::conflict, declared.name + " is declared twice with the same arguments");
    same.push_back(&methods_.emplace_back(std::move(what)));
    return {};
}

const method_book::overloads* method_book::find(std::string_view name) const {
    auto found = by_name_.find(name);
    if (found == by_name_.end()) found = by_name_.find(in_camel_case(name));
    return found == by_name_.end() ? nullptr : &found->second;
}

result<const method*> method_book::choose(
    std::string_view name, std::span<const value> arguments) const {
    const auto* known = find(name);
    const auto shown = name.substr(0, name_shown_max);
    if (known == nullptr) return fail(errc::not_found, fmt::format("There is no method {}", shown));
    const auto fitting =
        std::ranges::find_if(*known, [&](const method* each) { return fits(arguments, *each); });
    if (fitting != known->end()) return *fitting;
    const bool counted = std::ranges::any_of(
        *known, [&](const method* each) { return arity_of(*each) == arguments.size(); });
    if (counted)
        return fail(
            errc::not_found, fmt::format("{} does not take arguments of these types", shown));
    return fail(
        errc::not_found, fmt::format("{} does not take {} arguments", shown, arguments.size()));
}

bool method_book::takes(const method& which, std::span<const value> arguments) {
    return std::ranges::equal(
        arguments, which.what.takes, [](const value& given, const api::parameter& wanted) {
            return fits(given, wanted.of);
        });
}

value method_book::named(const method& which, std::span<const value> arguments) {
    value::record made;
    for (std::size_t at = 0; at < arguments.size(); ++at)
        made.push_back({which.what.takes[at].name, arguments[at]});
    return made;
}

std::optional<api::found_operation> method_book::find_named(
    std::string_view name, const value& arguments) const {
    const auto known = by_name_.find(name);
    if (known == by_name_.end()) return std::nullopt;
    for (const auto* const each : known->second) {
        const auto given = in_order(*each, arguments);
        if (!given) continue;
        auto does = [each](call granted) {
            return keep(each->does(std::move(granted)), std::make_shared<answer>());
        };
        return api::found_operation{
            .what = &each->what, .does = std::move(does), .arguments = named(*each, *given)};
    }
    return std::nullopt;
}

// A draft is kept as JSON, which knows no bytes, and no times where anything may stand.
result<void> method_book::check_kept_whole(const method& which, const value& arguments) const {
    const auto again = find_named(which.what.name, api::from_json(api::to_json(arguments)));
    if (again && again->what == &which.what && again->arguments == arguments) return {};
    return fail(
        errc::invalid,
        which.what.name
            + " cannot be part of a draft with bytes or times in a struct: send them as texts, or "
              "make this change by itself, while nobody edits");
}

async<answer> method_book::perform(const method& which, call asked) const {
    if (!asked.edit.empty()) {
        CO_CHECK_OK(check_kept_whole(which, asked.arguments()));
    }
    auto given = std::make_shared<answer>();
    const api::action does = [given, &which](call granted) {
        return keep(which.does(std::move(granted)), given);
    };
    CO_TRY(auto done, co_await checks_.perform(which.what, does, std::move(asked)));
    if (!done.content.is_null()) given->content = api::from_json(done.content);
    given->missing_nodes = std::move(done.missing_nodes);
    co_return std::move(*given);
}

}  // namespace muster::xmlrpc_api
