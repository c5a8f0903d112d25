#pragma once

#include "core/configuration/deployment_request.h"
#include "core/configuration/file_plan.h"
#include "core/fleet/system_set.h"
#include "services/configuration/config_channel_store.h"
#include "services/fleet/system_selector.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::configuration {

// Decides which files are written to systems: reads their channels and files, and applies
// core/configuration/file_plan.h. Thread-safe.
class deployment {
public:
    struct dependencies {
        const config_channel_store& channels;
        const config_file_store& files;
        const fleet::system_profile_store& profiles;
        const fleet::system_selector& systems;
    };

    explicit deployment(dependencies deps) : deps_(std::move(deps)) {}

    // The labels of a system's channels, strongest first, its groups' among them.
    async<std::vector<std::string>> channels_of(system_number system) const;

    struct part {
        fleet::system_set systems;
        std::vector<config_file> files;  // in the order of their paths
    };
    using choice = configuration::file_choice;
    struct outline {
        // Systems that get the same files together. Those that get none are in no part.
        std::vector<part> parts;
        // Of these systems files were left out, because they come by a group's expression. Nothing
        // weaker takes their places.
        fleet::system_set left_out = {};
    };
    async<outline> plan(std::vector<system_number> systems, choice choice) const;

    using mode = configuration::deployment_mode;
    static constexpr std::string_view scheduled_as = configuration::deployment_function;
    using request = configuration::deployment_request;
    // From the text of a schedule's arguments.
    static result<request> parse_request(std::string_view arguments);

    // The arguments of files.deploy, as many as the files need to fit.
    async<std::vector<std::string>> arguments_of(std::vector<config_file> files, mode mode) const;

private:
    // Groups that have channels, with their systems, in the order of their names.
    struct group {
        std::string name;
        std::vector<std::string> channels;
        fleet::system_set members;
    };
    result<std::vector<group>> groups() const;
    // Groups and channels, read once for all systems.
    struct plan_inputs {
        std::vector<group> groups;
        configuration::channel_holders holders;
    };
    result<plan_inputs> read_inputs() const;
    using sources = std::vector<configuration::file_source>;  // strongest first
    sources channels_of(const fleet::system_profile& profile, const plan_inputs& inputs) const;
    using sources_by_system = std::map<system_number, sources>;
    async<sources_by_system> sources_of(std::vector<system_number> systems, choice choice) const;

    dependencies deps_;
};

}  // namespace muster::configuration
