#pragma once

#include "api/operations/call.h"
#include "services/fleet/bulk_operation_queue.h"
#include "services/fleet/group_store.h"
#include "services/fleet/selection.h"
#include "services/fleet/system_cache.h"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::api {

// Which systems a request means: either a query or a list of fingerprints.
struct target_list {
    std::optional<std::string> query;
    std::vector<fingerprint> prints;
};

// Carries out changes of systems for the API: a few at once, many as an operation whose progress
// can be watched. Every change is in the audit trail before it is answered as done.
class bulk_change_service {
public:
    struct dependencies {
        fleet::system_cache& systems;
        fleet::bulk_operation_queue& running;
        muster::clock& clock;
        const fleet::search& search;
        const fleet::group_store& groups;
        std::shared_ptr<const presence::presence_lookup> where;
    };
    struct change {
        std::set<enrolment> stages;  // a query means only systems in these
        std::string detail;          // for the audit trail: "zone default"
        std::function<async<fleet::bulk_result>(fleet::system_service::targets, fleet::progress*)>
            perform;
    };

    explicit bulk_change_service(dependencies deps) : deps_(std::move(deps)) {}

    // `query` or `fingerprints` of a call; one of them must be there.
    static result<target_list> read_targets(const call& call);

    // Answers with the counts when it is done at once, otherwise 202 with the operation's address.
    // A client that wants events gets the progress. Systems outside of the caller's zones are not
    // meant by a query, and refused when they are named.
    async<reply> carry_out(call call, target_list target_list, change change);

    // An operation, and its progress as events. errc::not_found also for another's, to those who
    // may not see the whole cluster.
    result<reply> show(const call& call) const;
    result<reply> follow(const call& call) const;

    result<std::shared_ptr<const targeting::query>> parse(const std::string& text) const;
    // The accepted systems that a query means now.
    result<fleet::system_set> resolve(const targeting::query& query) const {
        return deps_.search.resolve(query, *deps_.where);
    }

private:
    async<reply> at_once(call call, target_list target_list, change change);
    async<reply> as_operation(call call, target_list target_list, change change);
    result<void> check_zones(
        const call& call, const target_list& target_list, const std::set<enrolment>& stages) const;
    result<std::shared_ptr<const fleet::operation>> find(const call& call) const;

    dependencies deps_;
};

}  // namespace muster::api
