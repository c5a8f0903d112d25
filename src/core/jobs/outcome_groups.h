#pragma once

#include "core/model/job.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace muster::jobs {

// Tasks with the same state, exit code and output. Tasks without output are grouped by reason.
struct outcome_group {
    task_state state = task_state::completed;
    std::int32_t exit_code = 0;
    std::string reason;  // of the first task
    std::string digest;  // SHA-256 of the output; empty: none, or inline
    std::string inline_payload;
    std::int64_t payload_size = 0;
    std::uint64_t count = 0;
    std::vector<std::int64_t> examples;  // systems
};

// Groups task results in bounded memory. Tasks beyond the maximum of groups are only counted. Not
// thread-safe.
class outcome_groups {
public:
    struct limits {
        std::size_t groups_max = 1'000;
        std::size_t examples_max = 5;
    };

    explicit outcome_groups(limits limits) : limits_(limits) {}

    // Ignores tasks that have not ended.
    void add(const task_record& task);

    // Failed groups first; larger groups before smaller ones.
    std::vector<outcome_group> sorted() const;
    std::uint64_t ungrouped() const { return ungrouped_; }  // tasks beyond groups_max

private:
    using key = std::tuple<task_state, std::int32_t, std::string, std::string>;

    limits limits_;
    std::map<key, outcome_group> groups_;
    std::uint64_t ungrouped_ = 0;
};

}  // namespace muster::jobs
