#pragma once

#include "roles/assembly/server_services.h"
#include "services/revision/revision_services.h"

namespace muster::roles {

// Tells how a server that is no gateway stands to the newest revision of common data; in a gateway
// revision_operations does so.
class drift_reporter {
public:
    explicit drift_reporter(server_services& base);

    void start(runtime::task_group& loops) { revisions_.start(loops); }

private:
    revision::change_executor no_changes_;
    revision::revision_services revisions_;
};

}  // namespace muster::roles
