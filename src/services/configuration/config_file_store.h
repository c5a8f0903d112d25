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

// Whose files they are.
std::string held_by_channel(std::int64_t number);
std::string held_by_system(std::int64_t number);     // stronger than any channel's
std::string sandbox_of_system(std::int64_t number);  // for trying: deployed to nobody

// Files with their revisions, in the ledger. Thread-safe.
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
    // A path that is there gets another revision, unless this would be like the newest one.
    async<config_file> put(std::string holder, std::string path, new_revision new_revision);
    // All of them or none; errc::not_found names the first that is not there.
    async<void> remove(std::string holder, std::vector<std::string> paths);
    async<void> remove_all(std::string holder);

    async<std::string> content(std::string digest) const;  // errc::not_found

    // Forgets contents that no revision of any file has, and that nobody was about to use for so
    // long; how many.
    static constexpr std::chrono::hours unused_time{24};
    async<std::size_t> sweep();

private:
    struct blob {
        std::string digest;
        std::string content = {};
        std::int64_t version = 0;  // zero: there never was one
        bool kept = false;
        std::int64_t used = 0;
    };
    async<blob> find_blob(std::string digest) const;
    // Whether it was written: otherwise somebody else was faster.
    async<bool> write_blob(blob blob);
    async<void> keep(std::string digest, std::string content);
    async<std::set<std::string>> used_digests() const;  // in hexadecimal
    async<std::size_t> forget_unused(std::set<std::string> used);
    static result<blob> decode_blob(const table::row& cells);
    std::int64_t seconds_now() const;

    // Version zero: there never was one.
    async<config_file> look_up(std::string holder, std::string path) const;
    async<void> write(std::vector<config_file> files);

    ledger& ledger_;
    muster::clock& clock_;
};

}  // namespace muster::configuration
