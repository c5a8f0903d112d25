#pragma once

#include "adapters/net/http/router.h"
#include "api/operations/registry.h"
#include "api/peer/leader_client.h"
#include "api/rest/draft_interceptor.h"
#include "api/rest/edit_sessions_api.h"
#include "api/rest/revisions_api.h"
#include "core/model/event.h"
#include "runtime/task_group.h"
#include "services/common_data/common_sources.h"
#include "services/revision/applier.h"
#include "services/revision/draft_service.h"
#include "services/revision/drift_monitor.h"
#include "services/revision/edit_lock.h"
#include "services/revision/edit_state_follower.h"
#include "services/revision/revision_publisher.h"
#include "services/revision/revision_reconciler.h"
#include "services/revision/revision_store.h"

#include <functional>
#include <memory>
#include <string>

namespace muster::server {

// What a server does for the editing of common data (docs/revisions.md). Every one tells what it
// holds; one with the role gateway also lets people edit, leads and publishes.
class revision_services {
public:
    struct dependencies {
        common_data::common_data_dependencies books;
        ledger& records;
        api::registry& operations;
        api::operation_finder others;  // what is not in it
        const api::request_authenticator& desk;
        clock& time;
        runtime::logger& log;
        std::function<void(event_record)> told;
        std::function<result<std::shared_ptr<const net::tls_client>>()> peer_tls;
    };
    struct options {
        std::string server;
        std::string address;
        std::chrono::seconds ttl{10};
        bool gateway = true;
        revision::editing_rules rules = {};
        std::chrono::seconds grace{10};
    };

    revision_services(const dependencies& deps, const options& options);
    revision_services(const revision_services&) = delete;
    revision_services& operator=(const revision_services&) = delete;

    result<void> declare(api::registry& to);
    result<void> add_routes(net::http::router& to) { return line_.add_routes(to); }

    void begin(runtime::task_group& work);
    async<void> leave() { return seat_.leave(); }

    // How a server stands to the newest revision, in a word.
    std::string standing_of(const std::string& server, bool there) const {
        return revisions_api_.standing_of(server, there);
    }

private:
    bool gateway_;
    revision::sources sources_;
    revision::edit_state_cache known_;
    revision::edit_state_follower follower_;
    revision::edit_lock seat_;
    revision::draft_service desk_;
    revision::revision_store kept_;
    revision::revision_publisher printing_;
    revision::applier work_;
    revision::drift_monitor drift_;
    revision::revision_reconciler keeper_;
    api::leader_client line_;
    api::draft_interceptor changes_;
    api::edit_sessions_api edits_api_;
    api::revisions_api revisions_api_;
};

}  // namespace muster::server
