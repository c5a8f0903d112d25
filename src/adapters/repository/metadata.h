#pragma once

#include "adapters/repository/contents.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::repository {

// Parses the files of a repository, compressed or not. The input is not trusted: it is bounded by
// the limits. errc::invalid or errc::corrupt describes the problem.
struct metadata_file {
    std::string path;
    std::string checksum_type;
    std::string checksum;
};

// repodata/repomd.xml: the files of the kinds "primary" and "updateinfo".
struct rpm_index {
    metadata_file primary;
    std::optional<metadata_file> updateinfo;
};
result<rpm_index> read_repomd(std::string_view xml);

// Release: files of the SHA256 section with packages of an architecture. Of several compressions it
// returns the smallest. `prefix` limits the result to paths below it.
struct release_query {
    std::string arch;  // "amd64"
    std::string prefix = {};
};
result<std::vector<metadata_file>> read_release(
    std::string_view text, const release_query& query, const repository_limits& limits);

// Adds the packages or errata of a file to `output`.
result<void> read_packages(
    std::string_view bytes,
    packages::family family,
    const repository_limits& limits,
    contents& output);
result<void> read_updateinfo(
    std::string_view bytes, const repository_limits& limits, contents& output);

}  // namespace muster::repository
