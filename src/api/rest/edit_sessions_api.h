#pragma once

#include "api/operations/registry.h"
#include "api/rest/draft_interceptor.h"
#include "services/revision/draft_service.h"
#include "services/revision/edit_state_snapshot.h"
#include "services/revision/source.h"

#include <boost/json/object.hpp>

#include <functional>
#include <string>

namespace muster::api {

// Editing sessions and the draft. What is shown comes from memory, on any server; what is changed
// is changed on the leader.
class edit_sessions_api {
public:
    struct dependencies {
        draft_interceptor& changes;
        revision::draft_service& drafts;
        const revision::edit_state_cache& edit_state;
        const revision::sources& held;
        muster::clock& clock;
    };

    explicit edit_sessions_api(dependencies deps) : deps_(deps) {}

    result<void> declare(registry& to);

private:
    using claim = revision::edit_lock::claim;
    using step = async<reply> (edit_sessions_api::*)(claim as, call call);

    async<reply> list(call call);
    async<reply> show(call call);
    async<reply> show_draft(call call);

    async<reply> begin(claim as, call call);
    async<reply> stay(claim as, call call);
    async<reply> end(claim as, call call);
    async<reply> apply(claim as, call call);
    async<reply> discard(claim as, call call);
    async<reply> drop(claim as, call call);

    action at_leader(step does);
    enum class others { refuse, with_apply };
    async<void> check_owner(const call* call, others what);
    async<reply> outcome_of(std::string draft, call call);
    reply session_reply(const call& call, const revision::draft_service::session& of) const;
    boost::json::object draft_in_short(const revision::edit_state_snapshot& view) const;

    result<void> declare_reading(registry& to);
    result<void> declare_changing(registry& to);

    dependencies deps_;
};

}  // namespace muster::api
