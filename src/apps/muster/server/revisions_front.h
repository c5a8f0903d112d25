#pragma once

#include "adapters/net/http/router.h"
#include "apps/muster/server/common_sources.h"
#include "core/model/event.h"
#include "roles/gateway/common_changes.h"
#include "roles/gateway/edits_api.h"
#include "roles/gateway/leader_line.h"
#include "roles/gateway/registry.h"
#include "roles/gateway/revisions_api.h"
#include "roles/revision/applier.h"
#include "roles/revision/common_follower.h"
#include "roles/revision/draft_desk.h"
#include "roles/revision/drift_watch.h"
#include "roles/revision/keeper.h"
#include "roles/revision/leadership.h"
#include "roles/revision/press.h"
#include "roles/revision/revision_ledger.h"
#include "runtime/task_group.h"

#include <functional>
#include <memory>
#include <string>

namespace muster::server {

// What a server does for the editing of common data (docs/revisions.md). Every one tells what it
// holds; one with the role gateway also lets people edit, leads and publishes.
class revisions_front {
public:
    struct surroundings {
        common_books books;
        ledger& records;
        gateway::registry& operations;
        gateway::operation_finder others;  // what is not in it
        const gateway::front_desk& desk;
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

    revisions_front(const surroundings& around, const options& how);
    revisions_front(const revisions_front&) = delete;
    revisions_front& operator=(const revisions_front&) = delete;

    result<void> declare(gateway::registry& to);
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
    revision::common_cell known_;
    revision::common_follower follower_;
    revision::leadership seat_;
    revision::draft_desk desk_;
    revision::revision_ledger kept_;
    revision::press printing_;
    revision::applier work_;
    revision::drift_watch drift_;
    revision::keeper keeper_;
    gateway::leader_line line_;
    gateway::common_changes changes_;
    gateway::edits_api edits_api_;
    gateway::revisions_api revisions_api_;
};

}  // namespace muster::server
