#pragma once

#include "base/result.h"

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::agent {

// A file, a directory or a link as it is to be on this machine.
struct desired_file {
    enum class kind { file, directory, symlink } what = kind::file;
    std::string path;
    std::string content;
    std::string target;            // of a link
    std::optional<::mode_t> mode;  // nothing: as it is, or 0644 and 0755
    std::string owner;             // empty: whoever it belongs to
    std::string group;
};

struct deployment_request {
    std::vector<desired_file> files;
    bool test = false;  // says what would be done, and does nothing
};

struct file_order_limits {
    static constexpr std::size_t files_max = 10'000;
    static constexpr std::size_t path_bytes_max = 4096;
    static constexpr std::size_t diff_bytes_max = std::size_t{16} * 1024;      // of a file
    static constexpr std::size_t payload_bytes_max = std::size_t{512} * 1024;  // then without diffs
    static constexpr std::size_t compared_bytes_max = std::size_t{1024} * 1024;
};

// files.deploy: `files` is a list of objects with `type` (file, directory, symlink), `path`,
// `mode`, `owner`, `group`, `contents` or `base64`, `target`; `test` writes nothing. Paths that are
// not absolute, or have "." or ".." in them, are refused, and then nothing is done at all.
result<deployment_request> parse_file_order(std::string_view arguments);

struct file_outcome {
    std::size_t changed = 0;
    std::size_t failed = 0;
    std::string reason;  // of the first that failed
    // {"files": [{"path", "result", "changes", "diff", "reason"}], "changed", "failed"}
    std::string payload;
};

// A file takes the place of the one before in one step: whoever reads it sees the one or the other.
// Links on the way to it are followed only where nobody but root could put them. A difference is
// told by a test only, and of files that everybody on the machine may read.
// One that fails does not keep the others from being written.
file_outcome deploy(const deployment_request& order);

}  // namespace muster::agent
