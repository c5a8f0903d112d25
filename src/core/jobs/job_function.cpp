#include "core/jobs/job_function.h"

#include "base/units.h"
#include "core/model/chain.h"
#include "core/model/job.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace muster::jobs {
namespace {

using api::value;

// The limit that agents apply (adapters/agent_protocol/task_frames.h).
constexpr monotonic::duration timeout_max = std::chrono::hours(24 * 7);

enum class argument_type { text, texts, text_or_texts, flag, integer, integers, texts_by_name };

struct argument {
    std::string_view name;
    argument_type type = argument_type::text;
    bool required = false;
};
enum class effect { none, none_in_a_test, change };
struct function {
    std::string_view name;
    effect on_system = effect::change;
    // Nothing: the arguments depend on the version and settings of the agent, which checks them.
    std::optional<std::vector<argument>> arguments;
};

// Adds the arguments of all functions that run a program.
std::vector<argument> with_process_arguments(std::vector<argument> own) {
    const std::vector<argument> common{
        {.name = "cwd"},
        {.name = "env", .type = argument_type::texts_by_name},
        {.name = "user"},
        {.name = "runas"},
        {.name = "group"},
        {.name = "umask"},
        {.name = "stdin"},
        {.name = "success_codes", .type = argument_type::integers},
        {.name = "success_retcodes", .type = argument_type::integers},
        {.name = "output_max", .type = argument_type::integer}};
    own.insert(own.end(), common.begin(), common.end());
    return own;
}

const std::vector<function>& functions() {
    static const std::vector<function> table{
        {.name = "test.ping", .on_system = effect::none, .arguments = std::vector<argument>()},
        {.name = "cmd.run",
         .arguments = with_process_arguments(
             {{.name = "cmd", .type = argument_type::text_or_texts, .required = true},
              {.name = "shell"}})},
        {.name = "script.run",
         .arguments = with_process_arguments(
             {{.name = "content", .required = true},
              {.name = "interpreter"},
              {.name = "args", .type = argument_type::texts}})},
        {.name = "facts.get", .on_system = effect::none, .arguments = std::nullopt},
        {.name = "agent.update", .arguments = std::nullopt},
        {.name = "system.reboot", .arguments = std::nullopt},
        {.name = "files.deploy", .on_system = effect::none_in_a_test, .arguments = std::nullopt},
        {.name = "packages.change",
         .on_system = effect::none_in_a_test,
         .arguments =
             std::vector<argument>{
                 {.name = "action", .required = true},
                 {.name = "packages", .type = argument_type::texts},
                 {.name = "test", .type = argument_type::flag},
                 {.name = "change_vendors", .type = argument_type::flag}}},
        {.name = "packages.refresh",
         .on_system = effect::none,
         .arguments = std::vector<argument>()},
        {.name = chain_function, .arguments = std::nullopt}};
    return table;
}

const function* find(std::string_view name) {
    const auto it = std::ranges::find(functions(), name, &function::name);
    return it == functions().end() ? nullptr : &*it;
}

template <class T>
bool all_are(const value& input) {
    const auto* const items = input.get<value::list>();
    return items != nullptr
           && std::ranges::all_of(*items, [](const value& item) { return item.holds<T>(); });
}

bool has_type(const value& input, argument_type type) {
    switch (type) {
        case argument_type::text:
            return input.holds<std::string>();
        case argument_type::texts:
            return all_are<std::string>(input);
        case argument_type::text_or_texts:
            if (const auto* const text = input.get<std::string>()) return !text->empty();
            return all_are<std::string>(input) && !input.get<value::list>()->empty();
        case argument_type::flag:
            return input.holds<bool>();
        case argument_type::integer:
            return input.holds<std::int64_t>();
        case argument_type::integers:
            return all_are<std::int64_t>(input);
        case argument_type::texts_by_name: {
            const auto* const members = input.get<value::record>();
            return members != nullptr && std::ranges::all_of(*members, [](const auto& member) {
                       return member.of.template holds<std::string>();
                   });
        }
    }
    return false;
}

std::string_view describe(argument_type type) {
    switch (type) {
        case argument_type::text:
            return "a string";
        case argument_type::texts:
            return "a list of strings";
        case argument_type::text_or_texts:
            return "a non-empty string or list of strings";
        case argument_type::flag:
            return "true or false";
        case argument_type::integer:
            return "an integer";
        case argument_type::integers:
            return "a list of integers";
        case argument_type::texts_by_name:
            return "an object with string values";
    }
    return "";
}

template <class Items>
std::string join_names(const Items& items) {
    std::string text;
    for (const auto& item : items) {
        if (!text.empty()) text += ", ";
        text += item.name;
    }
    return text.empty() ? "none" : text;
}

result<void> check_members(
    std::string_view function, const std::vector<argument>& arguments, const value& input) {
    for (const auto& [name, member] : *input.get<value::record>()) {
        const auto it = std::ranges::find(arguments, name, &argument::name);
        if (it == arguments.end())
            return fail(
                errc::invalid,
                "unknown argument \"" + name + "\" of " + std::string(function)
                    + "; known arguments: " + join_names(arguments));
        if (!has_type(member, it->type))
            return fail(
                errc::invalid,
                "argument \"" + name + "\" of " + std::string(function) + " must be "
                    + std::string(describe(it->type)));
    }
    for (const auto& argument : arguments)
        if (argument.required && input.find(argument.name) == nullptr)
            return fail(
                errc::invalid,
                "argument \"" + std::string(argument.name) + "\" of " + std::string(function)
                    + " is required");
    return {};
}

result<monotonic::duration> time_limit(const value& step, monotonic::duration usual) {
    const auto* const member = step.find("timeout");
    if (member == nullptr || member->is_nothing()) return usual;
    const auto* const text = member->get<std::string>();
    if (text == nullptr) return fail(errc::invalid, "`timeout` must be a duration such as \"10m\"");
    TRY(const auto span, parse_duration(*text));
    if (span <= monotonic::duration::zero() || span > timeout_max)
        return fail(errc::invalid, "`timeout` must be more than 0s and at most 7d");
    return span;
}

// The arguments of a step that names none.
const value& no_arguments() {
    static const value none = value::record();
    return none;
}

const value& arguments_of(const value& step) {
    const auto* const member = step.find("arguments");
    return member == nullptr ? no_arguments() : *member;
}

result<void> check_step(const value& step) {
    const auto* const members = step.get<value::record>();
    if (members == nullptr)
        return fail(errc::invalid, "a step must be an object with a `function`");
    for (const auto& member : *members)
        if (member.name != "function" && member.name != "arguments" && member.name != "timeout")
            return fail(
                errc::invalid,
                "unknown member \"" + member.name
                    + "\"; known members: function, arguments, timeout");
    const auto* const function = step.find("function");
    const auto* const name = function == nullptr ? nullptr : function->get<std::string>();
    if (name == nullptr) return fail(errc::invalid, "`function` must be a string");
    if (*name == chain_function) return fail(errc::invalid, "a chain cannot be a step of a chain");
    CHECK_OK(time_limit(step, timeout_max));
    CHECK_OK(check_function(*name));
    return check_arguments(*name, arguments_of(step));
}

const value::list* steps_of(const value& chain) {
    const auto* const member = chain.find("steps");
    return member == nullptr ? nullptr : member->get<value::list>();
}

result<void> check_chain(const value& arguments) {
    const auto* const steps = steps_of(arguments);
    if (steps == nullptr || arguments.get<value::record>()->size() != 1)
        return fail(errc::invalid, "`steps` must be a list of steps");
    if (steps->empty() || steps->size() > chain_limits::steps_max)
        return fail(
            errc::invalid,
            "a chain must have 1 to " + std::to_string(chain_limits::steps_max) + " steps, not "
                + std::to_string(steps->size()));
    for (std::size_t index = 0; index < steps->size(); ++index) {
        const auto checked = check_step((*steps)[index]);
        if (!checked)
            return fail(
                errc::invalid,
                "step " + std::to_string(index + 1) + ": " + checked.error().detail());
    }
    return {};
}

bool is_test(const value& arguments) {
    const auto* const member = arguments.find("test");
    const auto* const flag = member == nullptr ? nullptr : member->get<bool>();
    return flag != nullptr && *flag;
}

bool step_changes_system(const value& step) {
    const auto* const function = step.find("function");
    const auto* const name = function == nullptr ? nullptr : function->get<std::string>();
    if (name == nullptr || *name == chain_function) return true;
    return changes_system(*name, arguments_of(step));
}

}  // namespace

