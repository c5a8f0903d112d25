#include "roles/assembly/cluster_operations.h"

namespace muster::roles {

cluster_operations::cluster_operations(
    server_services& base,
    const api::system_directory& directory,
    const api::revisions_api& revisions)
    : base_(base),
      cluster_(base.context.state, base.context.own.name),
      nodes_(
          {.clock = base.context.clock,
           .presence = base.presence.attached,
           .revisions = revisions}),
      zones_(
          {.clock = base.context.clock,
           .systems = base.fleet.systems,
           .presence = base.presence.attached}),
      stats_(
          {.systems = base.fleet.systems,
           .attached = base.presence.attached,
           .loads = base.presence.loads,
           .topology = base.cluster.topology,
           .clock = base.context.clock}),
      join_(
          {.authenticator = base.context.authenticator,
           .clock = base.context.clock,
           .credentials = base.context.credentials,
           .address = base.context.own.address}),
      login_(base.context.clock, base.context.metrics),
      own_account_(base.context.clock),
      people_(base.context.clock),
      audit_(base.context.clock, directory) {}

result<void> cluster_operations::declare(api::registry& operations) {
    CHECK_OK(cluster_.declare(operations));
    CHECK_OK(login_.declare(operations));
    CHECK_OK(own_account_.declare(operations));
    CHECK_OK(people_.declare(operations));
    CHECK_OK(audit_.declare(operations));
    CHECK_OK(join_.declare(operations));
    CHECK_OK(nodes_.declare(operations));
    CHECK_OK(zones_.declare(operations));
    CHECK_OK(stats_.declare(operations));
    return base_.servers.declare(operations);
}

}  // namespace muster::roles
