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

constexpr std::string_view ours = "MUSTER_";
constexpr std::size_t variable_typing_errors_max = 2;

// What programs of ours read or hand to commands besides settings: a server that is started from
// such an environment is not to stumble over it.
constexpr std::array<std::string_view, 9> no_settings{
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

// What Kubernetes and Docker set for a neighbour that is called `muster-ledger` or the like.
bool is_service_link(std::string_view variable, std::string_view text) {
    if (variable.contains("_SERVICE_HOST") || variable.contains("_SERVICE_PORT")) return true;
    const auto port = variable.find("_PORT");
    if (port == std::string_view::npos) return false;
    const auto rest = variable.substr(port + std::string_view("_PORT").size());
    if (rest.empty()) return text.contains("://");
    return rest.size() > 1 && rest[0] == '_'
           && std::isdigit(static_cast<unsigned char>(rest[1])) != 0;
}

// "MUSTER_LEDGER_" of `ledger.tls`; nothing when the setting is in no group.
std::string group_of(const setting& setting) {
    const auto dot = setting.name.find('.');
    if (dot == std::string_view::npos) return {};
    return environment_of({.name = setting.name.substr(0, dot)}) + '_';
}

class variables_of_settings {
public:
    explicit variables_of_settings(catalogue all) : all_(all) {
        for (const auto& each : all) names_.emplace(environment_of(each), each.name);
    }

    const std::string* setting_of(const std::string& variable) const {
        const auto it = names_.find(variable);
        return it == names_.end() ? nullptr : &it->second;
    }

    // The sentence about a variable that must be meant for one of them; empty: it is not ours.
    std::string suspicion(const std::string& variable, const std::string& text) const {
        if (std::ranges::find(no_settings, variable) != no_settings.end()) return {};
        for (const auto& [near, name] : names_) {
            if (edit_distance(variable, near) <= variable_typing_errors_max)
                return fmt::format("{}: no such setting; did you mean `{}`?", variable, near);
        }
        if (is_service_link(variable, text)) return {};
        const auto group = group_around(variable);
        if (group.empty()) return {};
        for (const auto& each : group) {
            if (each.starts_with(variable + '_'))
                return fmt::format("{}: no such setting; did you mean `{}`?", variable, each);
        }
        return fmt::format(
            "{}: no such setting; of its group there are {}", variable, fmt::join(group, ", "));
    }

private:
    // The variables of the group whose name it begins with, also of the setting called like it.
    std::vector<std::string> group_around(std::string_view variable) const {
        const auto deps = std::ranges::find_if(all_, [variable](const setting& setting) {
            const auto group = group_of(setting);
            return !group.empty() && variable.starts_with(group);
        });
        std::vector<std::string> members;
        if (deps == all_.end()) return members;
        const auto group = group_of(*deps);
        for (const auto& each : all_) {
            auto own = environment_of(each);
            if (own.starts_with(group) || own + '_' == group) members.push_back(std::move(own));
        }
        return members;
    }

    catalogue all_;
    std::map<std::string, std::string> names_;
};

}  // namespace

reading read_environment(catalogue all, const std::map<std::string, std::string>& variables) {
    const variables_of_settings variables_of_settings(all);
    reading match;
    for (const auto& [variable, text] : variables) {
        if (!variable.starts_with(ours)) continue;
        if (const auto* const name = variables_of_settings.setting_of(variable)) {
            match.written.push_back({*name, text, variable});
            continue;
        }
        auto sentence = variables_of_settings.suspicion(variable, text);
        if (!sentence.empty()) match.problems.push_back(std::move(sentence));
    }
    return match;
}

std::map<std::string, std::string> process_environment() {
    std::map<std::string, std::string> variables;
    for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
        const std::string_view pair(*each);
        const auto equals = pair.find('=');
        if (equals != std::string_view::npos)
            variables.emplace(pair.substr(0, equals), pair.substr(equals + 1));
    }
    return variables;
}

}  // namespace muster::runtime
