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

// Told with the status of a bad request, and yet what was asked for may be possible later.
constexpr std::int64_t too_few_peers = 10005;
constexpr std::int64_t resources_exceeded = 10047;
// A cluster that lost its leader may deny that a stream is there and yet refuse to make it, because
// of itself; and somebody else's stream in our place may be deleted.
constexpr std::int64_t name_in_use = 10058;
constexpr std::int64_t subjects_overlap = 10065;

bool passing(std::int64_t reason) {
    return reason == too_few_peers || reason == resources_exceeded || reason == name_in_use
           || reason == subjects_overlap;
}

errc code_of(std::int64_t status, std::int64_t reason) {
    if (status == code_not_found) return errc::not_found;
    if (status >= code_bad_request && status < 500 && !passing(reason)) return errc::invalid;
    return errc::unavailable;
}

std::int64_t number_at(const json::object& from, std::string_view key) {
    const auto* const found = from.if_contains(key);
    if (found == nullptr) return 0;
    boost::system::error_code not_a_number;
    const auto number = found->to_number<std::int64_t>(not_a_number);
    return not_a_number ? 0 : number;
}

std::string text_at(const json::object& from, std::string_view key) {
    const auto* const found = from.if_contains(key);
    if (found == nullptr || !found->is_string()) return {};
    return std::string(found->get_string());
}

// The answer as an object, or the failure it tells of.
result<json::object> read_answer(const std::string& payload) {
    boost::system::error_code broken;
    auto parsed = json::parse(payload, broken);
    if (broken || !parsed.is_object())
        return fail(errc::corrupt, "nats: JetStream answered something that is not JSON");
    auto& answer = parsed.get_object();
    const auto* const failure = answer.if_contains("error");
    if (failure == nullptr || !failure->is_object()) return std::move(answer);
    const auto& object = failure->get_object();
    return fail(
        code_of(number_at(object, "code"), number_at(object, "err_code")),
        "nats: JetStream: " + text_at(object, "description"));
}

}  // namespace

std::string jetstream::wire_subject(const std::string& subject) const {
    return options_.prefix + "." + subject;
}

std::string jetstream::subject_of(const std::string& wire) const {
    return wire.size() > options_.prefix.size() ? wire.substr(options_.prefix.size() + 1) : wire;
}

std::string jetstream::takeover_subject(const std::string& consumer) const {
    return "_MUSTER_READER." + options_.stream + "." + consumer;
}

async<std::string> jetstream::call(std::string text, std::string payload) {
    outgoing question{
        .subject = "$JS.API." + text, .payload = std::move(payload), .message_id = {}};
    CO_TRY(auto answer, co_await link_.request(std::move(question), options_.timeout));
    co_return std::move(answer.payload);
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

// A stream of that name may be somebody else's: updating it would take their subjects away.
result<void> jetstream::check_ours(const std::string& info) const {
    TRY(const auto answer, read_answer(info));
    const auto* const config = answer.if_contains("config");
    if (config == nullptr || !config->is_object())
        return fail(errc::corrupt, "nats: JetStream described a stream without a configuration");
    const auto* const subjects = config->get_object().if_contains("subjects");
    if (subjects != nullptr && *subjects == json::array{options_.prefix + ".>"}) return {};
    return fail(
        errc::conflict,
        "nats: stream " + options_.stream + " exists with other subjects than " + options_.prefix
            + ".>; give the bus a stream name and a prefix of its own");
}

async<void> jetstream::make_stream() {
    const auto looked = co_await call("STREAM.INFO." + options_.stream, "");
    if (!looked) co_return fail(looked.error());
    const auto match = check_ours(*looked);
    if (!match && match.error().code() != errc::not_found) co_return fail(match.error());
    const std::string verb = match ? "STREAM.UPDATE." : "STREAM.CREATE.";
    const auto created = co_await call(verb + options_.stream, stream_config());
    if (!created) co_return fail(created.error());
    const auto answer = read_answer(*created);
    if (!answer) co_return fail(answer.error().within("stream " + options_.stream));
    co_return result<void>();
}

async<void> jetstream::ready() {
    if (stream_made_) co_return result<void>();
    runtime::system_clock clock;
    const auto give_up_at = clock.now() + options_.timeout;
    const auto seed = static_cast<std::uint64_t>(clock.now().time_since_epoch().count());
    backoff pause({.first = 50ms, .longest = 1s}, prng(seed));
    for (;;) {
        const auto result = co_await make_stream();
        if (result) break;
        const auto wait = pause.next();
        const auto code = result.error().code();
        const bool may_pass = code == errc::unavailable || code == errc::timed_out;
        if (!may_pass || clock.now() + wait >= give_up_at) {
            // Nothing of the caller's own was sent yet.
            co_return fail(may_pass ? errc::unavailable : code, result.error().detail());
        }
        CO_CHECK_OK(co_await clock.sleep_for(wait));
    }
    stream_made_ = true;
    co_return result<void>();
}

async<void> jetstream::publish(stream::message message) {
    CO_CHECK_OK(co_await ready());
    outgoing published{
        .subject = wire_subject(message.subject),
        .payload = std::move(message.payload),
        .message_id = std::move(message.id)};
    const auto answer = co_await link_.request(std::move(published), options_.timeout);
    if (!answer) {
        // Perhaps somebody deleted the stream: the next call looks.
        if (answer.error().code() == errc::unavailable) stream_made_ = false;
        co_return fail(answer.error());
    }
    const auto mark = "\"stream\":\"" + options_.stream + "\"";
    const bool ours = answer->payload.find(mark) != std::string::npos;
    if (ours && answer->payload.find("\"error\"") == std::string::npos) co_return result<void>();
    const auto response = read_answer(answer->payload);
    if (!response) co_return fail(response.error());
    co_return fail(
        errc::invalid,
        "nats: subject " + message.subject + " is answered by " + answer->payload.substr(0, 100)
            + " instead of stream " + options_.stream);
}

async<void> jetstream::ping() {
    CO_CHECK_OK(co_await ready());
    const auto looked = co_await call("STREAM.INFO." + options_.stream, "");
    if (!looked) {
        const bool late = looked.error().code() == errc::timed_out;
        co_return fail(late ? errc::unavailable : looked.error().code(), looked.error().detail());
    }
    const auto match = check_ours(*looked);
    if (match || match.error().code() != errc::not_found) co_return match;
    stream_made_ = false;
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
             {"filter_subject", wire_subject(options.pattern)},
         }},
    };
    return json::serialize(config);
}

