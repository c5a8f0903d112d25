#pragma once

#include "services/fleet/fleet.h"
#include "services/fleet/group_book.h"
#include "services/fleet/operations.h"
#include "services/fleet/selection.h"
#include "api/operations/call.h"

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
class bulk_desk {
public:
    struct surroundings {
        fleet::fleet& known;
        fleet::operations& running;
        clock& time;
        const fleet::search& found;
        const fleet::group_book& groups;
        std::shared_ptr<const fleet::whereabouts_source> where;
    };
    struct change {
        std::set<enrolment> stages;  // a query means only systems in these
        std::string detail;          // for the audit trail: "zone default"
        std::function<async<fleet::tally>(fleet::registrar::targets, fleet::progress*)> perform;
    };

    explicit bulk_desk(surroundings around) : around_(std::move(around)) {}

    // `query` or `fingerprints` of a call; one of them must be there.
    static result<target_list> read_targets(const call& asked);

    // Answers with the counts when it is done at once, otherwise 202 with the operation's address.
    // A client that wants events gets the progress. Systems outside of the caller's zones are not
    // meant by a query, and refused when they are named.
    async<reply> carry_out(call asked, target_list which, change what);

    // An operation, and its progress as events. errc::not_found also for another's, to those who
    // may not see the whole cluster.
    result<reply> show(const call& asked) const;
    result<reply> follow(const call& asked) const;

    result<std::shared_ptr<const targeting::query>> parse(const std::string& text) const;
    // The accepted systems that a query means now.
    result<fleet::system_set> resolve(const targeting::query& asked) const {
        return around_.found.resolve(asked, *around_.where);
    }

private:
    async<reply> at_once(call asked, target_list which, change what);
    async<reply> as_operation(call asked, target_list which, change what);
    result<void> check_zones(
        const call& asked, const target_list& which, const std::set<enrolment>& stages) const;
    result<std::shared_ptr<const fleet::operation>> find(const call& asked) const;

    surroundings around_;
};

}  // namespace muster::api
