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
      joining_(
          {.authenticator = base.context.authenticator,
           .clock = base.context.clock,
           .credentials = base.context.credentials,
           .address = base.context.own.address}),
      login_(base.context.clock, base.context.metrics),
      own_account_(base.context.clock),
      people_(base.context.clock),
      audit_(base.context.clock, directory) {}

result<void> cluster_operations::declare(api::registry& to) {
    CHECK_OK(cluster_.declare(to));
    CHECK_OK(login_.declare(to));
    CHECK_OK(own_account_.declare(to));
    CHECK_OK(people_.declare(to));
    CHECK_OK(audit_.declare(to));
    CHECK_OK(joining_.declare(to));
    CHECK_OK(nodes_.declare(to));
    CHECK_OK(zones_.declare(to));
    CHECK_OK(stats_.declare(to));
    return base_.servers.declare(to);
}

}  // namespace muster::roles
