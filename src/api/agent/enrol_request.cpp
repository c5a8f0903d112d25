#include "api/agent/enrol_request.h"

#include "adapters/pki/fingerprint.h"
#include "base/hex.h"
#include "core/model/facts.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;

constexpr std::size_t facts_max = 10'000;
constexpr std::size_t secret_bytes_max = 256;

std::unexpected<error> wrong(std::string_view member, std::string_view desired) {
    return fail(errc::invalid, "`" + std::string(member) + "` must be " + std::string(desired));
}

result<std::string> text_of(const json::object& all, const char* name) {
    const auto* const found = all.if_contains(name);
    if (found == nullptr) return std::string();
    if (!found->is_string()) return wrong(name, "a text");
    return json::value_to<std::string>(*found);
}

result<std::string> digest_of_secret(const json::object& all, const char* name) {
    TRY(const auto secret, text_of(all, name));
    if (secret.size() > secret_bytes_max) return wrong(name, "at most 256 bytes");
    return secret.empty() ? std::string() : secret_digest(secret);
}

result<facts> facts_of(const json::object& all) {
    facts response;
    const auto* const found = all.if_contains("facts");
    if (found == nullptr) return response;
    if (!found->is_object() || found->as_object().size() > facts_max)
        return wrong("facts", "an object of at most 10000 paths and values");
    for (const auto& each : found->as_object())
        response.emplace(
            std::string_view(each.key().data(), each.key().size()), json::serialize(each.value()));
    return response;
}

std::string document_of(const facts& facts) {
    std::string document = "{";
    for (const auto& [path, value] : facts) {
        if (document.size() > 1) document += ',';
        document += json::serialize(json::string_view(path.data(), path.size())) + ':' + value;
    }
    return document + '}';
}

}  // namespace

std::string secret_digest(std::string_view secret) {
    return to_hex(pki::sha256(secret));
}

result<fleet::enrolment_service::application> read_enrol_request(
    std::string_view body, wall_time now, const fingerprint& print) {
    json::error_code failure;
    const auto parsed = json::parse({body.data(), body.size()}, failure);
    if (failure || !parsed.is_object()) return fail(errc::invalid, "the body is not a JSON object");
    const auto& all = parsed.as_object();
    fleet::enrolment_service::application read{.said = {.print = print}};
    TRY(read.said.name, text_of(all, "name"));
    TRY(read.said.machine_id, text_of(all, "machine_id"));
    TRY(read.key_digest, digest_of_secret(all, "activation_key"));
    TRY(read.token_digest, digest_of_secret(all, "token"));
    TRY(const auto facts, facts_of(all));
    if (facts.empty()) return read;
    auto document = document_of(facts);
    if (document.size() > fleet::facts_bytes_max) return wrong("facts", "at most 256 KiB");
    read.told = fleet::stored_facts{
        .print = print,
        .document = std::move(document),
        .digest = pki::sha256(canonical_form(facts)),
        .changed = now};
    return read;
}

}  // namespace muster::api
