#include "roles/jobs/functions.h"

#include "core/model/chain.h"
#include "roles/jobs/chain_steps.h"

#include <boost/json.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace muster::jobs {
namespace {

namespace json = boost::json;

enum class kind { text, texts, text_or_texts, flag, integer, integers, texts_by_name };

struct argument {
    std::string_view name;
    kind holds = kind::text;
    bool required = false;
};
enum class effect { none, none_in_a_test, change };
struct function {
    std::string_view name;
    effect does = effect::change;  // on the system
    // Nothing: what it takes depends on the agent's version and settings, so the agent judges.
    std::optional<std::vector<argument>> takes;
};

// What every program is run with.
std::vector<argument> with_process(std::vector<argument> own) {
    const std::vector<argument> common{
        {.name = "cwd"},
        {.name = "env", .holds = kind::texts_by_name},
        {.name = "user"},
        {.name = "runas"},
        {.name = "group"},
        {.name = "umask"},
        {.name = "stdin"},
        {.name = "success_codes", .holds = kind::integers},
        {.name = "success_retcodes", .holds = kind::integers},
        {.name = "output_max", .holds = kind::integer}};
    own.insert(own.end(), common.begin(), common.end());
    return own;
}

const std::vector<function>& functions() {
    static const std::vector<function> all{
        {.name = "test.ping", .does = effect::none, .takes = std::vector<argument>()},
        {.name = "cmd.run",
         .takes = with_process(
             {{.name = "cmd", .holds = kind::text_or_texts, .required = true}, {.name = "shell"}})},
        {.name = "script.run",
         .takes = with_process(
             {{.name = "content", .required = true},
              {.name = "interpreter"},
              {.name = "args", .holds = kind::texts}})},
        {.name = "facts.get", .does = effect::none, .takes = std::nullopt},
        {.name = "agent.update", .takes = std::nullopt},
        {.name = "system.reboot", .takes = std::nullopt},
        {.name = "files.deploy", .does = effect::none_in_a_test, .takes = std::nullopt},
        {.name = "packages.change",
         .does = effect::none_in_a_test,
         .takes =
             std::vector<argument>{
                 {.name = "action", .required = true},
                 {.name = "packages", .holds = kind::texts},
                 {.name = "test", .holds = kind::flag},
                 {.name = "change_vendors", .holds = kind::flag}}},
        {.name = "packages.refresh", .does = effect::none, .takes = std::vector<argument>()},
        {.name = chain_function, .takes = std::nullopt}};
    return all;
}

bool all_texts(const json::value& what) {
    return what.is_array() && std::ranges::all_of(what.as_array(), [](const auto& each) {
               return each.is_string();
           });
}

bool is_of(const json::value& what, kind wanted) {
    switch (wanted) {
        case kind::text:
            return what.is_string();
        case kind::texts:
            return all_texts(what);
        case kind::text_or_texts:
            return what.is_string() ? !what.as_string().empty()
                                    : all_texts(what) && !what.as_array().empty();
        case kind::flag:
            return what.is_bool();
        case kind::integer:
            return what.is_int64();
        case kind::integers:
            return what.is_array() && std::ranges::all_of(what.as_array(), [](const auto& each) {
                       return each.is_int64();
                   });
        case kind::texts_by_name:
            return what.is_object() && std::ranges::all_of(what.as_object(), [](const auto& each) {
                       return each.value().is_string();
                   });
    }
    return false;
}

std::string_view spoken(kind wanted) {
    switch (wanted) {
        case kind::text:
            return "a text";
        case kind::texts:
            return "a list of texts";
        case kind::text_or_texts:
            return "a text or a list of texts, and not empty";
        case kind::flag:
            return "true or false";
        case kind::integer:
            return "a whole number";
        case kind::integers:
            return "a list of whole numbers";
        case kind::texts_by_name:
            return "an object of texts";
    }
    return "";
}

json::object read_object(std::string_view text) {
    json::error_code failure;
    auto parsed = json::parse({text.data(), text.size()}, failure);
    return !failure && parsed.is_object() ? std::move(parsed.get_object()) : json::object();
}

bool is_test(const json::object& arguments) {
    const auto* const said = arguments.if_contains("test");
    return said != nullptr && said->is_bool() && said->get_bool();
}

bool step_changes_nothing(const json::value& given) {
    const auto* const step = given.if_object();
    const auto* const name = step == nullptr ? nullptr : step->if_contains("function");
    if (name == nullptr || !name->is_string() || name->get_string() == chain_function) return false;
    const auto* const arguments = step->if_contains("arguments");
    return changes_nothing(
        json::value_to<std::string>(*name),
        arguments == nullptr ? "{}" : json::serialize(*arguments));
}

bool steps_change_nothing(const json::object& chain) {
    const auto* const steps = chain.if_contains("steps");
    return steps != nullptr && steps->is_array()
           && std::ranges::all_of(steps->get_array(), step_changes_nothing);
}

template <class Items>
std::string listed(const Items& items) {
    std::string text;
    for (const auto& each : items) {
        if (!text.empty()) text += ", ";
        text += each.name;
    }
    return text.empty() ? "none" : text;
}

result<void> check_members(
    std::string_view asked, const std::vector<argument>& takes, const json::object& given) {
    for (const auto& each : given) {
        const std::string_view name(each.key().data(), each.key().size());
        const auto found = std::ranges::find(takes, name, &argument::name);
        if (found == takes.end())
            return fail(
                errc::invalid,
                std::string(asked) + " has no argument `" + std::string(name)
                    + "`; it takes: " + listed(takes));
        if (!is_of(each.value(), found->holds))
            return fail(
                errc::invalid,
                "the argument `" + std::string(name) + "` of " + std::string(asked) + " must be "
                    + std::string(spoken(found->holds)));
    }
    for (const auto& each : takes)
        if (each.required && !given.contains({each.name.data(), each.name.size()}))
            return fail(
                errc::invalid,
                std::string(asked) + " needs the argument `" + std::string(each.name) + "`");
    return {};
}

}  // namespace

