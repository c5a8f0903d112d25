#pragma once

#include "base/result.h"

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::agent {

// The desired state of a file, directory or link.
struct desired_file {
    enum class file_kind { file, directory, symlink } kind = file_kind::file;
    std::string path;
    std::string content;
    std::string target;            // of a link
    std::optional<::mode_t> mode;  // nullopt: unchanged; 0644 or 0755 for new ones
    std::string owner;             // empty: unchanged
    std::string group;
};

struct deployment_request {
    std::vector<desired_file> files;
    bool test = false;  // report the changes without making them
};

struct deployment_limits {
    static constexpr std::size_t files_max = 10'000;
    static constexpr std::size_t path_bytes_max = 4096;
    static constexpr std::size_t diff_bytes_max = std::size_t{16} * 1024;      // of a file
    static constexpr std::size_t payload_bytes_max = std::size_t{512} * 1024;  // of all diffs
    static constexpr std::size_t compared_bytes_max = std::size_t{1024} * 1024;
};

// files.deploy: `files` is a list of objects with `type` (file, directory, symlink), `path`,
// `mode`, `owner`, `group`, `contents` or `base64`, `target`; `test` writes nothing. If a path is
// not absolute or contains "." or "..", the whole request is refused.
result<deployment_request> parse_deployment(std::string_view arguments);

struct deployment_outcome {
    std::size_t changed = 0;
    std::size_t failed = 0;
    std::string reason;  // of the first failure
    // {"files": [{"path", "result", "changes", "diff", "reason"}], "changed", "failed"}
    std::string payload;
};

// Replaces each file atomically. Links in a path are followed only where nobody but root could
// create them. Diffs are reported in tests only, and only for files that everybody may read. A file
// that fails does not stop the others.
deployment_outcome deploy(const deployment_request& request);

}  // namespace muster::agent
