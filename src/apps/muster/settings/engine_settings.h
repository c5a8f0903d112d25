#pragma once

#include "runtime/settings/setting.h"

#include <array>

namespace muster::cli {

// Settings of `muster serve` for its engines.
inline constexpr std::array engine_settings{
    runtime::setting{
        .name = "metastore",
        .kind = runtime::setting_kind::engine,
        .choices = "sqlite|etcd",
        .description = "URL of the cluster's key-value store; if unset, metastore.db in `data`.",
        .example = "etcd://10.0.0.1:2379,10.0.0.2:2379,10.0.0.3:2379"},
    runtime::setting{
        .name = "metastore.prefix",
        .kind = runtime::setting_kind::text,
        .default_value = "muster/",
        .description = "Prefix of this cluster's keys; lets several clusters share one etcd.",
        .example = "production/"},
    runtime::setting{
        .name = "metastore.ca",
        .kind = runtime::setting_kind::path,
        .description = "File with the CA of etcd's certificates; enables TLS.",
        .example = "/etc/muster/etcd-ca.pem"},
    runtime::setting{
        .name = "metastore.certificate",
        .kind = runtime::setting_kind::path,
        .description = "File with the client certificate for etcd.",
        .example = "/etc/muster/etcd-client.pem"},
    runtime::setting{
        .name = "metastore.key",
        .kind = runtime::setting_kind::secret_file,
        .description = "File with the private key of `metastore.certificate`.",
        .example = "/etc/muster/etcd-client.key"},
    runtime::setting{
        .name = "metastore.user",
        .kind = runtime::setting_kind::text,
        .description = "User name for etcd.",
        .example = "muster"},
    runtime::setting{
        .name = "metastore.password_file",
        .kind = runtime::setting_kind::secret_file,
        .description = "File with the password of `metastore.user`.",
        .example = "/etc/muster/etcd.password"},
    runtime::setting{
        .name = "ledger",
        .kind = runtime::setting_kind::engine,
        .choices = "sqlite|postgresql|postgres",
        .description = "URL of the SQL store; if unset, ledger.db in `data`.",
        .example = "postgresql://muster@10.0.0.9:5432/muster"},
    runtime::setting{
        .name = "ledger.tls",
        .kind = runtime::setting_kind::choice,
        .default_value = "full",
        .choices = "full|off",
        .description = "TLS mode for PostgreSQL: full checks certificate and host name; off "
                       "disables TLS (loopback only).",
        .example = "off"},
    runtime::setting{
        .name = "ledger.tls_min",
        .kind = runtime::setting_kind::choice,
        .default_value = "1.3",
        .choices = "1.2|1.3",
        .description = "Minimum TLS version for PostgreSQL.",
        .example = "1.2"},
    runtime::setting{
        .name = "ledger.ca",
        .kind = runtime::setting_kind::path,
        .description = "File with the CA of PostgreSQL's certificate; if unset, the CAs of the "
                       "operating system.",
        .example = "/etc/muster/postgresql-ca.pem"},
    runtime::setting{
        .name = "ledger.certificate",
        .kind = runtime::setting_kind::path,
        .description = "File with the client certificate for PostgreSQL.",
        .example = "/etc/muster/postgresql-client.pem"},
    runtime::setting{
        .name = "ledger.key",
        .kind = runtime::setting_kind::secret_file,
        .description = "File with the private key of `ledger.certificate`.",
        .example = "/etc/muster/postgresql-client.key"},
    runtime::setting{
        .name = "ledger.password_file",
        .kind = runtime::setting_kind::secret_file,
        .description = "File with the password for PostgreSQL.",
        .example = "/etc/muster/ledger.password"},
    runtime::setting{
        .name = "bus",
        .kind = runtime::setting_kind::engine,
        .default_value = "memory:",
        .choices = "memory|nats",
        .description = "URL of the message bus between servers; memory: is for a single server.",
        .example = "nats://10.0.0.1:4222,10.0.0.2:4222"},
    runtime::setting{
        .name = "bus.stream",
        .kind = runtime::setting_kind::text,
        .default_value = "MUSTER",
        .description = "Name of this cluster's stream; lets several clusters share one NATS.",
        .example = "PRODUCTION"},
    runtime::setting{
        .name = "bus.ca",
        .kind = runtime::setting_kind::path,
        .description = "File with the CA of the bus's certificates; enables TLS.",
        .example = "/etc/muster/nats-ca.pem"},
    runtime::setting{
        .name = "bus.certificate",
        .kind = runtime::setting_kind::path,
        .description = "File with the client certificate for the bus.",
        .example = "/etc/muster/nats-client.pem"},
    runtime::setting{
        .name = "bus.key",
        .kind = runtime::setting_kind::secret_file,
        .description = "File with the private key of `bus.certificate`.",
        .example = "/etc/muster/nats-client.key"},
    runtime::setting{
        .name = "bus.user",
        .kind = runtime::setting_kind::text,
        .description = "User name for the bus.",
        .example = "muster"},
    runtime::setting{
        .name = "bus.password_file",
        .kind = runtime::setting_kind::secret_file,
        .description = "File with the password of `bus.user`.",
        .example = "/etc/muster/nats.password"},
    runtime::setting{
        .name = "bus.replicas",
        .kind = runtime::setting_kind::integer,
        .default_value = "1",
        .minimum = "1",
        .maximum = "5",
        .description = "Number of NATS servers that store each message.",
        .example = "3"},
    runtime::setting{
        .name = "engines.insecure",
        .kind = runtime::setting_kind::boolean,
        .default_value = "false",
        .description = "Allow connections to remote engines (etcd, NATS, PostgreSQL) without TLS.",
        .example = "true"},
};

}  // namespace muster::cli
