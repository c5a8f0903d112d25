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

// Payloads that are too large for a report, each a zstd frame in a file of its own, on disk before
// its report is. Bounded in all: beyond it a payload is not kept, and the report says so.
class payload_store {
public:
    // Whatever it is, a payload of this size (a little below 4 MiB) is one that nodes take.
    static constexpr std::size_t certain_bytes = std::size_t{4032} * 1024;
    static constexpr std::uint64_t bytes_max = std::uint64_t{256} * 1024 * 1024;

    // Makes the directory (mode 0700). Files of tasks that are not `known` are removed: the agent
    // ended between payload and report.
    static result<payload_store> open(
        std::filesystem::path directory, const std::set<session::task_name>& known);

    // errc::invalid: no node would take it.
    result<void> keep(session::task_name task, std::string_view payload);

    struct part {
        std::string content;
        bool last = false;
    };
    // Of the compressed form. errc::not_found when it is not there (any more).
    result<part> read(session::task_name task, std::uint64_t offset, std::size_t size_max) const;
    void drop(session::task_name task);

    std::uint64_t kept_bytes() const { return kept_bytes_; }

private:
    explicit payload_store(std::filesystem::path directory) : directory_(std::move(directory)) {}
    std::filesystem::path file_of(session::task_name task) const;

    std::filesystem::path directory_;
    std::map<session::task_name, std::uint64_t> sizes_;
    std::uint64_t kept_bytes_ = 0;
};

}  // namespace muster::agent
