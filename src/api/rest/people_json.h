#pragma once

#include "api/operations/call.h"
#include "core/api/operation.h"
#include "services/people/people_snapshot.h"
#include "services/people/session_service.h"
#include "services/people/token_service.h"

#include <boost/json/object.hpp>

#include <string>
#include <vector>

// JSON forms of users, roles, tokens and sessions.
namespace muster::api {

api::shape grants_shape();
api::shape rights_shape();
api::shape user_shape();
api::shape role_shape();
api::shape token_shape();
api::shape session_shape();

boost::json::object user_json(const people::versioned<people::user_record>& user);
boost::json::object role_json(const people::role_record& role, bool built_in);
boost::json::object token_json(const people::token_service::listed& token);
boost::json::object session_json(const people::session_service::listed& session);
boost::json::array grants_json(const std::vector<access::grant>& grants);
boost::json::array rights_json(const access::rights& rights);

// The arguments `grants` and `rights`; nullopt if absent.
std::optional<std::vector<access::grant>> read_grants(const call& call);
result<std::optional<access::rights>> read_rights(const call& call);

}  // namespace muster::api
