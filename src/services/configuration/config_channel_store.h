#pragma once

#include "ports/metastore.h"
#include "services/configuration/channel.h"
#include "services/configuration/config_file_store.h"
#include "services/configuration/config_record_store.h"
#include "services/fleet/system_profile_store.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::configuration {

// A number from a counter in the metastore, given once in the life of the cluster.
async<std::int64_t> next_number(metastore& from, std::string name);

// Configuration channels and which groups have which. Thread-safe.
class config_channel_store {
public:
    struct dependencies {
        metastore& numbers;
        config_record_store& records;
        config_file_store& files;
        fleet::system_profile_store& profiles;
        muster::clock& clock;
    };

    explicit config_channel_store(dependencies deps) : deps_(deps) {}

    // Whether everything on record was read since the start.
    bool complete() const { return deps_.records.complete(); }
    std::vector<channel> all() const;
    result<channel> find(std::string_view label) const;  // errc::not_found
    result<channel> find_number(std::int64_t number) const;
    // In the order of the labels; the first that is not there is named.
    result<std::vector<channel>> find_all(const std::vector<std::string>& labels) const;

    // errc::conflict when there is one of this label.
    async<channel> add(channel channel, std::string by);
    // Names and describes one anew.
    struct description {
        std::string name;
        std::string text;
    };
    async<channel> describe(std::string label, description description, std::string by);
    // With its files; systems, groups and keys that have it go on without it.
    async<void> remove(std::string label, std::string by);

    std::vector<std::string> of_group(std::string_view group) const;
    // Of groups that have any.
    std::map<std::string, std::vector<std::string>> by_group() const;
    // By what is on record now, also if memory has not heard of it yet.
    async<bool> has_any(std::string group) const;
    // Changes a group's list; called again when somebody else was faster.
    using list_change = std::function<std::vector<std::string>(std::vector<std::string>)>;
    async<void> change_group(std::string group, list_change list_change, std::string by);
    std::vector<std::string> groups_with(std::string_view label) const;

private:
    dependencies deps_;
};

// How a list of channels is changed; the first is the strongest.
enum class where { front, back };
std::vector<std::string> with_channels(
    std::vector<std::string> now, const std::vector<std::string>& added, where to);
std::vector<std::string> without_channels(
    std::vector<std::string> now, const std::vector<std::string>& removed);

}  // namespace muster::configuration
