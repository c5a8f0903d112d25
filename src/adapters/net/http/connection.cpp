#include "adapters/net/http/connection.h"

#include "base/assert.h"
#include "base/release_memory.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <utility>

namespace muster::net::http {

namespace asio = boost::asio;

namespace {

constexpr unsigned forbidden = 403;
constexpr unsigned not_found = 404;
constexpr unsigned method_not_allowed = 405;
constexpr unsigned too_late = 408;
constexpr unsigned content_too_large = 413;
constexpr unsigned fields_too_large = 431;
constexpr unsigned internal_error = 500;
constexpr unsigned bad_request = 400;
constexpr std::size_t scratch_bytes_max = 16384;
constexpr std::size_t requests_in_a_row = 32;

// What a cancellation slot calls, for a while.
class slot_lease {
public:
    template <class Handler>
    slot_lease(asio::cancellation_slot slot, Handler then) : slot_(slot) {
        if (slot_.is_connected()) slot_.assign(std::move(then));
    }
    slot_lease(const slot_lease&) = delete;
    slot_lease& operator=(const slot_lease&) = delete;
    ~slot_lease() {
        if (slot_.is_connected()) slot_.clear();
    }

private:
    asio::cancellation_slot slot_;
};

}  // namespace

connection::connection(worker& on, options options)
    : on_(on),
      what_(std::move(options.what)),
      client_(options.client),
      place_(std::move(options.place)),
      seat_(std::move(options.seat)),
      stream_(std::move(options.over)),
      deadline_(on.deadlines(), *stream_) {
    counters::add(on_.counted().connections_now, 1);
}

connection::~connection() {
    on_.counted().connections_now.fetch_sub(1, std::memory_order_relaxed);
}

void connection::drain() {
    if (phase_ == phase::idle || phase_ == phase::events) deadline_.arm_now();
    if (phase_ == phase::channel) stream_->interrupt();
}

asio::awaitable<void> connection::serve() {
    if (stream_->is_tls()) {
        const bool greeted = co_await shake_hands();
        if (!greeted) co_return;
    }
    if (what_->channels && stream_->protocol() == channel_protocol) {
        co_await serve_channel();
    } else {
        co_await serve_http();
    }
    stream_->close();
}

asio::awaitable<void> connection::serve_channel() {
    phase_ = phase::channel;
    return what_->channels(
        {.bytes = stream_.get(), .client = client_, .stopping = &on_.stopping(), .place = &place_});
}

asio::awaitable<void> connection::serve_http() {
    auto timeout = on_.allowed().first_byte_time;
    for (std::size_t served = 0; !on_.stopping(); ++served) {
        // A client that always has its next request ready would keep the loop to itself.
        if (served % requests_in_a_row == requests_in_a_row - 1)
            co_await asio::post(on_.executor(), asio::use_awaitable);
        if (in_.empty()) {
            release_memory(in_);
            phase_ = phase::idle;
            deadline_.arm(on_.clock().now() + timeout);
            const auto outcome = co_await first_bytes();
            if (outcome != filled::more) co_return;
        }
        phase_ = phase::working;
        const bool stays = co_await serve_request();
        if (!stays) co_return;
        timeout = on_.allowed().idle_time;
    }
}

asio::awaitable<bool> connection::shake_hands() {
    deadline_.arm(on_.clock().now() + on_.allowed().handshake_time);
    const auto greeted = co_await stream_->handshake();
    deadline_.disarm();
    if (!greeted) counters::add(on_.counted().handshake_failures, 1);
    co_return greeted.has_value() && !deadline_.expired();
}

// One request and its answer. False when the connection has served its last.
asio::awaitable<bool> connection::serve_request() {
    auto head = co_await read_head();
    if (!head) co_return false;
    begin(*head);
    const auto begun = on_.clock().now();
    response answer = co_await answer_for(*std::move(head));
    on_.counted().took(on_.clock().now() - begun);
    if (now_.refused) {
        answer = problem(now_.refused->status, now_.refused->detail);
        now_.keep_alive = false;
    }
    if (on_.stopping() || !body_is_finished()) now_.keep_alive = false;
    on_.counted().answered(answer.status);
    if (answer.stream) co_return co_await send_stream(std::move(answer));
    co_return co_await send(std::move(answer));
}

// Takes a head off what was received; nothing when it is not all there yet.
parsed<std::optional<request_head>> connection::take_head(std::size_t& scanned) {
    const auto& allowed = on_.allowed();
    const auto head_end = find_head_end(in_, scanned);
    scanned = head_end.size;
    if (head_end.what == scan::malformed)
        return refuse(bad_request, "every line must end with CR LF");
    const std::size_t size = head_end.what == scan::complete ? head_end.size : in_.size();
    if (size > allowed.header_bytes_max)
        return refuse(fields_too_large, "the header is larger than this server accepts");
    if (head_end.what == scan::incomplete) return std::nullopt;
    auto head = request_head::parse(
        std::string_view(in_).substr(0, head_end.size), {.fields_max = allowed.fields_max});
    if (!head) return std::unexpected(std::move(head).error());
    in_.erase(0, head_end.size);
    return *std::move(head);
}

asio::awaitable<std::optional<request_head>> connection::read_head() {
    deadline_.arm(on_.clock().now() + on_.allowed().header_time);
    std::size_t scanned = 0;
    while (true) {
        auto head = take_head(scanned);
        if (!head) {
            refuse_now(head.error());
            co_await linger();
            co_return std::nullopt;
        }
        if (*head) {
            deadline_.disarm();
            co_return *std::move(head);
        }
        step step;
        auto outcome = try_fill(step);
        if (!outcome) outcome = co_await fill();
        if (*outcome == filled::more) continue;
        if (*outcome == filled::too_late) {
            counters::add(on_.counted().deadlines_passed, 1);
            if (!in_.empty()) refuse_now({too_late, "the header took too long to arrive"});
        }
        co_return std::nullopt;
    }
}

void connection::begin(const request_head& head) {
    now_ = current_request{
        .version = head.version(),
        .is_head = head.method() == "HEAD",
        .keep_alive = head.keep_alive(),
        .continue_owed = head.expects_continue(),
        .body = body_decoder(head.body()),
        .body_bytes_max = on_.allowed().body_bytes_max,
    };
    if (!now_.body.at_end()) now_.body_deadline = on_.clock().now() + on_.allowed().body_time;
}

asio::awaitable<response> connection::answer_for(request_head head) {
    auto outcome = what_->routes->find(head.method(), head.path());
    if (auto* match = std::get_if<router::found>(&outcome)) {
        const route& to = *match->to;
        if (to.body_bytes_max) now_.body_bytes_max = *to.body_bytes_max;
        if (head.body().size > now_.body_bytes_max) {
            now_.refused = refusal{content_too_large, "the body is larger than accepted here"};
            co_return response();
        }
        if (to.allowed == caller::cluster_server && !client_certificate())
            co_return problem(forbidden, "this needs a certificate of the cluster's CA");
        request request(std::move(head), *this);
        request.set_captures(std::move(match->values));
        co_return co_await answer_by(&to, std::move(request));
    }
    if (const auto* method = std::get_if<router::no_such_method>(&outcome)) {
        auto answer = problem(method_not_allowed, "this path does not have this method");
        answer.fields.emplace_back("allow", method->allowed);
        co_return answer;
    }
    if (std::holds_alternative<router::malformed_path>(outcome))
        co_return problem(bad_request, "the path is not well-formed");
    co_return problem(not_found, "there is nothing at this path");
}

asio::awaitable<response> connection::answer_by(const route* to, request request) {
    std::string thrown;
    try {
        auto answer = co_await answer_in_time(to, std::move(request));
        if (!answer) co_return problem(answer.error());
        co_return *std::move(answer);
    } catch (const std::exception& failure) {
        thrown = failure.what();
    }
    // Being cancelled is no fault of the handler's: leave as every cancelled coroutine does.
    const auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none)
        throw boost::system::system_error(asio::error::operation_aborted);
    counters::add(on_.counted().handler_failures, 1);
    if (what_->report) what_->report("a handler threw: " + thrown);
    co_return problem(internal_error, "the server failed on this request; its log says more");
}

