#pragma once

#include "base/time.h"
#include "core/packages/list/package.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::repository {

// A package as a repository tells of it.
struct repository_package {
    packages::family kind = packages::family::rpm;
    packages::package what;
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

struct found_reference {
    std::string kind;  // "cve", "bugzilla"
    std::string id;
    std::string address;
    std::string title;
};

// What a repository tells of why packages are newer: an erratum, or patch.
struct repository_erratum {
    std::string name;
    std::string synopsis;
    std::string description;
    std::string kind;  // "security", "bugfix", "enhancement", …
    std::string severity;
    std::string status;
    std::string from;
    std::optional<wall_time> updated;
    bool wants_reboot = false;
    bool wants_restart = false;
    std::vector<found_reference> references;
    std::vector<packages::package> fixed;
};

// Everything beyond these is refused, with what and how much: a repository is somebody else's.
struct repository_limits {
    std::size_t index_bytes_max = std::size_t{8} * 1024 * 1024;     // repomd.xml, Release
    std::size_t packed_bytes_max = std::size_t{256} * 1024 * 1024;  // a file as it is fetched
    std::size_t unpacked_bytes_max = std::size_t{512} * 1024 * 1024;
    std::size_t packages_max = 200'000;
    std::size_t errata_max = 100'000;
    std::size_t files_max = 64;
    static constexpr std::size_t text_bytes_max = 16 * std::size_t{1024};  // of a description; cut
    static constexpr std::size_t references_max = 500;                     // of an erratum
    static constexpr std::size_t fixed_max = 10'000;
};

struct contents {
    std::string revision;  // the digest of what names everything else: the same, nothing is new
    std::vector<repository_package> packages;
    std::vector<repository_erratum> errata;
    std::size_t left_out = 0;  // packages that cannot be named here, such as with blanks in a name
};

}  // namespace muster::repository
