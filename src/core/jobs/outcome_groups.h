#pragma once

#include "core/model/job.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace muster::jobs {

// Tasks that ended alike: same state, exit code and output. Of those without any output the
// reason tells them apart.
struct outcome_group {
    task_state state = task_state::completed;
    std::int32_t exit_code = 0;
    std::string reason;  // of the first one
    std::string digest;  // SHA-256 of the output; empty: none, or it is inline
    std::string inline_payload;
    std::int64_t payload_size = 0;
    std::uint64_t count = 0;
    std::vector<std::int64_t> examples;  // systems
};

// What a million returns have in common, in bounded memory. Groups beyond the limit are counted
// together.
class outcome_groups {
public:
    struct limits {
        std::size_t groups_max = 1'000;
        std::size_t examples_max = 5;
    };

    explicit outcome_groups(limits limits) : options_(limits) {}

    // Tasks that have not ended are left out.
    void add(const task_record& task);

    // The failed before the others, and among them the largest first.
    std::vector<outcome_group> sorted() const;
    std::uint64_t beyond() const { return beyond_; }  // tasks in groups there was no room for

private:
    using key = std::tuple<task_state, std::int32_t, std::string, std::string>;

    limits options_;
    std::map<key, outcome_group> groups_;
    std::uint64_t beyond_ = 0;
};

}  // namespace muster::jobs
