#include "adapters/bus/nats/connection.h"

#include <nats/nats.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>

namespace muster::nats {

namespace {

constexpr std::int64_t connect_timeout_ms = 1000;
constexpr std::int64_t reconnect_wait_ms = 100;
constexpr std::int64_t reconnect_jitter_ms = 400;
constexpr std::int64_t write_deadline_ms = 3000;
constexpr std::int64_t ping_interval_ms = 3000;
constexpr std::int64_t flush_on_close_ms = 1000;
constexpr int pings_unanswered_max = 2;

struct options_deleter {
    void operator()(natsOptions* options) const { natsOptions_Destroy(options); }
};
using options_handle = std::unique_ptr<natsOptions, options_deleter>;

struct message_deleter {
    void operator()(natsMsg* message) const { natsMsg_Destroy(message); }
};
using message_handle = std::unique_ptr<natsMsg, message_deleter>;

std::string to_text(const char* text) {
    return text == nullptr ? std::string() : std::string(text);
}

std::string explain(natsStatus status) {
    const char* const detail = nats_GetLastError(nullptr);
    std::string text = natsStatus_GetText(status);
    if (detail != nullptr && *detail != '\0') text.append(": ").append(detail);
    return text;
}

result<void> check(natsStatus status, const std::string& step) {
    if (status == NATS_OK) return {};
    return fail(errc::invalid, step + ": " + explain(status));
}

result<std::string> read_secret(const std::string& path) {
    std::ifstream file(path);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (!file) return fail(errc::invalid, "cannot read " + path);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    if (text.empty()) return fail(errc::invalid, path + " is empty");
    return text;
}

result<void> set_security(natsOptions* options, const security& access) {
    if (access.tls) {
        CHECK_OK(check(natsOptions_SetSecure(options, true), "enabling TLS"));
        if (!access.ca_file.empty()) {
            CHECK_OK(check(
                natsOptions_LoadCATrustedCertificates(options, access.ca_file.c_str()),
                "reading the CA from " + access.ca_file));
        }
        if (!access.certificate_file.empty()) {
            CHECK_OK(check(
                natsOptions_LoadCertificatesChain(
                    options, access.certificate_file.c_str(), access.key_file.c_str()),
                "reading the certificate from " + access.certificate_file + " and its key from "
                    + access.key_file));
        }
    }
    if (!access.user.empty()) {
        TRY(const auto password, read_secret(access.password_file));
        CHECK_OK(check(
            natsOptions_SetUserInfo(options, access.user.c_str(), password.c_str()),
            "setting the user"));
    }
    if (!access.token_file.empty()) {
        TRY(const auto token, read_secret(access.token_file));
        CHECK_OK(check(natsOptions_SetToken(options, token.c_str()), "setting the token"));
    }
    if (!access.credentials_file.empty()) {
        CHECK_OK(read_secret(access.credentials_file));
        CHECK_OK(check(
            natsOptions_SetUserCredentialsFromFiles(
                options, access.credentials_file.c_str(), nullptr),
            "setting the credentials"));
    }
    return {};
}

result<options_handle> create_options(const options& options) {
    natsOptions* raw = nullptr;
    CHECK_OK(check(natsOptions_Create(&raw), "starting libnats"));
    options_handle handle(raw);
    std::vector<const char*> servers;
    for (const auto& server : options.servers) servers.push_back(server.c_str());
    CHECK_OK(check(
        natsOptions_SetServers(raw, servers.data(), static_cast<int>(servers.size())),
        "reading the server addresses"));
    CHECK_OK(set_security(raw, options.access));
    CHECK_OK(check(natsOptions_SetName(raw, "muster"), "setting the connection name"));
    for (const auto status : {
             natsOptions_SetTimeout(raw, connect_timeout_ms),
             natsOptions_SetAllowReconnect(raw, true),
             natsOptions_SetMaxReconnect(raw, -1),
             natsOptions_SetReconnectWait(raw, reconnect_wait_ms),
             natsOptions_SetReconnectJitter(raw, reconnect_jitter_ms, reconnect_jitter_ms),
             // No buffer in libnats: requests that timed out must not be sent after a reconnect.
             // The outbox queues messages instead, and can remove them.
             natsOptions_SetReconnectBufSize(raw, 0),
             natsOptions_SetWriteDeadline(raw, write_deadline_ms),
             natsOptions_SetPingInterval(raw, ping_interval_ms),
             natsOptions_SetMaxPingsOut(raw, pings_unanswered_max),
             natsOptions_UseGlobalMessageDelivery(raw, true),
         }) {
        CHECK_OK(check(status, "setting connection limits"));
    }
    return handle;
}

// The target of the raw pointer that libnats passes to its callbacks, until on_closed().
struct event_closure {
    std::shared_ptr<connection_listener> listener;
    std::shared_ptr<event_closure> self;  // while libnats may call
    // Locked while connecting: libnats does not report the first connection, open() does. Later
    // events must be reported after it.
    std::mutex order_mutex;

