#include "apps/muster/cli/client.h"

#include "adapters/net/http/client.h"
#include "adapters/os/file.h"
#include "adapters/pki/certificate.h"
#include "apps/command_line/command.h"
#include "base/assert.h"
#include "runtime/clock.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

#include <cstdlib>
#include <utility>

namespace muster::cli {
namespace {

namespace http = net::http;
namespace json = boost::json;

constexpr auto default_server = "https://127.0.0.1:8443";
constexpr auto default_ca = "/var/lib/muster/ca.pem";
constexpr http::client_limits timeout{
    .connect_time = std::chrono::seconds(5),
    .first_byte_time = std::chrono::seconds(30),
    .request_time = std::chrono::seconds(60)};

std::string environment(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): one thread
    return value == nullptr ? "" : value;
}

std::filesystem::path config_directory() {
    if (const auto directory = environment("XDG_CONFIG_HOME"); !directory.empty())
        return std::filesystem::path(directory) / "muster";
    if (const auto home = environment("HOME"); !home.empty())
        return std::filesystem::path(home) / ".config" / "muster";
    return ".muster";
}

std::filesystem::path login_file_of(const std::filesystem::path& token_file) {
    return token_file.parent_path() / (token_file.filename().string() + ".server");
}

std::string member(const json::value& object, const char* name) {
    const auto* members = object.if_object();
    const auto* match = members == nullptr ? nullptr : members->if_contains(name);
    return match != nullptr && match->is_string() ? json::value_to<std::string>(*match) : "";
}

json::value parse_or_null(const std::string& text) {
    json::error_code failure;
    auto parsed = json::parse(text, failure);
    return failure ? json::value() : parsed;
}

result<std::string> read_token(const std::filesystem::path& file) {
    auto token = os::load_file(file);
    if (!token) return fail(errc::denied, "not logged in; run: muster login --user NAME");
    while (token->ends_with('\n')) token->pop_back();
    return token;
}

// Whether a change can be part of a draft. Other changes are possible while somebody edits.
bool is_common_change(const api_call& call) {
    if (call.method == "GET" || call.path.ends_with("/refresh")) return false;
    const auto is_under = [&](std::string_view path) {
        return call.path.starts_with(path);
    };
    return is_under("/api/v1/groups") || is_under("/api/v1/windows")
           || is_under("/api/v1/accept-rules") || is_under("/api/v1/roles");
}

result<http::client_request> request_for(const client_context& context, const api_call& call) {
    auto base = context.server;
    while (base.ends_with('/')) base.pop_back();
    http::client_request request{.method = call.method, .url = base + call.path};
    if (call.body) {
        request.body = json::serialize(*call.body);
        request.fields.emplace_back("Content-Type", "application/json");
    }
    if (!call.idempotency_key.empty())
        request.fields.emplace_back("Idempotency-Key", call.idempotency_key);
    if (!context.edit.empty() && is_common_change(call))
        request.fields.emplace_back("Muster-Edit", context.edit);
    if (call.auth == api_call::identity::token) {
        TRY(const auto token, read_token(context.token_file));
        request.fields.emplace_back("Authorization", "Bearer " + token);
    }
    return request;
}

result<std::shared_ptr<const net::tls_client>> load_trust(const std::filesystem::path& ca) {
    const auto text = os::load_file(ca);
    if (!text)
        return fail(
            errc::invalid,
            fmt::format("{}; set the cluster's CA with --ca FILE", text.error().detail()));
    auto authorities = pki::certificate::chain_from_pem(*text);
    if (!authorities) return fail(authorities.error().with_context(ca.string()));
    return net::tls_client::create(
        {.trusted = net::trusted_authorities{std::move(*authorities)},
         .protocols = {"http/1.1"},
         .announces_authorities = true});
}

boost::asio::awaitable<void> send(
    http::client& client,
    http::client_request request,
    std::optional<result<http::client_response>>& response) {
    response = co_await client.send(std::move(request));
}

result<http::client_response> exchange(const client_context& context, const api_call& call) {
    TRY(auto request, request_for(context, call));
    TRY(auto tls, load_trust(context.ca));
    runtime::system_clock clock;
    boost::asio::io_context loop(1);
    std::optional<result<http::client_response>> response;
    std::exception_ptr failure;
    {
        http::client client({.clock = &clock, .tls = std::move(tls), .limits = timeout});
        boost::asio::co_spawn(
            loop,
            send(client, std::move(request), response),
            [&failure](std::exception_ptr exception) { failure = std::move(exception); });
        loop.run();
    }
    if (failure) std::rethrow_exception(failure);
    MUSTER_ASSERT(response.has_value());
    return std::move(*response);
}

using report_callback = function_ref<void(const json::value&)>;

// What was received of a streamed response.
struct stream_result {
    unsigned status = 0;
    std::string body;         // of a response that is not a stream
    std::string last_report;  // of a stream
};

// Removes complete lines from `text` and passes the data of events on.
void pop_reports(std::string& text, stream_result& stream, report_callback on_report) {
    constexpr std::string_view data = "data: ";
    for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
        const auto line = text.substr(0, end);
        text.erase(0, end + 1);
        if (!line.starts_with(data)) continue;
        stream.last_report = line.substr(data.size());
        on_report(parse_or_null(stream.last_report));
    }
}

async<stream_result> read_reports(
    http::client* client, http::client_request request, const report_callback* on_report) {
    CO_TRY(auto response, co_await client->open(std::move(request)));
    stream_result stream{.status = response.status(), .body = {}, .last_report = {}};
    const bool is_stream =
        response.field("content-type").value_or("").starts_with("text/event-stream");
    while (true) {
        CO_TRY(const auto piece, co_await response.next());
        if (piece.empty()) co_return stream;
        stream.body += piece;
        if (is_stream) pop_reports(stream.body, stream, *on_report);
    }
}

