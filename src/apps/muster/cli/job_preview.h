#pragma once

#include "apps/muster/cli/password_prompt.h"

#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cli {

// What a job would come to, as its preview tells.
struct job_preview {
    std::int64_t targets = 0;
    std::int64_t away = 0;
    std::int64_t fleet = 0;  // systems that whoever asks could mean
    bool changes = true;     // systems; what only asks does not
    std::int64_t waiting = 0;
    std::string opens;              // when the first of those can start; empty: nobody knows
    std::vector<std::string> rest;  // who will not be started at all, and why
};
job_preview outlook_of(const boost::json::value& preview);

// How wide it is: on some systems, on so many that somebody should look again, or on all there are.
enum class reach { some, wide, everything };
reach reach_of(const job_preview& ahead, std::string_view query, std::int64_t wide_above);

// Who waits for a maintenance window, and what can be done about it; empty: nobody does.
std::string spoken_waiting(const job_preview& ahead);

// Asks before a wide change, in the name of a command. Where there is no terminal nobody can be
// asked, and what is for all systems is not done: errc::invalid. errc::cancelled: the answer was
// no.
result<void> check_reach(
    std::string_view command, const job_preview& ahead, reach how_wide, const terminal& at = {});

}  // namespace muster::cli
