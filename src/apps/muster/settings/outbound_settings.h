#pragma once

#include "runtime/settings/setting.h"

#include <array>

namespace muster::cli {

// Whom a server calls by itself, and by what it trusts them.
inline constexpr std::array outbound_settings{
    runtime::setting{
        .name = "outbound.ca",
        .kind = runtime::setting_kind::path,
        .default_value = "/etc/ssl/certs/ca-certificates.crt",
        .description =
            "The file with the authorities that calendars, webhooks and repositories over https "
            "are trusted by.",
        .example = "/etc/muster/outbound-ca.pem"},
    runtime::setting{
        .name = "webhooks.plain_http",
        .kind = runtime::setting_kind::boolean,
        .default_value = "false",
        .description = "Whether webhooks may call plain http on this machine (127.0.0.1, ::1).",
        .example = "true"},
    runtime::setting{
        .name = "content.directories",
        .kind = runtime::setting_kind::text,
        .description =
            "Directories of this server, with commas between, below which repositories may lie; "
            "without it, they are only fetched.",
        .example = "/srv/mirror,/srv/repositories"},
    runtime::setting{
        .name = "content.loopback",
        .kind = runtime::setting_kind::boolean,
        .default_value = "false",
        .description = "Whether repositories may be fetched from this machine (127.0.0.1, ::1).",
        .example = "true"},
};

}  // namespace muster::cli
