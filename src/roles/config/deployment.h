#pragma once

#include "core/fleet/system_set.h"
#include "roles/config/channel_book.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace muster::config {

// What is written to systems: each path once, from the strongest that has it. A system's own files
// are stronger than its channels, the first of these stronger than the next, and all of them
// stronger than the channels of its groups, in the order of the groups' names.
class deployment {
public:
    struct surroundings {
        const channel_book& channels;
        const file_book& files;
        const fleet::profile_book& profiles;
        // The groups that a system is in.
        std::function<std::vector<std::string>(system_number)> groups_of;
    };

    explicit deployment(surroundings around) : around_(std::move(around)) {}

    // The labels of a system's channels, strongest first, its groups' among them.
    async<std::vector<std::string>> channels_of(system_number system) const;

    struct part {
        fleet::system_set systems;
        std::vector<config_file> files;  // in the order of their paths
    };
    struct choice {
        std::optional<std::string> channel = {};  // files of this one only
        std::optional<std::string> path = {};     // this one only
    };
    // Systems that get the same files together. Those that get none are in no part.
    async<std::vector<part>> plan(std::vector<system_number> systems, choice of) const;

    enum class mode { write, compare };
    // The arguments of files.deploy, as many as the files need to fit.
    async<std::vector<std::string>> arguments_of(std::vector<config_file> files, mode how) const;

private:
    std::vector<std::string> labels_of(const fleet::system_profile& of) const;

    surroundings around_;
};

}  // namespace muster::config
