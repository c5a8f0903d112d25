#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/jobs/window_rules.h"
#include "core/windows/replacement.h"
#include "core/windows/window.h"
#include "services/windows/window_snapshot.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <span>
#include <string>

namespace muster::api {

boost::json::object window_json(const windows::window& of);
boost::json::array windows_json(std::span<const windows::window> of);
boost::json::array json_of(std::span<const windows::replanned> plans);

// How many systems of a job will finish in which window, and who has to wait.
boost::json::object forecast_json(const jobs::window_forecast& of);

// Without its text.
boost::json::object calendar_json(
    const std::string& label, const windows::window_snapshot::parsed_calendar& of);

// A maintenance schedule with how many systems have it, and its window that is open or next.
result<boost::json::object> schedule_json(
    const windows::window_snapshot& in, const std::string& name, wall_time now);

}  // namespace muster::api
