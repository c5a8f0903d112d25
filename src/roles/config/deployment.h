#pragma once

#include "core/access/channel_reach.h"
#include "core/fleet/system_set.h"
#include "roles/config/channel_book.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
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
        // Also files that a system has by a group's expression only. Whoever changes a tag, a name
        // or a fact of a system chooses these: right where whoever asks has chosen each system, or
        // says so.
        bool by_expression = false;
    };
    struct outline {
        // Systems that get the same files together. Those that get none are in no part.
        std::vector<part> parts;
        // Of these systems files were left out, because they come by a group's expression. Nothing
        // weaker takes their places.
        fleet::system_set left_out = {};
    };
    async<outline> plan(std::vector<system_number> systems, choice of) const;

    enum class mode { write, compare };

    // A schedule whose function has this name brings its systems to their files at each run. No
    // agent knows it: what a run becomes is jobs of files.deploy.
    static constexpr std::string_view scheduled_as = "configuration.deploy";
    struct order {
        choice of = {};
        mode how = mode::write;
    };
    // From a schedule's arguments: `channel`, `by_expression`, `dry_run`. errc::invalid says what
    // is wrong with them.
    static result<order> read_order(std::string_view arguments);
    // A sentence for a plan without parts, of whose systems files were left out for so many.
    static std::string why_nothing(std::uint64_t left_out);

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
        std::string holder;
        std::string channel = {};  // none: the system itself
        access::came_by how = access::came_by::itself;
        std::string group = {};
    };
    // What systems are told apart by, read once for all of them.
    struct ground {
        std::vector<group> groups;
        std::map<std::string, std::string> holders;  // by the channel's label
    };
    result<ground> look_around() const;
    std::vector<held> held_by(const fleet::system_profile& of, const ground& on) const;
    // Strongest first.
    using standing = std::map<system_number, std::vector<held>>;
    async<standing> standing_of(std::vector<system_number> systems, choice of) const;
    // By path.
    struct source {
        const config_file* file = nullptr;
        const held* from = nullptr;
    };
    using chosen = std::map<std::string, source>;
    static chosen choose(
        const std::vector<held>& from, const file_book::by_holder& files, const choice& of);
    static std::string name_of(const chosen& files);
    static result<void> check_reached(system_number who, const chosen& files, access::extent from);

    surroundings around_;
};

}  // namespace muster::config
