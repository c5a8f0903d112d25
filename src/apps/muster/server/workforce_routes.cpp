// What a server answers over HTTP: a part of workforce.h.

#include "apps/muster/server/workforce.h"

namespace muster::server {

result<void> workforce::add_routes(net::http::router& to) {
    CHECK_OK(probes_.add_routes(to));
    CHECK_OK(servers_.add_routes(to));
    if (peers_) {
        CHECK_OK(peers_->add_routes(to));
    }
    if (deps_.how.has_role("gateway") || deps_.how.has_role("driver")) {
        CHECK_OK(entry_.add_routes(to));
        CHECK_OK(installed_.add_routes(to));
    }
    if (deps_.how.has_role("gateway")) {
        CHECK_OK(joining_.add_routes(to));
        CHECK_OK(cluster_.declare(operations_of_api_));
        CHECK_OK(login_.declare(operations_of_api_));
        CHECK_OK(me_.declare(operations_of_api_));
        CHECK_OK(people_api_.declare(operations_of_api_));
        CHECK_OK(audit_.declare(operations_of_api_));
        CHECK_OK(joining_.declare(operations_of_api_));
        CHECK_OK(nodes_.declare(operations_of_api_));
        CHECK_OK(zones_.declare(operations_of_api_));
        CHECK_OK(systems_api_.declare(operations_of_api_));
        CHECK_OK(groups_api_.declare(operations_of_api_));
        CHECK_OK(tags_api_.declare(operations_of_api_));
        CHECK_OK(rules_api_.declare(operations_of_api_));
        CHECK_OK(windows_api_.declare(operations_of_api_));
        CHECK_OK(schedules_api_.declare(operations_of_api_));
        CHECK_OK(stats_.declare(operations_of_api_));
        CHECK_OK(servers_.declare(operations_of_api_));
        CHECK_OK(jobs_.declare(operations_of_api_));
        CHECK_OK(configuration_api_.declare(operations_of_api_));
        CHECK_OK(events_.declare(operations_of_api_));
        CHECK_OK(history_.declare(operations_of_api_));
        CHECK_OK(revisions_->declare(operations_of_api_));
        CHECK_OK(revisions_->add_routes(to));
        operations_of_api_.relate();
        CHECK_OK(rest_.add_routes(to));
        CHECK_OK(compatible_.add_routes(to));
        CHECK_OK(api::openapi_endpoint(operations_of_api_, MUSTER_VERSION).add_routes(to));
    }
    return {};
}

}  // namespace muster::server
