#include "adapters/bus/nats/jetstream.h"

#include "base/backoff.h"
#include "runtime/clock.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::nats {

namespace json = boost::json;

namespace {

using namespace std::chrono_literals;

// The server delivers no further message of a pull once this many bytes are on their way.
constexpr std::int64_t pull_bytes_max = std::int64_t{8} << 20;
constexpr int code_not_found = 404;
constexpr int code_bad_request = 400;

std::int64_t nanoseconds(monotonic::duration span) {
    return span.count();
}

// Errors with the status of a bad request that may succeed later all the same.
constexpr std::int64_t too_few_peers = 10005;
constexpr std::int64_t resources_exceeded = 10047;
// A cluster that lost its leader may report that a stream is missing and yet refuse to create it,
// because it exists. A foreign stream with these subjects may be deleted later.
constexpr std::int64_t name_in_use = 10058;
constexpr std::int64_t subjects_overlap = 10065;

bool is_transient(std::int64_t error_code) {
    return error_code == too_few_peers || error_code == resources_exceeded
           || error_code == name_in_use || error_code == subjects_overlap;
}

errc to_errc(std::int64_t status, std::int64_t error_code) {
    if (status == code_not_found) return errc::not_found;
    if (status >= code_bad_request && status < 500 && !is_transient(error_code))
        return errc::invalid;
    return errc::unavailable;
}

std::int64_t read_number(const json::object& object, std::string_view key) {
    const auto* const member = object.if_contains(key);
    if (member == nullptr) return 0;
    boost::system::error_code failure;
    const auto number = member->to_number<std::int64_t>(failure);
    return failure ? 0 : number;
}

std::string read_text(const json::object& object, std::string_view key) {
    const auto* const member = object.if_contains(key);
    if (member == nullptr || !member->is_string()) return {};
    return std::string(member->get_string());
}

// The response as an object, or the error it reports.
result<json::object> read_response(const std::string& payload) {
    boost::system::error_code failure;
    auto parsed = json::parse(payload, failure);
    if (failure || !parsed.is_object())
        return fail(errc::corrupt, "nats: JetStream response is not JSON");
    auto& response = parsed.get_object();
    const auto* const member = response.if_contains("error");
    if (member == nullptr || !member->is_object()) return std::move(response);
    const auto& error = member->get_object();
    return fail(
        to_errc(read_number(error, "code"), read_number(error, "err_code")),
        "nats: JetStream: " + read_text(error, "description"));
}

}  // namespace

std::string jetstream::to_wire_subject(const std::string& subject) const {
    return options_.prefix + "." + subject;
}

std::string jetstream::from_wire_subject(const std::string& wire) const {
    return wire.size() > options_.prefix.size() ? wire.substr(options_.prefix.size() + 1) : wire;
}

std::string jetstream::takeover_subject(const std::string& consumer) const {
    return "_MUSTER_READER." + options_.stream + "." + consumer;
}

async<std::string> jetstream::call(std::string method, std::string payload) {
    outgoing_message request{
        .subject = "$JS.API." + method, .payload = std::move(payload), .message_id = {}};
    CO_TRY(auto response, co_await client_.request(std::move(request), options_.timeout));
    co_return std::move(response.payload);
}

std::string jetstream::stream_config() const {
    const json::value config{
        {"name", options_.stream},
        {"description", "muster bus"},
        {"subjects", json::array{options_.prefix + ".>"}},
        {"retention", "limits"},
        {"discard", "old"},
        {"storage", "file"},
        {"max_consumers", -1},
        {"max_msgs", -1},
        {"max_msgs_per_subject", -1},
        {"max_msg_size", -1},
        {"max_bytes", options_.stream_bytes_max},
        {"max_age", nanoseconds(options_.stream_age_max)},
        {"num_replicas", options_.replicas},
        {"duplicate_window", nanoseconds(options_.deduplication_span)},
    };
    return json::serialize(config);
}