// The handler runs as a coroutine of its own, so that it can be ended without ending the
// connection. Whoever cancels the connection cancels it, too.
async<response> connection::answer_in_time(const route* to, request request) {
    const bool changes = request.method() != "GET" && request.method() != "HEAD";
    watchdog::limited limit(on_.deadlines());
    limit.arm(on_.clock().now() + on_.allowed().answer_time);
    const auto own = co_await asio::this_coro::cancellation_state;
    const slot_lease forwarded(own.slot(), [&limit](asio::cancellation_type cancellation_type) {
        limit.cancel(cancellation_type);
    });
    auto work = to->handle(std::move(request));
    auto [thrown, answer] = co_await asio::co_spawn(
        on_.executor(),
        std::move(work),
        asio::bind_cancellation_slot(limit.slot(), asio::as_tuple(asio::use_awaitable)));
    if (limit.expired()) {
        counters::add(on_.counted().handlers_too_late, 1);
        if (what_->report) what_->report("a handler did not come to an answer in time");
        // Of a change nobody knows how far it came: "try again later" would be a lie.
        co_return fail(
            changes ? errc::timed_out : errc::unavailable,
            "the server did not come to an answer in time");
    }
    if (thrown) std::rethrow_exception(thrown);
    co_return std::move(answer);
}

