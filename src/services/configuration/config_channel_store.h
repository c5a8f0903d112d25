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

// Allocates a number from a metastore counter, unique in the life of the cluster.
async<std::int64_t> next_number(metastore& metastore, std::string name);

// Reads and writes configuration channels and their assignment to groups. Thread-safe.
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

    // Whether all records were read since the start.
    bool complete() const { return deps_.records.complete(); }
    std::vector<channel> all() const;
    result<channel> find(std::string_view label) const;  // errc::not_found
    result<channel> find_number(std::int64_t number) const;
    // In the order of the labels. errc::not_found names the first missing channel.
    result<std::vector<channel>> find_all(const std::vector<std::string>& labels) const;

    // errc::conflict when the label exists.
    async<channel> add(channel channel, std::string by);
    // Changes name and description.
    struct description {
        std::string name;
        std::string text;
    };
    async<channel> describe(std::string label, description description, std::string by);
    // Removes the channel with its files, also from systems and groups.
    async<void> remove(std::string label, std::string by);

    std::vector<std::string> of_group(std::string_view group) const;
    // Labels by group; only groups with channels.
    std::map<std::string, std::vector<std::string>> by_group() const;
    // Reads the ledger rather than the cache.
    async<bool> has_any(std::string group) const;
    // Changes the channels of a group. The function may be called again after a concurrent change.
    using list_change = std::function<std::vector<std::string>(std::vector<std::string>)>;
    async<void> change_group(std::string group, list_change change, std::string by);
    std::vector<std::string> groups_with(std::string_view label) const;

private:
    dependencies deps_;
};

// Position of added channels in a list; the first channel is the strongest.
enum class list_end { front, back };
std::vector<std::string> add_channels(
    std::vector<std::string> labels, const std::vector<std::string>& added, list_end position);
std::vector<std::string> remove_channels(
    std::vector<std::string> labels, const std::vector<std::string>& removed);

}  // namespace muster::configuration