std::vector<std::string_view> known_functions() {
    std::vector<std::string_view> names;
    for (const auto& function : functions()) names.push_back(function.name);
    return names;
}

result<void> check_function(std::string_view function) {
    if (find(function) != nullptr) return {};
    return fail(
        errc::invalid,
        "function \"" + std::string(function)
            + "\" not found; known functions: " + join_names(functions()));
}

result<void> check_arguments_size(std::size_t bytes) {
    if (bytes <= arguments_bytes_max) return {};
    return fail(
        errc::invalid,
        "arguments have " + std::to_string(bytes) + " bytes; limit of "
            + std::to_string(arguments_bytes_max) + " bytes exceeded");
}

result<void> check_arguments(std::string_view function, const value& arguments) {
    const auto* const known = find(function);
    if (known == nullptr) return check_function(function);
    if (!arguments.holds<value::record>())
        return fail(errc::invalid, "arguments must be a JSON object");
    if (known->name == chain_function) return check_chain(arguments);
    if (!known->arguments) return {};
    return check_members(known->name, *known->arguments, arguments);
}

bool changes_system(std::string_view function, const value& arguments) {
    if (function == chain_function) {
        const auto* const steps = steps_of(arguments);
        return steps == nullptr || std::ranges::any_of(*steps, step_changes_system);
    }
    const auto* const known = find(function);
    if (known == nullptr) return true;
    switch (known->on_system) {
        case effect::none:
            return false;
        case effect::none_in_a_test:
            return !is_test(arguments);
        case effect::change:
            return true;
    }
    return true;
}

monotonic::duration default_timeout(std::string_view function, const value& arguments) {
    const auto usual = job_spec().timeout;
    const auto* const steps = function == chain_function ? steps_of(arguments) : nullptr;
    if (steps == nullptr) return usual;
    monotonic::duration total{};
    for (const auto& step : *steps)
        total = std::min(total + time_limit(step, usual).value_or(usual), timeout_max);
    return total;
}

result<written_arguments> argument_form(std::string_view function, const value& arguments) {
    if (arguments.holds<value::record>()) return written_arguments::members;
    const auto* const list = arguments.get<value::list>();
    if (list != nullptr && list->empty()) return written_arguments::none;
    if (list != nullptr && function == "cmd.run") return written_arguments::command;
    return fail(
        errc::invalid,
        "arguments of " + std::string(function)
            + " must be an object such as {\"cmd\":[\"uptime\"]}");
}

}  // namespace muster::jobs