std::vector<std::string_view> known_functions() {
    std::vector<std::string_view> names;
    for (const auto& each : functions()) names.push_back(each.name);
    return names;
}

result<std::string> arguments_as_object(std::string_view function, const std::string& given) {
    json::error_code failed;
    const auto read = json::parse(given, failed);
    if (!failed && read.is_object()) return given;
    if (!failed && read.is_array() && read.as_array().empty()) return std::string("{}");
    if (!failed && read.is_array() && function == "cmd.run")
        return json::serialize(json::object{{"cmd", read}});
    return fail(
        errc::invalid,
        "the arguments of " + std::string(function)
            + " are an object such as {\"cmd\":[\"uptime\"]}");
}

bool changes_nothing(std::string_view name, std::string_view arguments) {
    if (name == chain_function) return steps_change_nothing(read_object(arguments));
    const auto found = std::ranges::find(functions(), name, &function::name);
    if (found == functions().end()) return false;
    switch (found->does) {
        case effect::none:
            return true;
        case effect::none_in_a_test:
            return is_test(read_object(arguments));
        case effect::change:
            return false;
    }
    return false;
}

result<void> check_function(std::string_view name, std::string_view arguments) {
    const auto found = std::ranges::find(functions(), name, &function::name);
    if (found == functions().end())
        return fail(
            errc::invalid,
            "there is no function " + std::string(name) + "; there are: " + listed(functions()));
    if (arguments.size() > arguments_bytes_max)
        return fail(
            errc::invalid,
            "the arguments have " + std::to_string(arguments.size()) + " bytes; at most "
                + std::to_string(arguments_bytes_max) + " can be sent");
    json::error_code failure;
    const auto parsed = json::parse({arguments.data(), arguments.size()}, failure);
    if (failure || !parsed.is_object())
        return fail(errc::invalid, "the arguments are not a JSON object");
    if (found->name == chain_function) return check_chain(parsed.as_object());
    if (!found->takes) return {};
    return check_members(found->name, *found->takes, parsed.as_object());
}

}  // namespace muster::jobs
