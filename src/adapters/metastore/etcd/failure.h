#pragma once

#include "base/result.h"

#include <grpcpp/support/status.h>

namespace muster::etcd {

// The kind of a failed request. Except for `unknown`, the request was not executed. A kind exists
// only if some caller reacts to it.
enum class failure_kind {
    refused,        // can never succeed as it is
    lease_missing,  // the lease does not exist
    lease_taken,    // the lease to create exists
    compacted,      // the requested revision was compacted
    too_large,      // larger than the limit of a message
    auth_off,       // etcd has no users
    token_stale,    // etcd does not accept the token any more
    not_done,       // not executed; a retry, on another member or later, may succeed
    unknown,        // may have been executed, or may still be
};

struct failure {
    failure_kind kind = failure_kind::unknown;
    muster::error error;  // for the caller of the port when this is the end of it
};

// `status` must not be OK.
failure explain(const grpc::Status& status);

}  // namespace muster::etcd
