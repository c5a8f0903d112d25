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

// What an agent keeps to, whatever it is told (adapters/agent_protocol/task_frames.h).
constexpr monotonic::duration timeout_max = std::chrono::hours(24 * 7);

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

const function* find(std::string_view name) {
    const auto it = std::ranges::find(functions(), name, &function::name);
    return it == functions().end() ? nullptr : &*it;
}

template <class T>
bool all_are(const value& input) {
    const auto* const items = input.get<value::list>();
    return items != nullptr
           && std::ranges::all_of(*items, [](const value& each) { return each.holds<T>(); });
}

bool is_of(const value& input, kind desired) {
    switch (desired) {
        case kind::text:
            return input.holds<std::string>();
        case kind::texts:
            return all_are<std::string>(input);
        case kind::text_or_texts:
            if (const auto* const text = input.get<std::string>()) return !text->empty();
            return all_are<std::string>(input) && !input.get<value::list>()->empty();
        case kind::flag:
            return input.holds<bool>();
        case kind::integer:
            return input.holds<std::int64_t>();
        case kind::integers:
            return all_are<std::int64_t>(input);
        case kind::texts_by_name: {
            const auto* const members = input.get<value::record>();
            return members != nullptr && std::ranges::all_of(*members, [](const auto& each) {
                       return each.of.template holds<std::string>();
                   });
        }
    }
    return false;
}

