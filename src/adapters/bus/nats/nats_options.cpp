#include "adapters/bus/nats/nats_options.h"

#include "core/stream/consumer.h"
#include "core/stream/subject.h"

namespace muster::nats {

namespace {

std::unexpected<error> refuse(std::string text) {
    return fail(errc::invalid, "nats: " + std::move(text));
}

result<void> validate(const security& access) {
    if (access.certificate_file.empty() != access.key_file.empty())
        return refuse("certificate file and key file must be set together");
    if (!access.tls && !(access.ca_file.empty() && access.certificate_file.empty()))
        return refuse("certificates are set but TLS is disabled");
    if (access.user.empty() != access.password_file.empty())
        return refuse("user and password file must be set together");
    const int ways = (access.user.empty() ? 0 : 1) + (access.token_file.empty() ? 0 : 1)
                     + (access.credentials_file.empty() ? 0 : 1);
    if (ways > 1)
        return refuse("user, token file and credentials file are mutually exclusive; set one");
    return {};
}

}  // namespace

result<void> validate(const options& options) {
    if (options.servers.empty()) return refuse("no server address; set nats://HOST:PORT");
    for (const auto& server : options.servers) {
        if (!server.starts_with("nats://") && !server.starts_with("tls://"))
            return refuse("server address \"" + server + "\" must have the form nats://HOST:PORT");
        if (server.find('@') != std::string::npos)
            return refuse("server address must not contain a password; use a password file");
    }
    CHECK_OK(validate(options.access));
    if (!stream::validate_consumer_name(options.stream))
        return refuse(
            "stream name \"" + options.stream + "\" must consist of letters, digits, '-' and '_'");
    if (!stream::validate_consumer_name(options.prefix))
        return refuse(
            "prefix \"" + options.prefix + "\" must consist of letters, digits, '-' and '_'");
    if (options.replicas < 1 || options.replicas > 5) return refuse("replicas must be 1 to 5");
    if (options.stream_bytes_max < (std::int64_t{1} << 20))
        return refuse("stream size limit must be at least 1 MiB");
    if (options.timeout < std::chrono::milliseconds(100))
        return refuse("timeout must be at least 100 ms");
    if (options.in_flight_max == 0 || options.unsent_max == 0 || options.consumer_messages_max == 0)
        return refuse("limits must not be zero");
    return {};
}

}  // namespace muster::nats
