#pragma once

#include "base/result.h"
#include "core/api/value.h"
#include "services/windows/window_snapshot.h"

#include <boost/json/object.hpp>

#include <string>

namespace muster::xmlrpc_api {

// The function and arguments of a recurring action. Custom states are functions of agents. A
// highstate deploys the configuration files of a system.

// Sets the function from the members `states` and `test`; without `states` nothing is set.
result<void> set_states(boost::json::object& body, const api::value& properties);
// Sets the function from the member `test`; keeps the other arguments of the schedule.
result<void> set_highstate(
    boost::json::object& body, const api::value& properties, const std::string& current_arguments);

bool is_highstate(const windows::stored_schedule& schedule);
bool is_dry_run(const windows::stored_schedule& schedule);
api::value::list states_of(const windows::stored_schedule& schedule);
api::value::list available_states();

}  // namespace muster::xmlrpc_api
