#include "apps/agent/tasks/functions.h"

#include "core/model/chain.h"

#include <array>

namespace muster::agent {
namespace {

using session::task_nature;

struct function_entry {
    std::string_view name;
    function id;
    task_nature nature;
};

constexpr std::array functions{
    function_entry{"test.ping", function::ping, task_nature::harmless},
    function_entry{"cmd.run", function::run_command, task_nature::ordinary},
    function_entry{"script.run", function::run_script, task_nature::ordinary},
    function_entry{"facts.get", function::get_facts, task_nature::harmless},
    function_entry{"agent.update", function::update_agent, task_nature::ordinary},
    function_entry{"system.reboot", function::reboot, task_nature::reboots},
    function_entry{"files.deploy", function::deploy_files, task_nature::ordinary},
    function_entry{"packages.change", function::change_packages, task_nature::ordinary},
    function_entry{"packages.refresh", function::refresh_packages, task_nature::harmless},
    function_entry{chain_function, function::chain, task_nature::chain}};

const function_entry* find_function(std::string_view name) {
    for (const auto& entry : functions) {
        if (entry.name == name) return &entry;
    }
    return nullptr;
}

}  // namespace

std::optional<function> parse_function(std::string_view name) {
    const auto* entry = find_function(name);
    if (entry == nullptr) return std::nullopt;
    return entry->id;
}

task_nature nature_of(std::string_view name) {
    const auto* entry = find_function(name);
    return entry == nullptr ? task_nature::harmless : entry->nature;
}

}  // namespace muster::agent