boost::asio::awaitable<void> follow(
    http::client& client,
    http::client_request request,
    const report_callback& on_report,
    std::optional<result<stream_result>>& response) {
    response = co_await read_reports(&client, std::move(request), &on_report);
}

result<stream_result> exchange_events(
    const client_context& context, const api_call& call, report_callback on_report) {
    TRY(auto request, request_for(context, call));
    request.fields.emplace_back("Accept", "text/event-stream");
    TRY(auto tls, load_trust(context.ca));
    runtime::system_clock clock;
    boost::asio::io_context loop(1);
    std::optional<result<stream_result>> response;
    std::exception_ptr failure;
    {
        http::client client({.clock = &clock, .tls = std::move(tls), .limits = timeout});
        boost::asio::co_spawn(
            loop,
            follow(client, std::move(request), on_report, response),
            [&failure](std::exception_ptr exception) { failure = std::move(exception); });
        loop.run();
    }
    if (failure) std::rethrow_exception(failure);
    MUSTER_ASSERT(response.has_value());
    return std::move(*response);
}

exit_code to_exit_code(errc code) {
    switch (code) {
        case errc::unavailable:
            return exit_code::unreachable;
        case errc::timed_out:
            return exit_code::timed_out;
        case errc::denied:
            return exit_code::denied;
        case errc::invalid:
            return exit_code::usage;
        case errc::not_found:
        case errc::conflict:
        case errc::cancelled:
        case errc::corrupt:
            return exit_code::failed;
    }
    MUSTER_ASSERT(false);
    return exit_code::failed;
}

exit_code code_for_status(unsigned status) {
    if (status == 401 || status == 403 || status == 429) return exit_code::denied;
    if (status == 400 || status == 404 || status == 422) return exit_code::usage;
    if (status == 503) return exit_code::unreachable;
    if (status == 504) return exit_code::timed_out;
    return exit_code::failed;
}

std::unexpected<api_failure> connection_failure(
    const client_context& context, const error& failure) {
    return std::unexpected(api_failure{
        .code = to_exit_code(failure.code()),
        .message = fmt::format("{}: {}", context.server, failure.detail())});
}

std::expected<json::value, api_failure> to_value(unsigned status, const std::string& text) {
    auto body = parse_or_null(text);
    if (status >= 200 && status < 300) return body;
    const auto detail = member(body, "detail");
    return std::unexpected(api_failure{
        .code = code_for_status(status),
        .message = detail.empty() ? fmt::format("server returned HTTP status {}", status) : detail,
        .status = status});
}

}  // namespace

void add_client_flags(command_line::command& command, client_flags& flags) {
    command.add_option("--server", flags.server, "URL of the cluster")
        ->type_name("URL")
        ->environment("MUSTER_SERVER");
    command.add_option("--ca", flags.ca, "File with the cluster's CA")
        ->type_name("FILE")
        ->environment("MUSTER_CA");
    command
        .add_option("--token-file", flags.token_file, "File with the session token or API token")
        ->type_name("FILE")
        ->environment("MUSTER_TOKEN_FILE");
    command
        .add_option("--edit", flags.edit, "Edit session; changes of common data go into its draft")
        ->type_name("ID")
        ->environment("MUSTER_EDIT");
}

client_context resolve_context(const client_flags& flags) {
    client_context context;
    context.token_file = flags.token_file.empty() ? config_directory() / "token"
                                                  : std::filesystem::path(flags.token_file);
    const auto memory = os::load_file(login_file_of(context.token_file));
    const auto last_login = memory ? parse_or_null(*memory) : json::value();
    const auto choose = [](std::string flag, std::string stored, const char* default_value) {
        if (!flag.empty()) return flag;
        return stored.empty() ? std::string(default_value) : stored;
    };
    context.server = choose(flags.server, member(last_login, "server"), default_server);
    context.ca = choose(flags.ca, member(last_login, "ca"), default_ca);
    context.edit = flags.edit;
    return context;
}

result<void> store_login(const client_context& context, const std::string& token) {
    const auto directory = context.token_file.parent_path();
    std::error_code failure;
    if (!directory.empty()) std::filesystem::create_directories(directory, failure);
    if (failure)
        return fail(
            errc::denied,
            fmt::format(
                "cannot create directory \"{}\": {}", directory.string(), failure.message()));
    const auto file = std::filesystem::absolute(context.token_file);
    CHECK_OK(os::save_file({.file = file, .text = token + "\n"}));
    const json::object memory{
        {"server", context.server}, {"ca", std::filesystem::absolute(context.ca).string()}};
    const auto text = json::serialize(memory);
    return os::save_file({.file = login_file_of(file), .text = text});
}

result<void> remove_login(const client_context& context) {
    std::error_code failure;
    std::filesystem::remove(context.token_file, failure);
    if (failure)
        return fail(
            errc::denied,
            fmt::format(
                "cannot remove \"{}\": {}", context.token_file.string(), failure.message()));
    return {};
}

std::expected<json::value, api_failure> call_api(
    const client_context& context, const api_call& call) {
    const auto response = exchange(context, call);
    if (!response) return connection_failure(context, response.error());
    return to_value(response->status, response->body);
}

std::expected<json::value, api_failure> follow_api(
    const client_context& context, const api_call& call, report_callback on_report) {
    const auto response = exchange_events(context, call, on_report);
    if (!response) return connection_failure(context, response.error());
    const bool was_stream = !response->last_report.empty();
    return to_value(response->status, was_stream ? response->last_report : response->body);
}

}  // namespace muster::cli