std::string_view spoken(kind desired) {
    switch (desired) {
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

template <class Items>
std::string listed(const Items& items) {
    std::string text;
    for (const auto& item : items) {
        if (!text.empty()) text += ", ";
        text += item.name;
    }
    return text.empty() ? "none" : text;
}

result<void> check_members(
    std::string_view requested, const std::vector<argument>& takes, const value& input) {
    for (const auto& [name, held] : *input.get<value::record>()) {
        const auto it = std::ranges::find(takes, name, &argument::name);
        if (it == takes.end())
            return fail(
                errc::invalid,
                std::string(requested) + " has no argument `" + name
                    + "`; it takes: " + listed(takes));
        if (!is_of(held, it->holds))
            return fail(
                errc::invalid,
                "the argument `" + name + "` of " + std::string(requested) + " must be "
                    + std::string(spoken(it->holds)));
    }
    for (const auto& take : takes)
        if (take.required && input.find(take.name) == nullptr)
            return fail(
                errc::invalid,
                std::string(requested) + " needs the argument `" + std::string(take.name) + "`");
    return {};
}

result<monotonic::duration> time_limit(const value& step, monotonic::duration usual) {
    const auto* const given = step.find("timeout");
    if (given == nullptr || given->is_nothing()) return usual;
    const auto* const text = given->get<std::string>();
    if (text == nullptr) return fail(errc::invalid, "`timeout` must be a span such as \"10m\"");
    TRY(const auto span, parse_duration(*text));
    if (span <= monotonic::duration::zero() || span > timeout_max)
        return fail(errc::invalid, "`timeout` must be more than nothing and at most 7d");
    return span;
}

// What a step that names none has.
const value& no_arguments() {
    static const value none = value::record();
    return none;
}

const value& arguments_of(const value& step) {
    const auto* const given = step.find("arguments");
    return given == nullptr ? no_arguments() : *given;
}

result<void> check_step(const value& step) {
    const auto* const members = step.get<value::record>();
    if (members == nullptr) return fail(errc::invalid, "it must be an object with a `function`");
    for (const auto& member : *members)
        if (member.name != "function" && member.name != "arguments" && member.name != "timeout")
            return fail(
                errc::invalid,
                "there is no `" + member.name + "`; it takes: function, arguments, timeout");
    const auto* const given = step.find("function");
    const auto* const name = given == nullptr ? nullptr : given->get<std::string>();
    if (name == nullptr) return fail(errc::invalid, "`function` must be a text");
    if (*name == chain_function) return fail(errc::invalid, "a chain cannot be a step of a chain");
    CHECK_OK(time_limit(step, timeout_max));
    CHECK_OK(check_known(*name));
    return check_arguments(*name, arguments_of(step));
}

const value::list* steps_of(const value& chain) {
    const auto* const given = chain.find("steps");
    return given == nullptr ? nullptr : given->get<value::list>();
}

result<void> check_chain(const value& arguments) {
    const auto* const steps = steps_of(arguments);
    if (steps == nullptr || arguments.get<value::record>()->size() != 1)
        return fail(errc::invalid, "`steps` must be a list of steps");
    if (steps->empty() || steps->size() > chain_limits::steps_max)
        return fail(
            errc::invalid,
            "a chain has from 1 to " + std::to_string(chain_limits::steps_max) + " steps, not "
                + std::to_string(steps->size()));
    for (std::size_t at = 0; at < steps->size(); ++at) {
        const auto well = check_step((*steps)[at]);
        if (!well)
            return fail(
                errc::invalid, "step " + std::to_string(at + 1) + ": " + well.error().detail());
    }
    return {};
}

bool is_test(const value& arguments) {
    const auto* const said = arguments.find("test");
    const auto* const flag = said == nullptr ? nullptr : said->get<bool>();
    return flag != nullptr && *flag;
}

bool step_changes_system(const value& step) {
    const auto* const given = step.find("function");
    const auto* const name = given == nullptr ? nullptr : given->get<std::string>();
    if (name == nullptr || *name == chain_function) return true;
    return changes_system(*name, arguments_of(step));
}

}  // namespace

std::vector<std::string_view> known_functions() {
    std::vector<std::string_view> names;
    for (const auto& function : functions()) names.push_back(function.name);
    return names;
}

result<void> check_known(std::string_view function) {
    if (find(function) != nullptr) return {};
    return fail(
        errc::invalid,
        "there is no function " + std::string(function) + "; there are: " + listed(functions()));
}

result<void> check_arguments_size(std::size_t bytes) {
    if (bytes <= arguments_bytes_max) return {};
    return fail(
        errc::invalid,
        "the arguments have " + std::to_string(bytes) + " bytes; at most "
            + std::to_string(arguments_bytes_max) + " can be sent");
}

result<void> check_arguments(std::string_view function, const value& arguments) {
    const auto* const known = find(function);
    if (known == nullptr) return check_known(function);
    if (!arguments.holds<value::record>())
        return fail(errc::invalid, "the arguments are not a JSON object");
    if (known->name == chain_function) return check_chain(arguments);
    if (!known->takes) return {};
    return check_members(known->name, *known->takes, arguments);
}

bool changes_system(std::string_view function, const value& arguments) {
    if (function == chain_function) {
        const auto* const steps = steps_of(arguments);
        return steps == nullptr || std::ranges::any_of(*steps, step_changes_system);
    }
    const auto* const known = find(function);
    if (known == nullptr) return true;
    switch (known->does) {
        case effect::none:
            return false;
        case effect::none_in_a_test:
            return !is_test(arguments);
        case effect::change:
            return true;
    }
    return true;
}

monotonic::duration usual_timeout(std::string_view function, const value& arguments) {
    const auto usual = job_spec().timeout;
    const auto* const steps = function == chain_function ? steps_of(arguments) : nullptr;
    if (steps == nullptr) return usual;
    monotonic::duration all{};
    for (const auto& step : *steps)
        all = std::min(all + time_limit(step, usual).value_or(usual), timeout_max);
    return all;
}

result<written_arguments> form_of(std::string_view function, const value& written) {
    if (written.holds<value::record>()) return written_arguments::members;
    const auto* const list = written.get<value::list>();
    if (list != nullptr && list->empty()) return written_arguments::none;
    if (list != nullptr && function == "cmd.run") return written_arguments::command;
    return fail(
        errc::invalid,
        "the arguments of " + std::string(function)
            + " are an object such as {\"cmd\":[\"uptime\"]}");
}

}  // namespace muster::jobs
