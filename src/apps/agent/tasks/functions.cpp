#include "apps/agent/tasks/functions.h"

#include "core/model/chain.h"

#include <array>

namespace muster::agent {
namespace {

using session::task_nature;

struct known_function {
    std::string_view name;
    function what;
    task_nature nature;
};

constexpr std::array known{
    known_function{"test.ping", function::ping, task_nature::harmless},
    known_function{"cmd.run", function::run_command, task_nature::ordinary},
    known_function{"script.run", function::run_script, task_nature::ordinary},
    known_function{"facts.get", function::get_facts, task_nature::harmless},
    known_function{"agent.update", function::update_agent, task_nature::ordinary},
    known_function{"system.reboot", function::reboot, task_nature::reboots},
    known_function{"files.deploy", function::deploy_files, task_nature::ordinary},
    known_function{"packages.change", function::change_packages, task_nature::ordinary},
    known_function{"packages.refresh", function::refresh_packages, task_nature::harmless},
    known_function{chain_function, function::chain, task_nature::chain}};

const known_function* find(std::string_view name) {
    for (const auto& each : known) {
        if (each.name == name) return &each;
    }
    return nullptr;
}

}  // namespace

std::optional<function> parse_function(std::string_view name) {
    const auto* it = find(name);
    if (it == nullptr) return std::nullopt;
    return it->what;
}

task_nature nature_of(std::string_view name) {
    const auto* it = find(name);
    return it == nullptr ? task_nature::harmless : it->nature;
}

}  // namespace muster::agent