    static void on_connected(natsConnection* /*connection*/, void* self) {
        auto& closure = *static_cast<event_closure*>(self);
        const std::scoped_lock lock(closure.order_mutex);
        closure.listener->connected();
    }
    static void on_disconnected(natsConnection* /*connection*/, void* self) {
        auto& closure = *static_cast<event_closure*>(self);
        const std::scoped_lock lock(closure.order_mutex);
        closure.listener->disconnected();
    }
    static void on_closed(natsConnection* connection, void* self) {
        const auto closure = std::move(static_cast<event_closure*>(self)->self);
        const char* reason = nullptr;
        natsConnection_GetLastError(connection, &reason);
        const std::scoped_lock lock(closure->order_mutex);
        closure->listener->closed(to_text(reason));
    }
};

result<void> set_callbacks(natsOptions* options, event_closure* closure) {
    for (const auto status : {
             natsOptions_SetReconnectedCB(options, event_closure::on_connected, closure),
             natsOptions_SetDisconnectedCB(options, event_closure::on_disconnected, closure),
             natsOptions_SetClosedCB(options, event_closure::on_closed, closure),
         }) {
        CHECK_OK(check(status, "setting callbacks"));
    }
    return {};
}

std::string read_header(natsMsg* message, const char* name) {
    const char* value = nullptr;
    if (natsMsgHeader_Get(message, name, &value) != NATS_OK) return {};
    return to_text(value);
}

incoming_message translate(natsMsg* message) {
    incoming_message result{
        .subject = to_text(natsMsg_GetSubject(message)),
        .reply = to_text(natsMsg_GetReply(message)),
        .payload = {},
        .message_id = read_header(message, "Nats-Msg-Id"),
        .status = 0,
        .status_text = {},
    };
    const int size = natsMsg_GetDataLength(message);
    if (size > 0) result.payload.assign(natsMsg_GetData(message), static_cast<std::size_t>(size));
    const auto status = size > 0 ? std::string() : read_header(message, "Status");
    if (!status.empty()) {
        result.status = std::atoi(status.c_str());
        result.status_text = read_header(message, "Description");
    }
    return result;
}

// Owned by libnats from subscribing to on_complete().
struct message_closure {
    std::shared_ptr<message_listener> listener;

    static void on_message(
        natsConnection* /*connection*/,
        natsSubscription* /*subscription*/,
        natsMsg* message,
        void* self) {
        const message_handle owned(message);
        static_cast<message_closure*>(self)->listener->received(translate(message));
    }
    static void on_complete(void* self) {
        const std::unique_ptr<message_closure> owned(static_cast<message_closure*>(self));
    }
};

result<void> to_result(natsStatus status) {
    switch (status) {
        case NATS_OK:
            return {};
        case NATS_INSUFFICIENT_BUFFER:
        case NATS_CONNECTION_CLOSED:
        case NATS_DRAINING:
            return fail(errc::unavailable, "nats: " + explain(status));
        case NATS_MAX_PAYLOAD:
        case NATS_INVALID_ARG:
        case NATS_INVALID_SUBJECT:
            return fail(errc::invalid, "nats: " + explain(status));
        default:
            return fail(errc::timed_out, "nats: send failed: " + explain(status));
    }
}

}  // namespace

connection::subscription::~subscription() {
    natsSubscription_Unsubscribe(handle_);
    natsSubscription_Destroy(handle_);
}

result<std::unique_ptr<connection>> connection::open(
    const options& options, std::shared_ptr<connection_listener> listener) {
    TRY(const auto nats_options, create_options(options));
    const auto closure = std::make_shared<event_closure>(std::move(listener));
    CHECK_OK(set_callbacks(nats_options.get(), closure.get()));
    const std::scoped_lock lock(closure->order_mutex);
    closure->self = closure;
    natsConnection* handle = nullptr;
    const auto status = natsConnection_Connect(&handle, nats_options.get());
    if (status != NATS_OK) {
        closure->self.reset();
        return fail(errc::unavailable, "cannot connect: " + explain(status));
    }
    closure->listener->connected();
    return std::unique_ptr<connection>(new connection(handle));
}

connection::~connection() {
    // Messages that readers released just now must still reach the server.
    if (is_connected()) natsConnection_FlushTimeout(handle_, flush_on_close_ms);
    natsConnection_Destroy(handle_);
}

bool connection::is_connected() const {
    return natsConnection_Status(handle_) == NATS_CONN_STATUS_CONNECTED;
}

result<void> connection::publish(const outgoing_message& message, const std::string& reply) {
    natsMsg* raw = nullptr;
    const auto created = natsMsg_Create(
        &raw,
        message.subject.c_str(),
        reply.empty() ? nullptr : reply.c_str(),
        message.payload.data(),
        static_cast<int>(message.payload.size()));
    if (created != NATS_OK) return to_result(created);
    const message_handle handle(raw);
    if (!message.message_id.empty()) {
        const auto set = natsMsgHeader_Set(raw, "Nats-Msg-Id", message.message_id.c_str());
        if (set != NATS_OK) return to_result(set);
    }
    return to_result(natsConnection_PublishMsg(handle_, raw));
}

result<std::unique_ptr<connection::subscription>> connection::subscribe(
    const std::string& subject, std::shared_ptr<message_listener> listener) {
    auto closure = std::make_unique<message_closure>(std::move(listener));
    natsSubscription* raw = nullptr;
    const auto status = natsConnection_Subscribe(
        &raw, handle_, subject.c_str(), message_closure::on_message, closure.get());
    if (status != NATS_OK) return fail(errc::unavailable, "nats: " + explain(status));
    // Without limits: listeners only store messages, in bounded buffers.
    natsSubscription_SetPendingLimits(raw, -1, -1);
    natsSubscription_SetOnCompleteCB(raw, message_closure::on_complete, closure.release());
    return std::make_unique<subscription>(raw);
}

}  // namespace muster::nats
