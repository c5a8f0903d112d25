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
    void operator()(natsOptions* what) const { natsOptions_Destroy(what); }
};
using options_handle = std::unique_ptr<natsOptions, options_deleter>;

struct message_deleter {
    void operator()(natsMsg* what) const { natsMsg_Destroy(what); }
};
using message_handle = std::unique_ptr<natsMsg, message_deleter>;

std::string text_of(const char* text) {
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
    std::ifstream in(path);
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (!in) return fail(errc::invalid, "cannot read " + path);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    if (text.empty()) return fail(errc::invalid, path + " is empty");
    return text;
}

result<void> secure(natsOptions* to, const security& access) {
    if (access.tls) {
        CHECK_OK(check(natsOptions_SetSecure(to, true), "turning TLS on"));
        if (!access.ca_file.empty()) {
            CHECK_OK(check(
                natsOptions_LoadCATrustedCertificates(to, access.ca_file.c_str()),
                "reading the CA from " + access.ca_file));
        }
        if (!access.certificate_file.empty()) {
            CHECK_OK(check(
                natsOptions_LoadCertificatesChain(
                    to, access.certificate_file.c_str(), access.key_file.c_str()),
                "reading the certificate from " + access.certificate_file + " and its key from "
                    + access.key_file));
        }
    }
    if (!access.user.empty()) {
        TRY(const auto password, read_secret(access.password_file));
        CHECK_OK(check(
            natsOptions_SetUserInfo(to, access.user.c_str(), password.c_str()),
            "setting the user"));
    }
    if (!access.token_file.empty()) {
        TRY(const auto token, read_secret(access.token_file));
        CHECK_OK(check(natsOptions_SetToken(to, token.c_str()), "setting the token"));
    }
    if (!access.credentials_file.empty()) {
        CHECK_OK(read_secret(access.credentials_file));
        CHECK_OK(check(
            natsOptions_SetUserCredentialsFromFiles(to, access.credentials_file.c_str(), nullptr),
            "setting the credentials"));
    }
    return {};
}

result<options_handle> make_options(const options& options) {
    natsOptions* result = nullptr;
    CHECK_OK(check(natsOptions_Create(&result), "starting libnats"));
    options_handle all(result);
    std::vector<const char*> servers;
    for (const auto& server : options.servers) servers.push_back(server.c_str());
    CHECK_OK(check(
        natsOptions_SetServers(result, servers.data(), static_cast<int>(servers.size())),
        "reading the server addresses"));
    CHECK_OK(secure(result, options.access));
    CHECK_OK(check(natsOptions_SetName(result, "muster"), "naming the connection"));
    for (const auto status : {
             natsOptions_SetTimeout(result, connect_timeout_ms),
             natsOptions_SetAllowReconnect(result, true),
             natsOptions_SetMaxReconnect(result, -1),
             natsOptions_SetReconnectWait(result, reconnect_wait_ms),
             natsOptions_SetReconnectJitter(result, reconnect_jitter_ms, reconnect_jitter_ms),
             // What nobody waits for any more must not be sent when the connection is back: what
             // waits for it waits where it can be forgotten.
             natsOptions_SetReconnectBufSize(result, 0),
             natsOptions_SetWriteDeadline(result, write_deadline_ms),
             natsOptions_SetPingInterval(result, ping_interval_ms),
             natsOptions_SetMaxPingsOut(result, pings_unanswered_max),
             natsOptions_UseGlobalMessageDelivery(result, true),
         }) {
        CHECK_OK(check(status, "setting limits of the connection"));
    }
    return all;
}

// libnats keeps a bare pointer for its callbacks; this is what it points to, until `closed`.
struct event_closure {
    std::shared_ptr<connection_listener> listener;
    std::shared_ptr<event_closure> self;  // while libnats may call
    // Held while connecting: libnats does not tell of the first connection, we do, and what happens
    // to it right after must be told later than that.
    std::mutex in_order;

    static void up(natsConnection* /*of*/, void* self) {
        auto& closure = *static_cast<event_closure*>(self);
        const std::scoped_lock lock(closure.in_order);
        closure.listener->connected();
    }
    static void down(natsConnection* /*of*/, void* self) {
        auto& closure = *static_cast<event_closure*>(self);
        const std::scoped_lock lock(closure.in_order);
        closure.listener->disconnected();
    }
    static void closed(natsConnection* of, void* self) {
        const auto last = std::move(static_cast<event_closure*>(self)->self);
        const char* why = nullptr;
        natsConnection_GetLastError(of, &why);
        const std::scoped_lock lock(last->in_order);
        last->listener->closed(text_of(why));
    }
};

