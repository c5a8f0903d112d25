#pragma once

#include "base/result.h"
#include "core/api/operation.h"
#include "core/api/shape.h"
#include "services/revision/draft_service.h"
#include "services/revision/edit_state_snapshot.h"
#include "services/revision/record.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace muster::api {

// JSON forms of edit sessions, drafts and revisions (docs/reference/edit_sessions.md).

boost::json::object edit_json(
    const revision::editor& editor,
    const revision::editing_rules& rules,
    const std::string& caller);
boost::json::value leader_json(const revision::leader_record* leader);
boost::json::object change_json(const revision::draft_change& draft_change);
boost::json::object revision_json(const revision::revision_record& revision);

// A number in a path. Declared as text and parsed after the rights check, so that callers without
// the right learn nothing.
api::parameter number_in_path();
result<std::int64_t> read_number(const std::string& text);

// An item of a section as JSON.
boost::json::value item_json(const std::string* text);

api::shape edit_shape(std::vector<api::shape_member> extra_members = {});
api::shape leader_shape();
api::shape change_shape();
std::vector<api::shape_member> revision_members();

}  // namespace muster::api
