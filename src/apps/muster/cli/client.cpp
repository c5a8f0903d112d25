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
    .whole_time = std::chrono::seconds(60)};

std::string environment(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): one thread
    return value == nullptr ? "" : value;
}

std::filesystem::path own_directory() {
    if (const auto input = environment("XDG_CONFIG_HOME"); !input.empty())
        return std::filesystem::path(input) / "muster";
    if (const auto home = environment("HOME"); !home.empty())
        return std::filesystem::path(home) / ".config" / "muster";
    return ".muster";
}

std::filesystem::path memory_of(const std::filesystem::path& token_file) {
    return token_file.parent_path() / (token_file.filename().string() + ".server");
}

std::string member(const json::value& object, const char* name) {
    const auto* all = object.if_object();
    const auto* match = all == nullptr ? nullptr : all->if_contains(name);
    return match != nullptr && match->is_string() ? json::value_to<std::string>(*match) : "";
}

json::value parse_or_null(const std::string& text) {
    json::error_code failure;
    auto parsed = json::parse(text, failure);
    return failure ? json::value() : parsed;
}

result<std::string> token_in(const std::filesystem::path& file) {
    auto token = os::load_file(file);
    if (!token) return fail(errc::denied, "not logged in; run: muster login --user NAME");
    while (token->ends_with('\n')) token->pop_back();
    return token;
}

// Changes that can stand in a draft; all others go on while somebody edits.
bool is_common(const api_call& api_call) {
    if (api_call.method == "GET" || api_call.path.ends_with("/refresh")) return false;
    const auto under = [&](std::string_view path) {
        return api_call.path.starts_with(path);
    };
    return under("/api/v1/groups") || under("/api/v1/windows") || under("/api/v1/accept-rules")
           || under("/api/v1/roles");
}

result<http::outgoing> request_for(const client_context& where, const api_call& what) {
    auto base = where.server;
    while (base.ends_with('/')) base.pop_back();
    http::outgoing out{.method = what.method, .url = base + what.path};
    if (what.body) {
        out.body = json::serialize(*what.body);
        out.fields.emplace_back("Content-Type", "application/json");
    }
    if (!what.idempotency_key.empty())
        out.fields.emplace_back("Idempotency-Key", what.idempotency_key);
    if (!where.edit.empty() && is_common(what)) out.fields.emplace_back("Muster-Edit", where.edit);
    if (what.as == api_call::identity::token) {
        TRY(const auto token, token_in(where.token_file));
        out.fields.emplace_back("Authorization", "Bearer " + token);
    }
    return out;
}

result<std::shared_ptr<const net::tls_client>> trust_in(const std::filesystem::path& ca) {
    const auto text = os::load_file(ca);
    if (!text)
        return fail(
            errc::invalid,
            fmt::format("{}; name the cluster's CA with --ca FILE", text.error().detail()));
    auto authorities = pki::certificate::chain_from_pem(*text);
    if (!authorities) return fail(authorities.error().within(ca.string()));
    return net::tls_client::make(
        {.trusted = net::trusted_authorities{std::move(*authorities)},
         .protocols = {"http/1.1"},
         .tells_trusted = true});
}

boost::asio::awaitable<void> send(
    http::client& through, http::outgoing outgoing, std::optional<result<http::answer>>& answered) {
    answered = co_await through.send(std::move(outgoing));
}

result<http::answer> exchange(const client_context& where, const api_call& api_call) {
    TRY(auto out, request_for(where, api_call));
    TRY(auto tls, trust_in(where.ca));
    runtime::system_clock clock;
    boost::asio::io_context loop(1);
    std::optional<result<http::answer>> answered;
    std::exception_ptr failure;
    {
        http::client through({.clock = &clock, .tls = std::move(tls), .allowed = timeout});
        boost::asio::co_spawn(
            loop, send(through, std::move(out), answered), [&failure](std::exception_ptr thrown) {
                failure = std::move(thrown);
            });
        loop.run();
    }
    if (failure) std::rethrow_exception(failure);
    MUSTER_ASSERT(answered.has_value());
    return std::move(*answered);
}

using report_taker = function_ref<void(const json::value&)>;

// What an answer that goes on has said so far.
struct followed {
    unsigned status = 0;
    std::string body;         // of an answer that does not go on
    std::string last_report;  // of one that does
};

// Takes the whole lines off `text` and hands on what events say in them.
void take_reports(std::string& text, followed& into, report_taker callback) {
    constexpr std::string_view data = "data: ";
    for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
        const auto line = text.substr(0, end);
        text.erase(0, end + 1);
        if (!line.starts_with(data)) continue;
        into.last_report = line.substr(data.size());
        callback(parse_or_null(into.last_report));
    }
}

async<followed> read_reports(
    http::client* through, http::outgoing outgoing, const report_taker* callback) {
    CO_TRY(auto answer, co_await through->open(std::move(outgoing)));
    followed read{.status = answer.status(), .body = {}, .last_report = {}};
    const bool goes_on = answer.field("content-type").value_or("").starts_with("text/event-stream");
    while (true) {
        CO_TRY(const auto piece, co_await answer.next());
        if (piece.empty()) co_return read;
        read.body += piece;
        if (goes_on) take_reports(read.body, read, *callback);
    }
}