result<void> listen_to(natsOptions* to, event_closure* closure) {
    for (const auto status : {
             natsOptions_SetReconnectedCB(to, event_closure::up, closure),
             natsOptions_SetDisconnectedCB(to, event_closure::down, closure),
             natsOptions_SetClosedCB(to, event_closure::closed, closure),
         }) {
        CHECK_OK(check(status, "setting callbacks"));
    }
    return {};
}

std::string header_of(natsMsg* message, const char* name) {
    const char* value = nullptr;
    if (natsMsgHeader_Get(message, name, &value) != NATS_OK) return {};
    return text_of(value);
}

incoming translate(natsMsg* message) {
    incoming what{
        .subject = text_of(natsMsg_GetSubject(message)),
        .reply = text_of(natsMsg_GetReply(message)),
        .payload = {},
        .message_id = header_of(message, "Nats-Msg-Id"),
        .status = 0,
        .status_text = {},
    };
    const int size = natsMsg_GetDataLength(message);
    if (size > 0) what.payload.assign(natsMsg_GetData(message), static_cast<std::size_t>(size));
    const auto status = size > 0 ? std::string() : header_of(message, "Status");
    if (!status.empty()) {
        what.status = std::atoi(status.c_str());
        what.status_text = header_of(message, "Description");
    }
    return what;
}

// Owned by libnats from subscribing to the last call.
struct message_closure {
    std::shared_ptr<message_listener> listener;

    static void arrived(
        natsConnection* /*on*/, natsSubscription* /*of*/, natsMsg* message, void* self) {
        const message_handle owned(message);
        static_cast<message_closure*>(self)->listener->received(translate(message));
    }
    static void completed(void* self) {
        const std::unique_ptr<message_closure> last(static_cast<message_closure*>(self));
    }
};

result<void> outcome_of(natsStatus status) {
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
            return fail(errc::timed_out, "nats: while sending: " + explain(status));
    }
}

}  // namespace

connection::subscription::~subscription() {
    natsSubscription_Unsubscribe(handle_);
    natsSubscription_Destroy(handle_);
}

result<std::unique_ptr<connection>> connection::open(
    const options& options, std::shared_ptr<connection_listener> listener) {
    TRY(const auto all, make_options(options));
    const auto closure = std::make_shared<event_closure>(std::move(listener));
    CHECK_OK(listen_to(all.get(), closure.get()));
    const std::scoped_lock lock(closure->in_order);
    closure->self = closure;
    natsConnection* result = nullptr;
    const auto status = natsConnection_Connect(&result, all.get());
    if (status != NATS_OK) {
        closure->self.reset();
        return fail(errc::unavailable, "cannot connect: " + explain(status));
    }
    closure->listener->connected();
    return std::unique_ptr<connection>(new connection(result));
}

connection::~connection() {
    // What readers gave back a moment ago must still reach the server.
    if (up()) natsConnection_FlushTimeout(handle_, flush_on_close_ms);
    natsConnection_Destroy(handle_);
}

bool connection::up() const {
    return natsConnection_Status(handle_) == NATS_CONN_STATUS_CONNECTED;
}

result<void> connection::publish(const outgoing& outgoing, const std::string& reply) {
    natsMsg* result = nullptr;
    const auto created = natsMsg_Create(
        &result,
        outgoing.subject.c_str(),
        reply.empty() ? nullptr : reply.c_str(),
        outgoing.payload.data(),
        static_cast<int>(outgoing.payload.size()));
    if (created != NATS_OK) return outcome_of(created);
    const message_handle message(result);
    if (!outgoing.message_id.empty()) {
        const auto set = natsMsgHeader_Set(result, "Nats-Msg-Id", outgoing.message_id.c_str());
        if (set != NATS_OK) return outcome_of(set);
    }
    return outcome_of(natsConnection_PublishMsg(handle_, result));
}

result<std::unique_ptr<connection::subscription>> connection::subscribe(
    const std::string& subject, std::shared_ptr<message_listener> listener) {
    auto closure = std::make_unique<message_closure>(std::move(listener));
    natsSubscription* result = nullptr;
    const auto status = natsConnection_Subscribe(
        &result, handle_, subject.c_str(), message_closure::arrived, closure.get());
    if (status != NATS_OK) return fail(errc::unavailable, "nats: " + explain(status));
    // Listeners only store what arrives, in places with limits of their own.
    natsSubscription_SetPendingLimits(result, -1, -1);
    natsSubscription_SetOnCompleteCB(result, message_closure::completed, closure.release());
    return std::make_unique<subscription>(result);
}

}  // namespace muster::nats
