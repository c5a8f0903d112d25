#include "apps/muster/settings/server_settings.h"

#include "apps/muster/settings/engine_settings.h"
#include "apps/muster/settings/outbound_settings.h"
#include "runtime/settings/log_settings.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace muster::cli {
namespace {

using runtime::setting;
using kind = runtime::setting_kind;

constexpr std::array own{
    setting{
        .name = "data",
        .kind = kind::path,
        .default_value = "/var/lib/muster",
        .description = "Directory for keys, certificates and the embedded stores.",
        .example = "/srv/muster"},
    setting{
        .name = "name",
        .kind = kind::text,
        .description = "Name of this server in the cluster; if unset, the host name.",
        .example = "muster-1"},
    setting{
        .name = "listen",
        .kind = kind::address,
        .default_value = "0.0.0.0:8443",
        .description = "Address and port for UI, API and agents (TLS).",
        .example = "[::]:8443"},
    setting{
        .name = "advertise",
        .kind = kind::address,
        .description = "Address that agents and other servers connect to; if unset, `name` and the "
                       "port of `listen`.",
        .example = "muster-1.acme.org:8443"},
    setting{
        .name = "roles",
        .kind = kind::choices,
        .default_value = "driver,gateway,node",
        .choices = "driver|gateway|node",
        .description = "Roles of this server.",
        .example = "gateway"},
};

constexpr std::array others{
    setting{
        .name = "health.listen",
        .kind = kind::address,
        .default_value = "127.0.0.1:8444",
        .description = "Address and port for health and metrics (HTTP without TLS); must be a "
                       "loopback address.",
        .example = "127.0.0.1:8444"},
    setting{
        .name = "http.event_loops",
        .kind = kind::integer,
        .minimum = "1",
        .maximum = "256",
        .description = "Number of event loops for connections; if unset, one per processor.",
        .example = "4"},
    setting{
        .name = "lease.ttl",
        .kind = kind::duration,
        .default_value = "10s",
        .minimum = "2s",
        .maximum = "5m",
        .description = "Lease duration of a server; it leaves the cluster when the lease expires.",
        .example = "30s"},
    setting{
        .name = "join",
        .kind = kind::text,
        .description = "Join token as printed by `muster nodes token`: TOKEN@HOST:PORT. Ignored "
                       "once the data directory belongs to a cluster.",
        .example = "0123….abcd…@muster-1:8443"},
    setting{
        .name = "join_file",
        .kind = kind::path,
        .description = "File with the value of `join`, which keeps the token out of process lists. "
                       "Only read to join a cluster; can be deleted afterwards.",
        .example = "/run/credentials/muster.service/join"},
    setting{
        .name = "gateway.peer_timeout",
        .kind = kind::duration,
        .default_value = "10s",
        .minimum = "100ms",
        .maximum = "1m",
        .description =
            "Timeout for responses of other servers; servers that miss it are listed in `failed`.",
        .example = "3s"},
    setting{
        .name = "driver.plan_interval",
        .kind = kind::duration,
        .default_value = "5s",
        .minimum = "1s",
        .maximum = "10m",
        .description = "Minimum interval between two slot plans of a zone.",
        .example = "30s"},
    setting{
        .name = "driver.moves_per_step",
        .kind = kind::integer,
        .default_value = "256",
        .minimum = "1",
        .maximum = "16384",
        .description = "Maximum slots that one plan moves for load balancing.",
        .example = "64"},
    setting{
        .name = "jobs.default_batch_threshold",
        .kind = kind::integer,
        .default_value = "0",
        .minimum = "0",
        .maximum = "100000000",
        .description = "Number of targets above which a job without a batch uses "
                       "jobs.default_batch; 0 disables it.",
        .example = "1000"},
    setting{
        .name = "jobs.default_batch",
        .kind = kind::integer,
        .default_value = "8",
        .minimum = "1",
        .maximum = "1000000",
        .description = "Batch size of jobs that exceed `jobs.default_batch_threshold`: systems at "
                       "the same time.",
        .example = "200"},
    setting{
        .name = "jobs.open_max",
        .kind = kind::integer,
        .default_value = "10000",
        .minimum = "1",
        .maximum = "100000",
        .description = "Maximum open jobs in the cluster; additional jobs are refused.",
        .example = "2000"},
    setting{
        .name = "jobs.node_tasks_max",
        .kind = kind::integer,
        .default_value = "20000",
        .minimum = "1",
        .maximum = "1000000",
        .description =
            "Maximum tasks in flight on this node, all jobs together; `test.ping` is not counted.",
        .example = "2000"},
    setting{
        .name = "jobs.system_tasks_max",
        .kind = kind::integer,
        .default_value = "10",
        .minimum = "1",
        .maximum = "1000",
        .description = "Maximum tasks in flight per system, all jobs together.",
        .example = "3"},
    setting{
        .name = "windows.refresh",
        .kind = kind::duration,
        .default_value = "24h",
        .minimum = "0s",
        .maximum = "365d",
        .description = "Interval between downloads of calendars with a URL; 0s: only on request.",
        .example = "6h"},
    setting{
        .name = "edits.single",
        .kind = kind::boolean,
        .default_value = "false",
        .description = "Allow only one edit session of common data at a time.",
        .example = "true"},
    setting{
        .name = "edits.idle_limit",
        .kind = kind::duration,
        .default_value = "30m",
        .minimum = "1m",
        .maximum = "1d",
        .description = "Idle time after which an edit session ends; its draft is kept.",
        .example = "2h"},
    setting{
        .name = "retention.jobs",
        .kind = kind::duration,
        .default_value = "90d",
        .minimum = "0s",
        .maximum = "3650d",
        .description = "Retention period of jobs, task results and events; 0s: unlimited.",
        .example = "365d"},
    setting{
        .name = "retention.presence",
        .kind = kind::duration,
        .default_value = "30d",
        .minimum = "1d",
        .maximum = "365d",
        .description = "Retention period of presence history.",
        .example = "90d"},
    setting{
        .name = "archive.directory",
        .kind = kind::path,
        .description = "Directory for archives of expired job records; if unset, expired records "
                       "are deleted without an archive.",
        .example = "/srv/muster/archive"},
    setting{
        .name = "keys.pool_max",
        .kind = kind::integer,
        .default_value = "100000",
        .minimum = "10",
        .maximum = "10000000",
        .description = "Maximum keys in the pool; the oldest is evicted when it is full.",
        .example = "20000"},
    setting{
        .name = "keys.rule_rate",
        .kind = kind::integer,
        .default_value = "500",
        .minimum = "1",
        .maximum = "100000",
        .description = "Maximum systems per second that this server accepts by rules and tokens.",
        .example = "20"},
    setting{
        .name = "agents.placement_rate",
        .kind = kind::integer,
        .default_value = "1000",
        .minimum = "1",
        .maximum = "1000000",
        .description =
            "Maximum systems per second that are sent to their nodes; limits reconnect storms.",
        .example = "200"},
    setting{
        .name = "agents.requests_per_address",
        .kind = kind::integer,
        .default_value = "200",
        .minimum = "1",
        .maximum = "1000000",
        .description = "Maximum requests per second and type from the systems of one address.",
        .example = "20"},
    setting{
        .name = "agents.shared_addresses",
        .kind = kind::text,
        .description = "Comma-separated networks of addresses shared by many systems, such as load "
                       "balancers. Rate limits per address do not apply to them, only the limits "
                       "for all systems. Accept rules with networks never match them.",
        .example = "192.0.2.10,2001:db8:1::/64"},
    setting{
        .name = "node.attach_rate",
        .kind = kind::integer,
        .default_value = "1000",
        .minimum = "1",
        .maximum = "100000",
        .description = "Maximum agents per second that attach to this node; other agents retry "
                       "later.",
        .example = "200"},
    setting{
        .name = "node.attached_max",
        .kind = kind::integer,
        .default_value = "18500",
        .minimum = "1",
        .maximum = "10000000",
        .description = "Maximum agents attached to this node.",
        .example = "50000"},
    setting{
        .name = "agent.heartbeat_interval",
        .kind = kind::duration,
        .default_value = "12s",
        .minimum = "100ms",
        .maximum = "5m",
        .description = "Interval between agent heartbeats.",
        .example = "30s"},
    setting{
        .name = "agent.heartbeat_timeout",
        .kind = kind::duration,
        .default_value = "28s",
        .minimum = "200ms",
        .maximum = "15m",
        .description = "Time without a heartbeat after which a connection is closed; at least two "
                       "heartbeat intervals.",
        .example = "75s"},
    setting{
        .name = "http.body_max",
        .kind = kind::size,
        .default_value = "1MiB",
        .minimum = "1KiB",
        .maximum = "1GiB",
        .description = "Maximum size of a request body.",
        .example = "4MiB"},
    setting{
        .name = "http.connections_max",
        .kind = kind::integer,
        .default_value = "15000",
        .minimum = "1",
        .maximum = "1000000",
        .description = "Maximum open connections, without attached agents.",
        .example = "50000"},
    setting{
        .name = "http.connections_per_address_max",
        .kind = kind::integer,
        .default_value = "1000",
        .minimum = "1",
        .maximum = "1000000",
        .description = "Maximum open connections per address, without attached agents.",
        .example = "200"},
    setting{
        .name = "http.idle_timeout",
        .kind = kind::duration,
        .default_value = "2m",
        .minimum = "1s",
        .maximum = "1d",
        .description = "Idle time after which a connection is closed.",
        .example = "30s"},
    setting{
        .name = "session.lifetime",
        .kind = kind::duration,
        .default_value = "12h",
        .minimum = "1m",
        .maximum = "30d",
        .description = "Maximum lifetime of a session.",
        .example = "1h"},
    setting{
        .name = "session.idle_limit",
        .kind = kind::duration,
        .default_value = "60m",
        .minimum = "1m",
        .maximum = "30d",
        .description = "Idle time after which a session ends.",
        .example = "15m"},
    setting{
        .name = "login.attempts_max",
        .kind = kind::integer,
        .default_value = "10",
        .minimum = "1",
        .maximum = "1000",
        .description = "Maximum failed logins per minute of a user or an address.",
        .example = "5"},
    setting{
        .name = "login.lock_after",
        .kind = kind::integer,
        .default_value = "10",
        .minimum = "1",
        .maximum = "1000",
        .description = "Number of consecutive failed logins after which a user is locked for one "
                       "minute; each further failure doubles the time, up to one hour.",
        .example = "5"},
    setting{
        .name = "people.pam_service",
        .kind = kind::text,
        .description = "PAM service (/etc/pam.d) that checks the passwords of PAM users; if unset, "
                       "PAM is disabled.",
        .example = "muster"},
    setting{
        .name = "certificate.lifetime",
        .kind = kind::duration,
        .default_value = "90d",
        .minimum = "1h",
        .maximum = "825d",
        .description = "Lifetime of server certificates issued by the cluster's CA.",
        .example = "30d"},
    setting{
        .name = "drain.timeout",
        .kind = kind::duration,
        .default_value = "15s",
        .minimum = "0s",
        .maximum = "1h",
        .description = "Time that a stopping server waits for running requests.",
        .example = "1m"},
    setting{
        .name = "clock.jump_max",
        .kind = kind::duration,
        .default_value = "1s",
        .minimum = "10ms",
        .maximum = "1h",
        .description =
            "Maximum jump of the wall clock against the monotonic clock without a warning.",
        .example = "500ms"},
    runtime::log_level_setting(runtime::takes_effect::at_reload),
    runtime::log_format_setting(),
};

template <std::size_t... Counts>
constexpr auto joined(const std::array<setting, Counts>&... parts) {
    std::array<setting, (Counts + ...)> all{};
    auto end = all.begin();
    ((end = std::ranges::copy(parts, end).out), ...);
    return all;
}

constexpr auto declared = joined(own, engine_settings, outbound_settings, others);

}  // namespace

runtime::catalogue server_settings() {
    return declared;
}

}  // namespace muster::cli
