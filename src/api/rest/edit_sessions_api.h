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

// Edit sessions and the draft. Reads come from memory on any server; changes run on the leader.
// Thread-safe.
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

    result<void> declare(registry& operations);

private:
    using claim = revision::edit_lock::claim;
    using step = async<reply> (edit_sessions_api::*)(claim claim, call call);

    async<reply> list(call call);
    async<reply> show(call call);
    async<reply> show_draft(call call);

    async<reply> begin(claim claim, call call);
    async<reply> keep_alive(claim claim, call call);
    async<reply> end(claim claim, call call);
    async<reply> apply(claim claim, call call);
    async<reply> discard(claim claim, call call);
    async<reply> drop_change(claim claim, call call);

    operation_handler on_leader(step step);
    enum class foreign_sessions { refuse, with_apply };
    async<void> check_owner(const call* call, foreign_sessions foreign);
    async<reply> wait_for_apply(std::string draft, call call);
    reply session_reply(const call& call, const revision::draft_service::session& session) const;
    boost::json::object draft_summary(const revision::edit_state_snapshot& snapshot) const;

    result<void> declare_reading(registry& operations);
    result<void> declare_changing(registry& operations);

    dependencies deps_;
};

}  // namespace muster::api
