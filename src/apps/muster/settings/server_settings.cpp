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
        .description = "The directory of keys, certificates and the embedded stores.",
        .example = "/srv/muster"},
    setting{
        .name = "name",
        .kind = kind::text,
        .description = "This server's name in the cluster; the host's name when not set.",
        .example = "muster-1"},
    setting{
        .name = "listen",
        .kind = kind::address,
        .default_value = "0.0.0.0:8443",
        .description = "Where UI, API and agents are served, by TLS.",
        .example = "[::]:8443"},
    setting{
        .name = "advertise",
        .kind = kind::address,
        .description = "The address others reach this server at; name and port when not set.",
        .example = "muster-1.acme.org:8443"},
    setting{
        .name = "roles",
        .kind = kind::choices,
        .default_value = "driver,gateway,node",
        .choices = "driver|gateway|node",
        .description = "What this server does for the cluster.",
        .example = "gateway"},
};

constexpr std::array others{
    setting{
        .name = "health.listen",
        .kind = kind::address,
        .default_value = "127.0.0.1:8444",
        .description = "Where health and metrics are served by plain HTTP; a loopback address.",
        .example = "127.0.0.1:8444"},
    setting{
        .name = "loops",
        .kind = kind::integer,
        .minimum = "1",
        .maximum = "256",
        .description = "How many event loops serve connections; one a processor when not set.",
        .example = "4"},
    setting{
        .name = "lease.ttl",
        .kind = kind::duration,
        .default_value = "10s",
        .minimum = "2s",
        .maximum = "5m",
        .description = "How long a server that fell silent still counts as a member.",
        .example = "30s"},
    setting{
        .name = "join",
        .kind = kind::text,
        .description =
            "Join the cluster of this token, as `muster nodes token` prints it: TOKEN@HOST:PORT. "
            "Ignored once the data directory belongs to a cluster.",
        .example = "0123….abcd…@muster-1:8443"},
    setting{
        .name = "join_file",
        .kind = kind::path,
        .description =
            "A file with what `join` takes, so that the token is in no list of processes. "
            "It is read when the cluster is joined and may be gone afterwards.",
        .example = "/run/credentials/muster.service/join"},
    setting{
        .name = "gateway.answer_time",
        .kind = kind::duration,
        .default_value = "10s",
        .minimum = "100ms",
        .maximum = "1m",
        .description = "How long an answer waits for the parts of other servers; who gives none is "
                       "named in it.",
        .example = "3s"},
    setting{
        .name = "driver.plan_interval",
        .kind = kind::duration,
        .default_value = "5s",
        .minimum = "1s",
        .maximum = "10m",
        .description = "How often a zone's slots are planned anew at most.",
        .example = "30s"},
    setting{
        .name = "driver.moves_per_step",
        .kind = kind::integer,
        .default_value = "256",
        .minimum = "1",
        .maximum = "16384",
        .description = "How many slots one plan moves only to even out the load.",
        .example = "64"},
    setting{
        .name = "jobs.safe_limit",
        .kind = kind::integer,
        .default_value = "0",
        .minimum = "0",
        .maximum = "100000000",
        .description = "From so many targets on a job that names no batch gets one; 0: never.",
        .example = "1000"},
    setting{
        .name = "jobs.safe_batch",
        .kind = kind::integer,
        .default_value = "8",
        .minimum = "1",
        .maximum = "1000000",
        .description = "The batch that `jobs.safe_limit` puts in place: so many at once.",
        .example = "200"},
    setting{
        .name = "jobs.open_max",
        .kind = kind::integer,
        .default_value = "10000",
        .minimum = "1",
        .maximum = "100000",
        .description =
            "So many jobs may be open at once; who makes one more is told that the cluster "
            "is overloaded.",
        .example = "2000"},
    setting{
        .name = "jobs.node_points",
        .kind = kind::integer,
        .default_value = "20000",
        .minimum = "1",
        .maximum = "1000000",
        .description = "So many tasks this node has in flight at most, of all jobs; `test.ping` is "
                       "not counted.",
        .example = "2000"},
    setting{
        .name = "jobs.system_points",
        .kind = kind::integer,
        .default_value = "10",
        .minimum = "1",
        .maximum = "1000",
        .description = "So many of them are on one system at most.",
        .example = "3"},
    setting{
        .name = "windows.refresh",
        .kind = kind::duration,
        .default_value = "24h",
        .minimum = "0s",
        .maximum = "365d",
        .description = "How often calendars with an address are fetched again; 0s: only on demand.",
        .example = "6h"},
    setting{
        .name = "edits.single",
        .kind = kind::boolean,
        .default_value = "false",
        .description = "Whether only one session at a time may edit common data.",
        .example = "true"},
    setting{
        .name = "edits.idle_limit",
        .kind = kind::duration,
        .default_value = "30m",
        .minimum = "1m",
        .maximum = "1d",
        .description = "How long an editing session lasts that is not heard of; its draft stays.",
        .example = "2h"},
    setting{
        .name = "retention.jobs",
        .kind = kind::duration,
        .default_value = "90d",
        .minimum = "0s",
        .maximum = "3650d",
        .description = "How long jobs, what they returned and events are kept; 0s: for ever.",
        .example = "365d"},
    setting{
        .name = "retention.presence",
        .kind = kind::duration,
        .default_value = "30d",
        .minimum = "1d",
        .maximum = "365d",
        .description = "How long it is kept where systems were attached, and when.",
        .example = "90d"},
    setting{
        .name = "archive.directory",
        .kind = kind::path,
        .description = "Where what is dropped is written first; without it, it is gone.",
        .example = "/srv/muster/archive"},
    setting{
        .name = "keys.pool_max",
        .kind = kind::integer,
        .default_value = "100000",
        .minimum = "10",
        .maximum = "10000000",
        .description = "How many systems may wait to be accepted; the one that waits longest goes.",
        .example = "20000"},
    setting{
        .name = "keys.rule_rate",
        .kind = kind::integer,
        .default_value = "500",
        .minimum = "1",
        .maximum = "100000",
        .description = "How many systems a second this server accepts by rules and tokens.",
        .example = "20"},
    setting{
        .name = "system.places_rate",
        .kind = kind::integer,
        .default_value = "1000",
        .minimum = "1",
        .maximum = "1000000",
        .description = "How many systems a second are sent to their nodes; a storm is paced by it.",
        .example = "200"},
    setting{
        .name = "system.address_rate",
        .kind = kind::integer,
        .default_value = "200",
        .minimum = "1",
        .maximum = "1000000",
        .description = "How often a second systems at one address may ask each of their questions.",
        .example = "20"},
    setting{
        .name = "system.proxies",
        .kind = kind::text,
        .description =
            "Networks, with commas between, whose addresses stand for many systems, such as a load "
            "balancer's: only what all systems do together is limited for them, and accept rules "
            "that name networks take nobody in through them.",
        .example = "192.0.2.10,2001:db8:1::/64"},
    setting{
        .name = "node.attach_rate",
        .kind = kind::integer,
        .default_value = "1000",
        .minimum = "1",
        .maximum = "100000",
        .description = "How many agents a second may attach; more are told when to come again.",
        .example = "200"},
    setting{
        .name = "node.attached_max",
        .kind = kind::integer,
        .default_value = "18500",
        .minimum = "1",
        .maximum = "10000000",
        .description = "How many agents may be attached to this node.",
        .example = "50000"},
    setting{
        .name = "channel.heartbeat",
        .kind = kind::duration,
        .default_value = "12s",
        .minimum = "100ms",
        .maximum = "5m",
        .description = "How often an attached agent beats.",
        .example = "30s"},
    setting{
        .name = "channel.silence",
        .kind = kind::duration,
        .default_value = "28s",
        .minimum = "200ms",
        .maximum = "15m",
        .description = "After how long without a beat a channel ends; at least two heartbeats.",
        .example = "75s"},
    setting{
        .name = "http.body_max",
        .kind = kind::size,
        .default_value = "1MiB",
        .minimum = "1KiB",
        .maximum = "1GiB",
        .description = "The largest request body that is taken.",
        .example = "4MiB"},
    setting{
        .name = "http.connections_max",
        .kind = kind::integer,
        .default_value = "15000",
        .minimum = "1",
        .maximum = "1000000",
        .description = "How many connections are served at a time, attached agents not counted.",
        .example = "50000"},
    setting{
        .name = "http.connections_per_address_max",
        .kind = kind::integer,
        .default_value = "1000",
        .minimum = "1",
        .maximum = "1000000",
        .description =
            "How many connections one address may have at a time, attached agents not counted.",
        .example = "200"},
    setting{
        .name = "http.idle_timeout",
        .kind = kind::duration,
        .default_value = "2m",
        .minimum = "1s",
        .maximum = "1d",
        .description = "How long a connection without a request is kept.",
        .example = "30s"},
    setting{
        .name = "session.lifetime",
        .kind = kind::duration,
        .default_value = "12h",
        .minimum = "1m",
        .maximum = "30d",
        .description = "How long a login is good for at the longest.",
        .example = "1h"},
    setting{
        .name = "session.idle_limit",
        .kind = kind::duration,
        .default_value = "60m",
        .minimum = "1m",
        .maximum = "30d",
        .description = "How long a login that is not used is good for.",
        .example = "15m"},
    setting{
        .name = "login.attempts_max",
        .kind = kind::integer,
        .default_value = "10",
        .minimum = "1",
        .maximum = "1000",
        .description = "How many failed logins a user or an address may have within a minute.",
        .example = "5"},
    setting{
        .name = "login.lock_after",
        .kind = kind::integer,
        .default_value = "10",
        .minimum = "1",
        .maximum = "1000",
        .description = "After how many failed logins in a row a user is locked: for a minute, and "
                       "twice as long with each further one, up to an hour.",
        .example = "5"},
    setting{
        .name = "people.pam_service",
        .kind = kind::text,
        .description =
            "The PAM service (/etc/pam.d) that knows the passwords of users of PAM; none "
            "when not set.",
        .example = "muster"},
    setting{
        .name = "certificate.lifetime",
        .kind = kind::duration,
        .default_value = "90d",
        .minimum = "1h",
        .maximum = "825d",
        .description = "How long a server certificate made by the cluster's CA is valid.",
        .example = "30d"},
    setting{
        .name = "drain.timeout",
        .kind = kind::duration,
        .default_value = "15s",
        .minimum = "0s",
        .maximum = "1h",
        .description = "How long a stopping server waits for running requests.",
        .example = "1m"},
    setting{
        .name = "clock.jump_max",
        .kind = kind::duration,
        .default_value = "1s",
        .minimum = "10ms",
        .maximum = "1h",
        .description =
            "How far the wall clock may move against the monotonic one without a warning.",
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
