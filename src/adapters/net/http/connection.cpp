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
constexpr unsigned request_timeout = 408;
constexpr unsigned content_too_large = 413;
constexpr unsigned fields_too_large = 431;
constexpr unsigned internal_error = 500;
constexpr unsigned bad_request = 400;
constexpr std::size_t scratch_bytes_max = 16384;
constexpr std::size_t requests_in_a_row = 32;

// Handles the signals of a cancellation slot for the lifetime of this object.
class slot_handler {
public:
    template <class Handler>
    slot_handler(asio::cancellation_slot slot, Handler handler) : slot_(slot) {
        if (slot_.is_connected()) slot_.assign(std::move(handler));
    }
    slot_handler(const slot_handler&) = delete;
    slot_handler& operator=(const slot_handler&) = delete;
    ~slot_handler() {
        if (slot_.is_connected()) slot_.clear();
    }

private:
    asio::cancellation_slot slot_;
};

}  // namespace

connection::connection(worker& worker, options options)
    : worker_(worker),
      service_(std::move(options.service)),
      client_(options.client),
      permit_(std::move(options.permit)),
      connection_count_(std::move(options.connection_count)),
      stream_(std::move(options.stream)),
      deadline_(worker.deadlines(), *stream_) {
    counters::add(worker_.metrics().connections_open, 1);
}

connection::~connection() {
    worker_.metrics().connections_open.fetch_sub(1, std::memory_order_relaxed);
}

void connection::drain() {
    if (phase_ == phase::idle || phase_ == phase::events) deadline_.arm_now();
    if (phase_ == phase::channel) stream_->interrupt();
}

asio::awaitable<void> connection::serve() {
    if (stream_->is_tls()) {
        const bool done = co_await handshake();
        if (!done) co_return;
    }
    if (service_->channels && stream_->protocol() == channel_protocol) {
        co_await serve_channel();
    } else {
        co_await serve_http();
    }
    stream_->close();
}

asio::awaitable<void> connection::serve_channel() {
    phase_ = phase::channel;
    return service_->channels(
        {.bytes = stream_.get(),
         .client = client_,
         .stopping = &worker_.stopping(),
         .permit = &permit_});
}

asio::awaitable<void> connection::serve_http() {
    auto timeout = worker_.limits().first_byte_time;
    for (std::size_t served = 0; !worker_.stopping(); ++served) {
        // A client that always has its next request ready would keep the loop to itself.
        if (served % requests_in_a_row == requests_in_a_row - 1)
            co_await asio::post(worker_.executor(), asio::use_awaitable);
        if (received_.empty()) {
            release_memory(received_);
            phase_ = phase::idle;
            deadline_.arm(worker_.clock().now() + timeout);
            const auto outcome = co_await read_first_bytes();
            if (outcome != read_result::more) co_return;
        }
        phase_ = phase::working;
        const bool keep_alive = co_await serve_request();
        if (!keep_alive) co_return;
        timeout = worker_.limits().idle_time;
    }
}

asio::awaitable<bool> connection::handshake() {
    deadline_.arm(worker_.clock().now() + worker_.limits().handshake_time);
    const auto done = co_await stream_->handshake();
    deadline_.disarm();
    if (!done) counters::add(worker_.metrics().handshake_failures, 1);
    co_return done.has_value() && !deadline_.expired();
}

// Returns false when the connection must be closed.
asio::awaitable<bool> connection::serve_request() {
    auto head = co_await read_head();
    if (!head) co_return false;
    begin(*head);
    const auto started = worker_.clock().now();
    response response = co_await respond_to(*std::move(head));
    worker_.metrics().add_response_time(worker_.clock().now() - started);
    if (request_.error) {
        response = problem(request_.error->status, request_.error->detail);
        request_.keep_alive = false;
    }
    if (worker_.stopping() || !body_is_finished()) request_.keep_alive = false;
    worker_.metrics().count_response(response.status);
    if (response.stream) co_return co_await send_stream(std::move(response));
    co_return co_await send(std::move(response));
}

// Removes a complete head from the received bytes; nullopt if it is incomplete.
parsed<std::optional<request_head>> connection::parse_head(std::size_t& scanned) {
    const auto& limits = worker_.limits();
    const auto head_end = find_head_end(received_, scanned);
    scanned = head_end.size;
    if (head_end.state == scan::malformed)
        return refuse(bad_request, "header lines must end with CRLF");
    const std::size_t size = head_end.state == scan::complete ? head_end.size : received_.size();
    if (size > limits.header_bytes_max)
        return refuse(fields_too_large, "header exceeds the size limit");
    if (head_end.state == scan::incomplete) return std::nullopt;
    auto head = request_head::parse(
        std::string_view(received_).substr(0, head_end.size), {.fields_max = limits.fields_max});
    if (!head) return std::unexpected(std::move(head).error());
    received_.erase(0, head_end.size);
    return *std::move(head);
}

