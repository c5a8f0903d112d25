#include "runtime/settings/nearest.h"
#include "runtime/settings/source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <unistd.h>

namespace muster::runtime {
namespace {

constexpr std::string_view name_prefix = "MUSTER_";
constexpr std::size_t variable_typing_errors_max = 2;

// Variables that Muster's programs read, or set for commands, besides settings. A server that
// starts in such an environment accepts them.
constexpr std::array<std::string_view, 9> other_variables{
    "MUSTER_ASK_ABOVE",
    "MUSTER_CA",
    "MUSTER_CONFIG",
    "MUSTER_EDIT",
    "MUSTER_JOB",
    "MUSTER_NODE",
    "MUSTER_SERVER",
    "MUSTER_STATE",
    "MUSTER_TOKEN_FILE",
};

// Whether Kubernetes or Docker set the variable for a service such as `muster-ledger`.
bool is_service_link(std::string_view variable, std::string_view value) {
    if (variable.contains("_SERVICE_HOST") || variable.contains("_SERVICE_PORT")) return true;
    const auto port = variable.find("_PORT");
    if (port == std::string_view::npos) return false;
    const auto rest = variable.substr(port + std::string_view("_PORT").size());
    if (rest.empty()) return value.contains("://");
    return rest.size() > 1 && rest[0] == '_'
           && std::isdigit(static_cast<unsigned char>(rest[1])) != 0;
}

// "MUSTER_LEDGER_" for `ledger.tls`; empty when the setting is in no group.
std::string group_of(const setting& setting) {
    const auto dot = setting.name.find('.');
    if (dot == std::string_view::npos) return {};
    return environment_of({.name = setting.name.substr(0, dot)}) + '_';
}

class setting_variables {
public:
    explicit setting_variables(catalogue catalogue) : catalogue_(catalogue) {
        for (const auto& setting : catalogue) names_.emplace(environment_of(setting), setting.name);
    }

    const std::string* find_setting_name(const std::string& variable) const {
        const auto it = names_.find(variable);
        return it == names_.end() ? nullptr : &it->second;
    }

    // The problem of a variable that looks like a misspelt setting; empty: it is not a setting.
    std::string find_problem(const std::string& variable, const std::string& value) const {
        if (std::ranges::find(other_variables, variable) != other_variables.end()) return {};
        for (const auto& [candidate, name] : names_) {
            if (edit_distance(variable, candidate) <= variable_typing_errors_max)
                return fmt::format(
                    "{}: unknown setting; closest match: \"{}\"", variable, candidate);
        }
        if (is_service_link(variable, value)) return {};
        const auto group = group_variables(variable);
        if (group.empty()) return {};
        for (const auto& member : group) {
            if (member.starts_with(variable + '_'))
                return fmt::format("{}: unknown setting; closest match: \"{}\"", variable, member);
        }
        return fmt::format(
            "{}: unknown setting; known settings of this group: {}",
            variable,
            fmt::join(group, ", "));
    }

private:
    // The variables of the group whose name is a prefix of `variable`, and of the setting that has
    // the group's name.
    std::vector<std::string> group_variables(std::string_view variable) const {
        const auto member = std::ranges::find_if(catalogue_, [variable](const setting& setting) {
            const auto group = group_of(setting);
            return !group.empty() && variable.starts_with(group);
        });
        std::vector<std::string> members;
        if (member == catalogue_.end()) return members;
        const auto group = group_of(*member);
        for (const auto& setting : catalogue_) {
            auto name = environment_of(setting);
            if (name.starts_with(group) || name + '_' == group) members.push_back(std::move(name));
        }
        return members;
    }

    catalogue catalogue_;
    std::map<std::string, std::string> names_;
};

}  // namespace

settings_source read_environment(
    catalogue catalogue, const std::map<std::string, std::string>& variables) {
    const setting_variables setting_variables(catalogue);
    settings_source source;
    for (const auto& [variable, value] : variables) {
        if (!variable.starts_with(name_prefix)) continue;
        if (const auto* const name = setting_variables.find_setting_name(variable)) {
            source.entries.push_back({*name, value, variable});
            continue;
        }
        auto problem = setting_variables.find_problem(variable, value);
        if (!problem.empty()) source.problems.push_back(std::move(problem));
    }
    return source;
}

std::map<std::string, std::string> process_environment() {
    std::map<std::string, std::string> variables;
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
        const std::string_view pair(*variable);
        const auto equals = pair.find('=');
        if (equals != std::string_view::npos)
            variables.emplace(pair.substr(0, equals), pair.substr(equals + 1));
    }
    return variables;
}

}  // namespace muster::runtime
