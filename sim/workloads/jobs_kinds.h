#pragma once

#include "core/fleet/system_set.h"
#include "core/model/job.h"
#include "core/model/system.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What is asked of the simulated fleet, and when its windows are open.
namespace muster::sim {

// One way to use jobs. A job's arguments name its kind, so whoever sees a task knows what holds for
// it, also of a job whose maker died before it could tell.
struct job_kind {
    std::string name;
    job_spec spec;
    fleet::system_set targets;
    std::optional<monotonic::duration> starts_in;  // not_before, from its making
    std::uint32_t fails_per_mille = 20;            // of its programs
    monotonic::duration runs_max = std::chrono::seconds(2);
    bool large = false;  // its payload is too large to come with the report
    std::optional<std::uint64_t> places = std::nullopt;  // at once in the whole cluster

    std::uint32_t starts_of_attempt_max() const;
    std::uint32_t attempts_max() const;
};

// All kinds, for systems numbered from one.
std::vector<job_kind> job_kinds(std::int64_t systems);
// Which of them a task is of; by what it is to do.
std::size_t kind_named_in(std::string_view arguments);

// The fleet: which systems there are. Those with odd numbers have maintenance windows.
fingerprint print_of_system(system_number system_number);
std::vector<system_record> fleet_of(std::int64_t systems, const std::string& zone);
bool has_windows(system_number system_number);
fleet::system_set systems_with_windows(std::int64_t systems);

// Windows of seconds: some while there is trouble, then one long one. Told twice, as people write
// them and as plain arithmetic.
std::string window_calendar();
bool window_open(wall_time when);
// What is left of the window that is open then; zero when none is.
wall_time::duration window_left(wall_time when);

// Large payloads are one of few, as the same output of many systems is.
struct large_payload {
    std::string digest;  // SHA-256 of the text
    std::string text;
    std::string packed;  // one zstd frame
};
const large_payload& large_payload_of(job_id job);

}  // namespace muster::sim