asio::awaitable<std::optional<request_head>> connection::read_head() {
    deadline_.arm(worker_.clock().now() + worker_.limits().header_time);
    std::size_t scanned = 0;
    while (true) {
        auto head = parse_head(scanned);
        if (!head) {
            send_error(head.error());
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
        if (*outcome == read_result::more) continue;
        if (*outcome == read_result::timed_out) {
            counters::add(worker_.metrics().deadlines_passed, 1);
            if (!received_.empty()) send_error({request_timeout, "header not received in time"});
        }
        co_return std::nullopt;
    }
}

void connection::begin(const request_head& head) {
    request_ = current_request{
        .version = head.version(),
        .is_head = head.method() == "HEAD",
        .keep_alive = head.keep_alive(),
        .owes_continue = head.expects_continue(),
        .body = body_decoder(head.body()),
        .body_bytes_max = worker_.limits().body_bytes_max,
    };
    if (!request_.body.at_end())
        request_.body_deadline = worker_.clock().now() + worker_.limits().body_time;
}

asio::awaitable<response> connection::respond_to(request_head head) {
    auto outcome = service_->routes->find(head.method(), head.path());
    if (auto* match = std::get_if<router::match>(&outcome)) {
        const route& route = *match->route;
        if (route.body_bytes_max) request_.body_bytes_max = *route.body_bytes_max;
        if (head.body().size > request_.body_bytes_max) {
            request_.error = http_error{content_too_large, "body exceeds the size limit"};
            co_return response();
        }
        if (route.allowed == caller::cluster_server && !client_certificate())
            co_return problem(forbidden, "client certificate of the cluster CA required");
        request request(std::move(head), *this);
        request.set_captures(std::move(match->captures));
        co_return co_await run_handler(&route, std::move(request));
    }
    if (const auto* method = std::get_if<router::method_not_found>(&outcome)) {
        auto response = problem(method_not_allowed, "method not allowed for this path");
        response.fields.emplace_back("allow", method->allowed);
        co_return response;
    }
    if (std::holds_alternative<router::malformed_path>(outcome))
        co_return problem(bad_request, "malformed path");
    co_return problem(not_found, "path not found");
}

asio::awaitable<response> connection::run_handler(const route* route, request request) {
    std::string exception_text;
    try {
        auto response = co_await run_handler_within_limit(route, std::move(request));
        if (!response) co_return problem(response.error());
        co_return *std::move(response);
    } catch (const std::exception& failure) {
        exception_text = failure.what();
    }
    // A cancelled connection is not a handler failure: rethrow the cancellation.
    const auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none)
        throw boost::system::system_error(asio::error::operation_aborted);
    counters::add(worker_.metrics().handler_failures, 1);
    if (service_->report) service_->report("request handler threw: " + exception_text);
    co_return problem(internal_error, "internal error; see the server log");
}

// The handler runs as its own coroutine, so that its time limit does not end the connection.
// Cancelling the connection cancels the handler.
async<response> connection::run_handler_within_limit(const route* route, request request) {
    const bool changes = request.method() != "GET" && request.method() != "HEAD";
    watchdog::task_deadline limit(worker_.deadlines());
    limit.arm(worker_.clock().now() + worker_.limits().handler_time);
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    const slot_handler forwarded_cancellation(
        cancellation.slot(),
        [&limit](asio::cancellation_type cancellation_type) { limit.cancel(cancellation_type); });
    auto work = route->handle(std::move(request));
    auto [exception, response] = co_await asio::co_spawn(
        worker_.executor(),
        std::move(work),
        asio::bind_cancellation_slot(limit.slot(), asio::as_tuple(asio::use_awaitable)));
    if (limit.expired()) {
        counters::add(worker_.metrics().handlers_timed_out, 1);
        if (service_->report) service_->report("request handler timed out");
        // The effect of a change is unknown, so the client must not be told to retry.
        co_return fail(
            changes ? errc::timed_out : errc::unavailable, "request timed out on the server");
    }
    if (exception) std::rethrow_exception(exception);
    co_return std::move(response);
}

result<pki::channel_binding> connection::channel_binding() const {
    return stream_->channel_binding();
}

std::optional<pki::certificate> connection::client_certificate() const {
    return stream_->peer_certificate();
}

response_form connection::form_of(const response& response) const {
    response_form form{
        .body = body_form::sized,
        .then = request_.keep_alive ? after_response::keep_alive : after_response::close,
        .date = worker_.date(),
    };
    if (request_.is_head) {
        form.body = body_form::omitted;
    } else if (response.stream && request_.version == http::version::http_1_1) {
        form.body = body_form::chunked;
    } else if (response.stream) {
        form.body = body_form::until_close;
        form.then = after_response::close;
    }
    return form;
}

asio::awaitable<bool> connection::send(response response) {
    const auto form = form_of(response);
    std::string& head = worker_.scratch();
    head.clear();
    if (const auto result = append_head(head, response, form); !result) {
        if (service_->report) service_->report(result.error().detail());
        co_return false;
    }
    const bool with_body =
        form.body == body_form::sized && may_have_body(response.status) && !response.body.empty();
    const bool small = head.size() + response.body.size() <= scratch_bytes_max;
    // One write for head and body: a small response is one TLS record and one packet.
    if (with_body && small) head += response.body;
    if (!outgoing_.empty()) {  // a "100 Continue" that the client has not taken, or never will
        outgoing_ += head;
        if (with_body && !small) outgoing_ += response.body;
    } else if (with_body && !small) {
        response.body.insert(0, head);
        outgoing_ = std::move(response.body);
    } else if (!try_send(head)) {
        co_return false;
    }
    if (!outgoing_.empty()) {
        const auto sent = co_await flush();
        if (!sent) co_return false;
    }
    if (!body_is_finished()) co_await linger();
    co_return form.then == after_response::keep_alive;
}

asio::awaitable<bool> connection::send_stream(response response) {
    const auto form = form_of(response);
    request_.form = form.body;
    if (const auto result = append_head(outgoing_, response, form); !result) {
        if (service_->report) service_->report(result.error().detail());
        co_return false;
    }
    if (form.body != body_form::omitted) {
        const auto produced = co_await response.stream(body_writer(*this));
        phase_ = phase::working;
        if (!produced) co_return false;
        if (form.body == body_form::chunked) outgoing_ += last_chunk;
    }
    const auto sent = co_await flush();
    co_return sent.has_value() && form.then == after_response::keep_alive;
}

}  // namespace muster::net::http
