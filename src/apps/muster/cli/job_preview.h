#pragma once

#include "apps/muster/cli/password_prompt.h"

#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cli {

// The expected effect of a job.
struct job_preview {
    std::int64_t targets = 0;
    std::int64_t offline = 0;
    std::int64_t fleet = 0;  // systems that are visible to the caller
    bool changes = true;     // whether the job changes systems
    std::int64_t waiting = 0;
    std::string opens;                 // when the first window opens; empty: unknown
    std::vector<std::string> skipped;  // systems that are not started, and why
};
job_preview read_preview(const boost::json::value& preview);

// How many systems a job changes: some, so many that the user should confirm, or all.
enum class target_scope { some, wide, everything };
target_scope scope_of(const job_preview& preview, std::string_view query, std::int64_t wide_above);

// Describes the systems that wait for a maintenance window; empty if there are none.
std::string waiting_text(const job_preview& preview);

// Asks for confirmation of a wide change. Without a terminal, a change of all systems is refused
// with errc::invalid. errc::cancelled: the user declined.
result<void> confirm_scope(
    std::string_view command,
    const job_preview& preview,
    target_scope scope,
    const terminal& screen = {});

}  // namespace muster::cli
