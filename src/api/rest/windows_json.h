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

boost::json::object window_json(const windows::window& window);
boost::json::array windows_json(std::span<const windows::window> windows);
boost::json::array decisions_json(std::span<const windows::replan_decision> plans);

// How many systems of a job finish in which window, and how many have to wait.
boost::json::object forecast_json(const jobs::window_forecast& forecast);

// A calendar without its text.
boost::json::object calendar_json(
    const std::string& label, const windows::window_snapshot::parsed_calendar& calendar);

// A maintenance schedule with its number of systems and its open or next window.
result<boost::json::object> schedule_json(
    const windows::window_snapshot& snapshot, const std::string& name, wall_time now);

}  // namespace muster::api