namespace {

consumer_state state_of(const json::object& answer) {
    consumer_state state;
    if (const auto* const config = answer.if_contains("config"); config && config->is_object())
        state.pattern = text_at(config->get_object(), "filter_subject");
    if (const auto* const delivered = answer.if_contains("delivered");
        delivered && delivered->is_object()) {
        const auto sequence = number_at(delivered->get_object(), "consumer_seq");
        state.delivered_last = static_cast<std::uint64_t>(sequence);
    }
    state.unacknowledged = static_cast<std::uint64_t>(number_at(answer, "num_ack_pending"));
    return state;
}

}  // namespace

async<consumer_state> jetstream::look_at_consumer(std::string name) {
    CO_TRY(const auto payload, co_await call("CONSUMER.INFO." + options_.stream + "." + name, ""));
    const auto answer = read_answer(payload);
    if (!answer) co_return fail(answer.error().within("consumer " + name));
    auto state = state_of(*answer);
    state.pattern = subject_of(state.pattern);
    co_return state;
}

async<consumer_state> jetstream::open_consumer(consumer_options options) {
    CO_CHECK_OK(co_await ready());
    const auto match = co_await look_at_consumer(options.name);
    if (!match && match.error().code() != errc::not_found) co_return fail(match.error());
    if (match && match->pattern != options.pattern) {
        co_return fail(
            errc::conflict,
            "consumer " + options.name + " reads '" + match->pattern + "', not '" + options.pattern
                + "'; forget it first");
    }
    const auto verb = "CONSUMER.DURABLE.CREATE." + options_.stream + "." + options.name;
    CO_TRY(const auto payload, co_await call(verb, consumer_config(options)));
    const auto answer = read_answer(payload);
    if (!answer) {
        if (answer.error().code() == errc::not_found) stream_made_ = false;
        const bool stream_gone = answer.error().code() == errc::not_found;
        co_return fail(
            stream_gone ? errc::unavailable : answer.error().code(),
            "consumer " + options.name + ": " + answer.error().detail());
    }
    auto state = state_of(*answer);
    state.pattern = options.pattern;
    co_return state;
}

async<void> jetstream::delete_consumer(std::string name) {
    CO_CHECK_OK(co_await ready());
    const auto verb = "CONSUMER.DELETE." + options_.stream + "." + name;
    CO_TRY(const auto payload, co_await call(verb, ""));
    const auto answer = read_answer(payload);
    if (!answer) co_return fail(answer.error().within("consumer " + name));
    co_return result<void>();
}

void jetstream::ask(const pull& pull) {
    const json::value desired{
        {"batch", pull.messages_max},
        {"expires", nanoseconds(pull.expires)},
        {"max_bytes", pull_bytes_max},
    };
    outgoing question{
        .subject = "$JS.API.CONSUMER.MSG.NEXT." + options_.stream + "." + pull.consumer,
        .payload = json::serialize(desired),
        .message_id = {}};
    ignore_error(
        link_.send(std::move(question), pull.inbox),
        "whoever reads asks again when this one would have expired");
}

async<void> jetstream::acknowledge(std::vector<std::string> replies) {
    // A consumer notes acknowledgements in the order they were sent: when it answers the last one,
    // it has noted them all.
    auto last = std::move(replies.back());
    replies.pop_back();
    for (auto& reply : replies) {
        CO_CHECK_OK(acknowledge_unconfirmed(std::move(reply)));
    }
    outgoing question{.subject = std::move(last), .payload = "+ACK", .message_id = {}};
    const auto answer = co_await link_.request(std::move(question), options_.timeout);
    if (!answer) co_return fail(answer.error());
    co_return result<void>();
}

result<void> jetstream::acknowledge_unconfirmed(std::string reply) {
    return link_.send({.subject = std::move(reply), .payload = "+ACK", .message_id = {}});
}

void jetstream::release_memory(std::string reply, monotonic::duration delay) {
    std::string verb = "-NAK";
    if (delay > 0ns) verb += " {\"delay\": " + std::to_string(nanoseconds(delay)) + "}";
    outgoing outgoing{.subject = std::move(reply), .payload = std::move(verb), .message_id = {}};
    ignore_error(link_.send(std::move(outgoing)), "it comes again when it is overdue");
}

}  // namespace muster::nats
