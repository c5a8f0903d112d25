#pragma once

#include "base/time.h"
#include "core/packages/list/package.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::repository {

// A package as described by a repository.
struct repository_package {
    packages::family family = packages::family::rpm;
    packages::package package;
    std::string checksum_type;  // "sha256"
    std::string checksum;       // hexadecimal
    std::string path;           // below the repository
    std::string summary;
    std::string description;
    std::string license;
    std::string vendor;
    std::string build_host;
    std::int64_t size = 0;
    std::int64_t installed_size = 0;
    std::optional<wall_time> built;
};

struct repository_reference {
    std::string kind;  // "cve", "bugzilla"
    std::string id;
    std::string address;
    std::string title;
};

// An erratum (patch) as described by a repository.
struct repository_erratum {
    std::string name;
    std::string synopsis;
    std::string description;
    std::string kind;  // "security", "bugfix", "enhancement", …
    std::string severity;
    std::string status;
    std::string from;  // issuer
    std::optional<wall_time> updated;
    bool needs_reboot = false;
    bool needs_restart = false;
    std::vector<repository_reference> references;
    std::vector<packages::package> fixed;
};

// Limits of what is read, because repositories are not trusted.
struct repository_limits {
    std::size_t index_bytes_max = std::size_t{8} * 1024 * 1024;   // repomd.xml, Release
    std::size_t file_bytes_max = std::size_t{256} * 1024 * 1024;  // a file as it is fetched
    std::size_t decompressed_bytes_max = std::size_t{512} * 1024 * 1024;
    std::size_t packages_max = 200'000;
    std::size_t errata_max = 100'000;
    std::size_t files_max = 64;
    static constexpr std::size_t text_bytes_max = 16 * std::size_t{1024};  // longer texts are cut
    static constexpr std::size_t references_max = 500;                     // of an erratum
    static constexpr std::size_t fixed_max = 10'000;
};

struct contents {
    std::string revision;  // digest of the index: if it is unchanged, nothing is new
    std::vector<repository_package> packages;
    std::vector<repository_erratum> errata;
    std::size_t skipped = 0;  // packages with invalid names, such as names with blanks
};

}  // namespace muster::repository
