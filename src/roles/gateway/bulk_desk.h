#pragma once

#include "adapters/net/http/request.h"
#include "adapters/net/http/response.h"
#include "roles/fleet/fleet.h"
#include "roles/fleet/group_book.h"
#include "roles/fleet/operations.h"
#include "roles/fleet/selection.h"
#include "roles/gateway/json_body.h"
#include "roles/gateway/office.h"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::gateway {

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
        std::string what;            // "key.accept", for the audit trail
        std::set<enrolment> stages;  // a query means only systems in these
        std::string detail;          // for the audit trail: "zone default"
        std::function<async<fleet::tally>(fleet::registrar::targets, fleet::progress*)> perform;
    };

    explicit bulk_desk(surroundings around) : around_(std::move(around)) {}

    // `query` or `fingerprints` of a request's body; one of them must be there.
    static result<target_list> read_targets(json_body& body);

    // Answers 200 with the counts when it is done at once, otherwise 202 with the operation's
    // address. A client that accepts text/event-stream gets the progress as events.
    async<net::http::response> carry_out(
        net::http::request asked, visitor who, target_list which, change what);

    // GET /api/v1/operations/{id}
    net::http::response show(const std::string& id) const;
    net::http::response follow(const std::string& id) const;

    result<std::shared_ptr<const targeting::query>> parse(const std::string& text) const;
    // The accepted systems that a query means now.
    result<fleet::system_set> resolve(const targeting::query& asked) const {
        return around_.found.resolve(asked, *around_.where);
    }

private:
    async<net::http::response> at_once(visitor who, target_list which, change what);
    async<net::http::response> as_operation(
        visitor who, target_list which, change what, bool watch);

    surroundings around_;
};

}  // namespace muster::gateway
