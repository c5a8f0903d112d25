#pragma once

#include "base/result.h"
#include "core/api/value.h"
#include "services/windows/window_snapshot.h"

#include <boost/json/object.hpp>

#include <string>

namespace muster::xmlrpc_api {

// What a recurring action runs, as clients say it and as a schedule has it. Custom states are
// functions of agents. A highstate is all that a system is configured with: here its configuration
// files.

// From the members `states` and `test` of what clients send; without `states` nothing is put.
result<void> put_states(boost::json::object& into, const api::value& input);
// From `test`. Whatever else the arguments of a schedule say, `before`, stays.
result<void> put_highstate(
    boost::json::object& into, const api::value& input, const std::string& before);

bool is_highstate(const windows::stored_schedule& of);
bool is_trial(const windows::stored_schedule& of);
api::value::list states_of(const windows::stored_schedule& of);
api::value::list offered_states();

}  // namespace muster::xmlrpc_api