result<pki::channel_binding> connection::channel_binding() const {
    return stream_->channel_binding();
}

std::optional<pki::certificate> connection::client_certificate() const {
    return stream_->peer_certificate();
}

answer_form connection::form_of(const response& answer) const {
    answer_form form{
        .body = body_form::sized,
        .then = now_.keep_alive ? after_answer::keep_alive : after_answer::close,
        .date = on_.date(),
    };
    if (now_.is_head) {
        form.body = body_form::omitted;
    } else if (answer.stream && now_.version == http::version::http_1_1) {
        form.body = body_form::chunked;
    } else if (answer.stream) {
        form.body = body_form::until_close;
        form.then = after_answer::close;
    }
    return form;
}

asio::awaitable<bool> connection::send(response answer) {
    const auto form = form_of(answer);
    std::string& out = on_.scratch();
    out.clear();
    if (const auto result = append_head(out, answer, form); !result) {
        if (what_->report) what_->report(result.error().detail());
        co_return false;
    }
    const bool with_body =
        form.body == body_form::sized && may_have_body(answer.status) && !answer.body.empty();
    const bool small = out.size() + answer.body.size() <= scratch_bytes_max;
    // Head and body go out in one write, so that a small answer is one record and one packet.
    if (with_body && small) out += answer.body;
    if (!out_.empty()) {  // a "100 Continue" that the client has not taken, or never will
        out_ += out;
        if (with_body && !small) out_ += answer.body;
    } else if (with_body && !small) {
        answer.body.insert(0, out);
        out_ = std::move(answer.body);
    } else if (!try_send(out)) {
        co_return false;
    }
    if (!out_.empty()) {
        const auto sent = co_await flush();
        if (!sent) co_return false;
    }
    if (!body_is_finished()) co_await linger();
    co_return form.then == after_answer::keep_alive;
}

asio::awaitable<bool> connection::send_stream(response answer) {
    const auto form = form_of(answer);
    now_.form = form.body;
    if (const auto result = append_head(out_, answer, form); !result) {
        if (what_->report) what_->report(result.error().detail());
        co_return false;
    }
    if (form.body != body_form::omitted) {
        const auto produced = co_await answer.stream(body_writer(*this));
        phase_ = phase::working;
        if (!produced) co_return false;
        if (form.body == body_form::chunked) out_ += last_chunk;
    }
    const auto sent = co_await flush();
    co_return sent.has_value() && form.then == after_answer::keep_alive;
}

}  // namespace muster::net::http
