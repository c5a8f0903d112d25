#pragma once

#include "runtime/settings/setting.h"

#include <array>

namespace muster::cli {

// Settings for the outbound HTTP connections of a server.
inline constexpr std::array outbound_settings{
    runtime::setting{
        .name = "outbound.ca",
        .kind = runtime::setting_kind::path,
        .default_value = "/etc/ssl/certs/ca-certificates.crt",
        .description = "File with the CA certificates trusted for calendars, webhooks and "
                       "repositories over HTTPS.",
        .example = "/etc/muster/outbound-ca.pem"},
    runtime::setting{
        .name = "webhooks.plain_http",
        .kind = runtime::setting_kind::boolean,
        .default_value = "false",
        .description = "Allow webhooks to HTTP servers on this machine (127.0.0.1, ::1).",
        .example = "true"},
    runtime::setting{
        .name = "content.directories",
        .kind = runtime::setting_kind::text,
        .description = "Comma-separated directories on this server that may contain repositories; "
                       "if unset, repositories are only read by URL.",
        .example = "/srv/mirror,/srv/repositories"},
    runtime::setting{
        .name = "content.loopback",
        .kind = runtime::setting_kind::boolean,
        .default_value = "false",
        .description = "Allow repository URLs on this machine (127.0.0.1, ::1).",
        .example = "true"},
};

}  // namespace muster::cli