// Another application may own a stream of that name: an update would remove its subjects.
result<void> jetstream::check_stream_owner(const std::string& info) const {
    TRY(const auto response, read_response(info));
    const auto* const config = response.if_contains("config");
    if (config == nullptr || !config->is_object())
        return fail(errc::corrupt, "nats: JetStream returned a stream without a configuration");
    const auto* const subjects = config->get_object().if_contains("subjects");
    if (subjects != nullptr && *subjects == json::array{options_.prefix + ".>"}) return {};
    return fail(
        errc::conflict,
        "nats: stream \"" + options_.stream + "\" exists with other subjects than \""
            + options_.prefix + ".>\"; set another stream name and prefix");
}

async<void> jetstream::create_stream() {
    const auto info = co_await call("STREAM.INFO." + options_.stream, "");
    if (!info) co_return fail(info.error());
    const auto existing = check_stream_owner(*info);
    if (!existing && existing.error().code() != errc::not_found) co_return fail(existing.error());
    const std::string method = existing ? "STREAM.UPDATE." : "STREAM.CREATE.";
    const auto payload = co_await call(method + options_.stream, stream_config());
    if (!payload) co_return fail(payload.error());
    const auto response = read_response(*payload);
    if (!response) co_return fail(response.error().with_context("stream " + options_.stream));
    co_return result<void>();
}

async<void> jetstream::ensure_stream() {
    if (stream_ready_) co_return result<void>();
    runtime::system_clock clock;
    const auto deadline = clock.now() + options_.timeout;
    const auto seed = static_cast<std::uint64_t>(clock.now().time_since_epoch().count());
    backoff pause({.first = 50ms, .longest = 1s}, prng(seed));
    for (;;) {
        const auto created = co_await create_stream();
        if (created) break;
        const auto wait = pause.next();
        const auto code = created.error().code();
        const bool transient = code == errc::unavailable || code == errc::timed_out;
        if (!transient || clock.now() + wait >= deadline) {
            // The caller's request was not sent yet.
            co_return fail(transient ? errc::unavailable : code, created.error().detail());
        }
        CO_CHECK_OK(co_await clock.sleep_for(wait));
    }
    stream_ready_ = true;
    co_return result<void>();
}

async<void> jetstream::publish(stream::message message) {
    CO_CHECK_OK(co_await ensure_stream());
    outgoing_message request{
        .subject = to_wire_subject(message.subject),
        .payload = std::move(message.payload),
        .message_id = std::move(message.id)};
    const auto response = co_await client_.request(std::move(request), options_.timeout);
    if (!response) {
        // The stream may have been deleted: the next call checks it.
        if (response.error().code() == errc::unavailable) stream_ready_ = false;
        co_return fail(response.error());
    }
    const auto mark = "\"stream\":\"" + options_.stream + "\"";
    const bool from_stream = response->payload.find(mark) != std::string::npos;
    if (from_stream && response->payload.find("\"error\"") == std::string::npos)
        co_return result<void>();
    const auto json = read_response(response->payload);
    if (!json) co_return fail(json.error());
    co_return fail(
        errc::invalid,
        "nats: subject \"" + message.subject + "\" got response " + response->payload.substr(0, 100)
            + " instead of an acknowledgement of stream \"" + options_.stream + "\"");
}

async<void> jetstream::ping() {
    CO_CHECK_OK(co_await ensure_stream());
    const auto info = co_await call("STREAM.INFO." + options_.stream, "");
    if (!info) {
        const bool timed_out = info.error().code() == errc::timed_out;
        co_return fail(timed_out ? errc::unavailable : info.error().code(), info.error().detail());
    }
    const auto existing = check_stream_owner(*info);
    if (existing || existing.error().code() != errc::not_found) co_return existing;
    stream_ready_ = false;
    co_return fail(errc::unavailable, "nats: stream " + options_.stream + " was deleted");
}

std::string jetstream::consumer_config(const consumer_options& options) const {
    const json::value config{
        {"stream_name", options_.stream},
        {"config",
         {
             {"durable_name", options.name},
             {"deliver_policy", "all"},
             {"ack_policy", "explicit"},
             {"replay_policy", "instant"},
             {"ack_wait", nanoseconds(options.ack_wait)},
             {"max_deliver", -1},
             {"max_ack_pending", options_.consumer_messages_max},
             {"filter_subject", to_wire_subject(options.pattern)},
         }},
    };
    return json::serialize(config);
}

