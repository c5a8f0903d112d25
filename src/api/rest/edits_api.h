#pragma once

#include "api/rest/common_changes.h"
#include "api/operations/registry.h"
#include "services/revision/common_view.h"
#include "services/revision/draft_desk.h"
#include "services/revision/source.h"

#include <boost/json/object.hpp>

#include <functional>
#include <string>

namespace muster::api {

// Editing sessions and the draft. What is shown comes from memory, on any server; what is changed
// is changed on the leader.
class edits_api {
public:
    struct surroundings {
        common_changes& changes;
        revision::draft_desk& desk;
        const revision::common_cell& known;
        const revision::sources& held;
        clock& time;
    };

    explicit edits_api(surroundings around) : around_(around) {}

    result<void> declare(registry& to);

private:
    using claim = revision::leadership::claim;
    using step = async<reply> (edits_api::*)(claim as, call asked);

    async<reply> list(call asked);
    async<reply> show(call asked);
    async<reply> show_draft(call asked);

    async<reply> begin(claim as, call asked);
    async<reply> stay(claim as, call asked);
    async<reply> end(claim as, call asked);
    async<reply> apply(claim as, call asked);
    async<reply> discard(claim as, call asked);
    async<reply> drop(claim as, call asked);

    action at_leader(step does);
    enum class others { refuse, with_apply };
    async<void> check_owner(const call* asked, others what);
    async<reply> outcome_of(std::string draft, call asked);
    reply session_reply(const call& asked, const revision::draft_desk::session& of) const;
    boost::json::object draft_in_short(const revision::common_view& view) const;

    result<void> declare_reading(registry& to);
    result<void> declare_changing(registry& to);

    surroundings around_;
};

}  // namespace muster::api
