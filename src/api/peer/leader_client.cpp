#include "api/peer/leader_client.h"

#include "api/operations/json_value.h"
#include "api/operations/permissions_codec.h"
#include "ports/deadline.h"

#include <boost/json.hpp>

#include <array>
#include <utility>

namespace muster::api {
namespace {

using namespace std::chrono_literals;
namespace http = net::http;
namespace json = boost::json;

constexpr const char* path = "/cluster/common";
constexpr std::size_t body_bytes_max = std::size_t{5} * 1024 * 1024;
constexpr auto answer_time = 20s;  // longer than anything there waits
constexpr std::array codes{
    errc::not_found,
    errc::conflict,
    errc::invalid,
    errc::denied,
    errc::unavailable,
    errc::timed_out};

// Nothing was done; of any other answer that is none of ours nobody knows.
bool is_refusal(unsigned status) {
    return status == 503 || (status >= 400 && status < 500);
}

json::object told(const error& why) {
    return {{"error", to_string(why.code())}, {"detail", why.detail()}};
}

std::string word_in(const json::object& all, const char* name) {
    const auto* const found = all.if_contains(name);
    if (found == nullptr || !found->is_string()) return {};
    return std::string(found->get_string());
}

error error_in(const json::object& answer) {
    const auto name = word_in(answer, "error");
    for (const auto code : codes)
        if (to_string(code) == name) return {code, word_in(answer, "detail")};
    return {errc::corrupt, "the leader's answer says nothing"};
}

// The member, which must be a text.
result<std::string> text_in(const json::object& all, const char* name) {
    const auto* const found = all.if_contains(name);
    if (found == nullptr || !found->is_string())
        return fail(errc::invalid, std::string("`") + name + "` is missing");
    return std::string(found->get_string());
}

}  // namespace

async<reply> leader_client::forward(revision::leader_record to, call call) const {
    if (call.forwarded) co_return fail(errc::unavailable, "the leader has just changed; try again");
    const auto tree = people::parents_of(*call.context().topology.read());
    json::object what{
        {"operation", call.operation().name},
        {"arguments", to_json(call.arguments())},
        {"edit", call.edit},
        {"user", call.who().user},
        {"may", encode_rights(call.who().may, tree)},
        {"origin", call.who().origin}};
    CO_TRY(auto tls, deps_.tls.current());
    http::client through({.clock = &deps_.clock, .tls = std::move(tls)});
    http::outgoing asking{
        .method = "POST", .url = "https://" + to.address + path, .body = json::serialize(what)};
    const auto answered =
        co_await within(deps_.clock, answer_time, through.send(std::move(asking)));
    if (!answered)
        co_return fail(answered.error().within(
            "the leader " + to.server + " does not answer; if it is gone, another one is elected"));
    json::error_code failure;
    const auto parsed = json::parse(answered->body, failure);
    if (answered->status != 200 || failure || !parsed.is_object())
        co_return fail(
            is_refusal(answered->status) ? errc::unavailable : errc::timed_out,
            "the leader " + to.server + " answered " + std::to_string(answered->status));
    const auto& object = parsed.get_object();
    const auto* const status = object.if_contains("status");
    const auto* const content = object.if_contains("content");
    const bool done = status != nullptr && status->is_int64() && content != nullptr;
    if (!done) co_return fail(error_in(object));
    co_return reply{
        .content = *content,
        .recorded = true,
        .status = static_cast<unsigned>(status->get_int64())};
}

result<void> leader_client::add_routes(http::router& routes) {
    return routes.add(
        "POST",
        path,
        {.handle = [this](http::request request) { return serve(std::move(request)); },
         .allowed = http::caller::cluster_server,
         .body_bytes_max = body_bytes_max});
}

async<reply> leader_client::perform(std::string body) {
    json::error_code failure;
    const auto parsed = json::parse(body, failure);
    if (failure || !parsed.is_object())
        co_return fail(errc::invalid, "the body is not a JSON object");
    const auto& all = parsed.get_object();
    CO_TRY(const auto name, text_in(all, "operation"));
    const auto* const arguments = all.if_contains("arguments");
    if (arguments == nullptr) co_return fail(errc::invalid, "`arguments` is missing");
    auto meant = find_operation(deps_.all, deps_.others, name, from_json(*arguments));
    if (!meant) co_return fail(errc::unavailable, "the leader does not know " + name);
    caller caller;
    CO_TRY(caller.user, text_in(all, "user"));
    CO_TRY(caller.origin, text_in(all, "origin"));
    CO_TRY(const auto may, text_in(all, "may"));
    CO_TRY(caller.may, decode_rights(may));
    CO_TRY(caller.context, deps_.authenticator.enter());
    caller.zones = std::make_shared<const access::zone_parents>(
        people::parents_of(*caller.context->topology.read()));
    call call(*meant->what, std::move(caller), std::move(meant->arguments));
    CO_TRY(call.edit, text_in(all, "edit"));
    call.forwarded = true;
    auto answered = co_await deps_.all.perform(*meant->what, meant->does, std::move(call));
    if (answered && !answered->status) answered->status = meant->what->status;
    co_return answered;
}

async<http::response> leader_client::serve(http::request request) {
    CO_TRY(auto body, co_await request.body());
    auto done = co_await perform(std::move(body));
    if (!done) co_return http::json(200, json::serialize(told(done.error())));
    co_return http::json(
        200,
        json::serialize(json::object{
            {"status", done->status.value_or(200)}, {"content", std::move(done->content)}}));
}

}  // namespace muster::api