namespace {

consumer_state to_consumer_state(const json::object& response) {
    consumer_state state;
    if (const auto* const config = response.if_contains("config"); config && config->is_object())
        state.pattern = read_text(config->get_object(), "filter_subject");
    if (const auto* const delivered = response.if_contains("delivered");
        delivered && delivered->is_object()) {
        const auto sequence = read_number(delivered->get_object(), "consumer_seq");
        state.delivered_last = static_cast<std::uint64_t>(sequence);
    }
    state.unacknowledged = static_cast<std::uint64_t>(read_number(response, "num_ack_pending"));
    return state;
}

}  // namespace

async<consumer_state> jetstream::read_consumer(std::string name) {
    CO_TRY(const auto payload, co_await call("CONSUMER.INFO." + options_.stream + "." + name, ""));
    const auto response = read_response(payload);
    if (!response) co_return fail(response.error().with_context("consumer " + name));
    auto state = to_consumer_state(*response);
    state.pattern = from_wire_subject(state.pattern);
    co_return state;
}

async<consumer_state> jetstream::open_consumer(consumer_options options) {
    CO_CHECK_OK(co_await ensure_stream());
    const auto existing = co_await read_consumer(options.name);
    if (!existing && existing.error().code() != errc::not_found) co_return fail(existing.error());
    if (existing && existing->pattern != options.pattern) {
        co_return fail(
            errc::conflict,
            "consumer \"" + options.name + "\" reads \"" + existing->pattern + "\", not \""
                + options.pattern + "\"; delete the consumer first");
    }
    const auto method = "CONSUMER.DURABLE.CREATE." + options_.stream + "." + options.name;
    CO_TRY(const auto payload, co_await call(method, consumer_config(options)));
    const auto response = read_response(payload);
    if (!response) {
        if (response.error().code() == errc::not_found) stream_ready_ = false;
        const bool stream_gone = response.error().code() == errc::not_found;
        co_return fail(
            stream_gone ? errc::unavailable : response.error().code(),
            "consumer " + options.name + ": " + response.error().detail());
    }
    auto state = to_consumer_state(*response);
    state.pattern = options.pattern;
    co_return state;
}

async<void> jetstream::delete_consumer(std::string name) {
    CO_CHECK_OK(co_await ensure_stream());
    const auto method = "CONSUMER.DELETE." + options_.stream + "." + name;
    CO_TRY(const auto payload, co_await call(method, ""));
    const auto response = read_response(payload);
    if (!response) co_return fail(response.error().with_context("consumer " + name));
    co_return result<void>();
}

void jetstream::request_deliveries(const pull& pull) {
    const json::value parameters{
        {"batch", pull.messages_max},
        {"expires", nanoseconds(pull.expires)},
        {"max_bytes", pull_bytes_max},
    };
    outgoing_message request{
        .subject = "$JS.API.CONSUMER.MSG.NEXT." + options_.stream + "." + pull.consumer,
        .payload = json::serialize(parameters),
        .message_id = {}};
    ignore_error(
        client_.send(std::move(request), pull.inbox),
        "the reader pulls again when this pull would have expired");
}

async<void> jetstream::acknowledge(std::vector<std::string> replies) {
    // A consumer stores acknowledgements in the order they are sent: its response to the last one
    // confirms all.
    auto last = std::move(replies.back());
    replies.pop_back();
    for (auto& reply : replies) {
        CO_CHECK_OK(acknowledge_unconfirmed(std::move(reply)));
    }
    outgoing_message request{.subject = std::move(last), .payload = "+ACK", .message_id = {}};
    const auto response = co_await client_.request(std::move(request), options_.timeout);
    if (!response) co_return fail(response.error());
    co_return result<void>();
}

result<void> jetstream::acknowledge_unconfirmed(std::string reply) {
    return client_.send({.subject = std::move(reply), .payload = "+ACK", .message_id = {}});
}

void jetstream::release(std::string reply, monotonic::duration delay) {
    std::string payload = "-NAK";
    if (delay > 0ns) payload += " {\"delay\": " + std::to_string(nanoseconds(delay)) + "}";
    outgoing_message message{
        .subject = std::move(reply), .payload = std::move(payload), .message_id = {}};
    ignore_error(client_.send(std::move(message)), "the message is redelivered when it is overdue");
}

}  // namespace muster::nats