boost::asio::awaitable<void> follow(
    http::client& through,
    http::outgoing outgoing,
    const report_taker& callback,
    std::optional<result<followed>>& answered) {
    answered = co_await read_reports(&through, std::move(outgoing), &callback);
}

result<followed> exchange_events(
    const client_context& where, const api_call& api_call, report_taker callback) {
    TRY(auto out, request_for(where, api_call));
    out.fields.emplace_back("Accept", "text/event-stream");
    TRY(auto tls, trust_in(where.ca));
    runtime::system_clock clock;
    boost::asio::io_context loop(1);
    std::optional<result<followed>> answered;
    std::exception_ptr failure;
    {
        http::client through({.clock = &clock, .tls = std::move(tls), .allowed = timeout});
        boost::asio::co_spawn(
            loop,
            follow(through, std::move(out), callback, answered),
            [&failure](std::exception_ptr thrown) { failure = std::move(thrown); });
        loop.run();
    }
    if (failure) std::rethrow_exception(failure);
    MUSTER_ASSERT(answered.has_value());
    return std::move(*answered);
}

exit_code code_for(errc code) {
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

std::unexpected<api_failure> failed_at(const client_context& where, const error& failure) {
    return std::unexpected(api_failure{
        .code = code_for(failure.code()),
        .sentence = fmt::format("{}: {}", where.server, failure.detail())});
}

std::expected<json::value, api_failure> value_of(unsigned status, const std::string& text) {
    auto body = parse_or_null(text);
    if (status >= 200 && status < 300) return body;
    const auto detail = member(body, "detail");
    return std::unexpected(api_failure{
        .code = code_for_status(status),
        .sentence = detail.empty() ? fmt::format("the server answered {}", status) : detail,
        .status = status});
}

}  // namespace

void add_client_flags(command_line::command& command, client_flags& flags) {
    command.add_option("--server", flags.server, "The cluster's address")
        ->type_name("URL")
        ->environment("MUSTER_SERVER");
    command.add_option("--ca", flags.ca, "The file with the cluster's CA")
        ->type_name("FILE")
        ->environment("MUSTER_CA");
    command.add_option("--token-file", flags.token_file, "The file with the token of a login")
        ->type_name("FILE")
        ->environment("MUSTER_TOKEN_FILE");
    command
        .add_option(
            "--edit", flags.edit, "An editing session: changes of common data go into its draft")
        ->type_name("ID")
        ->environment("MUSTER_EDIT");
}

client_context context_of(const client_flags& flags) {
    client_context where;
    where.token_file = flags.token_file.empty() ? own_directory() / "token"
                                                : std::filesystem::path(flags.token_file);
    const auto memory = os::load_file(memory_of(where.token_file));
    const auto last = memory ? parse_or_null(*memory) : json::value();
    const auto choose = [](std::string input, std::string remembered, const char* fallback) {
        if (!input.empty()) return input;
        return remembered.empty() ? std::string(fallback) : remembered;
    };
    where.server = choose(flags.server, member(last, "server"), default_server);
    where.ca = choose(flags.ca, member(last, "ca"), default_ca);
    where.edit = flags.edit;
    return where;
}

result<void> remember_login(const client_context& where, const std::string& token) {
    const auto directory = where.token_file.parent_path();
    std::error_code failure;
    if (!directory.empty()) std::filesystem::create_directories(directory, failure);
    if (failure)
        return fail(
            errc::denied, fmt::format("cannot make {}: {}", directory.string(), failure.message()));
    const auto file = std::filesystem::absolute(where.token_file);
    CHECK_OK(os::save_file({.file = file, .text = token + "\n"}));
    const json::object memory{
        {"server", where.server}, {"ca", std::filesystem::absolute(where.ca).string()}};
    const auto text = json::serialize(memory);
    return os::save_file({.file = memory_of(file), .text = text});
}

result<void> forget_login(const client_context& where) {
    std::error_code failure;
    std::filesystem::remove(where.token_file, failure);
    if (failure)
        return fail(
            errc::denied,
            fmt::format("cannot remove {}: {}", where.token_file.string(), failure.message()));
    return {};
}

std::expected<json::value, api_failure> call_api(
    const client_context& where, const api_call& api_call) {
    const auto answered = exchange(where, api_call);
    if (!answered) return failed_at(where, answered.error());
    return value_of(answered->status, answered->body);
}

std::expected<json::value, api_failure> follow_api(
    const client_context& where, const api_call& api_call, report_taker callback) {
    const auto answered = exchange_events(where, api_call, callback);
    if (!answered) return failed_at(where, answered.error());
    const bool went_on = !answered->last_report.empty();
    return value_of(answered->status, went_on ? answered->last_report : answered->body);
}

}  // namespace muster::cli
