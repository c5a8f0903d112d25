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

// The systems of a request: either a query or a list of fingerprints.
struct target_list {
    std::optional<std::string> query;
    std::vector<fingerprint> fingerprints;
};

// Applies changes to systems: few at once, many as an operation with observable progress. Every
// change is in the audit trail before it is reported as done. Thread-safe.
class bulk_change_service {
public:
    struct dependencies {
        fleet::system_cache& systems;
        fleet::bulk_operation_queue& operations;
        muster::clock& clock;
        const fleet::search& search;
        const fleet::group_store& groups;
        std::shared_ptr<const presence::presence_lookup> presence;
    };
    struct change {
        std::set<enrolment> stages;  // a query selects only systems in these stages
        std::string detail;          // of the audit entry: "zone default"
        std::function<async<fleet::bulk_result>(fleet::system_service::targets, fleet::progress*)>
            apply;
    };

    explicit bulk_change_service(dependencies deps) : deps_(std::move(deps)) {}

    // Reads `query` or `fingerprints`; exactly one must be given.
    static result<target_list> read_targets(const call& call);

    // Responds with the counts if done at once, otherwise 202 with the operation's address. Clients
    // that want events get the progress. A query skips systems outside the caller's zones; listed
    // ones are refused.
    async<reply> apply(call call, target_list target_list, change change);

    // An operation, and its progress as events. errc::not_found also for operations of other users
    // if the caller is restricted to zones.
    result<reply> show(const call& call) const;
    result<reply> follow(const call& call) const;

    result<std::shared_ptr<const targeting::query>> parse(const std::string& text) const;
    // The accepted systems that match a query now.
    result<fleet::system_set> resolve(const targeting::query& query) const {
        return deps_.search.resolve(query, *deps_.presence);
    }

private:
    async<reply> apply_now(call call, target_list target_list, change change);
    async<reply> start_operation(call call, target_list target_list, change change);
    result<void> check_zones(
        const call& call, const target_list& target_list, const std::set<enrolment>& stages) const;
    result<std::shared_ptr<const fleet::bulk_operation>> find(const call& call) const;

    dependencies deps_;
};

}  // namespace muster::api
