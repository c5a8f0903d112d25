#pragma once

#include "roles/assembly/server_services.h"
#include "services/revision/revision_services.h"

namespace muster::roles {

// Reports the drift of a server without the gateway role. On a gateway, revision_operations reports
// it.
class drift_reporter {
public:
    explicit drift_reporter(server_services& base);

    void start(runtime::task_group& loops) { revisions_.start(loops); }

private:
    revision::change_executor no_changes_;
    revision::revision_services revisions_;
};

}  // namespace muster::roles
