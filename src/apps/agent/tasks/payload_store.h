#pragma once

#include "base/result.h"
#include "core/session/agent_task.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace muster::agent {

// Stores payloads that are too large for a report, each as a zstd frame in its own file. A payload
// is on disk before its report. The total size is limited; the report of a rejected payload says
// so. Not thread-safe.
class payload_store {
public:
    // Nodes accept every payload of this size, even if it does not compress.
    static constexpr std::size_t accepted_bytes = std::size_t{4032} * 1024;
    static constexpr std::uint64_t bytes_max = std::uint64_t{256} * 1024 * 1024;

    // Creates the directory (mode 0700). Removes files of tasks that are not `referenced`: the
    // agent ended between payload and report.
    static result<payload_store> open(
        std::filesystem::path directory, const std::set<session::task_name>& referenced);

    // errc::invalid: nodes would not accept the payload.
    result<void> save(session::task_name task, std::string_view payload);

    struct part {
        std::string content;
        bool last = false;
    };
    // A part of the compressed payload. errc::not_found if it does not exist.
    result<part> read(session::task_name task, std::uint64_t offset, std::size_t size_max) const;
    void remove(session::task_name task);

    std::uint64_t stored_bytes() const { return stored_bytes_; }

private:
    explicit payload_store(std::filesystem::path directory) : directory_(std::move(directory)) {}
    std::filesystem::path path_of(session::task_name task) const;

    std::filesystem::path directory_;
    std::map<session::task_name, std::uint64_t> sizes_;
    std::uint64_t stored_bytes_ = 0;
};

}  // namespace muster::agent
