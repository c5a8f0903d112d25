#pragma once

#include "base/result.h"

#include <grpcpp/support/status.h>

namespace muster::etcd {

// What became of a request that etcd did not answer well. A fate exists when somebody reacts to it.
enum class fate {
    refused,        // it did not happen, and never will as it is
    lease_missing,  // it did not happen: it names a lease that does not exist
    lease_taken,    // it did not happen: the lease to be made exists
    compacted,      // it did not happen: the revision it asks for is gone
    too_large,      // it did not arrive: the answer is larger than we take
    auth_off,       // it did not happen: etcd has no users
    token_stale,    // it did not happen: etcd does not know our token any more
    not_done,       // it did not happen; another try, elsewhere or later, may succeed
    unknown,        // it may have happened, or may still
};

struct failure {
    fate what = fate::unknown;
    error told;  // for the caller of the port when this is the end of it
};

// `status` must not be OK.
failure explain(const grpc::Status& status);

}  // namespace muster::etcd
