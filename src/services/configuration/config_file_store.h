#pragma once

#include "ports/clock.h"
#include "ports/ledger.h"
#include "services/configuration/config_file.h"

#include <chrono>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace muster::configuration {

// Holders of files.
std::string held_by_channel(std::int64_t number);
std::string held_by_system(std::int64_t number);     // stronger than any channel's
std::string sandbox_of_system(std::int64_t number);  // for trying: deployed to nobody

// Reads and writes files with their revisions in the ledger. Thread-safe.
class config_file_store {
public:
    config_file_store(muster::ledger& ledger, muster::clock& clock)
        : ledger_(ledger), clock_(clock) {}

    async<config_file> read(std::string holder, std::string path) const;  // errc::not_found
    // In the order of their paths.
    async<std::vector<config_file>> list(std::string holder) const;
    using by_holder = std::map<std::string, std::vector<config_file>, std::less<>>;
    async<by_holder> list_all(std::vector<std::string> holders) const;

    struct new_revision {
        file_revision how;  // its number: nothing, or one that is larger than all before
        std::string content = {};
    };
    // Adds a revision to the file, unless it equals the newest one.
    async<config_file> put(std::string holder, std::string path, new_revision new_revision);
    // Removes all of them or none. errc::not_found names the first missing file.
    async<void> remove(std::string holder, std::vector<std::string> paths);
    async<void> remove_all(std::string holder);

    async<std::string> content(std::string digest) const;  // errc::not_found

    // Deletes contents that no revision uses and that were not used for `unused_time`. Returns
    // their number.
    static constexpr std::chrono::hours unused_time{24};
    async<std::size_t> prune_contents();

private:
    struct blob {
        std::string digest;
        std::string content = {};
        std::int64_t version = 0;  // zero: there never was one
        bool kept = false;
        std::int64_t used = 0;
    };
    async<blob> find_blob(std::string digest) const;
    // False after a concurrent change.
    async<bool> write_blob(blob blob);
    async<void> store_content(std::string digest, std::string content);
    async<std::set<std::string>> used_digests() const;  // in hexadecimal
    async<std::size_t> delete_unused(std::set<std::string> used);
    static result<blob> decode_blob(const table::row& row);
    std::int64_t seconds_now() const;

    // Version zero: the file never existed.
    async<config_file> read_row(std::string holder, std::string path) const;
    async<void> write(std::vector<config_file> files);

    ledger& ledger_;
    muster::clock& clock_;
};

}  // namespace muster::configuration
