#pragma once

#include "base/result.h"
#include "core/access/config_channel_access.h"
#include "core/fleet/system_set.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

// Which configuration files a system gets: each path once, from the strongest that has it. A
// system's own files are stronger than its channels, the first of these stronger than the next, and
// all of them stronger than the channels of its groups, in the order of the groups' names.
namespace muster::configuration {

// Whose files a system gets, and how it came to them.
struct file_source {
    std::string holder;
    std::string channel = {};  // none: the system itself
    access::subscription_source how = access::subscription_source::itself;
    std::string group = {};

    friend bool operator==(const file_source&, const file_source&) = default;
};

// A group that a system is in, with the labels of its channels, strongest first.
struct group_channels {
    const std::string& name;
    std::span<const std::string> channels;
    bool by_label = false;  // the system has its label; else the group's expression means it
};

using channel_holders = std::map<std::string, std::string>;  // by the channel's label

// The sources of a system, strongest first, without the system itself. A channel that several have
// keeps the strongest place, and came the shortest way: the system itself, a label, an expression.
// Unknown channels are ignored. Groups are in the order of their names.
std::vector<file_source> ranked_channels(
    std::span<const std::string> own,
    std::span<const group_channels> groups,
    const channel_holders& channel_holders);

struct file_choice {
    std::optional<std::string> channel = {};  // files of this one only
    std::set<std::string> paths = {};         // these only; none: all
    // Where the caller may read systems; files out of reach are errc::denied.
    access::extent looks_at = access::extent::cluster;
    // Includes files that a system has only through the expression of a group. A change of a tag,
    // name or fact selects these files, so the caller must select each system or set this flag.
    bool by_expression = false;
};

// Those of a system that are chosen; `own` holds the files of the system itself.
std::vector<file_source> chosen_sources(
    std::string own, std::vector<file_source> channels, const file_choice& by);

// A file of a holder.
struct held_file {
    std::string path;
    std::int64_t revision = 0;
    bool is_state = false;  // stored, but not deployed
    std::size_t place = 0;  // index in the list of the holder
};
using held_files = std::map<std::string, std::vector<held_file>, std::less<>>;  // by holder

// Assigns files to systems.
class file_plan {
public:
    // Both stay as they are and outlive the plan.
    file_plan(const held_files& files, const file_choice& by) : files_(files), by_(by) {}

    // errc::denied if the caller may not read one of the files.
    result<void> add(system_number system_number, std::span<const file_source> sources);

    struct chosen_file {
        const std::string* holder = nullptr;
        const held_file* file = nullptr;
    };
    struct part {
        fleet::system_set systems;
        std::vector<chosen_file> files;  // in the order of their paths
    };
    // Systems that get the same files together. Those that get none are in no part.
    std::vector<part> parts() const;
    // Of these systems files were left out, because they come by a group's expression. Nothing
    // weaker takes their places.
    const fleet::system_set& left_out() const { return left_out_; }

private:
    const held_files& files_;
    const file_choice& by_;
    std::map<std::string, part> parts_;  // by what names its files
    fleet::system_set left_out_;
};

}  // namespace muster::configuration
