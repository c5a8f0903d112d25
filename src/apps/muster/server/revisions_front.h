#pragma once

#include "adapters/net/http/router.h"
#include "services/common_data/common_sources.h"
#include "core/model/event.h"
#include "api/rest/common_changes.h"
#include "api/rest/edits_api.h"
#include "api/peer/leader_line.h"
#include "api/operations/registry.h"
#include "api/rest/revisions_api.h"
#include "services/revision/applier.h"
#include "services/revision/common_follower.h"
#include "services/revision/draft_desk.h"
#include "services/revision/drift_watch.h"
#include "services/revision/keeper.h"
#include "services/revision/leadership.h"
#include "services/revision/press.h"
#include "services/revision/revision_ledger.h"
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
        api::registry& operations;
        api::operation_finder others;  // what is not in it
        const api::front_desk& desk;
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
    revision::common_cell known_;
    revision::common_follower follower_;
    revision::leadership seat_;
    revision::draft_desk desk_;
    revision::revision_ledger kept_;
    revision::press printing_;
    revision::applier work_;
    revision::drift_watch drift_;
    revision::keeper keeper_;
    api::leader_line line_;
    api::common_changes changes_;
    api::edits_api edits_api_;
    api::revisions_api revisions_api_;
};

}  // namespace muster::server
