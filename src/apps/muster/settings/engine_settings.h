#pragma once

#include "runtime/settings/setting.h"

#include <array>

namespace muster::cli {

// The settings of `muster serve` that say where its engines are and how they are reached.
inline constexpr std::array engine_settings{
    runtime::setting{
        .name = "metastore",
        .kind = runtime::setting_kind::engine,
        .choices = "sqlite|etcd",
        .description =
            "Where the cluster's key-value store is; metastore.db in `data` when not set.",
        .example = "etcd://10.0.0.1:2379,10.0.0.2:2379,10.0.0.3:2379"},
    runtime::setting{
        .name = "metastore.prefix",
        .kind = runtime::setting_kind::text,
        .default_value = "muster/",
        .description = "What this cluster's keys start with, so that several may share one etcd.",
        .example = "production/"},
    runtime::setting{
        .name = "metastore.ca",
        .kind = runtime::setting_kind::path,
        .description = "The CA that signed etcd's certificates; turns TLS on.",
        .example = "/etc/muster/etcd-ca.pem"},
    runtime::setting{
        .name = "metastore.certificate",
        .kind = runtime::setting_kind::path,
        .description = "The certificate this server shows to etcd.",
        .example = "/etc/muster/etcd-client.pem"},
    runtime::setting{
        .name = "metastore.key",
        .kind = runtime::setting_kind::secret_file,
        .description = "The private key of `metastore.certificate`.",
        .example = "/etc/muster/etcd-client.key"},
    runtime::setting{
        .name = "metastore.user",
        .kind = runtime::setting_kind::text,
        .description = "The user this server is in etcd.",
        .example = "muster"},
    runtime::setting{
        .name = "metastore.password_file",
        .kind = runtime::setting_kind::secret_file,
        .description = "The file with the password of `metastore.user`.",
        .example = "/etc/muster/etcd.password"},
    runtime::setting{
        .name = "ledger",
        .kind = runtime::setting_kind::engine,
        .choices = "sqlite|postgresql|postgres",
        .description = "Where the SQL store is; ledger.db in `data` when not set.",
        .example = "postgresql://muster@10.0.0.9:5432/muster"},
    runtime::setting{
        .name = "ledger.tls",
        .kind = runtime::setting_kind::choice,
        .default_value = "full",
        .choices = "full|off",
        .description =
            "Whether PostgreSQL's certificate and name are checked; off is for loopback.",
        .example = "off"},
    runtime::setting{
        .name = "ledger.tls_min",
        .kind = runtime::setting_kind::choice,
        .default_value = "1.3",
        .choices = "1.2|1.3",
        .description = "The oldest version of TLS that is spoken with PostgreSQL.",
        .example = "1.2"},
    runtime::setting{
        .name = "ledger.ca",
        .kind = runtime::setting_kind::path,
        .description = "The CA that signed PostgreSQL's certificate; the system's when not set.",
        .example = "/etc/muster/postgresql-ca.pem"},
    runtime::setting{
        .name = "ledger.certificate",
        .kind = runtime::setting_kind::path,
        .description = "The certificate this server shows to PostgreSQL.",
        .example = "/etc/muster/postgresql-client.pem"},
    runtime::setting{
        .name = "ledger.key",
        .kind = runtime::setting_kind::secret_file,
        .description = "The private key of `ledger.certificate`.",
        .example = "/etc/muster/postgresql-client.key"},
    runtime::setting{
        .name = "ledger.password_file",
        .kind = runtime::setting_kind::secret_file,
        .description = "The file with the password for PostgreSQL.",
        .example = "/etc/muster/ledger.password"},
    runtime::setting{
        .name = "bus",
        .kind = runtime::setting_kind::engine,
        .default_value = "memory:",
        .choices = "memory|nats",
        .description = "The message bus between servers; in process when there is one server.",
        .example = "nats://10.0.0.1:4222,10.0.0.2:4222"},
    runtime::setting{
        .name = "bus.stream",
        .kind = runtime::setting_kind::text,
        .default_value = "MUSTER",
        .description = "This cluster's stream on the bus, so that several may share one NATS.",
        .example = "PRODUCTION"},
    runtime::setting{
        .name = "bus.ca",
        .kind = runtime::setting_kind::path,
        .description = "The CA that signed the bus's certificates; turns TLS on.",
        .example = "/etc/muster/nats-ca.pem"},
    runtime::setting{
        .name = "bus.certificate",
        .kind = runtime::setting_kind::path,
        .description = "The certificate this server shows to the bus.",
        .example = "/etc/muster/nats-client.pem"},
    runtime::setting{
        .name = "bus.key",
        .kind = runtime::setting_kind::secret_file,
        .description = "The private key of `bus.certificate`.",
        .example = "/etc/muster/nats-client.key"},
    runtime::setting{
        .name = "bus.user",
        .kind = runtime::setting_kind::text,
        .description = "The user this server is on the bus.",
        .example = "muster"},
    runtime::setting{
        .name = "bus.password_file",
        .kind = runtime::setting_kind::secret_file,
        .description = "The file with the password of `bus.user`.",
        .example = "/etc/muster/nats.password"},
    runtime::setting{
        .name = "bus.replicas",
        .kind = runtime::setting_kind::integer,
        .default_value = "1",
        .minimum = "1",
        .maximum = "5",
        .description = "On how many NATS servers each message is kept.",
        .example = "3"},
    runtime::setting{
        .name = "engines.insecure",
        .kind = runtime::setting_kind::boolean,
        .default_value = "false",
        .description = "Whether engines on other machines may be reached without TLS.",
        .example = "true"},
};

}  // namespace muster::cli
