#pragma once

#include "core/access/channel_reach.h"
#include "core/fleet/system_set.h"
#include "roles/config/channel_book.h"

#include <functional>
#include <optional>
#include <set>
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
        // The systems that are in a group, by its label or by its expression.
        std::function<result<fleet::system_set>(const std::string& group)> members_of;
        // Whether a system has the label of a group.
        std::function<bool(system_number, const std::string& group)> has_label;
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
        std::set<std::string> paths = {};         // these only; none: all
        // Where whoever asks may look at systems: what they do not reach is errc::denied.
        access::extent looks_at = access::extent::cluster;
    };
    // Systems that get the same files together. Those that get none are in no part.
    async<std::vector<part>> plan(std::vector<system_number> systems, choice of) const;

    enum class mode { write, compare };
    // The arguments of files.deploy, as many as the files need to fit.
    async<std::vector<std::string>> arguments_of(std::vector<config_file> files, mode how) const;

private:
    // Groups that have channels, with their systems, in the order of their names.
    struct group {
        std::string name;
        std::vector<std::string> channels;
        fleet::system_set members;
    };
    result<std::vector<group>> groups() const;
    struct held {
        std::string channel;
        access::came_by how = access::came_by::itself;
        std::string group = {};
    };
    std::vector<held> held_by(
        const fleet::system_profile& of, const std::vector<group>& groups) const;
    result<void> check_reached(
        system_number who, const held& what, const std::string& path, access::extent from) const;

    surroundings around_;
};

}  // namespace muster::config
