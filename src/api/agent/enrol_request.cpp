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

std::unexpected<error> invalid_member(std::string_view member, std::string_view desired) {
    return fail(errc::invalid, "`" + std::string(member) + "` must be " + std::string(desired));
}

result<std::string> read_text(const json::object& body, const char* name) {
    const auto* const member = body.if_contains(name);
    if (member == nullptr) return std::string();
    if (!member->is_string()) return invalid_member(name, "a string");
    return json::value_to<std::string>(*member);
}

result<std::string> read_secret_digest(const json::object& body, const char* name) {
    TRY(const auto secret, read_text(body, name));
    if (secret.size() > secret_bytes_max) return invalid_member(name, "at most 256 bytes");
    return secret.empty() ? std::string() : secret_digest(secret);
}

result<facts> read_facts(const json::object& body) {
    facts result;
    const auto* const member = body.if_contains("facts");
    if (member == nullptr) return result;
    if (!member->is_object() || member->as_object().size() > facts_max)
        return invalid_member("facts", "an object of at most 10000 paths and values");
    for (const auto& fact : member->as_object())
        result.emplace(
            std::string_view(fact.key().data(), fact.key().size()), json::serialize(fact.value()));
    return result;
}

std::string to_document(const facts& facts) {
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

result<fleet::enrolment_service::enrolment_input> read_enrol_request(
    std::string_view body, wall_time now, const fingerprint& print) {
    json::error_code failure;
    const auto parsed = json::parse({body.data(), body.size()}, failure);
    if (failure || !parsed.is_object())
        return fail(errc::invalid, "request body is not a JSON object");
    const auto& members = parsed.as_object();
    fleet::enrolment_service::enrolment_input enrolment{.request = {.print = print}};
    TRY(enrolment.request.name, read_text(members, "name"));
    TRY(enrolment.request.machine_id, read_text(members, "machine_id"));
    TRY(enrolment.key_digest, read_secret_digest(members, "activation_key"));
    TRY(enrolment.token_digest, read_secret_digest(members, "token"));
    TRY(const auto facts, read_facts(members));
    if (facts.empty()) return enrolment;
    auto document = to_document(facts);
    if (document.size() > fleet::facts_bytes_max) return invalid_member("facts", "at most 256 KiB");
    enrolment.facts = fleet::stored_facts{
        .print = print,
        .document = std::move(document),
        .digest = pki::sha256(canonical_form(facts)),
        .changed = now};
    return enrolment;
}

}  // namespace muster::api
